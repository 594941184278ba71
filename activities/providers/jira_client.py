"""The `jira` package's client, made to send every request once and never without a time limit.

Its defaults are no limit and three tries, which repeat a POST that was carried out and lost its answer. With
`max_retries=0` its session makes one request and never reads `Retry-After`, whose date form it cannot (3.10.5).
Three requests are its own here: the package has them only with a read-back behind them, or not at all.
"""

from __future__ import annotations

import json
from typing import Any

from jira import JIRA
from jira.resilientsession import ResilientSession


class JiraClient(JIRA):
    """One connection pool to one Jira. It asks `serverInfo` when it is made, to know Cloud from Server."""

    def __init__(self, *, url: str, user: str, token: str, timeout_s: float, api: str) -> None:
        """`user` empty: `token` is a Server's personal access token. `timeout_s` bounds one request as a whole."""
        connect_s = min(5.0, timeout_s / 2)  # a machine that answers at all answers a SYN within seconds
        super().__init__(
            options={"server": url, "rest_api_version": api},
            basic_auth=(user, token) if user else None,
            token_auth=None if user else token,
            max_retries=0,
            timeout=(connect_s, timeout_s - connect_s),
            get_server_info=True,
            logging=False,  # on an answer it cannot read it would log the whole body
        )

    @property
    def is_cloud(self) -> bool:
        """Whether searches go Cloud's way (page tokens) or Server's (offsets)."""
        return self._is_cloud

    @property
    def _wire(self) -> ResilientSession:
        assert self._session is not None, "closed"  # noqa: S101 - the package types a closed client's session as None
        return self._session

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
