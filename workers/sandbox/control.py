"""`/world`: what there is to see of the world, and the ways of breaking it on purpose.

No authentication: it listens where the sandbox listens, on loopback.
"""

from typing import Annotated, Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.route import BadAct


class ClockPlan(BaseModel):
    """What to do to the clock: move it on, or set it; `frozen` makes it stand until the next time."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    advance_s: Annotated[float, Field(ge=0)] | None = None
    now: float | None = None
    frozen: bool | None = None

    @model_validator(mode="after")
    def _is_one(self) -> "ClockPlan":
        if self.advance_s is not None and self.now is not None:
            raise ValueError("either advance_s or now, not both")
        if self.advance_s is None and self.now is None and self.frozen is None:
            raise ValueError("one of advance_s, now and frozen is needed")
        return self


class ActPlan(BaseModel):
    """What a person or a provider does to something: one of the acts of its system."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    system: str
    ref: str
    act: str
    amount_minor: Annotated[int, Field(gt=0)] | None = None
    """Of what, where the act is one of so much."""


_Plan = TypeVar("_Plan", bound=BaseModel)


class _BadInput(Exception):
    pass


def routes(sandbox: Sandbox) -> list[web.RouteDef]:
    """The routes under /world."""
    control = _Control(sandbox)
    return [
        web.get("/world/health", _plain(control.health)),
        web.get("/world/effects", _plain(control.effects)),
        web.get("/world/calls", _plain(control.calls)),
        web.get("/world/faults", _plain(control.armed)),
        web.post("/world/faults", _plain(control.arm)),
        web.delete("/world/faults", _plain(control.disarm)),
        web.get("/world/clock", _plain(control.clock)),
        web.post("/world/clock", _plain(control.set_clock)),
        web.post("/world/acts", _plain(control.act)),
        web.post("/world/reset", _plain(control.reset)),
    ]


class _Control:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._world = sandbox.world

    async def health(self, _request: web.Request) -> Any:
        return {"ok": True, "smtp_port": self._sandbox.smtp_port}

    async def effects(self, request: web.Request) -> Any:
        self._sandbox.expire()
        try:
            found = self._world.effects(**dict(request.query))
        except ValueError as wrong:
            raise _BadInput(str(wrong)) from None
        return [effect.model_dump() for effect in found]

    async def calls(self, request: web.Request) -> Any:
        wanted = dict(request.query)
        return [
            line for line in self._world.calls() if all(str(line.get(name)) == value for name, value in wanted.items())
        ]

    async def armed(self, _request: web.Request) -> Any:
        return self._sandbox.faults.armed()

    async def arm(self, request: web.Request) -> Any:
        plan = await _read(request, FaultPlan)
        with self._world.transaction():
            self._sandbox.faults.arm(plan)
            return {"armed": len(self._sandbox.faults.armed())}

    async def disarm(self, request: web.Request) -> Any:
        wanted = dict(request.query)
        unknown = set(wanted) - set(FaultPlan.model_fields)
        if unknown:
            raise _BadInput(f"faults: no such field {min(unknown)!r}; allowed: {sorted(FaultPlan.model_fields)}")
        with self._world.transaction():
            self._sandbox.faults.disarm(**wanted)
            return {"armed": len(self._sandbox.faults.armed())}

    async def clock(self, _request: web.Request) -> Any:
        return {"now": self._world.now(), "frozen": self._world.clock_frozen()}

    async def set_clock(self, request: web.Request) -> Any:
        plan = await _read(request, ClockPlan)
        with self._world.transaction():
            frozen = self._world.clock_frozen() if plan.frozen is None else plan.frozen
            now = self._world.now() + (plan.advance_s or 0) if plan.now is None else plan.now
            self._world.set_clock(now, frozen=frozen)
            self._sandbox.expire()
        return await self.clock(request)

    async def act(self, request: web.Request) -> Any:
        plan = await _read(request, ActPlan)
        module = self._sandbox.systems.get(plan.system)
        if module is None:
            raise _BadInput(f"system: no such system {plan.system!r}; allowed: {', '.join(self._sandbox.systems)}")
        amount: dict[str, int] = {} if plan.amount_minor is None else {"amount_minor": plan.amount_minor}
        if amount and plan.act not in getattr(module, "AMOUNT_ACTS", ()):
            raise _BadInput(f"amount_minor: {plan.act!r} in {plan.system} is not of an amount")
        try:
            with self._world.transaction():
                self._sandbox.expire()
                return module.act(self._world, plan.ref, plan.act, **amount)
        except BadAct as wrong:
            raise _BadInput(str(wrong)) from None

    async def reset(self, _request: web.Request) -> Any:
        self._sandbox.reset()
        return {"ok": True}


def _plain(handler: Any) -> Any:
    async def handle(request: web.Request) -> web.Response:
        try:
            return web.json_response(await handler(request))
        except _BadInput as wrong:
            return web.json_response({"error": str(wrong)}, status=400)

    return handle


async def _read(request: web.Request, model: type[_Plan]) -> _Plan:
    try:
        return model.model_validate_json(await request.read())
    except ValidationError as wrong:
        raise _BadInput("; ".join(_said(error) for error in wrong.errors())) from None


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    said = error["msg"].removeprefix("Value error, ")
    return f"{where}: {said}" if where else said
