"""Likeness: when two halves are sent and found alike, so that how their requests fail need not all be shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saga.agent import AnyAgent
from saga.registry import Registry, handling
from saga.tool import CounterTool, Tool
from workers.faultkit.target import Target, counter_of, offered


def shown_by(registry: Registry, target: Target) -> str | None:
    """The tool before this one, among those of the agent, whose struck half is like this one's; None: it is the first.

    Like: the same functions send it and look it up, at the same system and the same pace. What else the harness knows
    of the two (their class, what is queued behind them) decides what a run does after a fault of a kind; and each kind
    is shown for each of them.
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
        return _sent(tool)
    half = counter_of(registry, tool) if target.verb == "compensation" else tool.commits and registry.tool(tool.commits)
    return _sent(half) if half else None


def _sent(half: Tool[Any] | CounterTool[Any]) -> Any:
    return handling(half), half.index_lag_s, _function(half.perform), _function(half.find)


def _function(made: Callable[..., Any] | None) -> Any:
    """Of a method the function and the class of what it is bound to, which is data; of a partial its function."""
    if hasattr(made, "__self__"):
        return getattr(made, "__func__", None), type(getattr(made, "__self__", None))
    return getattr(made, "func", made)
