"""The tool `notify_webhook`: tells the customer's own endpoint of an event. It waits whole behind the pivot.

Where that endpoint is comes from the settings, by client: nothing that a model writes names an address.
"""

from __future__ import annotations

from typing import Literal

from activities.client import Client
from activities.providers.webhooks import KEY_LIFE_S, PACE, Webhooks
from activities.reference import Reference
from saga.errors import BadInput
from saga.outcome import Receipt
from saga.record import Json, Typed
from saga.tool import Answers, Call, Tool


class NotifyArgs(Typed):
    """Whom to tell of what."""

    client: Client
    event: Literal["workspace.created", "workspace.activated"]
    workspace_id: Reference

    @property
    def data(self) -> Json:
        """What the event says of itself: names only, so that a forwarded copy gives nothing away."""
        return {"client": self.client, "workspace_id": self.workspace_id}


async def _perform(webhooks: Webhooks, call: Call[NotifyArgs]) -> Receipt:
    """One request under the key as its `webhook-id`, the only name that both sides have for it."""
    args = call.args
    await webhooks.deliver(args.client, args.event, args.data, call.tags)
    # An endpoint does not say whose it is that it took.
    return Receipt(external_ref=call.key, result={"webhook_id": call.key, "client": args.client, "event": args.event})


async def _check(webhooks: Webhooks, args: NotifyArgs) -> None:
    """Answered from the settings; the endpoint itself is not asked, since asking it is telling it."""
    if webhooks.endpoint(args.client) is None:
        raise BadInput("client", "no endpoint is set up for this client; allowed: a client who has one")


NOTIFY_WEBHOOK = Tool(
    name="notify_webhook",
    about=(
        "Tell the customer's own program, at the endpoint that they gave us, that their workspace was created or "
        "activated. It waits until a person has approved the run."
    ),
    system="webhooks",
    args=NotifyArgs,
    example={"client": "acme", "event": "workspace.activated", "workspace_id": "ws_1"},
    tool_class="irreversible",
    tells=True,
    gate=(
        "What the customer's program does with the news is theirs, and nothing that we send afterwards takes it back: "
        "it would be one more event. So a person sees client, event and workspace before it goes."
    ),
    perform=_perform,
    check=_check,
    grade="key",
    pace=PACE,
    index_lag_s=0.0,  # nothing is looked up
    key_life_s=KEY_LIFE_S,
    person_answers=(
        "The endpoint is the customer's and can only be told, not asked. They see in their log whether a request with "
        "this webhook-id (our key) arrived."
    ),
    audience=lambda _: ("customer",),
    target=lambda args: f"the endpoint of {args.client}: {args.event}, {args.workspace_id}",
    # A client is told once of each, however the model puts it.
    identity=("client", "event"),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    answers=Answers(
        pivot="It waits behind the pivot, last among the commits: a customer sees it, and it tells of the others.",
        undo="Nothing; a person writes to the customer, if one decides that it is needed.",
        idempotent="There is no compensation; a receiver drops a webhook-id that it has seen.",
        unknown="Sent again under the same webhook-id while receivers remember it; then the customer is asked.",
        paged="The customer's account manager, who knows whom to ask there.",
    ),
)
