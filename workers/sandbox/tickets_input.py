"""What a request wants to change on a ticket: `fields` and `update`, checked against a screen.

A field that is not on the screen, a label with a space, a summary that is missing, too long or has a line
break, an unknown project, type, priority or resolution: refused with Jira's {"errors": {field: message}},
all at once. Labels are kept sorted, each once. A transition's comment is `update.comment[0].add.body`.
"""

from dataclasses import dataclass, field
from typing import Any

from workers.sandbox import tickets_text as texts
from workers.sandbox.tickets_answers import JiraRefused, errors, no
from workers.sandbox.tickets_text import Text
from workers.sandbox.tickets_workflow import ISSUE_TYPES, PRIORITIES, RESOLUTIONS, Project, named, project_of

CREATE_SCREEN = frozenset({"project", "issuetype", "summary", "description", "labels", "priority"})
EDIT_SCREEN = frozenset({"summary", "description", "labels", "priority", "comment"})
LONGEST = 255
"""Characters in a summary or a label, as Jira documents it."""
MISSING = {"summary": "You must specify a summary of the issue.", "resolution": "Resolution is required."}


@dataclass
class Wanted:
    """The changes, as fields of `Ticket`; what the request adds is told apart, for the key may be in it."""

    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    added_labels: tuple[str, ...] = ()
    comments: tuple[Text, ...] = ()


def wanted_of(
    body: Any,
    version: int,
    screen: frozenset[str],
    labels: tuple[str, ...] = (),
    required: frozenset[str] = frozenset(),
) -> Wanted:
    """Read the changes. `labels` are those that the ticket has. Raises JiraRefused."""
    if not isinstance(body, dict):
        raise no(400, "INVALID_INPUT")
    reader = _Reader(version, screen, labels)
    return reader.read(body.get("fields") or {}, body.get("update") or {}, required)


def birthplace(body: Any) -> tuple[Project, str]:
    """The project and the issue type of a creation. Raises JiraRefused."""
    given = body.get("fields") if isinstance(body, dict) else None
    if not isinstance(given, dict):
        raise no(400, "INVALID_INPUT")
    project = project_of(_reference(given.get("project"), "key"))
    if project is None:
        raise no(400, project="Specify a valid project ID or key")
    issuetype = named(ISSUE_TYPES, _reference(given.get("issuetype"), "name"))
    if issuetype is None or issuetype not in project.starts:
        raise no(400, issuetype="Specify a valid issue type")
    return project, issuetype


def _reference(value: Any, name: str) -> str:
    """The id or name in {"id": …} or {"key": …}; "" where there is none, which nothing is called."""
    if not isinstance(value, dict):
        return ""
    return str(value.get("id") or value.get(name) or "")


