"""An agent that fills a client's workspace, and its model: what it makes later refers to what it made before."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from activities.models.model import Ask, Reply
from saga.agent import Agent
from saga.record import Typed
from saga.registry import Registry
from saga.turn import ProposedCall
from tests.lab import Handle, Lab, fast, laboratory
from tests.workflows.plan import Call
from workers.composition import registry

PATH = "/contracts/acme.txt"
WORKSPACE: Call = ("create_workspace", {"client": "acme"})
PROJECT: Call = ("create_project", {"workspace_id": "$create_workspace", "name": "Rollout"})
REPOSITORY: Call = ("attach_repository", {"project_id": "$create_project", "repository": "acme/rollout"})
TEAM: Call = ("invite_team", {"project_id": "$create_project", "team": "field-support"})
RECORD: Call = ("create_record", {"workspace_id": "$create_workspace", "title": "Terms", "path": PATH})
FILE: Call = ("upload_file", {"workspace_id": "$create_workspace", "path": PATH, "text": "Terms of the rollout."})
DOCUMENT: Call = ("archive_document", {"document_id": "doc_acme_draft"})
LINE = {"product_id": "prod_seat", "quantity": 40, "unit_minor": 1250}


def invoice(**changes: Any) -> Call:
    """An invoice of one line."""
    return "create_invoice", {"workspace_id": "$create_workspace", "currency": "usd", "lines": [LINE], **changes}


class Request(Typed):
    """What the agent is asked for."""

    client: str = "acme"


BUILDER = Agent(
    name="builder",
    request=Request,
    tools=(
        *("create_workspace", "create_project", "attach_repository", "invite_team", "create_record", "upload_file"),
        *("archive_document", "create_invoice"),
    ),
    brief=lambda request: f"Fill the workspace of {request.client}",
    subject=lambda request: request.client,
    pivot="The approval.",
    why_no_earlier="Nothing is deleted for good before somebody has looked.",
    paged="The workspace team's lead.",
)


class Builder:
    """Makes these calls, one turn each; `$tool` among the arguments is the reference that the tool's step was given."""

    def __init__(self, *calls: Call) -> None:
        self._calls = calls
        self.told: list[tuple[str, str, str]] = []
        """Of every call so far the tool, the outcome and what was wrong."""

    async def turn(self, ask: Ask) -> Reply:
        """The next of the calls, with what the earlier ones were told filled in."""
        answers = [told for turn in ask.transcript for told in turn.told]
        refs = {f"${told.call_id}": told.external_ref for told in answers if told.external_ref}
        self.told = [(each.call_id, each.outcome, each.error.message if each.error else "") for each in answers]
        if len(answers) >= len(self._calls):
            return Reply(text="That is all.")
        tool, args = self._calls[len(answers)]
        filled = {name: refs.get(value, value) if isinstance(value, str) else value for name, value in args.items()}
        return Reply(text=tool, calls=(ProposedCall(call_id=tool, tool=tool, args=filled),))


class Site(Lab):
    """The laboratory, with runs of the builder."""

    models: dict[str, Builder]

    async def build(self, *calls: Call) -> tuple[Handle, Builder]:
        """A run that makes these calls, and its model."""
        model = self.models["builder"] = Builder(*calls)
        return await self.begin("run-1", agent="builder", request={"client": "acme"}, model="builder"), model

    async def refs(self, handle: Handle) -> dict[str, str]:
        """Tool → the reference of its step."""
        return {row["tool"]: row["external_ref"] for row in await self.rows(handle)}

    async def done(self) -> Sequence[str]:
        """What was done at the workspace service, in order, each with how it stands."""
        return [f"{each['kind']} {each['state']}" for each in await self.effects(system="workspaces")]


@asynccontextmanager
async def site(directory: Path) -> AsyncGenerator[Site]:
    """Everything, for as long as the test holds it."""
    whole = registry(
        fast("http://127.0.0.1:9")
    )  # the address is the laboratory's to say; here it is the pace that counts
    parts = Registry(tools=whole.tools.values(), counters=whole.counters.values(), agents=[BUILDER])
    models: dict[str, Builder] = {}
    async with laboratory(directory, registry=parts, model_of=models.__getitem__) as made:
        held = Site(**vars(made))
        held.models = models
        yield held
