"""The targets of a matrix, made from a registry: each agent, each tool that it is offered, each verb, each ending.

Nothing here knows a tool by name, so what is added to the registry is covered by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from saga.agent import AnyAgent
from saga.keys import OPEN_KEY
from saga.registry import Registry
from saga.row import Half
from saga.tool import CounterTool, Tool

Verb = Literal["call", "commit", "compensation"]
"""The half that is struck; of a lookup: the half that is looked for."""
Ending = Literal["finish", "give_up", "cancel", "reject", "deadline"]

ENDINGS: tuple[Ending, ...] = ("finish", "give_up", "cancel", "reject", "deadline")
BACK: tuple[Ending, ...] = ENDINGS[1:]
MAIN: Mapping[Verb, Ending] = {"call": "finish", "commit": "finish", "compensation": "reject"}
"""Where a half is struck by all that there is."""
SETTLED: Mapping[Verb, tuple[Ending, ...]] = {
    "call": ("finish", "give_up"),
    "commit": ("finish",),
    "compensation": ("reject", "cancel"),
}
"""Where lookups are struck: how a run ends is decided after they have settled."""


@dataclass(frozen=True)
class Target:
    """What is struck, and how the run is made to end: one item of the matrix, with a cell for each fault."""

    agent: str
    tool: str
    """The tool that the model calls."""
    verb: Verb
    ending: Ending
    lookup: bool = False
    """Struck is not the half itself, but the search for it after its answer was lost."""
    staged: bool = False
    """The look at what is staged, before the first commit."""
    queued: bool = False
    """The call itself waits behind the approval."""
    kept: bool = False
    """The call happens before the approval, let through by itself, and nothing takes it back, whatever the ending."""
    whole: bool = False
    """Struck in a plan of every step that the agent can make, not between two neighbours."""

    @property
    def id(self) -> str:
        """agent/tool/verb/ending; the verb of a lookup says what is looked for, a whole plan says so in its place."""
        verb = "lookup-staged" if self.staged else f"lookup-{self.verb}" if self.lookup else self.verb
        return "/".join([self.agent, *(["all-steps"] if self.whole else []), self.tool, verb, self.ending])

    @property
    def half(self) -> Half:
        """Which half of a row it is."""
        return "compensation" if self.verb == "compensation" else "call"

    @property
    def staging(self) -> bool:
        """A call before the approval, struck itself."""
        return self.verb == "call" and not self.lookup and not self.queued


def targets(registry: Registry) -> Iterator[Target]:
    """Every target of every agent of the registry."""
    for agent in registry.agents.values():
        for tool in offered(registry, agent):
            yield from _of_tool(registry, agent, tool)


def in_whole_plans(registry: Registry) -> Iterator[Target]:
    """Every half once more, as a step of a plan of everything that its agent can do."""
    for target in targets(registry):
        if target.ending == MAIN[target.verb] and not target.lookup:
            yield replace(target, whole=True)
        elif target.ending == "give_up" and target.staging:
            yield replace(target, whole=True)  # refused, which is an ending by itself


def offered(registry: Registry, agent: AnyAgent) -> list[Tool[Any]]:
    """The tools with effects that a model of this agent may call."""
    return [tool for tool in registry.offered(agent) if isinstance(tool, Tool)]


def waits_for_pivot(tool: Tool[Any]) -> bool:
    """The whole call is queued behind the approval."""
    return tool.tool_class == "irreversible" and not tool.at_once


def counter_of(registry: Registry, tool: Tool[Any]) -> CounterTool[Any] | None:
    """The counter-action that the tool's example is undone with."""
    if tool.compensate is None or tool.tool_class == "irreversible":
        return None
    call = tool.compensate(tool.args.model_validate(dict(tool.example)), OPEN_KEY)
    return registry.counters[call.tool] if call else None


def _of_tool(registry: Registry, agent: AnyAgent, tool: Tool[Any]) -> Iterator[Target]:
    queued, kept = waits_for_pivot(tool), tool.tool_class == "irreversible" and tool.at_once
    counter, commit = counter_of(registry, tool), registry.tool(tool.commits) if tool.commits else None
    for ending in ENDINGS:
        halves: list[tuple[Verb, bool]] = []
        if not queued or ending == "finish":
            halves.append(("call", tool.find is not None))
        if counter is not None and ending in BACK:
            halves.append(("compensation", True))
        if commit is not None and ending == "finish":
            halves.append(("commit", commit.find is not None))
        for verb, seen in halves:
            target = Target(agent.name, tool.name, verb, ending, queued=queued, kept=kept)
            yield target
            if seen and ending in SETTLED[verb]:
                yield replace(target, lookup=True)
    if not queued and not kept and tool.find is not None and tool.grade in ("key_and_lookup", "lookup"):
        yield Target(agent.name, tool.name, "call", "finish", lookup=True, staged=True)
