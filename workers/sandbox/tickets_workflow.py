"""The projects of the sandbox's Jira: issue types, statuses, transitions and what their screens take.

SUP is an ordinary support project with a draft state outside the team's queue. OPS makes closing hard on
purpose: no transition is called Close, a done category is two hops away, and the second hop has no screen
at all. In Jira a transition takes `fields` and `update` only for what is on its screen; ours have labels
and comment on every screen, which an administrator has to arrange in a real project.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Category = Literal["new", "indeterminate", "done"]

CATEGORY_NAMES: Mapping[Category, tuple[int, str, str]] = {
    "new": (2, "To Do", "blue-gray"),
    "indeterminate": (4, "In Progress", "yellow"),
    "done": (3, "Done", "green"),
}
"""Key -> id, name and colour, as every Jira has them."""


@dataclass(frozen=True)
class Status:
    """A status of the workflows."""

    id: str
    name: str
    category: Category
    in_queue: bool = True
    """Whether the support team sees it in its queue."""


@dataclass(frozen=True)
class Transition:
    """A way from one status to another; `required` is part of `screen`."""

    id: str
    name: str
    to: str
    screen: frozenset[str] = frozenset({"labels", "comment"})
    required: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Project:
    """A project with its workflow."""

    id: str
    key: str
    name: str
    starts: Mapping[str, str]
    """Issue type -> the status in which it begins."""
    transitions: Mapping[str, tuple[Transition, ...]]
    """Status -> the ways out of it. The statuses of the project are the keys."""
    arrives: Mapping[Category, str]
    """Where a ticket moved in from another project lands, by the category that it had."""


STATUSES = {
    status.name: status
    for status in (
        Status("10000", "Draft", "new", in_queue=False),
        Status("10001", "Open", "new"),
        Status("10002", "In Progress", "indeterminate"),
        Status("10003", "Done", "done"),
        Status("10004", "Closed", "done"),
        Status("10005", "In Review", "indeterminate"),
        Status("10006", "Resolved", "done"),
    )
}
ISSUE_TYPES = {"Task": "10101", "Draft Request": "10102"}
PRIORITIES = {"Highest": "1", "High": "2", "Medium": "3", "Low": "4", "Lowest": "5"}
RESOLUTIONS = {"Done": "10200", "Won't Do": "10201", "Duplicate": "10202", "Cancelled": "10203"}

_RESOLVING = frozenset({"labels", "comment", "resolution"})
_CLOSE = Transition("31", "Close", "Closed", _RESOLVING, frozenset({"resolution"}))
_REOPEN = Transition("41", "Reopen", "Open")

PROJECTS = {
    "SUP": Project(
        "10300",
        "SUP",
        "Customer support",
        starts={"Task": "Open", "Draft Request": "Draft"},
        transitions={
            "Draft": (Transition("11", "Publish", "Open"), Transition("12", "Discard", "Closed", _RESOLVING)),
            "Open": (Transition("21", "Start Work", "In Progress"), _CLOSE),
            "In Progress": (Transition("22", "Finish", "Done", _RESOLVING), _CLOSE),
            "Done": (_REOPEN,),
            "Closed": (_REOPEN,),
        },
        arrives={"new": "Open", "indeterminate": "In Progress", "done": "Done"},
    ),
    "OPS": Project(
        "10301",
        "OPS",
        "Operations",
        starts={"Task": "Open"},
        transitions={
            "Open": (Transition("51", "Submit for Review", "In Review"),),
            "In Review": (
                Transition("52", "Sign Off", "Resolved", screen=frozenset()),
                Transition("53", "Send Back", "Open"),
            ),
            "Resolved": (Transition("54", "Pick Up Again", "Open"),),
        },
        arrives={"new": "Open", "indeterminate": "In Review", "done": "Resolved"},
    ),
}


def project_of(reference: str) -> Project | None:
    """A project by key (whatever its case) or id."""
    return next((p for p in PROJECTS.values() if reference.upper() == p.key or reference == p.id), None)


def named(table: Mapping[str, str], reference: str) -> str | None:
    """The name in a table of name -> id, by name (whatever its case) or id."""
    return next((n for n, id_ in table.items() if reference == id_ or reference.casefold() == n.casefold()), None)
