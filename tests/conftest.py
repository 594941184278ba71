"""How the tests are shared out among processes."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile`: file by file, and the fault matrix target by target.

    A file's tests share the servers that they start; the targets of the matrix share their process's, whichever file
    they stand in. So they may fill up whatever the files leave: by files one core stood idle for the last minutes.
    """
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class _FilesAndTargets(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return nodeid if nodeid.startswith("tests/matrix/") else super()._split_scope(nodeid)

    return _FilesAndTargets(config, log)