class _Reader:
    def __init__(self, version: int, screen: frozenset[str], labels: tuple[str, ...]) -> None:
        self.version = version
        self.screen = screen
        self.labels = labels
        self.wanted = Wanted()
        self.wrong: dict[str, str] = {}

    def read(self, fields: Any, update: Any, required: frozenset[str]) -> Wanted:
        if not isinstance(fields, dict) or not isinstance(update, dict):
            raise no(400, "INVALID_INPUT")
        for name in [*fields, *update]:
            if name not in self.screen:
                self.wrong[name] = f"Field '{name}' cannot be set. It is not on the appropriate screen, or unknown."
            elif name in fields and name in update:
                self.wrong[name] = f"Field '{name}' cannot be in both 'fields' and 'update'."
        for name, value in fields.items():
            self._set(name, value)
        for name, operations in update.items():
            self._update(name, operations)
        for name in required - self.wanted.fields.keys() - self.wrong.keys():
            self.wrong[name] = MISSING[name]
        if self.wrong:
            raise JiraRefused(errors(400, fields=self.wrong))
        return self.wanted

    def _set(self, name: str, value: Any) -> None:
        if name in self.wrong or name in ("project", "issuetype"):
            return
        if name == "summary":
            self._summary(value)
        elif name == "labels":
            self._labels([] if value is None else value)
        elif name == "description":
            self._text(value)
        elif name == "comment":
            self.wrong[name] = "Comments are added through 'update'."
        else:
            table = PRIORITIES if name == "priority" else RESOLUTIONS
            chosen = named(table, _reference(value, "name"))
            self.wanted.fields[name] = chosen
            if chosen is None:
                self.wrong[name] = f"The {name} selected is invalid."

    def _update(self, name: str, operations: Any) -> None:
        if name in self.wrong:
            return
        if not isinstance(operations, list) or not all(isinstance(o, dict) and len(o) == 1 for o in operations):
            self.wrong[name] = "Expected a list of operations with one verb each."
            return
        pairs = [next(iter(operation.items())) for operation in operations]
        allowed = {"labels": {"add", "remove", "set"}, "comment": {"add"}}.get(name, {"set"})
        odd = next((verb for verb, _ in pairs if verb not in allowed), None)
        if odd is not None:
            self.wrong[name] = f"The operation '{odd}' is not supported for this field."
        elif name == "comment":
            self._comments([value for _, value in pairs])
        elif name == "labels":
            self._operate(pairs)
        else:
            for _, value in pairs:
                self._set(name, value)

    def _operate(self, pairs: list[tuple[str, Any]]) -> None:
        result: list[Any] = list(self.labels)
        for verb, value in pairs:
            if verb == "set":
                result = list(value) if isinstance(value, list) else [value]
            elif verb == "add":
                result.append(value)
            else:
                result = [label for label in result if label != value]
        self._labels(result)

    def _labels(self, labels: Any) -> None:
        if not isinstance(labels, list) or not all(isinstance(label, str) and label for label in labels):
            self.wrong["labels"] = "Expected a list of strings."
            return
        for label in labels:
            if any(character.isspace() for character in label):
                self.wrong["labels"] = f"The label '{label}' contains spaces which is invalid."
            elif len(label) > LONGEST:
                self.wrong["labels"] = f"The label '{label}' exceeds the maximum length for a label of {LONGEST}."
        self.wanted.fields["labels"] = tuple(sorted(set(labels)))
        self.wanted.added_labels = tuple(label for label in labels if label not in self.labels)

    def _summary(self, summary: Any) -> None:
        self.wanted.fields["summary"] = summary
        if summary is None or (isinstance(summary, str) and not summary.strip()):
            self.wrong["summary"] = MISSING["summary"]
        elif not isinstance(summary, str):
            self.wrong["summary"] = texts.NEEDS_STRING
        elif "\n" in summary or "\r" in summary:
            self.wrong["summary"] = "The summary is invalid because it contains newline characters."
        elif len(summary) > LONGEST:
            self.wrong["summary"] = f"Summary must be less than {LONGEST} characters."

    def _text(self, value: Any) -> None:
        self.wanted.fields["description"] = value
        wrong = None if value is None else texts.what_is_wrong(value, self.version)
        if wrong:
            self.wrong["description"] = wrong

    def _comments(self, values: list[Any]) -> None:
        bodies = [value.get("body") if isinstance(value, dict) else None for value in values]
        for body in bodies:
            wrong = comment_trouble(body, self.version)
            if wrong:
                self.wrong["comment"] = wrong
        self.wanted.comments = tuple(body for body in bodies if body is not None)


def comment_trouble(body: Any, version: int) -> str | None:
    """Jira's complaint about the body of a comment; None where it is fine."""
    if body is None or (isinstance(body, str) and not body.strip()):
        return "Comment body can not be empty!"
    wrong = texts.what_is_wrong(body, version)
    return "Comment body is not valid!" if wrong in (texts.NEEDS_DOCUMENT, texts.NEEDS_STRING) else wrong
