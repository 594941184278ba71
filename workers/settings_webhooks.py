"""Where each customer wants to be told of events, and the secret that they know us by.

SAGA_WEBHOOKS_ENDPOINTS={"acme": {"url": "https://hooks.acme.example/in", "secret": "whsec_…"}}. Once it is set, a
client who is not in it has no endpoint; without it everybody's is the sandbox's.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr, TypeAdapter, ValidationError
from pydantic_settings import SettingsConfigDict

from activities.client import Client
from saga.decision import first_problem
from saga.errors import BadInput
from saga.record import Typed
from workers.settings_providers import Access


def _address(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host or parts.username is not None or parts.fragment:
        raise ValueError("an https address, without login and fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        # The signature keeps an event from being forged, and not from being read on its way.
        raise ValueError("https, or http on this very machine")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _secret(text: str) -> str:
    try:
        length = len(base64.b64decode(text.removeprefix("whsec_"), validate=True))
    except (binascii.Error, ValueError):
        length = 0
    if not 24 <= length <= 64:  # 192 to 512 bits, as Standard Webhooks has it
        raise ValueError("24 to 64 bytes in base64, with or without whsec_ before them")
    return text


class EndpointSetting(Typed):
    """One client's endpoint."""

    url: Annotated[str, AfterValidator(_address)]
    secret: Annotated[str, AfterValidator(_secret)]


_ENDPOINTS: TypeAdapter[dict[str, EndpointSetting]] = TypeAdapter(dict[Client, EndpointSetting])


class WebhookEndpoints(Access):
    """The customers' endpoints, SAGA_WEBHOOKS_ENDPOINTS. Who only looks is told the addresses and no secret."""

    prefix = "SAGA_WEBHOOKS_"
    path = "/webhooks"
    names = ("secret",)
    writes = ()
    reads = ()
    sandbox_writes = ("whsec_c2FuZGJveC1vbmx5LW5vYm9keXMtc2VjcmV0LWF0LWFsbA==",)
    sandbox_reads = ("",)
    model_config = SettingsConfigDict(env_prefix=prefix, env_ignore_empty=True, frozen=True, extra="ignore")

    endpoints: SecretStr | None = None
    """As it was typed: it holds secrets, so nothing prints it, nor an error what does not fit in it."""

    @property
    def real(self) -> bool:
        """Whether these are somebody's real endpoints."""
        return self.endpoints is not None

    def arguments(self, sandbox: str, *, write: bool) -> dict[str, Any]:
        """Keyword arguments for the provider's class; BadInput names the client and the field that does not fit."""
        if self.url is not None:
            raise BadInput(self._name("url"), f"there is no one address; {self._name('endpoints')} has one by client")
        if self.endpoints is None:
            (secret,) = self.sandbox_writes if write else self.sandbox_reads
            return {"url": f"{sandbox}{self.path}", "secret": secret, "endpoints": {}}
        kept = {"url", "secret"} if write else {"url"}
        known = {client: each.model_dump(include=kept) for client, each in self._typed(self.endpoints).items()}
        return {"url": "", "secret": "", "endpoints": known}

    def _typed(self, text: SecretStr) -> Mapping[str, EndpointSetting]:
        name = self._name("endpoints")
        try:
            return _ENDPOINTS.validate_python(json.loads(text.get_secret_value()))
        except json.JSONDecodeError:
            raise BadInput(name, "expected a JSON object: url and secret by client") from None
        except ValidationError as error:
            where, problem = first_problem(error)
            raise BadInput(f"{name} {where}".strip(), problem) from None
