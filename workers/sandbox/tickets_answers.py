"""Which Jira is asked (Cloud or Server, v2 or v3), who asks, and Jira's way of saying no.

Errors have Jira's body {"errorMessages": […], "errors": {field: message}}. The sentences are Jira's as far
as they are publicly quoted, and were not compared with a live one. Cloud takes an address with an API
token, Server also a personal access token as a bearer. In Jira some refusals of a reader are a 400 or a
404; here they are all 403.
"""

from dataclasses import dataclass

from workers.sandbox.route import Reply, View

USERS = {
    ("agent@sandbox.test", "jira-write-token"): "agent",
    ("reader@sandbox.test", "jira-read-token"): "reader",
}
WRITERS = ("agent",)
NO_SUCH_ISSUE = "Issue does not exist or you do not have permission to see it."
_SENTENCES = {
    400: "The request is not valid.",
    401: "Client must be authenticated to access this resource.",
    403: "You do not have permission to perform this operation.",
    404: NO_SUCH_ISSUE,
    409: "The issue is being changed by another request.",
    410: "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.",
    429: "Rate limit exceeded.",
    503: "Jira is temporarily unavailable.",
}


class JiraRefused(Exception):
    """A handler says no, before it has written anything."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status} {reply.body}")
        self.reply = reply


def errors(status: int, *messages: str, fields: dict[str, str] | None = None) -> Reply:
    """An error in Jira's format."""
    return Reply(status, {"errorMessages": list(messages), "errors": fields or {}})


def refusal(status: int) -> Reply:
    """The error that Jira gives with this status when nothing more is known about it."""
    reply = errors(status, _SENTENCES.get(status, f"The request failed with status {status}."))
    if status == 401:
        headers = {
            "WWW-Authenticate": 'OAuth realm="sandbox"',
            "X-Seraph-LoginReason": "AUTHENTICATED_FAILED",
        }
        return Reply(status, reply.body, headers)
    return reply


def no(status: int, *messages: str, **fields: str) -> JiraRefused:
    """The same, to be raised."""
    return JiraRefused(errors(status, *messages, fields=fields))


@dataclass(frozen=True)
class Site:
    """The Jira that a request was sent to."""

    cloud: bool
    version: int
    origin: str

    @property
    def api(self) -> str:
        """The address under which its resources have their `self`."""
        return f"{self.root}/rest/api/{self.version}"

    @property
    def root(self) -> str:
        """The address that a client is given as its server."""
        return f"{self.origin}/{'jira' if self.cloud else 'jira-server'}"


def site_of(view: View) -> Site:
    """Which of the Jiras this request went to; `self` links use the host that it named."""
    cloud = not view.path.startswith("/jira-server/")
    return Site(cloud, 3 if view.match.get("version") == "3" else 2, f"http://{view.headers.get('Host', 'localhost')}")


def user_of(view: View) -> str | None:
    """Who asks: `agent` (may write), `reader`, or None."""
    login = view.login()
    if login:
        return USERS.get(login)
    token = view.bearer()
    if token is None or site_of(view).cloud:
        return None
    return next((user for (_, secret), user in USERS.items() if secret == token), None)
