"""What became of a request to Stripe, told by status and by format, never by the package's classes.

Measured: a blank 200, a 204 and a page of HTML are all `APIError`. Only an error in Stripe's own format, {"error":
{"type": …}}, is Stripe speaking (docs.stripe.com/api/errors).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import stripe

from activities.providers.retry_after import retry_after_s
from saga.errors import NotSent, ProviderError, Refused, Unanswered

_OPEN = frozenset({408, 409, 424, 425})
"""Statuses below 500 that say nothing of this write: too slow, a key or an object in use, somebody else's failure."""
_SPENT = frozenset(
    {"amount_too_large", "charge_already_refunded", "charge_disputed", "payment_intent_unexpected_state"}
)
"""Refusals that come from a state: like declines they stay under the key, and a repeat gets them again."""
_SENTENCE = 300
"""Characters of Stripe's own words that are kept."""


def of_write(error: ProviderError | stripe.StripeError) -> ProviderError:
    """What became of a write that ended with `error`. What nobody recognises is Unanswered."""
    if isinstance(error, ProviderError):
        return error
    status, said = error.http_status, _said(error)
    headers = error.headers or {}
    replayed = headers.get("Idempotent-Replayed") == "true"
    code = str(said.get("code") or "")
    if status == 429 or code == "rate_limit":
        wait_s = retry_after_s(headers)
        return NotSent("Stripe asks for patience", code="rate_limit", status=status, retry_after_s=wait_s)
    if said and status in (401, 403):
        return NotSent(
            "Stripe does not accept this API key for this", code=f"http_{status}", status=status, lasting=True
        )
    if said.get("type") == "idempotency_error":
        return Unanswered("this key was used for another request", code="idempotency_error", status=status)
    if said and status is not None and 400 <= status < 500 and status not in _OPEN:
        kept = replayed or status == 402 or code in _SPENT
        return Refused(_sentence(said), code=code or str(said["type"]), status=status, remembered=kept)
    message = f"HTTP {status} where Stripe's answer should be"
    return Unanswered(message, code=code or f"http_{status}", status=status, remembered=replayed)


def of_read(error: ProviderError | stripe.StripeError) -> NotSent:
    """The same for a request that changes nothing: whatever became of it, nothing was done.

    Not even a no is a refusal here: it speaks of the question, and an earlier write of this half may have landed.
    """
    problem = of_write(error)
    if isinstance(problem, NotSent):
        return problem
    lasting = isinstance(problem, Refused)
    return NotSent(problem.message, code=problem.code, status=problem.status, lasting=lasting)


def _said(error: stripe.StripeError) -> Mapping[str, Any]:
    """What Stripe says in its own format; empty where this is not Stripe speaking."""
    body: Any = error.json_body
    said = body.get("error") if isinstance(body, dict) else None
    return said if isinstance(said, dict) and isinstance(said.get("type"), str) else {}


def _sentence(said: Mapping[str, Any]) -> str:
    """Stripe's message, shortened, with the issuer's own code where it gave one."""
    text, issuer = str(said.get("message") or "refused"), said.get("decline_code")
    return text[:_SENTENCE] + (f" ({issuer})" if issuer and issuer != "generic_decline" else "")
