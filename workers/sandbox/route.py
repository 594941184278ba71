"""What a system and the application say to each other: routes, the request as a handler sees it, replies.

A system module exports `routes: list[Route]`, `refusal(status) -> Reply`, `in_use() -> Reply` and
`act(world, ref, act) -> dict` (raises `BadAct`). It may export `install(world)` (put fixtures that are
missing; called at start and after a reset), `guard(ctx) -> Reply | None` (authentication, before the
handler), `run_of(world, view) -> str | None` (which run asks, where the request itself does not say),
`expire(world, ref)` (an alarm of `world.alarm` came due), `dress(view, reply) -> Reply` (headers that
every answer carries) and `remember_refusal(ctx, reply, instead_of)` (a fault refuses; `instead_of` is what
the handler had answered, where it ran).
"""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from workers.sandbox.stamp import Stamp, stamp_of
from workers.sandbox.world import KEY_LIFE_S, World


class BadAct(Exception):
    """POST /world/acts asked for what cannot be done; the text says what is allowed."""


@dataclass(frozen=True)
class Reply:
    """An answer: a dict or list becomes JSON, a string is sent as `content_type`, None is an empty body."""

    status: int = 200
    body: dict[str, Any] | list[Any] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content_type: str | None = None


@dataclass
class View:
    """A request, whole. `headers` is case-insensitive, `query` is bracket-decoded, `match` from the path."""

    method: str
    path: str
    match: Mapping[str, str]
    headers: Mapping[str, str]
    pairs: list[tuple[str, str]]
    body: bytes

    @cached_property
    def query(self) -> dict[str, Any]:
        """The query string; `created[gte]=1` is {"created": {"gte": "1"}}; repeated names: the last."""
        return bracketed(self.pairs)

    @cached_property
    def _form(self) -> dict[str, Any]:
        return bracketed(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))

    def form(self) -> dict[str, Any]:
        """The body in Stripe's encoding: `metadata[a]=b`, `expand[0]=c` (or `expand[]=c`); all strings."""
        return self._form

    @cached_property
    def _json(self) -> Any:
        if not self.body:
            return None
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def json(self) -> Any:
        """The body as JSON; None where it is empty or no JSON."""
        return self._json

    @cached_property
    def stamp(self) -> Stamp:
        """Key, run and execution as far as the request says them itself."""
        return stamp_of(self.headers, self.content_type, self.form, self.json)

    @property
    def content_type(self) -> str:
        """The media type, without parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer …` (Stripe's basic form with an empty password too)."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return token.strip()
        login = self.login()
        return login[0] if login else None

    def login(self) -> tuple[str, str] | None:
        """(user, password) of `Authorization: Basic …`."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            user, colon, password = base64.b64decode(token.strip()).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return (user, password) if colon else None


@dataclass
class Ctx(View):
    """What a handler gets: the request, the world, and the faults that a handler has to play itself."""

    world: World
    system: str
    operation: str
    lag_s: float = 0.0
    """Searches do not see what is younger than this."""
    blind: bool = False
    """Lists and searches answer 200 and nothing."""
    partial: int = 0
    """So many items of a bulk call fail."""
    key_life_s: float = KEY_LIFE_S
    """For `world.remembered`: older keys are gone."""


Handler = Callable[[Ctx], Awaitable[Reply]]
"""Runs inside one transaction and must not wait for anything: it is driven to its end in one go."""
Operations = tuple[str, ...] | Callable[[View], tuple[str, ...]]


@dataclass(frozen=True)
class Route:
    """Where a handler listens (aiohttp's path syntax) and which operations of the contract it is."""

    method: str
    path: str
    system: str
    operations: Operations
    handler: Handler

    def names(self, view: View) -> tuple[str, ...]:
        """The operations of this request, the canonical one first; a fault on any of them strikes."""
        return self.operations if isinstance(self.operations, tuple) else self.operations(view)


def bracketed(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Decode `a[b][c]=d`; a level whose names are all numbers, or `[]`, becomes a list."""
    tree: dict[str, Any] = {}
    for name, value in pairs:
        head, *rest = name.replace("]", "").split("[")
        spot: dict[str, Any] = tree
        path = [head, *rest]
        for part in path[:-1]:
            below = spot.get(part)
            if not isinstance(below, dict):
                below = spot[part] = {}
            spot = below
        last = path[-1] if path[-1] or len(path) == 1 else str(len(spot))
        spot[last] = value
    return {name: _listed(value) for name, value in tree.items()}


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value and all(name.isdigit() for name in value):
        return [_listed(item) for item in value.values()]
    return {name: _listed(item) for name, item in value.items()}
