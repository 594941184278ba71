"""docker-compose.yml, as far as it can be checked without an engine.

Always against the Compose Specification's own schema, and against what we promise of it; by `docker compose
config` itself wherever a Compose is to be had.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.source import ROOT, assert_none

COMPOSE_FILE = ROOT / "docker-compose.yml"
SCHEMA_CHECK = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec")
# The plugin, the program of its own, the one that the Makefile fetches where neither is.
COMPOSES = (("docker", "compose"), ("docker-compose",), (str(ROOT / ".tools/docker-compose"),))
OLDEST = (2, 24)  # the first that knows an env_file which need not exist
SECRET = re.compile(r"PASSWORD|PWD|SECRET|TOKEN|KEY")


def run(command: tuple[str | Path, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


def version_of(compose: tuple[str, ...]) -> tuple[int, ...]:
    """A Compose's version; (0,) if it is none, or is not there."""
    if shutil.which(compose[0]) is None:
        return (0,)
    told = re.search(r"(\d+)\.(\d+)", run((*compose, "version", "--short")).stdout)
    return tuple(int(part) for part in told.groups()) if told else (0,)


@pytest.fixture(scope="module")
def compose() -> tuple[str, ...]:
    for candidate in COMPOSES:
        if version_of(candidate) >= OLDEST:
            return candidate
    pytest.skip("no Docker Compose 2.24 or newer: no plugin, and `make` could fetch none; schema checked only")


def planted(tmp_path: Path, old: str, new: str) -> Path:
    """A copy of the file with one thing wrong in it."""
    text = COMPOSE_FILE.read_text("utf-8")
    assert old in text
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(text.replace(old, new, 1), "utf-8")
    return broken


def config(compose: tuple[str, ...], file: Path) -> subprocess.CompletedProcess[str]:
    # An .env file of the developer's own is not what is tested.
    return run((*compose, "--env-file", os.devnull, "--file", file, "config", "--quiet"))


def test_it_fits_the_specification():
    checked = run((*SCHEMA_CHECK, COMPOSE_FILE))
    assert checked.returncode == 0, checked.stdout


def test_what_does_not_fit_the_specification_is_found(tmp_path):
    assert run((*SCHEMA_CHECK, planted(tmp_path, "    volumes:", "    volume:"))).returncode != 0


def test_docker_compose_config_accepts_it(compose):
    checked = config(compose, COMPOSE_FILE)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      temporal:\n        condition", "      temproal:\n        condition"),
        ("  world:\n", "  word:\n"),
    ],
)
def test_docker_compose_config_finds_what_the_schema_cannot(compose, tmp_path, old, new):
    broken = planted(tmp_path, old, new)
    assert run((*SCHEMA_CHECK, broken)).returncode == 0
    assert config(compose, broken).returncode != 0


def services() -> dict[str, dict[str, Any]]:
    return YAML(typ="safe").load(COMPOSE_FILE.read_text("utf-8"))["services"]


def open_doors(name: str, service: dict[str, Any]) -> Iterator[str]:
    for port in service.get("ports", ()):
        if not str(port).startswith("127.0.0.1:"):
            yield f"{name} publishes {port} beyond loopback"


def loose_images(name: str, service: dict[str, Any]) -> Iterator[str]:
    if "build" not in service and not re.search(r":\d+\.\d+", service["image"]):
        yield f"{name} runs {service['image']}, whatever that is tomorrow"


def written_secrets(name: str, service: dict[str, Any]) -> Iterator[str]:
    for variable, value in service.get("environment", {}).items():
        if SECRET.search(variable) and not str(value).startswith("${"):
            yield f"{name} has {variable} written into it"


def unwatched(name: str, service: dict[str, Any]) -> Iterator[str]:
    """A service that others wait for must say when it is ready; one that listens must be asked."""
    waited_for = {
        needed
        for other in services().values()
        for needed, how in other.get("depends_on", {}).items()
        if how["condition"] == "service_healthy"
    }
    if (service.get("ports") or name in waited_for) and "healthcheck" not in service:
        yield f"{name} has no health check"


PROMISES = (open_doors, loose_images, written_secrets, unwatched)


@pytest.mark.parametrize("promise", PROMISES)
def test_every_service_keeps_the_promise(promise):
    assert_none(complaint for name, service in services().items() for complaint in promise(name, service))


@pytest.mark.parametrize(
    ("promise", "service"),
    [
        (open_doors, {"ports": ["8470:8470"]}),
        (open_doors, {"ports": ["0.0.0.0:8470:8470"]}),
        (loose_images, {"image": "temporalio/ui"}),
        (loose_images, {"image": "temporalio/ui:latest"}),
        (written_secrets, {"environment": {"POSTGRES_PASSWORD": "temporal"}}),
        (unwatched, {"ports": ["127.0.0.1:8470:8470"]}),
    ],
)
def test_a_broken_promise_is_found(promise, service):
    assert list(promise("planted", service)) != []


def test_it_starts_a_server_its_ui_every_worker_and_the_sandbox():
    ours = [service["command"][:2] for service in services().values() if "build" in service]
    assert sorted(ours) == [
        ["sandbox", "--host"],
        ["worker", "lookups"],
        ["worker", "runs"],
        ["worker", "tools"],
    ]
    assert {"postgresql", "temporal", "ui"} <= services().keys()
