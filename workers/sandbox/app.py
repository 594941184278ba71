"""The sandbox as an HTTP application: every request of every system passes through `Sandbox.answer`.

Which fault strikes, what the handler does and the line in the request log are one transaction, and
only then is anything answered. A client that goes away stops nothing.
"""

import asyncio
import importlib
import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from workers.sandbox.faults import Faults, Strike, retry_after
from workers.sandbox.route import Ctx, Reply, Route, View
from workers.sandbox.spoil import send_spoilt, sent, spoilt_status
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import World

_log = logging.getLogger(__name__)

SYSTEMS = {
    "payments": "/v1/",
    "tickets": "/jira",
    "mail": "/mail/",
    "warehouse": "/warehouse/",
    "orders": "/orders",
    "workspaces": "/workspaces/",
    "sms": "/sms/",
    "webhooks": "/webhooks/",
}
"""The systems, each a module of this package, with the prefix under which unknown paths are theirs."""

RUNNING_S = 0.002
"""How long a request with a key is running before it is carried out: enough for two at once to meet."""


@dataclass(frozen=True)
class Answer:
    """What a request has come to; `lost` names the way in which the answer is spoilt."""

    reply: Reply
    lost: str | None = None

    @property
    def status(self) -> int | None:
        """The status that goes out; None where nothing does."""
        return self.reply.status if self.lost is None else spoilt_status(self.lost, self.reply.status)


