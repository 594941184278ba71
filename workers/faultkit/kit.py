"""The fault kit: a registry and a world of anybody's, and the matrix that is run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from saga.errors import BadInput
from saga.registry import Registry
from saga.tool import Tool
from workers.faultkit.plan import REVIEW, Turn, giving_up
from workers.faultkit.target import Target, in_whole_plans, offered, targets
from workers.faultkit.world import World

Arguments = Mapping[str, Any]


def _no_model(name: str) -> Any:
    raise BadInput("model", f"no such model: {name}")


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What somebody declares to have the matrix run over their tools."""

    registry: Registry
    open_world: Callable[[], AbstractAsyncContextManager[World]]
    """Opens the world that the tools act in; each laboratory has its own."""
    requests: Mapping[str, Arguments]
    """Agent → a request that fits it."""
    arguments: Mapping[str, Arguments] = field(default_factory=dict[str, Arguments])
    """Tool → arguments that fit the world, where its `example` does not."""
    neighbours: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Tool → the steps before and after it in its cells, where those that the kit chooses do not fit."""
    model_of: Callable[[str], Any] = _no_model
    """The models that are known besides the kit's own."""

    @property
    def targets(self) -> list[Target]:
        """Everything that can be struck, in the order of the registry."""
        found = (*targets(self.registry), *in_whole_plans(self.registry))
        return [each for each in found if not each.staged or self._awaits_approval(self.steps(each))]

    def args(self, tool: Tool[Any]) -> dict[str, Any]:
        """The arguments with which that tool is called."""
        return dict(self.arguments.get(tool.name, tool.example))

    def steps(self, target: Target) -> list[str]:
        """The tools of a cell's plan, in order: one step before the struck one and one after it, or all there are."""
        if target.whole:
            return [each.name for each in offered(self.registry, self.registry.agents[target.agent])]
        around = list(self.neighbours.get(target.tool, ())) or self._neighbours(target.agent, target.tool)
        return [*around[:1], target.tool, *around[1:]]

    def half(self, target: Target) -> str:
        """The tool whose row has the half that is struck."""
        commits = self.registry.tool(target.tool).commits
        return commits if target.verb == "commit" and commits else target.tool

    def turns(self, target: Target) -> list[Turn]:
        """What the model of a cell says: the steps, and what brings its ending about. One turn, where calls keep order.

        Calls of independent tools would run side by side, so that each has a turn of its own.
        """
        tools = [self.registry.tool(name) for name in self.steps(target)]
        calls = [(tool.name, self.args(tool)) for tool in tools]
        if target.ending == "give_up":
            calls += giving_up(target.tool)
        elif target.ending != "finish" and not self._awaits_approval([tool.name for tool in tools]):
            calls.append(REVIEW)
        return [(call,) for call in calls] if any(tool.independent for tool in tools) else [calls]

    def _awaits_approval(self, steps: Sequence[str]) -> bool:
        tools = (self.registry.tool(name) for name in steps)
        return any(tool.commits is not None or tool.tool_class == "irreversible" for tool in tools)

    def _neighbours(self, agent: str, tool: str) -> list[str]:
        """Two tools of other systems, those in two halves first: what is staged is seen committed, or undone."""
        struck = self.registry.tool(tool)
        others = [
            each
            for each in offered(self.registry, self.registry.agents[agent])
            if each.name != tool and each.system != struck.system and each.tool_class != "irreversible"
        ]
        others.sort(key=lambda each: each.commits is None)
        return list(_of_other_systems(others))[:2]


def _of_other_systems(tools: Sequence[Tool[Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for each in tools:
        if each.system not in seen:
            seen.add(each.system)
            yield each.name
