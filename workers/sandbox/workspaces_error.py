"""How the workspace service says no: `{"error": {"code", "message"}}`, with a code to decide by."""

from workers.sandbox.route import Reply, View

_CODES = {
    400: ("invalid_request", "The request cannot be read."),
    401: ("unauthorized", "The token is missing or unknown."),
    402: ("payment_required", "The account has no payment method."),
    403: ("forbidden", "The token only reads."),
    404: ("not_found", "There is no such thing here."),
    409: ("conflict", "It does not go with how things stand."),
    422: ("invalid_request", "A field of the request is not what it must be."),
    429: ("rate_limited", "Too many requests."),
    500: ("internal_error", "Something broke on our side."),
    503: ("unavailable", "The service cannot be reached."),
}

_CONFLICTS = {
    "reservations": "not_enough_seats",
    "confirm": "reservation_expired",
    "purchases": "reservation_expired",
    "refunds": "over_refund",
    "activate": "workspace_abandoned",
    "abandon": "workspace_in_use",
    "archive": "document_removed",
    "restore": "document_removed",
}
"""The usual 409 of a request, by the last word of its path."""
_OF_DELETES = {"projects": "has_dependents", "documents": "not_archived"}


class Refusal(Exception):
    """A no of the service: nothing of the request was done."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code

    @property
    def reply(self) -> Reply:
        """As it goes out."""
        return error(self.status, self.code, str(self))


def error(status: int, code: str, message: str) -> Reply:
    """A no with its code and its reason."""
    return Reply(status, {"error": {"code": code, "message": message}})


def refusal(status: int) -> Reply:
    """A no of which only the status is known."""
    return error(status, *_CODES.get(status, _CODES[500] if status >= 500 else ("refused", "Refused.")))


def in_use() -> Reply:
    """Somebody else is changing this very thing."""
    return error(409, "in_use", "Another request with this key is still being carried out.")


def dress(view: View, reply: Reply) -> Reply:
    """A 409 out of the blue is the one that this request is usually answered with."""
    if reply.status != 409 or not isinstance(reply.body, dict) or reply.body["error"]["code"] != "conflict":
        return reply
    *_, kind, _ref, last = ["", "", *view.path.rstrip("/").split("/")]
    code = _OF_DELETES.get(kind) if last == "delete" else _CONFLICTS.get(last)
    return error(409, code, reply.body["error"]["message"]) if code else reply


def invalid(field: str, message: str) -> Refusal:
    """A field that does not fit, by name."""
    return Refusal(422, "invalid_request", f"{field}: {message}")


def missing(what: str, ref: str) -> Refusal:
    """There is no such thing."""
    return Refusal(404, "not_found", f"There is no {what} {ref!r}.")


def key_in_use(key: str) -> Refusal:
    """A key names one thing, asked for in one way."""
    return Refusal(409, "saga_key_in_use", f"saga_key: {key!r} names something else.")
