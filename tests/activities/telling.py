"""Codes and webhooks as the tests have them: providers on the sandbox, and arguments that fit."""

from __future__ import annotations

from typing import Any

import httpx

from activities.providers.sms import Sms
from activities.providers.webhooks import Webhooks
from activities.tools.notify_webhook import NotifyArgs
from activities.tools.send_code import SendCodeArgs
from tests.activities.outside import Outside
from workers.sandbox.webhooks import SECRET

CODE = SendCodeArgs(phone="+4915112345678", purpose="sign_in")
NEWS = NotifyArgs(client="acme", event="workspace.activated", workspace_id="ws_1")
OTHER_SECRET = "whsec_" + "b3RoZXItc2VjcmV0LW9mLW5vYm9keS1hdC1hbGwtaW5kZWVk"


def sms(outside: Outside, token: str = "sms-write", *, timeout_s: float = 5, url: str | None = None) -> Sms:
    """The verification service; what only reads gets `sms-read`."""
    made = Sms(url=url or outside.sandbox.url, token=token, timeout_s=timeout_s)
    outside._made.append(made)
    return made


def webhooks(
    outside: Outside, *, secret: str = SECRET, timeout_s: float = 5, endpoints: dict[str, dict[str, str]] | None = None
) -> Webhooks:
    """Everybody's endpoint in the sandbox, or only these."""
    url = "" if endpoints is not None else f"{outside.sandbox.url}/webhooks"
    made = Webhooks(url=url, secret=secret, timeout_s=timeout_s, endpoints=endpoints)
    outside._made.append(made)
    return made


def pointed(outside: Outside, url: str, *, timeout_s: float = 5) -> Webhooks:
    """The client acme's endpoint at another address."""
    return webhooks(outside, timeout_s=timeout_s, endpoints={"acme": {"url": url, "secret": SECRET}})


async def got(outside: Outside, client: str = "acme") -> list[dict[str, Any]]:
    """All that the client's endpoint was sent, repetitions included."""
    async with httpx.AsyncClient(base_url=outside.sandbox.url) as anybody:
        return (await anybody.get(f"/webhooks/{client}")).json()["data"]
