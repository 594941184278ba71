"""A breakage: one law broken on purpose, by as few words as it takes, and the test that must see it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """`old` stands in the file exactly once, and becomes `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Breakage:
    """A law in words, how it is broken, and the test that sees it."""

    name: str
    law: str
    edits: tuple[Edit, ...]
    seen_by: str
