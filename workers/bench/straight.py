"""The activities of the bare workflow: the same models and the same tools, with no row, no vetting and no lookup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal

from temporalio import activity

from saga.draft import fill_key
from saga.keys import OPEN_KEY
from saga.outcome import Receipt
from saga.record import Json, Record
from saga.registry import Registry
from saga.tool import Call, PureTool, Tags, Upstream
from saga.turn import ProposedCall


class Question(Record):
    """To `ask`: whose turn it is."""

    plan: str
    turn: int


class Wish(Record):
    """One call that the model makes, or that waits for approval."""

    tool: str
    args: Json
    kind: Literal["effect", "read", "quick"] = "effect"


class Said(Record):
    """What `ask` returns."""

    text: str
    wishes: tuple[Wish, ...] = ()


class Errand(Record):
    """To `send`: one call under its key."""

    tool: str
    args: Json
    key: str
    run_id: str
    step_idx: int
    execution: str
    since: datetime
    upstream: tuple[Upstream, ...] = ()


class Done(Record):
    """What `send` returns: the receipt, and the commit half where there is one."""

    receipt: Receipt
    commit: Wish | None = None


class Straight:
    """Asks, reads and sends, once each."""

    def __init__(self, registry: Registry, providers: Mapping[str, Any], plan_of: Callable[[str], Any]) -> None:
        """`providers` by system name; `plan_of` gives the plan of a name."""
        self._registry, self._providers, self._plan_of = registry, providers, plan_of

    @activity.defn(name="bare_ask")
    async def ask(self, question: Question) -> Said:
        """The model's turn. It is not even told what became of the turns before."""
        reply = self._plan_of(question.plan).reply(question.turn)
        return Said(text=reply.text, wishes=tuple(self._wish(call) for call in reply.calls))

    @activity.defn(name="bare_read")
    async def read(self, wish: Wish) -> Json:
        """A pure tool's answer."""
        tool = self._registry.tools[wish.tool]
        assert isinstance(tool, PureTool)  # noqa: S101 - the plan knows its tools
        provider = self._providers[tool.system] if tool.system else None
        return await tool.read(provider, tool.args.model_validate(wish.args))

    @activity.defn(name="bare_send")
    async def send(self, errand: Errand) -> Done:
        """A tool's call, sent once."""
        tool = self._registry.tool(errand.tool)
        args = tool.args.model_validate(errand.args)
        tags = Tags(key=errand.key, run_id=errand.run_id, step_idx=errand.step_idx, execution=errand.execution)
        call: Call[Any] = Call(args=args, tags=tags, since=errand.since.timestamp(), upstream=errand.upstream)
        receipt = await tool.perform(self._providers[tool.system], call)
        if tool.commits is None or tool.commit_args is None:
            return Done(receipt=receipt)
        later = fill_key(tool.commit_args(args, OPEN_KEY), errand.key)
        return Done(receipt=receipt, commit=Wish(tool=tool.commits, args=later))

    def _wish(self, call: ProposedCall) -> Wish:
        tool = self._registry.tools[call.tool]
        kind = "effect" if not isinstance(tool, PureTool) else "read" if tool.system else "quick"
        assert isinstance(call.args, dict)  # noqa: S101 - the plan writes objects
        return Wish(tool=call.tool, args=call.args, kind=kind)
