"""Payments through Stripe: payment intents held, taken, cancelled and given back.

Every write carries our key twice, as `Idempotency-Key` and in the metadata, and the same bytes at every attempt. What
is looked for is listed and compared here: Stripe's search lags behind its own writes, and a key sent again is a write.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import stripe
from stripe.params import (
    PaymentIntentCaptureParams,
    PaymentIntentCreateParams,
    PaymentIntentListParams,
    RefundCreateParams,
)

from activities.payment import Payment
from activities.providers.intent import CAPTURE_KEY, Intent
from activities.providers.payments_error import of_read, of_write
from activities.providers.refund import Refund
from activities.providers.stripe_wire import StripeWire
from saga.draft import Pace
from saga.errors import NotSent, ProviderError, Unanswered
from saga.tool import Tags

# The package would write an id of its own into the home directory and send it along.
stripe.enable_telemetry = False

PACE = Pace(
    request_s=20,  # Stripe answers a charge in two or three seconds, slow banks in ten; its own package waits for 80
    attempt_s=45,  # a write and the one look before or after it, none to outlive the attempt
    patience_s=600,  # a restarted worker is back in minutes; far from the day after which Stripe forgets a key
    tries=3,  # the second is answered from Stripe's memory; a third outlives a short outage
)
UNDO_PACE = PACE.model_copy(update={"attempt_s": 90})
"""An undo reads, asks, and where the state changed under its hands reads and asks again: four requests."""
INDEX_LAG_S = 10.0
"""Stripe's lists show an object as soon as it exists; ten seconds more for one that was still under way inside."""

KEY_LIFE_S = 23 * 3600.0
"""Stripe may remove keys once they are 24 hours old; an hour less for clocks and for what is under way."""

_CHARGE = "latest_charge.balance_transaction"
"""What of an intent is read with it: the charge, and in it what Stripe took for itself."""

LOOKBACK_S = 300
"""A list begins this much before the step did: so far may the clocks of two machines lie apart."""
_PAGE = 100
_PAGES = 50
"""100 is Stripe's largest page. 5,000 objects of one customer since the step began are no lookup but a mistake."""

Page = Callable[[Any], Awaitable[Any]]


