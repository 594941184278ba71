"""The `jira` package's client, made to send every request once and never without a time limit.

Its defaults are no limit and three tries, which repeat a POST that was carried out and lost its answer. With
`max_retries=0` its session makes one request and never reads `Retry-After`, whose date form it cannot (3.10.5).
Three requests are its own here: the package has them only with a read-back behind them, or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from jira import JIRA
from jira.exceptions import JIRAError
from jira.resilientsession import ResilientSession
from requests.adapters import HTTPAdapter

from activities.providers.ticket import Ticket
from activities.providers.tickets_error import is_missing
from saga.errors import NotSent

THREADS = 32
"""Requests at once: more than Jira lets one user have for long. Those beyond wait for a thread."""
WAIT_SHARE, CONNECT_SHARE, READ_SHARE = 0.1, 0.3, 0.6
"""Of a request's time limit: to wait for a thread, for a connection, for the answer. Together the whole of it."""

_FIELDS: str = "status,labels"
_PAGE = 100
"""Issues a page: the most that Cloud gives when fields are asked for."""
_PAGES = 3
"""More than 300 tickets under one key is no answer to work with, and reading on would outlive the attempt."""


class JiraClient(JIRA):
    """One connection pool to one Jira. It asks `serverInfo` when it is made, to know Cloud from Server."""

    def __init__(self, *, url: str, user: str, token: str, timeout_s: float, api: str) -> None:
        """`user` empty: `token` is a Server's personal access token. `timeout_s` bounds one request as a whole."""
        super().__init__(
            options={"server": url, "rest_api_version": api},
            basic_auth=(user, token) if user else None,
            token_auth=None if user else token,
            max_retries=0,
            timeout=(timeout_s * CONNECT_SHARE, timeout_s * READ_SHARE),
            get_server_info=True,
            logging=False,  # on an answer it cannot read it would log the whole body
        )
        for scheme in ("https://", "http://"):
            self._wire.mount(scheme, HTTPAdapter(pool_maxsize=THREADS))
        # A redirect would send a write a second time (307), or take another page's answer for the write's (302).
        self._wire.max_redirects = 0

    def ticket(self, reference: str) -> Ticket | None:
        """The ticket of this id, key or former key; None where Jira itself says 404."""
        try:
            return Ticket.parse(self.issue(reference, fields=_FIELDS).raw)
        except JIRAError as error:
            if is_missing(error):
                return None
            raise

    def labelled(self, label: str) -> Iterator[Ticket]:
        """All pages of a search by label, in the form that this Jira knows. A page without its list is an error."""
        jql = f'labels = "{label}" ORDER BY created ASC'
        token, start = None, 0
        for _ in range(_PAGES):
            # The package writes into the list of fields that it is given.
            fields = _FIELDS.split(",")
            page: Any
            if self._is_cloud:
                page = self.enhanced_search_issues(jql, token, _PAGE, fields, json_result=True)
            else:
                page = self.search_issues(jql, start, _PAGE, fields=fields, json_result=True)
            issues: list[Any] = page["issues"]
            yield from (Ticket.parse(each) for each in issues)
            token, start = page.get("nextPageToken"), start + len(issues)
            if not (token if self._is_cloud else issues and start < int(page["total"])):
                return
        raise NotSent("more tickets carry this label than can be read", code="too_many", lasting=True)

    def who(self) -> str:
        """The user that this is; "" where Jira does not say."""
        me: Any = self.myself()
        return str(me.get("accountId") or me.get("name") or "")

    def states(self, project: str, issue_type: str) -> dict[str, str] | None:
        """Name → category of the states that tickets of this type can be in; None where there is no such type."""
        types: list[Any] = [each.raw for each in self.issue_types_for_project(project)]
        found = next((each for each in types if each["name"] == issue_type), None)
        return found and {state["name"]: state["statusCategory"]["key"] for state in found["statuses"]}

    def move(self, issue: str, transition: str, fields: dict[str, Any], update: dict[str, Any]) -> None:
        """One POST of a transition. The package's own takes no `update` but a comment, so no label could be added."""
        body = {"transition": {"id": transition}, "fields": fields, "update": update}
        self._wire.post(
            self._get_url(f"issue/{issue}/transitions"),
            data=json.dumps({name: value for name, value in body.items() if value}),
        )

    def edit(self, issue: str, update: dict[str, Any]) -> None:
        """One PUT. The package's own reads the issue again, and an error of that looks like the edit's."""
        self._wire.put(self._get_url(f"issue/{issue}"), data=json.dumps({"update": update}))

    def remove(self, issue: str) -> int:
        """One DELETE; answers the status. The package's own needs the issue read as an object first."""
        return self._wire.delete(self._get_url(f"issue/{issue}")).status_code

    @property
    def _wire(self) -> ResilientSession:
        assert self._session is not None, "closed"  # noqa: S101 - the package types a closed client's session as None
        return self._session
