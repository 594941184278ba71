"""What a JQL query means: clauses, how they are joined, and which tickets of an index they match.

As much of it as looking a ticket up by label, state or date takes. Labels match as whole labels, whatever
their case; text is not searched. Absolute dates are UTC (in Jira: the asking user's time zone). A value
that Jira does not know (a project, a status, a key; not a label) is an error unless validation is off, as
in Jira.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

DATES = ("created", "updated")
OPPOSITE = {"=": "!=", "!=": "=", "in": "not in", "not in": "in", "is": "is not", "is not": "is",
            "<": ">=", ">=": "<", ">": "<=", "<=": ">"}  # fmt: skip
PERIOD = re.compile(r"[+-]?\d+[wdhm](\s+[+-]?\d+[wdhm])*")
SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60}
DATE_FORMS = ("%Y/%m/%d %H:%M", "%Y-%m-%d %H:%M", "%Y/%m/%d", "%Y-%m-%d")


class JqlRefused(Exception):
    """The query is not one; the message is what Jira puts into `errorMessages`."""


@dataclass(frozen=True)
class Indexed:
    """A ticket as the search index holds it; `created` and `updated` are epoch seconds."""

    id: str
    key: str
    project: str
    labels: tuple[str, ...]
    status: str
    category: str
    issuetype: str
    resolution: str | None
    created: float
    updated: float

    def values(self, field: str) -> tuple[str, ...]:
        """What the ticket has in this field, as `Canonical` writes it; empty where it has nothing."""
        if field == "labels":
            return tuple(label.casefold() for label in self.labels)
        if field == "resolution":
            return () if self.resolution is None else (self.resolution,)
        by_field = {"project": self.project, "key": self.id, "status": self.status,
                    "statusCategory": self.category, "issuetype": self.issuetype}  # fmt: skip
        return (by_field[field],)


Canonical = Callable[[str, str], str | None]
"""(field, value as typed) -> the value as `Indexed.values` has it, or None where Jira knows no such value."""


@dataclass(frozen=True)
class Clause:
    """One condition on one field."""

    field: str
    operator: str
    operands: tuple[str | None, ...]
    """As typed; None is EMPTY."""

    def negated(self) -> "Clause":
        """As in Jira, NOT of a clause is the clause with the opposite operator."""
        return Clause(self.field, OPPOSITE[self.operator], self.operands)

    def clauses(self) -> "list[Clause]":
        """Itself, as a group has several."""
        return [self]

    def matches(self, ticket: Indexed, canonical: Canonical, now: float) -> bool:
        """Whether it holds for this ticket."""
        if self.field in DATES:
            return self._compares(getattr(ticket, self.field), _moment(self.field, str(self.operands[0]), now))
        values = ticket.values(self.field)
        wanted = {None if operand is None else canonical(self.field, operand) for operand in self.operands}
        if self.operator in ("=", "in", "is"):
            return (None in self.operands and not values) or any(value in wanted for value in values)
        # As in Jira, "is not X" says nothing about a field without a value.
        return bool(values) and not any(value in wanted for value in values)

    def _compares(self, value: float, operand: float) -> bool:
        if self.operator in ("<", "<="):
            return value < operand or (self.operator == "<=" and value == operand)
        return value > operand or (self.operator == ">=" and value == operand)


@dataclass(frozen=True)
class Group:
    """Conditions of which every one, or any one, must hold."""

    every: bool
    parts: "tuple[Clause | Group, ...]"

    def negated(self) -> "Group":
        """NOT goes inward."""
        return Group(not self.every, tuple(part.negated() for part in self.parts))

    def clauses(self) -> list[Clause]:
        """All conditions in it."""
        return [clause for part in self.parts for clause in part.clauses()]

    def matches(self, ticket: Indexed, canonical: Canonical, now: float) -> bool:
        """Whether it holds for this ticket."""
        found = (part.matches(ticket, canonical, now) for part in self.parts)
        return all(found) if self.every else any(found)


@dataclass(frozen=True)
class Query:
    """A query that was read: what it asks for and in which order."""

    where: Clause | Group | None
    order: tuple[tuple[str, bool], ...] = ()
    """(field, descending), first first."""

    def select(
        self, tickets: Iterable[Indexed], canonical: Canonical, now: float, strict: bool = True
    ) -> list[Indexed]:
        """Those that match, newest first unless ordered. `strict`: an unknown value is an error."""
        for clause in self.where.clauses() if self.where else ():
            for operand in clause.operands:
                if clause.field in DATES:
                    _moment(clause.field, str(operand), now)
                elif strict and operand is not None and canonical(clause.field, operand) is None:
                    raise JqlRefused(_no_such_value(clause.field, operand))
        found = [ticket for ticket in tickets if not self.where or self.where.matches(ticket, canonical, now)]
        found.sort(key=lambda ticket: int(ticket.id), reverse=True)
        for field, descending in reversed(self.order):
            found.sort(key=lambda ticket: _rank(ticket, field), reverse=descending)
        return found


def _no_such_value(field: str, value: str) -> str:
    if field == "key":
        return f"An issue with key '{value}' does not exist for field 'key'."
    return f"The value '{value}' does not exist for the field '{field}'."


def _rank(ticket: Indexed, field: str) -> tuple[str, float]:
    if field == "key":
        project, number = ticket.key.rsplit("-", 1)
        return project, int(number)
    return "", getattr(ticket, field)


def _moment(field: str, operand: str, now: float) -> float:
    """Epoch seconds of a date: absolute, a period from now ("-1h", "-4w 2d"), or epoch milliseconds."""
    if PERIOD.fullmatch(operand):
        return now + sum(int(part[:-1]) * SECONDS[part[-1]] for part in operand.split())
    if operand.isascii() and operand.isdigit():
        return int(operand) / 1000
    for form in DATE_FORMS:
        try:
            return datetime.strptime(operand, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    raise JqlRefused(
        f"Date value '{operand}' for field '{field}' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', "
        "'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'."
    )