class Payments:
    """One Stripe account, or the sandbox, with one API key: one that writes, or one that only reads."""

    def __init__(self, *, url: str, key: str, timeout_s: float) -> None:
        """`url` without `/v1`; `timeout_s` bounds one whole request. Nothing is sent before the first call."""
        self._wire = StripeWire(timeout_s)
        # No retries of the package's own: one attempt is one request, and Temporal counts attempts.
        client = stripe.StripeClient(
            key, base_addresses={"api": url.rstrip("/")}, http_client=self._wire, max_network_retries=0
        )
        self._intents, self._refunds = client.v1.payment_intents, client.v1.refunds
        self._customers = client.v1.customers

    async def close(self) -> None:
        """Let go of the connections."""
        await self._wire.close_async()

    async def pay(self, payment: Payment, tags: Tags, *, capture: Literal["automatic", "manual"]) -> Intent:
        """Charge the card at once, or hold the money. A decline is Refused with Stripe's code."""
        params: PaymentIntentCreateParams = {
            "amount": payment.amount_minor,
            "currency": payment.currency,
            "customer": payment.customer_id,
            "payment_method": payment.payment_method,
            # Without this a redirect might be wanted, and Stripe would ask for an address to return to.
            "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
            "capture_method": capture,
            "confirm": True,
            # Nobody is there to answer a 3-D Secure question: Stripe declines instead (`authentication_required`).
            "off_session": True,
            "description": f"Order {payment.order_id}",
            "metadata": {**marks(tags), "order_id": payment.order_id, "reason": payment.reason},
            "expand": [_CHARGE],
        }
        if payment.receipt:
            # Read from the customer, so that no model chooses where it goes. An address that somebody changes between
            # two attempts changes the bytes: Stripe then answers idempotency_error, and the lookup finds the first.
            params["receipt_email"] = await self._address(payment.customer_id)
        return Intent.of(await _written(self._intents.create_async(params, _under(tags.key))))

    async def capture(self, ref: str, amount_minor: int, tags: Tags) -> Intent:
        """Take that much of what is held, once: Stripe releases the rest with it.

        Our key goes into the metadata beside that of the hold, which stays.
        """
        params: PaymentIntentCaptureParams = {
            "amount_to_capture": amount_minor,
            "metadata": {CAPTURE_KEY: tags.key, "saga_capture_step": str(tags.step_idx)},
            "expand": [_CHARGE],
        }
        return Intent.of(await _written(self._intents.capture_async(ref, params, _under(tags.key))))

    async def cancel(self, ref: str, tags: Tags) -> Intent:
        """Give a hold back. A cancel carries no metadata: its key is the header alone."""
        asked = self._intents.cancel_async(ref, {"expand": [_CHARGE]}, _under(tags.key))
        return Intent.of(await _written(asked))

    async def refund(self, ref: str, amount_minor: int, tags: Tags, *, reason: str, header: str = "") -> Refund:
        """Give taken money back. `header`: an Idempotency-Key other than our key, where that one is spent already.

        NotSent (`no_amount`) where it is not more than nothing.
        """
        if amount_minor <= 0:
            raise NotSent(f"{amount_minor} is nothing to give back", code="no_amount", lasting=True)
        params: RefundCreateParams = {
            "payment_intent": ref,
            "amount": amount_minor,
            "metadata": {**marks(tags), "reason": reason},
            "expand": ["balance_transaction"],
        }
        return Refund.of(await _written(self._refunds.create_async(params, _under(header or tags.key))))

    async def intent(self, ref: str) -> Intent:
        """One intent as it stands. NotSent (`resource_missing`) where there is none."""
        return _read_as(Intent, await _read(self._intents.retrieve_async(ref, {"expand": [_CHARGE]})))

    async def intents(self, *, since: float, customer_id: str | None = None) -> list[Intent]:
        """All intents since then (epoch seconds), of one customer or of everybody, oldest first."""
        params: PaymentIntentListParams = {
            "created": {"gte": max(0, math.floor(since) - LOOKBACK_S)},
            "expand": [f"data.{_CHARGE}"],
        }
        if customer_id is not None:
            params["customer"] = customer_id
        return [_read_as(Intent, each) for each in await self._every(self._intents.list_async, dict(params))]

    async def refunds(self, ref: str) -> list[Refund]:
        """All refunds of an intent, failed ones included, oldest first."""
        params: dict[str, Any] = {"payment_intent": ref, "expand": ["data.balance_transaction"]}
        return [_read_as(Refund, each) for each in await self._every(self._refunds.list_async, params)]

    async def _every(self, page: Page, params: dict[str, Any]) -> list[Mapping[str, Any]]:
        found = await _pages(page, params)
        if not found:
            # An empty list proves nothing from a credential that sees nothing: prove it, then look again.
            await self._prove()
            found = await _pages(page, params)
        return found[::-1]

    async def _prove(self) -> None:
        """NotSent where this key sees no payment at all: it is blind, or the account has never taken one."""
        anything = await _read(self._intents.list_async({"limit": 1}))
        if not anything.get("data"):
            raise NotSent("this API key sees no payment at all, so that absence proves nothing", code="blind")

    async def _address(self, customer_id: str) -> str:
        address = (await _read(self._customers.retrieve_async(customer_id))).get("email")
        if not isinstance(address, str) or not address:
            message = "the customer has no address to send a receipt to"
            raise NotSent(message, code="no_receipt_address", lasting=True)
        return address


def marks(tags: Tags) -> dict[str, str]:
    """What every object of ours carries. The same at every attempt: another byte would be another request."""
    return {
        "saga_key": tags.key,
        "saga_run": tags.run_id,
        "saga_step": str(tags.step_idx),
        "saga_execution": tags.execution,
    }


def _under(key: str) -> stripe.RequestOptions:
    return {"idempotency_key": key}


async def _pages(page: Page, params: dict[str, Any]) -> list[Mapping[str, Any]]:
    """All pages, newest first."""
    found: list[Mapping[str, Any]] = []
    asked = {**params, "limit": _PAGE}
    for _ in range(_PAGES):
        answer = await _read(page(asked))
        data = answer.get("data")
        if not isinstance(data, list) or (answer.get("has_more") and not data):
            raise NotSent("Stripe answered no list", code="no_list")
        found += data
        if not answer.get("has_more"):
            return found
        asked["starting_after"] = data[-1].get("id")
    raise NotSent(f"more than {_PAGE * _PAGES} objects to look through", code="too_many")


async def _written(asked: Awaitable[Any]) -> dict[str, Any]:
    try:
        return await _object(asked)
    except (stripe.StripeError, ProviderError) as error:
        raise of_write(error) from None


async def _read(asked: Awaitable[Any]) -> dict[str, Any]:
    try:
        return await _object(asked)
    except (stripe.StripeError, ProviderError) as error:
        raise of_read(error) from None


async def _object(asked: Awaitable[Any]) -> dict[str, Any]:
    try:
        answer = await asked
    except (AttributeError, KeyError, TypeError, ValueError):
        # The package stumbles over JSON that is not Stripe's (measured: {"error": "no"} with 400).
        raise Unanswered("Stripe's answer makes no sense", code="no_object") from None
    if not isinstance(answer, stripe.StripeObject):
        raise Unanswered("Stripe answered no object", code="no_object")
    return answer.to_dict()


def _read_as(kind: Any, said: Mapping[str, Any]) -> Any:
    try:
        return kind.of(said)
    except Unanswered as error:
        raise of_read(error) from None
