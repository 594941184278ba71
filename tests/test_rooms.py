"""Who may import whom, and what each room may touch.

Each rule is a function from a module to complaints, so that a planted breach shows that it can fail.
"""

import ast
import sys
from collections.abc import Iterator

import pytest

from tests.source import ROOMS, assert_none, imports, modules

# What the kernel may not take from the standard library: clock, chance, environment, files, network.
IMPURE = {
    *("time", "sched", "calendar", "random", "secrets", "uuid", "os", "sys", "platform", "getpass"),
    *("io", "pathlib", "shutil", "tempfile", "glob", "fileinput", "sqlite3", "shelve", "dbm", "logging"),
    *("socket", "socketserver", "ssl", "select", "selectors", "http", "urllib", "smtplib", "ftplib"),
    *("asyncio", "threading", "multiprocessing", "concurrent", "subprocess", "signal", "importlib"),
}
CLOCKS = ("datetime.now", "datetime.utcnow", "datetime.today", "date.today")
IMPURE_BUILTINS = {"open", "input", "print", "exec", "eval", "__import__", "breakpoint"}

# Where else than in the kernel an import would break the thing that the room is for.
FORBIDDEN = {
    "activities": ("temporalio.workflow", "temporalio.worker", "temporalio.testing"),
    "compensations": ("temporalio.workflow", "temporalio.worker", "temporalio.testing"),
    # A run decides from rows: a tool that changes tomorrow must not break one that waits today.
    "workflows": (
        *("activities.tools", "activities.providers"),
        *("temporalio.client", "temporalio.worker", "temporalio.testing"),
    ),
}
# Importing a provider's SDK from a workflow module stops the worker.
WORKFLOW_PACKAGES = {"temporalio", "pydantic"}

ENVIRONMENT_READERS = ("pydantic_settings", "dotenv", "temporalio.envconfig")
ENVIRONMENT_NAMES = {f"os.{name}" for name in ("environ", "environb", "getenv", "getenvb", "putenv", "unsetenv")}


def within(name: str, *packages: str) -> bool:
    """Whether a dotted name is one of these packages or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def wrong_direction(path: str, tree: ast.Module) -> Iterator[str]:
    room = path.split("/", maxsplit=1)[0]
    to_the_right = (*ROOMS[ROOMS.index(room) + 1 :], "tests")
    for line, name in imports(path, tree):
        if within(name, *to_the_right):
            yield f"{path}:{line} imports {name}: move the thing, {room} comes before it"


def wrong_touch(path: str, tree: ast.Module) -> Iterator[str]:
    room, *below = path.split("/")
    door = room == "activities" and len(below) == 1
    for line, name in imports(path, tree):
        top = name.split(".", maxsplit=1)[0]
        known = top in sys.stdlib_module_names or top in ROOMS
        if within(name, *FORBIDDEN.get(room, ())):
            yield f"{path}:{line} imports {name}, which {room} may not touch"
        elif room == "workflows" and not known and top not in WORKFLOW_PACKAGES:
            yield f"{path}:{line} imports {name}: workflows know no package but Temporal's and pydantic"
        elif door and within(name, "activities.tools"):
            yield f"{path}:{line} imports {name}: a door is handed a registry and knows no tool"


def impure(path: str, tree: ast.Module) -> Iterator[str]:
    for line, name in imports(path, tree):
        top = name.split(".", maxsplit=1)[0]
        pure = top in {"pydantic", "saga"} or (top in sys.stdlib_module_names and top not in IMPURE)
        if not pure:
            yield f"{path}:{line} imports {name}: the kernel is standard library and pydantic, and pure"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node).endswith(CLOCKS):
            yield f"{path}:{node.lineno} asks a clock: {ast.unparse(node)}"
        elif isinstance(node, ast.Name) and node.id in IMPURE_BUILTINS:
            yield f"{path}:{node.lineno} calls {node.id}"


def reads_environment(path: str, tree: ast.Module) -> Iterator[str]:
    if path.startswith("workers/settings"):
        return
    for line, name in imports(path, tree):
        if within(name, *ENVIRONMENT_READERS) or name in ENVIRONMENT_NAMES:
            yield f"{path}:{line} imports {name}: only workers/settings reads the environment"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ENVIRONMENT_NAMES:
            yield f"{path}:{node.lineno} reads {ast.unparse(node)}: only workers/settings does"


@pytest.mark.parametrize("rule", [wrong_direction, wrong_touch, reads_environment])
def test_rooms_keep_the_rule(rule):
    """T35."""
    assert_none(complaint for path, tree in modules(*ROOMS) for complaint in rule(path, tree))


def test_the_kernel_is_pure():
    assert_none(complaint for path, tree in modules("saga") for complaint in impure(path, tree))


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (wrong_direction, "saga/log.py", "import activities"),
        (wrong_direction, "saga/log.py", "from workers.settings import Settings"),
        (wrong_direction, "activities/tools/reship.py", "from compensations import release"),
        (wrong_direction, "activities/tools/reship.py", "if TYPE_CHECKING:\n    import workflows.saga"),
        (wrong_direction, "workflows/agent_run.py", "from tests import world"),
        (wrong_touch, "activities/perform.py", "from activities import tools"),
        (wrong_touch, "activities/perform.py", "from .tools import charge_card"),
        (wrong_touch, "activities/perform.py", "from temporalio import workflow"),
        (wrong_touch, "workflows/agent_run.py", "import stripe"),
        (wrong_touch, "workflows/agent_run.py", "from activities.tools.charge_card import TOOL"),
        (impure, "saga/keys.py", "import time"),
        (impure, "saga/keys.py", "from os import path"),
        (impure, "saga/keys.py", "import temporalio.workflow"),
        (impure, "saga/keys.py", "from pydantic_settings import BaseSettings"),
        (impure, "saga/keys.py", "from datetime import datetime\nat = datetime.now()"),
        (impure, "saga/keys.py", "text = open('rows').read()"),
        (reads_environment, "workers/server.py", "import os\nport = os.environ['PORT']"),
        (reads_environment, "activities/providers/payments.py", "from os import getenv"),
        (reads_environment, "workers/client.py", "from temporalio.envconfig import ClientConfig"),
    ],
)
def test_each_rule_finds_a_planted_breach(rule, path, source):
    assert list(rule(path, ast.parse(source))) != []


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (wrong_direction, "workers/server.py", "from workflows.agent_run import AgentRun"),
        (wrong_direction, "saga/log.py", "from sagacity import workers"),
        (wrong_touch, "workers/parts.py", "from activities.tools import charge_card"),
        (wrong_touch, "workflows/agent_run.py", "from activities.perform import perform"),
        (impure, "saga/log.py", "from datetime import UTC, datetime\nfrom pydantic import BaseModel"),
        (reads_environment, "workers/settings.py", "import os\nport = os.environ['PORT']"),
    ],
)
def test_no_rule_complains_of_what_is_allowed(rule, path, source):
    assert list(rule(path, ast.parse(source))) == []
