"""What the systems keep: documents by system, kind and reference, in the order in which they came."""

import json
from collections.abc import Iterable
from typing import Any, Literal

from workers.sandbox.store import Doc, Store

Comparison = tuple[str, Literal["=", ">", ">=", "<", "<="], Any]
"""A dotted path into the document, an operator and a value: `("wire.created", ">=", 0)`."""
_OPERATORS = {"=": "IS", ">": ">", ">=": ">=", "<": "<", "<=": "<="}


class Documents(Store):
    """Copies go in and copies come out: a document that was changed has to be put again."""

    def put(self, system: str, kind: str, ref: str, doc: Doc) -> None:
        """Write a document, new or in place of the old one (which keeps its place in the order)."""
        self._rows(
            "INSERT INTO doc (system, kind, ref, body) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (system, kind, ref) DO UPDATE SET body = excluded.body",
            (system, kind, ref, json.dumps(doc)),
        )

    def get(self, system: str, kind: str, ref: str) -> Doc | None:
        """The document, or None."""
        rows = self._rows("SELECT body FROM doc WHERE system = ? AND kind = ? AND ref = ?", (system, kind, ref))
        return json.loads(rows[0][0]) if rows else None

    def all(self, system: str, kind: str, **equals: Any) -> list[Doc]:
        """The documents, oldest first, whose top-level fields equal what is given."""
        return self._found(system, kind, [(name, "=", value) for name, value in equals.items()], "ORDER BY seq")

    def page(
        self,
        system: str,
        kind: str,
        comparisons: Iterable[Comparison],
        *,
        limit: int,
        older_than: str | None = None,
        newer_than: str | None = None,
    ) -> list[Doc]:
        """At most `limit` documents, newest first: the newest, those next older or next newer than one."""
        beside = older_than or newer_than
        order = "ASC" if newer_than and not older_than else "DESC"
        sign = "<" if order == "DESC" else ">"
        there = "(SELECT seq FROM doc WHERE system = ? AND kind = ? AND ref = ?)"
        tail = f"AND seq {sign} {there} " if beside else ""
        values = [system, kind, beside] if beside else []
        found = self._found(system, kind, comparisons, f"{tail}ORDER BY seq {order} LIMIT ?", [*values, limit])
        return found if order == "DESC" else found[::-1]

    def drop(self, system: str, kind: str, ref: str) -> None:
        """Forget a document; none is fine too."""
        self._rows("DELETE FROM doc WHERE system = ? AND kind = ? AND ref = ?", (system, kind, ref))

    def _found(
        self, system: str, kind: str, comparisons: Iterable[Comparison], tail: str, values: Iterable[Any] = ()
    ) -> list[Doc]:
        wanted = list(comparisons)
        where = "".join(f" AND json_extract(body, '$.{path}') {_OPERATORS[op]} ?" for path, op, _ in wanted)
        rows = self._rows(
            f"SELECT body FROM doc WHERE system = ? AND kind = ?{where} {tail}",  # noqa: S608 - our own paths
            (system, kind, *(value for _, _, value in wanted), *values),
        )
        return [json.loads(row[0]) for row in rows]
