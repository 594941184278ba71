"""Likeness: when two tools differ in nothing but their data, so that what one shows need not all be shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saga.agent import AnyAgent
from saga.registry import Registry, handling
from saga.tool import CounterTool, Tool
from workers.faultkit.target import Target, counter_of, offered


def shown_by(registry: Registry, target: Target) -> str | None:
    """The tool before this one, among those of the agent, whose struck half is like this one's; None: it is the first.

    Like: the same functions send it and look it up, at the same system and the same pace, and the harness knows the
    same of both.
    """
    agent: AnyAgent = registry.agents[target.agent]
    struck = _half(registry, registry.tool(target.tool), target)
    for tool in offered(registry, agent):
        if tool.name == target.tool:
            return None
        if _half(registry, tool, target) == struck:
            return tool.name
    return None


def _half(registry: Registry, tool: Tool[Any], target: Target) -> Any:
    """All that makes a half what it is, but for its data; None where the tool has none."""
    if target.verb == "call":
        return _as_tool(tool)
    if target.verb == "commit":
        return (tool.tool_class, _as_tool(registry.tool(tool.commits))) if tool.commits else None
    counter = counter_of(registry, tool)
    return (tool.tool_class, tool.undo_waits, bool(tool.commits), _sent(counter)) if counter else None


def _as_tool(tool: Tool[Any]) -> Any:
    policy = (tool.tool_class, tool.at_once, tool.independent, tool.refusable, tool.correctable)
    return (*policy, bool(tool.commits), _function(tool.check), _sent(tool))


def _sent(half: Tool[Any] | CounterTool[Any]) -> Any:
    return handling(half), half.index_lag_s, _function(half.perform), _function(half.find)


def _function(made: Callable[..., Any] | None) -> Any:
    """Of a method the function and the class of what it is bound to, which is data; of a partial its function."""
    if hasattr(made, "__self__"):
        return getattr(made, "__func__", None), type(getattr(made, "__self__", None))
    return getattr(made, "func", made)
