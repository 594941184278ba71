"""How the warehouse says no: `{"error": {"code", "message"}}`, with a code to decide by."""

from workers.sandbox.route import Reply

_CODES = {
    400: ("invalid_request", "The request cannot be read."),
    401: ("unauthorized", "The token is missing or unknown."),
    403: ("forbidden", "The token only reads."),
    404: ("not_found", "There is no such thing here."),
    409: ("out_of_stock", "The goods are out of stock."),
    422: ("invalid_request", "A field of the request is not what it must be."),
    429: ("rate_limited", "Too many requests."),
    500: ("internal_error", "Something broke on our side."),
    503: ("unavailable", "The warehouse cannot be reached."),
}


def error(status: int, code: str, message: str) -> Reply:
    """A no with its code and its reason."""
    return Reply(status, {"error": {"code": code, "message": message}})


def refusal(status: int) -> Reply:
    """A no of which only the status is known; a 409 out of the blue is that the goods are out of stock."""
    return error(status, *_CODES.get(status, _CODES[500] if status >= 500 else ("refused", "Refused.")))


def in_use() -> Reply:
    """Somebody else is changing this very reservation."""
    return error(409, "in_use", "Another request with this key is still being carried out.")
