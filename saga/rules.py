"""The rules of a tool by itself: what is refused at registration, each with what to write instead."""

from __future__ import annotations

import inspect
from typing import Any, cast

from pydantic import BaseModel

from saga.draft import Pace
from saga.tool import Tool

OUT_OF_ORDER = (
    "its time limits are out of order",
    "The request's limit must be shorter than the activity's, and that no longer than the patience",
)
HARNESS = ("another", "depends_on")
"""Fields that the harness adds to every tool with effects, and takes off again before the arguments are read."""


def in_order(pace: Pace) -> bool:
    """Whether a client gives up before its attempt is ended, and that before patience is."""
    return 0 < pace.request_s < pace.attempt_s <= pace.patience_s


def faults_of(tool: Tool[Any]) -> list[tuple[str, str]]:
    """What is wrong with one tool by itself: (problem, mend) in the order to mend them."""
    rules = (
        *_rules_of_class(tool),
        *_rules_of_gate(tool),
        *_rules_of_finding_out(tool),
        *_rules_of_words(tool),
        *_rules_of_arguments(tool),
    )
    return [(problem, mend) for wrong, problem, mend in rules if wrong]


_Rules = tuple[tuple[bool, str, str], ...]
"""(is wrong, problem, mend)"""


def _rules_of_class(tool: Tool[Any]) -> _Rules:
    kind = tool.tool_class
    undone, final = kind in ("reversible", "compensatable"), kind == "irreversible"
    return (
        (kind is None, "has no class", "Set tool_class to reversible, compensatable or irreversible"),
        (
            undone and tool.compensate is None,
            f"is {kind} and has no counter-action",
            "Write `compensate`, or call it irreversible",
        ),
        (
            final and tool.correct is None and not tool.gate,
            "is irreversible with no correction template and no gate",
            "Write `correct`, or say in `gate` why a person approves each call",
        ),
        (
            final and tool.commits is not None,
            "is irreversible and has a commit half",
            "The whole call is queued; drop `commits`",
        ),
    )


def _rules_of_gate(tool: Tool[Any]) -> _Rules:
    return (
        (
            tool.at_once and tool.tool_class != "irreversible",
            f"is {tool.tool_class} and at_once",
            "What can be undone runs before the pivot anyway; drop `at_once`, or call it irreversible",
        ),
        (
            tool.at_once and not tool.gate.strip(),
            "is at_once with no gate",
            "Say in `gate` what the person must know who lets each call run before the rest is approved",
        ),
    )


def _rules_of_finding_out(tool: Tool[Any]) -> _Rules:
    return (
        (
            tool.find is None and not tool.person_answers,
            "has effects and no lookup by key or natural key",
            "Write `find`, or say in `person_answers` why a person answers instead",
        ),
        (
            tool.find is None and tool.grade in ("key_and_lookup", "lookup"),
            f"claims grade {tool.grade} without a lookup",
            "Write `find` or claim less",
        ),
        (
            tool.index_lag_s is None,
            "has no lookup clock",
            "Set index_lag_s: how long the provider's lists may not show a new effect",
        ),
        (not in_order(tool.pace), *OUT_OF_ORDER),
    )


def _rules_of_words(tool: Tool[Any]) -> _Rules:
    silent = [question for question, answer in vars(tool.answers).items() if not answer.strip()]
    return (
        (not tool.about.strip(), "has no description", "Write `about` for the model"),
        (
            tool.identity is None and not tool.why_no_identity,
            "has no identity",
            "Name the arguments that make two calls one intent, or say why none do",
        ),
        (bool(silent), f"leaves {', '.join(silent)} unanswered", "Answer all five questions in `answers`"),
    )


def _rules_of_arguments(tool: Tool[Any]) -> _Rules:
    fields = tool.args.model_fields
    stray = [name for name in tool.identity or () if name not in fields]
    unknown = [name for name in tool.owned if name not in fields]
    taken = [name for name in HARNESS if name in fields]
    return (
        (bool(stray), f"identity {', '.join(stray)} is not an argument", "Name arguments of `args`"),
        (bool(unknown), f"owned {', '.join(unknown)} is not an argument", "Name arguments of `args`"),
        (bool(taken), f"takes an argument {', '.join(taken)}, which is the harness's own", "Call it something else"),
        (
            tool.check is not None and not inspect.iscoroutinefunction(tool.check),
            "has a check that is not async",
            "Write `async def`, taking the reader and the arguments",
        ),
    )


def faults_of_names(tool: Tool[Any], example: BaseModel) -> list[tuple[str, str]]:
    """What is wrong with what it says its effects may be called by, tried on its example: (problem, mend)."""
    said = (("names", tool.names), ("points_at", tool.points_at))
    return [
        (f"{name} gives no names for the example", f"Return a tuple of texts from `{name}`, such as ('file:/a.pdf',)")
        for name, function in said
        if function is not None and not _are_names(function(example))
    ]


def _are_names(value: Any) -> bool:
    found = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
    return len(found) > 0 and all(isinstance(each, str) and each for each in found)
