"""Payments and mail as the tests have them: providers on the sandbox, arguments that fit, and the faults to survive."""

from __future__ import annotations

from typing import Any

import pytest

from activities.letters import LetterArgs
from activities.payment import Hold, Payment
from activities.providers.intent import Intent
from activities.providers.mail import HttpMail, Mail
from activities.providers.payments import Payments
from activities.providers.smtp_mail import SmtpMail, SmtpServer
from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.capture_payment import CAPTURE_PAYMENT, CaptureArgs
from activities.tools.charge_card import CHARGE_CARD
from compensations.refund_charge import RefundArgs
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import KEY, OTHER_KEY, UNDO_KEY, Outside, call

HOLD_KEY, CAPTURE_KEY = KEY, OTHER_KEY
SEND_KEY = OTHER_KEY

PAYMENT = Payment(order_id="1182", customer_id="cus_1182", amount_minor=500, currency="eur", reason="sent again")
HOLD = Hold(**PAYMENT.model_dump())
LETTER = LetterArgs(
    order_id="1182", to="mara.lindqvist@customers.test", subject="Your order 1182", body="A new lamp is on its way."
)

REFUND = RefundArgs(charge_key=KEY, amount_minor=500, currency="eur", reason="the run was undone")

LOST = pytest.mark.parametrize(
    "fault",
    [
        *("after:reset", "after:502", "after:503", "after:504"),
        *("after:truncate", "after:blank200", "after:204", "after:html200"),
    ],
)
"""Done, and the answer lost."""
NEVER = pytest.mark.parametrize("fault", ["before:reset", "before:502", "before:503", "before:504", "outage:30"])
"""Not done, which nobody can tell from the answer."""


def payments(
    outside: Outside, key: str = "sk_test_sandbox", *, timeout_s: float = 5, url: str | None = None
) -> Payments:
    """Stripe, as the sandbox plays it."""
    return _kept(outside, Payments(url=url or outside.sandbox.url, key=key, timeout_s=timeout_s))


def reader(outside: Outside) -> Payments:
    """The credential that only reads."""
    return payments(outside, "rk_test_sandbox")


def mail(outside: Outside, key: str = "mail-write", *, timeout_s: float = 5, url: str | None = None) -> HttpMail:
    """The HTTP mail service."""
    return _kept(outside, HttpMail(url=url or f"{outside.sandbox.url}/mail", key=key, timeout_s=timeout_s))


def mail_reader(outside: Outside) -> HttpMail:
    """The credential that only reads."""
    return mail(outside, "mail-read")


def smtp(
    outside: Outside,
    *,
    log: Mail | None = None,
    password: str = "mail-write",
    port: int | None = None,
    timeout_s: float = 5,
) -> SmtpMail:
    """The sandbox's SMTP server, or another on this port."""
    server = SmtpServer(
        host="127.0.0.1",
        port=outside.sandbox.smtp_port if port is None else port,
        user="agent" if port is None else "",
        password=password,
        security="none",
    )
    return SmtpMail(server=server, sender="Support <support@sandbox.test>", timeout_s=timeout_s, log=log)


def _kept(outside: Outside, made: Any) -> Any:
    outside._made.append(made)
    return made


async def hold(outside: Outside, payment: Hold = HOLD) -> tuple[Receipt, Call[CaptureArgs]]:
    """A hold under HOLD_KEY, and the commit half that would capture it, under CAPTURE_KEY."""
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(payment, HOLD_KEY))
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CaptureArgs.model_validate(AUTHORISE_PAYMENT.commit_args(payment, HOLD_KEY))
    return held, call(args, CAPTURE_KEY, upstream={HOLD_KEY: held.external_ref})


async def captured(outside: Outside) -> Receipt:
    """A hold that was captured by its own commit half."""
    _, commit = await hold(outside)
    return await CAPTURE_PAYMENT.perform(payments(outside), commit)


async def charged(outside: Outside, method: str = "pm_card_visa") -> tuple[Receipt, Call[RefundArgs]]:
    """A charge, and the counter-action on it."""
    payment = PAYMENT.model_copy(update={"payment_method": method})
    charge = await CHARGE_CARD.perform(payments(outside), call(payment))
    return charge, call(REFUND, UNDO_KEY, ref=charge.external_ref)


def returned_minor(outside: Outside) -> int:
    """What went back, and did not come again."""
    refunds = outside.effects("charge.refund")
    return sum(each.amount_minor or 0 for each in refunds if each.state != "failed")


async def by_hand(outside: Outside, ref: str, amount_minor: int) -> None:
    """A person refunds a part in the dashboard: under no key of ours."""
    service = payments(outside)
    await service._refunds.create_async({"payment_intent": ref, "amount": amount_minor})


async def captured_by_hand(outside: Outside, ref: str) -> Intent:
    """A person captures a hold in the dashboard."""
    service = payments(outside)
    await service._intents.capture_async(ref)
    return await service.intent(ref)
