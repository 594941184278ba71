"""Whose request this is: key, run and execution, as the wire of each system carries them.

Headers `X-Saga-*`; Stripe's `metadata[saga_*]`; JSON fields `saga_*`; Jira's labels `saga-<key>`,
`saga-run-<12 hex>`, `saga-exec-<12>`, or the same words in a text; last the `Idempotency-Key` header.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_WORDS = {
    "key": re.compile(r"saga-([0-9a-f]{32}(?::\d+)?)(?![0-9A-Za-z])"),
    "run": re.compile(r"saga-run-([0-9a-f]{12})(?![0-9A-Za-z])"),
    "execution": re.compile(r"saga-exec-([0-9A-Za-z-]{12})(?![0-9A-Za-z])"),
}


@dataclass(frozen=True)
class Stamp:
    """Each None where the request does not say. A Jira `run` is the hash that the label carries."""

    key: str | None = None
    run: str | None = None
    execution: str | None = None

    def is_run(self, run: str) -> bool:
        """Whether this is the run of that workflow id, told plainly or by Jira's hash."""
        return self.run is not None and self.run in {run, hashed(run)}


def hashed(run: str) -> str:
    """The 12 hex digits that stand for a run in Jira's labels."""
    return hashlib.sha256(run.encode()).hexdigest()[:12]


def stamp_of(
    headers: Mapping[str, str], content_type: str, form: Callable[[], dict[str, Any]], body: Callable[[], Any]
) -> Stamp:
    """Read the stamp of a request."""
    said: dict[str, str | None] = {name: headers.get(f"X-Saga-{name.title()}") for name in _WORDS}
    if content_type == "application/x-www-form-urlencoded":
        _fill(said, form().get("metadata"))
    elif content_type == "application/json" and not all(said.values()):
        document = body()
        _fill(said, document)
        if isinstance(document, dict):
            _fill(said, document.get("headers"), prefix="X-Saga-")
            _fill_from_words(said, list(_texts(document)))
    key = said["key"] or headers.get("Idempotency-Key")
    return Stamp(key=key, run=said["run"], execution=said["execution"])


def _fill(said: dict[str, str | None], fields: Any, prefix: str = "saga_") -> None:
    if not isinstance(fields, dict):
        return
    wanted = {f"{prefix}{name}".lower(): name for name in _WORDS}
    for field, value in fields.items():
        name = wanted.get(str(field).lower())
        if name and isinstance(value, str) and value:
            said[name] = said[name] or value


def _fill_from_words(said: dict[str, str | None], texts: list[str]) -> None:
    for name, word in _WORDS.items():
        # A whole label first: a text may also name the key of what it undoes.
        found = next((m for t in texts if (m := word.fullmatch(t))), None)
        found = found or next((m for t in texts if (m := word.search(t))), None)
        if found:
            said[name] = said[name] or found.group(1)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