class Sandbox:
    """The world, its systems, and what a request meets on its way to them."""

    def __init__(self, world: World, *, running_s: float = RUNNING_S) -> None:
        self.world = world
        self.faults = Faults(world)
        self.url = ""
        self.smtp_port = 0
        self.running_s = running_s
        self.systems = {name: importlib.import_module(f"workers.sandbox.{name}") for name in SYSTEMS}
        self._running: set[tuple[str, str]] = set()
        self.install()
        kept = (_hook(module, "effects_of") for module in self.systems.values())
        world.elsewhere += [partial(hook, world) for hook in kept if hook]

    def reset(self) -> None:
        """The world as it was at the start; its clock stays."""
        with self.world.transaction():
            self.world.reset()
            for module in self.systems.values():
                if hook := _hook(module, "reset"):
                    hook(self.world)
            self.install()

    def install(self) -> None:
        """Put the fixtures that are missing."""
        with self.world.transaction():
            for module in self.systems.values():
                if hook := _hook(module, "install"):
                    hook(self.world)

    def expire(self) -> None:
        """Let happen what the world's clock has reached: holds and reservations that run out."""
        with self.world.transaction():
            for system, ref in self.world.take_due():
                if hook := _hook(self.systems[system], "expire"):
                    hook(self.world, ref)

    def application(self) -> web.Application:
        """All routes: the systems', then for each system's prefix its own 404."""
        app = web.Application(client_max_size=8 * 2**20)
        for name, module in self.systems.items():
            routes: list[Route] = module.routes
            for route in routes:
                app.router.add_route(route.method, route.path, self._handler(route))
            lost = Route("*", SYSTEMS[name] + "{tail:.*}", name, ("read",), _nowhere(module))
            app.router.add_route(lost.method, lost.path, self._handler(lost))
        return app

    def _handler(self, route: Route) -> Any:
        async def handle(request: web.Request) -> web.StreamResponse:
            view = View(
                method=request.method, path=request.path, match=dict(request.match_info),
                headers=request.headers, pairs=parse_qsl(request.query_string, keep_blank_values=True),
                body=await request.read(),
            )  # fmt: skip
            answer = await self.answer(route, view)
            if answer.lost is None:
                return sent(answer.reply)
            return await send_spoilt(request, answer.lost, answer.reply)

        return handle

    async def answer(self, route: Route, view: View) -> Answer:
        """Carry a request out. The same key at the same moment is refused as the system does it."""
        key = view.headers.get("Idempotency-Key")
        if not key or view.method == "GET":
            return self._carry_out(route, view)
        running = (route.system, key)
        if running in self._running:
            with self.world.transaction():
                answer = Answer(self._dress(view, self._module(route).in_use(), route))
                self._write_line(route, view, view.stamp, _operation(route, view), None, answer.status)
            return answer
        self._running.add(running)
        try:
            await asyncio.sleep(self.running_s)
            return self._carry_out(route, view)
        finally:
            self._running.discard(running)

    def _carry_out(self, route: Route, view: View) -> Answer:
        try:
            with self.world.transaction():
                self.expire()
                stamp = self._stamp(route, view)
                operations = route.names(view)
                strike = self.faults.strike(route.system, operations, stamp)
                answer = self._play(route, view, operations[0], strike)
                for _ in range(2 if strike.name == "duplicate" else 1):
                    self._write_line(route, view, stamp, operations[0], strike.said, answer.status)
                return answer
        except Exception:  # noqa: BLE001 - the process must go on
            # Our own bug: nothing of the request stays, and whoever runs the sandbox sees where it was.
            _log.exception("%s %s failed", view.method, view.path)
            answer = Answer(self._module(route).refusal(500))
            self._write_line(route, view, view.stamp, "read", None, answer.status)
            return answer

    def _play(self, route: Route, view: View, operation: str, strike: Strike) -> Answer:
        module, world = self._module(route), self.world
        ctx = Ctx(
            **_fields(view), world=world, system=route.system, operation=operation, lag_s=strike.lag_s,
            blind=strike.blind, partial=strike.partial, key_life_s=strike.key_life_s,
        )  # fmt: skip
        if strike.name == "before":
            return Answer(Reply(), lost=strike.arg)
        if strike.name == "outage":
            return Answer(self._dress(view, module.refusal(503), route))
        if strike.name == "in_use":
            return Answer(self._dress(view, module.in_use(), route))
        if strike.name == "429":
            refusal: Reply = module.refusal(429)
            waits = {"Retry-After": retry_after(strike.arg, world.now())}
            return Answer(self._dress(view, replace(refusal, headers={**refusal.headers, **waits}), route))
        if strike.name == "refuse":
            return Answer(self._refuse(ctx, int(strike.arg), route))
        reply = self._run(route, ctx)
        if strike.name == "duplicate":
            reply = self._run(route, ctx)
        if strike.name != "after":
            return Answer(reply)
        if strike.arg == "500":
            # The service's own error, not a gateway's: some services remember it under the key.
            return Answer(self._refuse(ctx, 500, route, instead_of=reply))
        return Answer(reply, lost=strike.arg)

    def _refuse(self, ctx: Ctx, status: int, route: Route, instead_of: Reply | None = None) -> Reply:
        module = self._module(route)
        reply = self._dress(ctx, module.refusal(status), route)
        if hook := _hook(module, "remember_refusal"):
            hook(ctx, reply, instead_of)
        return reply

    def _run(self, route: Route, ctx: Ctx) -> Reply:
        guard = _hook(self._module(route), "guard")
        refused: Reply | None = guard(ctx) if guard else None
        return self._dress(ctx, refused or _in_one_go(route.handler(ctx)), route)

    def _dress(self, view: View, reply: Reply, route: Route) -> Reply:
        hook = _hook(self._module(route), "dress")
        return hook(view, reply) if hook else reply

    def _module(self, route: Route) -> ModuleType:
        return self.systems[route.system]

    def _stamp(self, route: Route, view: View) -> Stamp:
        stamp, hook = view.stamp, _hook(self._module(route), "run_of")
        return replace(stamp, run=hook(self.world, view)) if stamp.run is None and hook else stamp

    def _write_line(
        self, route: Route, view: View, stamp: Stamp, operation: str, fault: str | None, status: int | None
    ) -> None:
        line = {
            "at": self.world.now(), "wall_at": time.time(), "system": route.system, "operation": operation,
            "method": view.method, "path": view.path, "key": stamp.key, "run": stamp.run,
            "execution": stamp.execution, "fault": fault, "status": status,
        }  # fmt: skip
        self.world.call(line)


def _operation(route: Route, view: View) -> str:
    return route.names(view)[0]


def _fields(view: View) -> dict[str, Any]:
    return {name: getattr(view, name) for name in ("method", "path", "match", "headers", "pairs", "body")}


def _hook(module: ModuleType, name: str) -> Any:
    return getattr(module, name, None)


def _nowhere(module: ModuleType) -> Any:
    async def handler(_ctx: Ctx) -> Reply:
        return module.refusal(404)

    return handler


def _in_one_go(steps: Any) -> Reply:
    """Drive a handler to its end. One that waits would leave its transaction open to others."""
    coroutine: Coroutine[Any, Any, Reply] = steps
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("a handler of the sandbox must not wait")
