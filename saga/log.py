"""The saga log: the rows of one run, and the only source of what happened. The transcript is never read for this."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any, Literal

from saga.draft import CounterCall, Draft
from saga.keys import OPEN_KEY, compensation_key, correction_key, step_key
from saga.references import depends_on as referred
from saga.references import pointing_at
from saga.row import CounterAction, Row


class Log(Collection[Row]):
    """The rows of one run, in `step_idx` order."""

    def __init__(self, run_id: str, execution: str, rows: Iterable[Row] = ()) -> None:
        """`execution` is the first execution's run id: what is written on every effect."""
        self.run_id, self.execution = run_id, execution
        self._rows: list[Row] = list(rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __contains__(self, row: object) -> bool:
        return row in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, step_idx: int) -> Row:
        """The row of that step; IndexError where there is none."""
        if not 0 <= step_idx < len(self._rows):
            raise IndexError(f"no step {step_idx}")
        return self._rows[step_idx]

    def put(self, row: Row) -> Row:
        """Replace the row of that step by its moved self."""
        self._rows[row.step_idx] = row
        return row

    def write(
        self,
        draft: Draft,
        status: Literal["INTENDED", "QUEUED"],
        at: datetime,
        *,
        depends_on: tuple[int, ...] = (),
        staged_by: int | None = None,
    ) -> Row:
        """The row of the next step, before anything is sent. Gives it its index and its keys.

        An earlier step that refers to this one by name depends on it from now on.
        """
        found = referred(self, draft)
        for row in pointing_at(self, draft):
            self.put(row.standing_on(len(self)))
        return self._add(
            Row(
                **self._next(draft.tool, draft.compensation, draft.correction),
                run_id=self.run_id,
                tool=draft.tool,
                tool_class=draft.tool_class,
                target=draft.target,
                args=draft.args,
                status=status,
                audience=draft.audience,
                depends_on=tuple(sorted(found | set(depends_on))),
                execution=self.execution,
                facts=draft.facts,
                created_at=at,
                updated_at=at,
                begun_at=at if status == "INTENDED" else None,
                staged_by=staged_by,
            )
        )

    def retry(self, row: Row, at: datetime) -> Row:
        """A new row, QUEUED, with the frozen arguments of one that failed: a new try is a new, recorded step.

        What refers to the failed one, and what is queued behind it, refers to the new one instead.
        """
        for each in self:
            if row.step_idx in each.depends_on:
                self.put(each.standing_on(len(self), instead_of=row.step_idx))
        undo, correction = (_reopened(half, row.idempotency_key) for half in (row.compensation, row.correction))
        return self._add(
            Row(
                **self._next(row.tool, undo, correction),
                status="QUEUED",
                created_at=at,
                updated_at=at,
                **{name: getattr(row, name) for name in _FROZEN},
            )
        )

    def unsettled(self) -> list[Row]:
        """The rows somebody still has to find out about, or to undo."""
        return [row for row in self if not row.settled]

    def queued(self) -> list[Row]:
        """The rows that wait behind the pivot."""
        return [row for row in self if row.status == "QUEUED"]

    def old_step(self, draft: Draft, *, answered_upto: int) -> Row | None:
        """The step that `draft` is, if it is an old one; decided without looking at its words.

        With an identity: the same identity. Without: a row of the tool that was UNKNOWN and whose settled answer the
        model has not been given yet (`answered_upto`: it knows of the rows below that index).
        """
        for row in reversed(self._rows):
            if row.tool != draft.tool or not row.old or row.staged_by is not None:
                continue
            if draft.facts.identity is None:
                if row.doubted and row.step_idx >= answered_upto:
                    return row
            elif row.facts.identity == draft.facts.identity:
                return row
        return None

    def _add(self, row: Row) -> Row:
        self._rows.append(row)
        return row

    def _next(self, tool: str, undo: CounterCall | None, correction: CounterCall | None) -> dict[str, Any]:
        """Index and keys of the next row, with both counter-calls pointed at its forward key."""
        idx = len(self._rows)
        key = step_key(self.run_id, idx, tool)
        return {
            "step_idx": idx,
            "idempotency_key": key,
            "compensation": _half(undo, key, compensation_key(self.run_id, idx, tool)),
            "correction": _half(correction, key, correction_key(self.run_id, idx, tool)),
        }


_FROZEN = (
    *("run_id", "tool", "tool_class", "target", "args", "audience"),
    *("depends_on", "execution", "facts", "staged_by"),
)
"""What a new try of a step keeps of it."""


def _half(call: CounterCall | None, forward: str, own: str) -> CounterAction | None:
    return call and CounterAction(tool=call.tool, args=call.keyed(forward).args, idempotency_key=own)


def _reopened(half: CounterAction | None, key: str) -> CounterCall | None:
    """The call that a half was made of: `key` taken out again, for another to be filled in."""
    if half is None:
        return None
    args = {name: OPEN_KEY if value == key else value for name, value in half.args.items()}
    return CounterCall(tool=half.tool, args=args)
