"""The tool `create_invoice`: a draft with all its lines, in one transaction; void when the run is undone.

Not a saga of lines: where one system can do it all or nothing, it is one call, and there is nothing half done to undo.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from activities.reference import Reference
from saga.draft import CounterCall
from saga.errors import BadInput
from saga.money import AmountMinor, Currency, Money
from saga.record import Typed
from saga.tool import Answers, Tool

_MOST_MINOR = 99_999_999
"""As for a single amount: what a card can be asked for at once."""


class Line(Typed):
    """So many of one product, at a price."""

    product_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    quantity: Annotated[int, Field(gt=0, le=100_000)]
    """As many as a client can have seats."""
    unit_minor: Annotated[AmountMinor, Field(description="for one, in the smallest unit of the currency")]

    @property
    def total_minor(self) -> int:
        """For all of them, in minor units."""
        return self.quantity * self.unit_minor


def _payable(lines: list[Line]) -> list[Line]:
    total_minor = sum(line.total_minor for line in lines)
    if total_minor > _MOST_MINOR:
        raise ValueError(f"together they come to {total_minor}; at most {_MOST_MINOR}, in minor units")
    return lines


class InvoiceArgs(Typed):
    """For which workspace, and what it says."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    currency: Annotated[Currency, Field(description="the one that the client's account pays in")]
    # A hundred lines of sixty bytes still fit into a row; more is a list that nobody checks.
    lines: Annotated[list[Line], Field(min_length=1, max_length=100), AfterValidator(_payable)]

    @property
    def total(self) -> Money:
        """What it comes to."""
        return Money(amount_minor=sum(line.total_minor for line in self.lines), currency=self.currency)


async def _check(workspaces: Workspaces, args: InvoiceArgs) -> None:
    workspace = await workspaces.one("workspaces", args.workspace_id)
    if workspace is None:
        raise BadInput("workspace_id", "the id of a workspace that is there")
    account = await workspaces.account(workspace.text("client"))
    if args.currency != account.currency:
        raise BadInput("currency", f"{account.client} pays in {account.currency}")


_INVOICE = Creation(kind="invoices", told=("total_minor", "currency"))

CREATE_INVOICE = Tool(
    name="create_invoice",
    about=(
        "Draft an invoice for a workspace that you created, with all of its lines at once. It is not sent to anybody. "
        "If one line does not fit, nothing is written."
    ),
    system="workspaces",
    args=InvoiceArgs,
    example={
        "workspace_id": "ws_1",
        "currency": "usd",
        "lines": [{"product_id": "prod_seat", "quantity": 40, "unit_minor": 1250}],
    },
    tool_class="reversible",
    perform=_INVOICE.perform,
    find=_INVOICE.find,
    check=_check,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("finance",),
    target=lambda args: f"an invoice of {args.total} for workspace {args.workspace_id}",
    # A workspace gets one invoice in a run, whatever its lines say the second time.
    identity=("workspace_id",),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    compensate=lambda _, key: CounterCall(tool="void_invoice", args={"made_key": key}),
    answers=Answers(
        pivot="It runs before the pivot; the invoice stays a draft, and finance sends it.",
        undo="void_invoice: the draft is void, with its lines, and keeps its number.",
        idempotent="An invoice that is void already stays void; it cannot be made void twice.",
        unknown="By saga_key: the service lists the one invoice that has it, with all its lines or not at all.",
        paged="Finance, who can void a draft by hand.",
    ),
)
