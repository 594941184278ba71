"""Vetting: what the harness makes of one call that a model wrote, before anything is written down or sent.

Nothing a model writes can name a key, a counter-action or a commit half.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from saga.agent import REVIEW_TOOL, AnyAgent
from saga.decision import first_problem
from saga.draft import RULES, CounterCall, Draft, Facts, Owned
from saga.keys import OPEN_KEY
from saga.money import Money
from saga.outcome import Problem
from saga.record import Json
from saga.references import strings
from saga.registry import Registry, handling
from saga.tool import PureTool, Tool, clock_s
from saga.turn import DraftItem, Item, NoItem, ProposedCall, ReadItem, ReviewItem

CALLS_PER_TURN = 20
"""More in one answer is a model that has lost its way; those beyond are denied."""
ARGS_LIMIT = 16_000
"""Bytes of one call's arguments: they are frozen into history with the row."""

STEPS_NAMED = 10_000
"""More than any run has steps: beyond it an index is no index, and its digits would only fill the history."""


class Denied(Exception):
    """This call is not the model's to make."""

    def __init__(self, code: str, message: str) -> None:
        """`message` goes back to the model."""
        self.code, self.message = code, message
        super().__init__(message)


def vet(registry: Registry, agent: AnyAgent, call: ProposedCall, position: int) -> Item:
    """The call as what it is: a draft with its facts, a read, a request for a person, or a no with its reason."""
    try:
        _refuse_flood(position)
        args, said = _arguments(call)
        if call.tool == REVIEW_TOOL:
            return ReviewItem(call_id=call.call_id, reason=_reason(args))
        tool = _offered(registry, agent, call.tool)
        typed = tool.args.model_validate(args)
        if isinstance(tool, PureTool):
            return ReadItem(call_id=call.call_id, tool=tool.name, args=_json(typed), quick=tool.system is None)
        return DraftItem(call_id=call.call_id, draft=draft_of(registry, tool, typed, said))
    except ValidationError as error:
        field, allowed = first_problem(error)
        return _no(call, "invalid", "arguments", f"{field}: {allowed}" if field else allowed)
    except _BadArguments as error:
        return _no(call, "invalid", "arguments", str(error))
    except Denied as error:
        return _no(call, "denied", error.code, error.message)


def _reason(args: Json) -> str:
    reason = args.get("reason", "")
    if not isinstance(reason, str):
        raise _BadArguments("reason: say it in words")
    return reason[:1000]


def _refuse_flood(position: int) -> None:
    if position >= CALLS_PER_TURN:
        raise Denied("too_many_calls", f"at most {CALLS_PER_TURN} calls in one answer")


@dataclass(frozen=True)
class Said:
    """What the model says of a call in the fields that the harness adds to every tool with effects."""

    another: bool = False
    depends_on: tuple[int, ...] = ()


def draft_of(registry: Registry, tool: Tool[Any], args: BaseModel, said: Said = Said()) -> Draft:
    """The call with its tool's facts on it; its counter-action is built for exactly these arguments, key left open.

    Raises Denied where the counter-action or the correction cannot be built, or the tool's policy forbids the call.
    """
    undo = tool.compensate(args, OPEN_KEY) if tool.compensate else None
    if undo is None and tool.tool_class != "irreversible":
        raise Denied("no_counter_action", f"{tool.name} could not be undone with these arguments")
    correction = tool.correct(args) if tool.correct else None
    if correction is None and tool.tool_class == "irreversible" and not tool.gate:
        raise Denied("no_correction", f"nobody could be told if {tool.name} went wrong with these arguments")
    _check_fits(registry, undo, "no_counter_action")
    _check_fits(registry, correction, "no_correction")
    cost = tool.cost(args) if tool.cost else None
    if cost and tool.max_cost and not within(cost, tool.max_cost):
        raise Denied("over_limit", f"{tool.name} may take at most {tool.max_cost} at once")
    dumped = _json(args)
    return Draft.model_validate(
        {
            "tool": tool.name,
            "tool_class": tool.tool_class,
            "target": tool.target(args),
            "args": dumped,
            "audience": tool.audience(args),
            "compensation": undo,
            "correction": correction,
            "facts": _facts(registry, tool, args, undo),
            "references": [str(dumped[name]) for name in tool.references if dumped.get(name)],
            "owned": [
                Owned(argument=name, ref=ref, tool=tool.references.get(name)) for name, ref in _owned(tool, dumped)
            ],
            "depends_on": said.depends_on,
            "another": said.another,
        }
    )


