"""The fault kit: a registry and a world of anybody's, and the matrix that is run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from saga.errors import BadInput
from saga.registry import Registry
from saga.tool import Tool
from workers.faultkit.plan import REVIEW, Call, RefOf, Turn, giving_up
from workers.faultkit.target import Target, in_whole_plans, offered, targets, waits_for_pivot
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
        """The arguments with which that tool is called. What must be of this very run stands for an earlier answer."""
        given = dict(self.arguments.get(tool.name, tool.example))
        return given | {name: RefOf(tool.references[name]) for name in _owned(tool)}

    def steps(self, target: Target) -> list[str]:
        """The tools of a cell's plan, in order: one step before the struck one and one after it, or all there are.

        Each comes after those whose references it carries, whether or not they are named.
        """
        if target.whole:
            return self._with_needs(each.name for each in offered(self.registry, self.registry.agents[target.agent]))
        named = self.neighbours.get(target.tool, ())
        before, after = (named[:1], named[1:]) if named else self._neighbours(target.agent, target.tool)
        return self._with_needs([*before, target.tool, *after])

    def half(self, target: Target) -> str:
        """The tool whose row has the half that is struck."""
        commits = self.registry.tool(target.tool).commits
        return commits if target.verb == "commit" and commits else target.tool

    def turns(self, target: Target) -> list[Turn]:
        """What the model of a cell says: the steps, and what brings its ending about. One turn, where calls keep order.

        A call that carries an answer comes a turn after that answer. Calls of independent tools would run side by side,
        so that each has a turn of its own.
        """
        tools = [self.registry.tool(name) for name in self.steps(target)]
        calls = [(tool.name, self.args(tool)) for tool in tools]
        if target.ending == "give_up":
            calls += giving_up(target.tool)
        elif target.ending != "finish" and not self._awaits_approval([tool.name for tool in tools]):
            calls.append(REVIEW)
        return [(call,) for call in calls] if any(tool.independent for tool in tools) else list(_once_known(calls))

    def _awaits_approval(self, steps: Sequence[str]) -> bool:
        tools = (self.registry.tool(name) for name in steps)
        return any(tool.commits is not None or waits_for_pivot(tool) for tool in tools)

    def _neighbours(self, agent: str, tool: str) -> tuple[list[str], list[str]]:
        """Before it and after it: tools of other systems, those in two halves first, so that what is staged is seen.

        Where there are none: after it one that stands on it, so that what is undone first is seen.
        """
        struck, every = self.registry.tool(tool), offered(self.registry, self.registry.agents[agent])
        calm = [each for each in every if each.name != tool and each.tool_class != "irreversible"]
        others = [each for each in calm if each.system != struck.system]
        others.sort(key=lambda each: each.commits is None)
        if others:
            chosen = list(_of_other_systems(others))
            return chosen[:1], chosen[1:2]
        standing = (each.name for each in calm if tool in map(each.references.get, _owned(each)))
        return [], list(standing)[:1]

    def _with_needs(self, tools: Iterable[str]) -> list[str]:
        """Each once, and after those that it needs."""
        found: list[str] = []
        for name in tools:
            tool = self.registry.tool(name)
            if name not in found:
                needs = self._with_needs(tool.references[each] for each in _owned(tool))
                found += [each for each in (*needs, name) if each not in found]
        return found


def _owned(tool: Tool[Any]) -> list[str]:
    """The arguments for which nothing but an earlier step of the run will do.

    One that may also carry something older, as a refund may the order's own payment, keeps what the example says.
    """
    return [name for name in tool.owned if name in tool.references]


def _once_known(calls: Iterable[Call]) -> Iterator[Turn]:
    turn: list[Call] = []
    for tool, args in calls:
        carried = {each.tool for each in args.values() if isinstance(each, RefOf)} if isinstance(args, dict) else set()
        if carried & {name for name, _ in turn}:
            yield turn
            turn = []
        turn.append((tool, args))
    yield turn


def _of_other_systems(tools: Sequence[Tool[Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for each in tools:
        if each.system not in seen:
            seen.add(each.system)
            yield each.name
