"""The book of tools: `saga tools`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from saga.errors import BadInput
from saga.registry import Registry
from saga.tool import Tool, clock_s
from workers import composition, settings
from workers.commands.words import AsJson, answer
from workers.exits import answers
from workers.wording import columns


@answers
async def tools(
    agent: Annotated[str, typer.Option("--agent", help="Only those that this agent's model may call.")] = "",
    as_json: AsJson = False,
) -> None:
    """Every tool: what undoing it means, who sees it, what takes it back, and how its outcome is found out."""
    registry = composition.registry(settings.read())
    if agent and agent not in registry.agents:
        raise BadInput("--agent", f"no such agent; there are {', '.join(sorted(registry.agents))}")
    lines = [line for line in book(registry) if not agent or agent in line["agents"]]
    answer("\n".join(_table(lines)), lines, as_json=as_json)


def book(registry: Registry) -> list[dict[str, Any]]:
    """One line a tool, by name. `clock_s`: before it has passed an empty lookup proves nothing."""
    return [_line(registry, name) for name in sorted(registry.tools)]


def _line(registry: Registry, name: str) -> dict[str, Any]:
    tool = registry.tools[name]
    agents = sorted(agent.name for agent in registry.agents.values() if name in agent.tools)
    line: dict[str, Any] = {"name": name, "class": tool.tool_class, "system": tool.system, "agents": agents}
    if not isinstance(tool, Tool):
        return line
    example = tool.args.model_validate(dict(tool.example))
    undo = tool.compensate(example, "{key}") if tool.compensate else None
    return {
        **line,
        "audience": list(tool.audience(example)),
        "undone_by": undo.tool if undo else None,
        "commits": tool.commits,
        "commit_half_of": sorted(
            other.name for other in registry.tools.values() if isinstance(other, Tool) and other.commits == name
        ),
        "grade": tool.grade,
        "clock_s": clock_s(tool),
        "answers": vars(tool.answers),
    }


def _table(lines: list[dict[str, Any]]) -> list[str]:
    if not lines:
        return ["no tools"]
    rows = [["TOOL", "CLASS", "SEEN BY", "UNDONE BY", "COMMITS", "CLOCK", "GRADE", "AGENT"]]
    for line in lines:
        clock = line.get("clock_s")
        rows.append(
            [
                line["name"],
                str(line["class"]),
                ", ".join(line.get("audience") or ()),
                line.get("undone_by") or "",
                line.get("commits") or "",
                f"{clock:.0f} s" if clock is not None else "",
                line.get("grade") or "",
                ", ".join(line["agents"]) or ("the harness" if line.get("commit_half_of") else ""),
            ]
        )
    return columns(rows)
