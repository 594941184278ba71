"""How the mail service says no: `{"statusCode", "name", "message"}`, as Resend documents it.

It differs in two statuses: an unknown token is 401 here (Resend: 400, 401 or 403, by endpoint) and one that
only reads gets 403 on a write (Resend has no such keys). Not compared with the live service.
"""

from workers.sandbox.route import Reply

_NAMES = {
    400: ("validation_error", "An error was found with one or more fields in the request."),
    401: ("missing_api_key", "API key is missing or invalid."),
    403: ("restricted_api_key", "This API key is restricted to reading."),
    404: ("not_found", "The requested resource was not found."),
    405: ("method_not_allowed", "This endpoint does not support the method."),
    409: ("conflict", "The request conflicts with the state of the resource."),
    422: ("validation_error", "An error was found with one or more fields in the request."),
    429: ("rate_limit_exceeded", "Too many requests. Please limit the number of requests per second."),
    500: ("application_error", "An unexpected error occurred."),
    503: ("service_unavailable", "The service is unavailable."),
}


def error(status: int, name: str, message: str) -> Reply:
    """A no with its name and its reason."""
    return Reply(status, {"statusCode": status, "name": name, "message": message})


def refusal(status: int) -> Reply:
    """A no of which only the status is known."""
    return error(status, *_NAMES.get(status, _NAMES[500] if status >= 500 else _NAMES[400]))


def in_use() -> Reply:
    """The first request under this key has not ended yet."""
    text = "Same idempotency key used while original request is still in progress."
    return error(409, "concurrent_idempotent_requests", text)


def invalid(message: str) -> Reply:
    """A field of the request is not what it must be."""
    return error(422, "validation_error", message)


def missing(field: str) -> Reply:
    """A field that must be there is not."""
    return error(422, "missing_required_field", f"Missing `{field}` field.")
