"""The registry: tools, counter-actions and agents joined by name, and everything that is refused at start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from saga.agent import REVIEW_TOOL, AnyAgent
from saga.draft import Handling
from saga.errors import BadInput, RegistrationError
from saga.keys import OPEN_KEY
from saga.record import Json
from saga.rules import OUT_OF_ORDER, faults_of, faults_of_names, in_order
from saga.tool import AnyTool, CounterTool, Tool, clock_s
from saga.word import Half


class Registry:
    """Everything a worker can do, checked. Raises RegistrationError at construction, naming what to write."""

    def __init__(
        self, *, tools: Iterable[AnyTool], counters: Iterable[CounterTool[Any]], agents: Iterable[AnyAgent]
    ) -> None:
        """Join `tools` and `counters` by name and check both, then the `agents`."""
        self.tools: dict[str, AnyTool] = _by_name(tools)
        self.counters: dict[str, CounterTool[Any]] = _by_name(counters)
        self.agents: dict[str, AnyAgent] = _by_name(agents)
        self.commit_halves = {tool.commits for tool in self.tools.values() if isinstance(tool, Tool) and tool.commits}
        for counter in self.counters.values():
            self._check_counter_tool(counter)
        for tool in self.tools.values():
            if isinstance(tool, Tool):
                self._check(tool)
            elif not tool.about:
                raise RegistrationError(tool.name, "has no description", "Write `about` for the model")
        for agent in self.agents.values():
            self._check_agent(agent)

    def offered(self, agent: AnyAgent) -> list[AnyTool]:
        """The tools that a model of this agent may call: never a counter-action, never a commit half."""
        return [self.tools[name] for name in agent.tools]

    def tool(self, name: str) -> Tool[Any]:
        """The tool with effects of that name; BadInput where this worker has none (a row of another deployment)."""
        tool = self.tools.get(name)
        if not isinstance(tool, Tool):
            raise BadInput("tool", f"{name} is not a tool of this worker")
        return tool

    def half(self, tool: str, half: Half, counter: str = "") -> Tool[Any] | CounterTool[Any]:
        """Whatever sends and finds that half of a row."""
        if half == "call":
            return self.tool(tool)
        if counter not in self.counters:
            raise BadInput("compensation", f"{counter} is not a counter-action of this worker")
        return self.counters[counter]

    def _check(self, tool: Tool[Any]) -> None:
        for problem, mend in faults_of(tool):
            raise RegistrationError(tool.name, problem, mend)
        example = _fits(tool.name, tool.args, dict(tool.example))
        for argument, source in tool.references.items():
            if argument not in tool.args.model_fields or not isinstance(self.tools.get(source), Tool):
                raise RegistrationError(
                    tool.name,
                    f"reference {argument} → {source} does not exist",
                    "Name an argument of this tool and a registered tool with effects",
                )
        for problem, mend in faults_of_names(tool, example):
            raise RegistrationError(tool.name, problem, mend)
        self._check_commit(tool, example)
        self._check_counter(tool, example)

    def _check_commit(self, tool: Tool[Any], example: BaseModel) -> None:
        if tool.commits is None:
            return
        half = self.tools.get(tool.commits)
        if not isinstance(half, Tool) or tool.commit_args is None:
            raise RegistrationError(
                tool.name,
                f"commit half {tool.commits} does not exist",
                "Register that tool and give `commit_args`",
            )
        if half.at_once:
            raise RegistrationError(
                tool.name, f"commit half {half.name} is at_once", "A commit half waits; drop `at_once`"
            )
        _fits(tool.name, half.args, tool.commit_args(example, OPEN_KEY), what=f"commit half {half.name}")

    def _check_counter(self, tool: Tool[Any], example: BaseModel) -> None:
        if tool.compensate is not None:
            call = tool.compensate(example, OPEN_KEY)
            if call is None or call.tool not in self.counters:
                raise RegistrationError(
                    tool.name,
                    f"counter-action {call and call.tool} cannot be built for the example",
                    "Return a CounterCall of a registered counter-action",
                )
            _fits(tool.name, self.counters[call.tool].args, call.args, what=f"counter-action {call.tool}")
        if tool.correct is not None:
            call = tool.correct(example)
            if call is None or call.tool not in self.counters:
                raise RegistrationError(
                    tool.name,
                    f"correction {call and call.tool} cannot be built for the example",
                    "Return template and recipients, for a registered counter-action",
                )
            _fits(tool.name, self.counters[call.tool].args, call.args, what=f"correction {call.tool}")

    def _check_counter_tool(self, counter: CounterTool[Any]) -> None:
        if counter.name in self.tools:
            raise RegistrationError(counter.name, "is a tool and a counter-action", "Rename one")
        if not in_order(counter.pace):
            raise RegistrationError(counter.name, *OUT_OF_ORDER)

    def _check_agent(self, agent: AnyAgent) -> None:
        for text, name in (
            (agent.pivot, "pivot"),
            (agent.why_no_earlier, "why_no_earlier"),
            (agent.paged, "paged"),
        ):
            if not text.strip():
                raise RegistrationError(agent.name, f"`{name}` is unanswered", "Say it in words")
        for tool in agent.tools:
            if tool == REVIEW_TOOL:
                raise RegistrationError(agent.name, f"{tool} is every agent's already", "Leave it out")
            if tool not in self.tools:
                raise RegistrationError(agent.name, f"tool {tool} does not exist", "Register it or leave it out")
            if tool in self.commit_halves:
                raise RegistrationError(
                    agent.name, f"{tool} is a commit half", "Offer its staged half; the harness calls the rest"
                )


def handling(tool: Tool[Any] | CounterTool[Any]) -> Handling:
    """What travels in the row of how a half is sent and looked up."""
    return Handling(
        system=tool.system, grade=tool.grade, clock_s=clock_s(tool), pace=tool.pace, key_life_s=tool.key_life_s
    )


def _by_name(entries: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in entries:
        if entry.name in found:
            raise RegistrationError(entry.name, "is registered twice", "Rename one")
        found[entry.name] = entry
    return found


def _fits(tool: str, model: type[BaseModel], args: Json | dict[str, Any], what: str = "example") -> BaseModel:
    try:
        return model.model_validate(args)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise RegistrationError(
            tool, f"{what}: {field}: {first['msg']}", f"Write arguments that {model.__name__} takes"
        ) from None
