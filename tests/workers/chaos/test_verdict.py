"""The verdict: a flaw planted in the sandbox itself moves its number and the exit code; a terminated run is apart."""

from dataclasses import replace

import httpx
import pytest_asyncio

from saga.row import Row
from tests.workers.endings import EXECUTION, RUN, row
from workers.chaos.__main__ import Asked, report
from workers.chaos.bench import Result
from workers.chaos.ending import Ended
from workers.chaos.expectation import Ending
from workers.chaos.plan import Plan
from workers.chaos.verdict import judge
from workers.outside import Outside
from workers.sandbox.server import serve

ASKED = Asked(runs=1, seed=3)


@pytest_asyncio.fixture
async def url(tmp_path):
    async with serve(tmp_path / "sandbox") as sandbox:
        yield sandbox.url


async def charge(url: str, charged: Row, header: str) -> None:
    form = {
        "amount": "500",
        "currency": "eur",
        "customer": "cus_1182",
        "payment_method": "pm_card_visa",
        "confirm": "true",
        "metadata[saga_key]": charged.idempotency_key,
        "metadata[saga_run]": RUN,
        "metadata[saga_execution]": EXECUTION,
        "automatic_payment_methods[enabled]": "true",
        "automatic_payment_methods[allow_redirects]": "never",
    }
    headers = {"Authorization": "Bearer sk_test_sandbox", "Idempotency-Key": header}
    async with httpx.AsyncClient(base_url=url) as client:
        (await client.post("/v1/payment_intents", data=form, headers=headers)).raise_for_status()


def ended(*rows: Row, ending: Ending | None = "KEPT", **more) -> Ended:
    made = Ended(
        run_id=RUN,
        plan=Plan(number=0, kind="incident", order_id="1182"),
        ending=ending,
        rows=rows,
        earlier=(),
        consents=(),
        story={},
        flaws=(),
    )
    return replace(made, **more)


async def told(url: str, end: Ended, capsys) -> tuple[int, list[str]]:
    async with Outside(url) as outside:
        verdict = judge([end], await outside.effects(), since=0.0)
    code = report(Result(verdict=verdict, did={}, ends=(end,)), ASKED, 1.0)
    return code, capsys.readouterr().out.splitlines()


async def test_a_right_world_is_seven_zeros_and_exit_code_0(url, capsys):
    charged = row(0, "charge_card", "CONFIRMED", undo="refund_charge")
    await charge(url, charged, charged.idempotency_key)
    code, lines = await told(url, ended(charged), capsys)
    assert code == 0
    assert lines[-1].startswith("scoreboard: duplicates=0 lost=0 orphans=0")


async def test_a_second_charge_under_the_runs_key_is_a_duplicate_and_exit_code_1(url, capsys):
    charged = row(0, "charge_card", "CONFIRMED", undo="refund_charge")
    await charge(url, charged, charged.idempotency_key)
    await charge(url, charged, "by hand")
    code, lines = await told(url, ended(charged), capsys)
    assert code == 1
    assert lines[-1].startswith("scoreboard: duplicates=1 lost=0")
    assert any(line.startswith(f"duplicates, run {RUN}: charge.capture") for line in lines)
    assert "  alone: make chaos SEED=3 ONLY=0" in lines


async def test_what_a_terminated_run_leaves_is_named_and_in_no_number(url, capsys):
    charged = row(0, "charge_card", "INTENDED", undo="refund_charge")
    await charge(url, charged, charged.idempotency_key)
    code, lines = await told(url, ended(charged, ending="TERMINATED"), capsys)
    assert code == 0
    named = next(line for line in lines if line.startswith(f"terminated, run {RUN}"))
    assert "step 0 charge_card is INTENDED" in named
    assert "charge.capture" in named


async def test_a_charge_too_many_counts_for_a_terminated_run_too(url, capsys):
    charged = row(0, "charge_card", "INTENDED", undo="refund_charge")
    await charge(url, charged, charged.idempotency_key)
    await charge(url, charged, "by hand")
    code, lines = await told(url, ended(charged, ending="TERMINATED"), capsys)
    assert code == 1
    assert lines[-1].startswith("scoreboard: duplicates=1 lost=0")


async def test_a_run_that_did_not_end_is_exit_code_1_with_seven_zeros(url, capsys):
    code, lines = await told(url, ended(ending=None, flaws=("it did not end within 240 s",)), capsys)
    assert code == 1
    assert f"run {RUN}: it did not end within 240 s" in lines


async def test_an_effect_without_anybodys_name_is_an_orphan(url, capsys):
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": "Bearer mail-write"}) as client:
        letter = {"from": "a@sandbox.test", "to": ["b@customers.test"], "subject": "x", "text": "y"}
        (await client.post("/mail/emails", json=letter)).raise_for_status()
    code, lines = await told(url, ended(), capsys)
    assert code == 1
    assert "orphans=1" in lines[-1]
