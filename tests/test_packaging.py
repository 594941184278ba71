"""What is handed to others: the lock and its licences, the image, and the commands that install and test."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from email.message import Message
from importlib import metadata
from itertools import chain
from typing import Any

import pytest

from tests.source import ROOMS, ROOT, assert_none

COPYLEFT = re.compile(r"\b[AL]?GPL|General Public License", re.IGNORECASE)
# Locked for another platform, so that nothing here can be asked about them: looked up by hand.
NOT_HERE = {"colorama": "BSD-3-Clause, on Windows only"}
# What the metadata leaves open, with the reason why it may ship. None so far.
ARGUED: dict[str, str] = {}


def read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text("utf-8"))


def shipped() -> set[str]:
    """Every locked package that a user gets, extras included: all but the development group's own."""
    locked = {package["name"]: package for package in read_toml("uv.lock")["package"]}
    project = locked["agent-sagas"]
    wanted = list(chain(project["dependencies"], *project["optional-dependencies"].values()))
    seen: set[tuple[str, str]] = set()
    while wanted:
        need = wanted.pop()
        for extra in ("", *need.get("extra", ())):
            if (need["name"], extra) in seen:
                continue
            seen.add((need["name"], extra))
            package = locked[need["name"]]
            wanted += package["optional-dependencies"][extra] if extra else package.get("dependencies", [])
    return {name for name, _ in seen}


def licence(about: Any) -> str:
    """What a package's metadata says of its licence: the expression, or the older fields together."""
    classifiers = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    return about.get("License-Expression") or " ".join([about.get("License") or "", *classifiers]).strip()


def licence_complaints(names: set[str]) -> Iterator[str]:
    for name in sorted(names - NOT_HERE.keys() - ARGUED.keys()):
        try:
            told = licence(metadata.metadata(name))
        except metadata.PackageNotFoundError:
            yield f"{name} is locked and not installed: is it for another platform?"
            continue
        if not told:
            yield f"{name} does not say what its licence is"
        elif COPYLEFT.search(told):
            yield f"{name} is under {told}"


def test_nothing_under_the_gpl_is_shipped():
    names = shipped()
    assert {"temporalio", "stripe", "jira", "aiohttp"} <= names
    assert "pytest" not in names
    assert_none(licence_complaints(names))


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("License-Expression", "GPL-3.0-or-later"),
        ("License", "LGPLv2"),
        ("License", "GNU Affero General Public License v3"),
        ("Classifier", "License :: OSI Approved :: GNU General Public License v2 (GPLv2)"),
        ("Classifier", "Programming Language :: Python"),
    ],
)
def test_a_licence_that_may_not_ship_is_found(monkeypatch, field, told):
    about = Message()
    about[field] = told
    monkeypatch.setattr(metadata, "metadata", lambda _name: about)
    assert list(licence_complaints({"planted"})) != []


def test_the_lock_is_what_the_project_asks_for():
    uv = next(iter(sorted(ROOT.glob(".uv/*/bin/uv"))), None) or shutil.which("uv")
    if uv is None:
        pytest.skip("no uv here to read the lock with: `make install` brings it")
    # Offline and without a cache: a lock that fits is taken as it stands, another would have to be resolved.
    command = [uv, "lock", "--check", "--offline", "--no-cache", "--project", ROOT]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_one_version_of_uv():
    both = (ROOT / "Makefile").read_text("utf-8") + (ROOT / "Dockerfile").read_text("utf-8")
    pins = re.findall(r"(?:uv==|UV_VERSION := )(\d[\d.]+)", both)
    assert len(pins) == 2
    assert len(set(pins)) == 1


def test_ci_calls_the_test_command_and_nothing_else():
    lines = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["exec make test"]


def test_the_package_and_the_image_hold_every_room():
    assert tuple(read_toml("pyproject.toml")["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == ROOMS
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    copied = [
        line.split()[1:-1] for line in dockerfile.splitlines() if line.startswith("COPY") and "--from" not in line
    ]
    sources = {source for line in copied for source in line}
    assert set(ROOMS) <= sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == sources


def test_the_image_does_not_run_as_root():
    last = (ROOT / "Dockerfile").read_text("utf-8").rsplit("\nFROM ", maxsplit=1)[1]
    assert re.findall(r"^USER (\S+)$", last, re.MULTILINE) == ["saga"]
