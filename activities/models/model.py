"""The contract of a model: asked with all it may know, it answers with words and calls.

A model keeps nothing between two turns and touches nothing: what it proposes is vetted by the door that asks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from saga.agent import REVIEW_TOOL
from saga.record import Json, Record
from saga.tool import AnyTool, Tool
from saga.turn import ProposedCall, Turn


class ToolSchema(Record):
    """One tool as a model is shown it. `parameters` is the JSON schema of its arguments."""

    name: str
    about: str
    parameters: Json


class Ask(Record):
    """Everything a model knows: the task, the tools it may call, and the turns so far with what each call was told."""

    brief: str
    tools: tuple[ToolSchema, ...]
    transcript: tuple[Turn, ...] = ()


class Reply(Record):
    """One answer of a model. Without calls, planning is over."""

    text: str
    calls: tuple[ProposedCall, ...] = ()


class Model(Protocol):
    """Anything that can be asked for the next turn of a run."""

    async def turn(self, ask: Ask) -> Reply:
        """The next turn. An error raised here is a model that did not answer; it may be asked again."""
        ...


_ANOTHER: Json = {
    "type": "boolean",
    "description": "true only to ask for a second one on purpose, where this was done in this run already",
}
_DEPENDS_ON: Json = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "description": "step_idx of earlier calls that this one stands on, where the arguments do not show it",
}
_REVIEW = ToolSchema(
    name=REVIEW_TOOL,
    about="Stop planning and let a person decide on what is staged. For what you cannot or should not decide.",
    parameters={
        "type": "object",
        "properties": {"reason": {"type": "string", "description": "what the person should decide, and why"}},
        "required": ["reason"],
        "additionalProperties": False,
    },
)


def schemas(tools: Iterable[AnyTool]) -> tuple[ToolSchema, ...]:
    """The tools as a model is shown them, `request_human_review` last; the harness adds its own fields."""
    return (*(_schema(tool) for tool in tools), _REVIEW)


def _schema(tool: AnyTool) -> ToolSchema:
    parameters: Json = tool.args.model_json_schema()
    if isinstance(tool, Tool):
        properties = parameters.setdefault("properties", {})
        if isinstance(properties, dict):
            properties |= {"another": _ANOTHER, "depends_on": _DEPENDS_ON}
    return ToolSchema(name=tool.name, about=tool.about, parameters=parameters)