def _facts(registry: Registry, tool: Tool[Any], args: BaseModel, undo: CounterCall | None) -> Facts:
    own = handling(tool)
    return Facts(
        identity=_identity(tool, args),
        clock_s=clock_s(tool),
        grade=tool.grade,
        commits=_commit_half(registry, tool, args),
        handling=own,
        undo=handling(registry.counters[undo.tool]) if undo else None,
        independent=tool.independent,
        refusable=tool.refusable,
        tells=tool.tells,
        undo_waits=tool.undo_waits,
        correctable=tool.correctable,
        cost=tool.cost(args) if tool.cost else None,
        gate=tool.gate,
        at_once=tool.at_once,
        names=tool.names(args) if tool.names else (),
        points_at=tool.points_at(args) if tool.points_at else (),
        checked=tool.check is not None,
        rules=RULES,
    )


def _commit_half(registry: Registry, tool: Tool[Any], args: BaseModel) -> Draft | None:
    if tool.commits is None or tool.commit_args is None:
        return None
    half = registry.tool(tool.commits)
    return draft_of(registry, half, half.args.model_validate(tool.commit_args(args, OPEN_KEY)))


def _owned(tool: Tool[Any], args: Json) -> list[tuple[str, str]]:
    """(argument, reference) of all that must be this run's own; an argument that was left out carries none."""
    return [(name, ref) for name in tool.owned for ref in strings(args.get(name))]


def _identity(tool: Tool[Any], args: BaseModel) -> str | None:
    """Canonical text of the arguments that make two calls one intent, after validation has normalised them."""
    if tool.identity is None:
        return None
    dumped = _json(args)
    return json.dumps([dumped[name] for name in tool.identity], sort_keys=True)


def within(cost: Money, limit: Money) -> bool:
    """At most the limit, and of its currency: an amount of another one cannot be held against it."""
    return cost.currency == limit.currency and cost.amount_minor <= limit.amount_minor


def _check_fits(registry: Registry, call: CounterCall | None, code: str) -> None:
    if call is None:
        return
    try:
        registry.counters[call.tool].args.model_validate(call.args)
    except (KeyError, ValidationError):
        raise Denied(code, f"{call.tool} cannot be built for these arguments") from None


def _offered(registry: Registry, agent: AnyAgent, name: str) -> Tool[Any] | PureTool[Any]:
    if name in registry.counters:
        raise Denied("counter_action", f"{name} undoes things; that is not yours to decide")
    if name in registry.commit_halves:
        raise Denied("commit_half", f"{name} runs by itself once a person has approved")
    if name not in agent.tools:
        raise Denied("no_such_tool", f"there is no tool of that name; there are {', '.join(agent.tools)}")
    return registry.tools[name]


class _BadArguments(Exception):
    pass


def _arguments(call: ProposedCall) -> tuple[Json, Said]:
    args: Any = call.args
    try:
        if isinstance(args, str):
            args = json.loads(args)
        size = len(json.dumps(args, ensure_ascii=False).encode())
    except (ValueError, RecursionError):  # not JSON, half a character, or nested beyond reason
        raise _BadArguments("the arguments are not JSON") from None
    if not isinstance(args, dict):
        raise _BadArguments("the arguments must be one JSON object")
    if size > ARGS_LIMIT:
        raise _BadArguments(f"the arguments are larger than {ARGS_LIMIT} bytes")
    if OPEN_KEY in args.values():
        raise _BadArguments(f"{OPEN_KEY} stands for something else here; say it in other words")
    rest = dict(cast("Json", args))
    another = rest.pop("another", False)
    if not isinstance(another, bool):
        raise _BadArguments("another: true or false")
    return rest, Said(another, _steps(rest.pop("depends_on", [])))


def _steps(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _BadArguments("depends_on: a list of step indices that you were told")
    for place, each in enumerate(cast("list[Any]", value)):
        if type(each) is not int or not 0 <= each < STEPS_NAMED:  # true is no step
            raise _BadArguments(f"depends_on.{place}: the index of a step that you were told")
    return tuple(sorted(set(cast("list[int]", value))))


def _json(args: BaseModel) -> Json:
    return args.model_dump(mode="json")


def _no(call: ProposedCall, outcome: str, code: str, message: str) -> NoItem:
    return NoItem.model_validate(
        {"call_id": call.call_id, "outcome": outcome, "error": Problem(code=code, message=message)}
    )
