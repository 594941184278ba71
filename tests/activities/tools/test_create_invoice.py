"""`create_invoice` against the sandbox: all of its lines in one transaction, or nothing."""

from typing import Any

import pytest

from activities.tools.create_invoice import CREATE_INVOICE, InvoiceArgs
from saga.errors import BadInput, NotSent, Refused
from saga.tool import Call
from tests.activities.outside import Outside, call, look
from tests.activities.things import surroundings, tags

LINES = [
    {"product_id": "prod_seat", "quantity": 40, "unit_minor": 1250},
    {"product_id": "prod_onboarding", "quantity": 1, "unit_minor": 99_900},
]


async def asked(outside: Outside, **changes: Any) -> Call[InvoiceArgs]:
    workspace = await surroundings(outside, "workspaces")
    args = {"workspace_id": workspace.id, "currency": "usd", "lines": LINES, **changes}
    return call(InvoiceArgs.model_validate(args))


async def check(outside: Outside, args: InvoiceArgs) -> None:
    assert CREATE_INVOICE.check is not None
    await CREATE_INVOICE.check(outside.workspaces("workspaces-read"), args)


async def test_one_request_writes_every_line_and_the_total_is_theirs(outside: Outside):
    half = await asked(outside)
    before = len(outside.sent("workspaces"))
    receipt = await CREATE_INVOICE.perform(outside.workspaces(), half)
    assert len(outside.sent("workspaces")) == before + 1
    assert (receipt.result["total_minor"], receipt.result["currency"]) == (149_900, "usd")
    kept = await outside.workspaces().one("invoices", receipt.external_ref)
    assert kept is not None
    assert (kept.state, kept.fields["total_minor"], kept.fields["lines"]) == ("draft", 149_900, LINES)


@pytest.mark.parametrize("place", [0, 1])
async def test_a_line_of_an_unknown_product_writes_nothing_at_all(outside: Outside, place: int):
    lines = [{**line, "product_id": "nothing"} if at == place else line for at, line in enumerate(LINES)]
    half = await asked(outside, lines=lines)
    with pytest.raises(Refused) as error:
        await CREATE_INVOICE.perform(outside.workspaces(), half)
    assert error.value.code == "unknown_product"
    assert outside.effects("invoice.create") == []
    assert await look(CREATE_INVOICE, outside.workspaces("workspaces-read"), half) == []


async def test_a_currency_that_the_account_does_not_use_is_refused_before_any_row(outside: Outside):
    half = await asked(outside, currency="eur")
    with pytest.raises(BadInput) as error:
        await check(outside, half.args)
    assert (error.value.field, error.value.problem) == ("currency", "acme pays in usd")
    await check(outside, (await asked(outside)).args)


async def test_a_workspace_that_is_not_there_is_refused_before_any_row(outside: Outside):
    half = await asked(outside, workspace_id="ws_unknown")
    with pytest.raises(BadInput) as error:
        await check(outside, half.args)
    assert error.value.field == "workspace_id"


@pytest.mark.parametrize("fault", ["before:503", "refuse:401", "after:html200"])
async def test_a_check_that_cannot_be_made_is_not_bad_input(outside: Outside, fault: str):
    half = await asked(outside)
    outside.arm("workspaces", "read", fault)
    with pytest.raises(NotSent):
        await check(outside, half.args)


async def test_a_closed_workspace_gets_no_invoice(outside: Outside):
    half = await asked(outside)
    await outside.workspaces().act("workspaces", half.args.workspace_id, "abandon", tags("9" * 32))
    with pytest.raises(Refused) as error:
        await CREATE_INVOICE.perform(outside.workspaces(), half)
    assert error.value.code == "workspace_abandoned"
    assert outside.effects("invoice.create") == []
