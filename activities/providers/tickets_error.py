"""What became of a request to Jira, told from what the `jira` package raised.

Its texts carry addresses, headers and bodies, so none of them goes further; Jira's own sentences do, shortened. Jira's
format of an error is {"errorMessages": […], "errors": {field: sentence}} (REST API v2 and v3, "Status codes").
"""

from __future__ import annotations

from typing import Any

import requests
from jira.exceptions import JIRAError
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from activities.providers.retry_after import retry_after_s
from saga.errors import NotSent, ProviderError, Refused, Unanswered

_OPEN = frozenset({408, 409, 425})
"""Statuses below 500 that say nothing of this write: too slow, in conflict with another, too early."""
_SENTENCE = 300
"""Characters of Jira's own words that are kept."""


def of_write(error: Exception) -> ProviderError:
    """What became of a write that ended with `error`. What nobody recognises is Unanswered."""
    if isinstance(error, ProviderError):
        return error
    if isinstance(error, JIRAError) and error.response is not None:
        return _of_answer(error.response)
    if _never_left(error):
        return NotSent("Jira could not be reached", code="unreachable")
    return Unanswered(f"no answer of Jira's that counts ({type(error).__name__})", code="no_answer")


def of_read(error: Exception) -> NotSent:
    """The same for a request that changes nothing: whatever became of it, nothing was done."""
    problem = of_write(error)
    if isinstance(problem, NotSent):
        return problem
    # A question that Jira refuses (JQL it does not take, say) it will refuse tomorrow.
    return NotSent(problem.message, code=problem.code, status=problem.status, lasting=isinstance(problem, Refused))


def is_missing(error: JIRAError) -> bool:
    """Whether Jira itself says 404: there is no such issue, or this user may not see it."""
    return error.status_code == 404 and error.response is not None and _said(error.response) is not None


def _of_answer(answer: Any) -> ProviderError:
    status, said = int(answer.status_code), _said(answer)
    if status == 429:
        return NotSent(
            "Jira asks for patience", code="rate_limited", status=status, retry_after_s=retry_after_s(answer.headers)
        )
    if said is None or status >= 500 or status in _OPEN or status < 400:
        return Unanswered(f"HTTP {status} where Jira's answer should be", code=f"http_{status}", status=status)
    code, sentence = said
    if status in (401, 403):
        message = sentence or "Jira does not accept these credentials"
        return NotSent(message, code=f"http_{status}", status=status, lasting=True)
    return Refused(sentence or f"Jira refused (HTTP {status})", code=code or f"http_{status}", status=status)


def _said(answer: Any) -> tuple[str, str] | None:
    """(first field that is wrong, Jira's sentence); None where this is not Jira's format."""
    try:
        body: Any = answer.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and ("errorMessages" in body or "errors" in body):
        messages, fields = body.get("errorMessages"), body.get("errors")
        words = [str(each) for each in messages] if isinstance(messages, list) else []
        wrong = {str(name): str(text) for name, text in fields.items()} if isinstance(fields, dict) else {}
        words += [f"{name}: {text}" for name, text in wrong.items()]
        return next(iter(wrong), ""), "; ".join(words)[:_SENTENCE]
    # Jira's login filter answers before the API does, with a header of its own and often a page.
    turned_away = answer.headers.get("X-Seraph-LoginReason", "OK") != "OK"
    return ("", "") if turned_away and answer.status_code in (401, 403) else None


def _never_left(error: Exception) -> bool:
    """Whether no connection was made, so that not a byte of the request can have arrived."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectionError) and isinstance(reason, NewConnectionError | ConnectTimeoutError)
