"""Stripe's errors: a JSON body with type, code and message, and whether Stripe remembers it under the key.

Remembered is what the endpoint says once it has begun (declines, states, what is left to refund); not
remembered is what is refused before (parameters, unknown objects, authentication, 409, 429). Texts and
codes follow public recordings of the API. The 409 is typed `invalid_request_error` here; some report
`idempotency_error`: its code is what counts.
"""

from dataclasses import replace
from typing import Any

from workers.sandbox.route import Reply

_TYPES = {402: "card_error", 429: "invalid_request_error"}
_WORDS: dict[int, tuple[str | None, str]] = {
    400: (None, "Invalid request."),
    401: (None, "Invalid API Key provided."),
    402: ("card_declined", "Your card was declined."),
    403: (None, "The provided key does not have the required permissions for this endpoint."),
    404: ("resource_missing", "Unrecognized request URL, or no such object."),
    409: ("lock_timeout", "This object cannot be accessed right now because another request is using it."),
    429: ("rate_limit", "Request rate limit exceeded."),
}


class Refusal(Exception):
    """A definite no, as Stripe words it. `remembered`: a repeat under the same key gets it again."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type_: str = "invalid_request_error",
        remembered: bool = False,
        **fields: Any,
    ) -> None:
        super().__init__(message)
        said = {name: value for name, value in fields.items() if value is not None}
        self.remembered = remembered
        self.reply = Reply(status, {"error": {"type": type_, "message": message, **said}})


def refusal(status: int) -> Reply:
    """The error body of a status, for a fault that refuses."""
    server_error = (None, "An unknown error occurred.")
    code, message = _WORDS.get(status, server_error if status >= 500 else (None, "Invalid request."))
    type_ = _TYPES.get(status, "invalid_request_error" if status < 500 else "api_error")
    decline_code = "generic_decline" if status == 402 else None
    return Refusal(message, status=status, type_=type_, code=code, decline_code=decline_code).reply


def in_use() -> Reply:
    """409: the first request under this key is still running."""
    return Refusal(
        "There is currently another in-progress request using this Idempotent Key (that probably means you "
        "submitted twice, and the other request is still going through). Please try again later.",
        status=409,
        code="idempotency_key_in_use",
    ).reply


def missing(kind: str, ref: str, *, param: str, status: int = 404) -> Refusal:
    """No such object: 404 where it is in the path, 400 where it is a parameter."""
    return Refusal(f"No such {kind}: '{ref}'", status=status, code="resource_missing", param=param)


def unexpected_state(message: str, intent: dict[str, Any]) -> Refusal:
    """400, with the intent as it stands, so that the caller can read what it is in."""
    code = "payment_intent_unexpected_state"
    return Refusal(message, code=code, payment_intent=intent, remembered=True)


def with_log_address(reply: Reply, request_id: str) -> Reply:
    """The reply with the address of the request in Stripe's own log, where it is an error."""
    if not isinstance(reply.body, dict) or "error" not in reply.body:
        return reply
    address = f"https://dashboard.stripe.com/test/logs/{request_id}"
    return replace(reply, body={"error": {"request_log_url": address, **reply.body["error"]}})
