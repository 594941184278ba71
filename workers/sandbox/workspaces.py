"""The workspace and billing service of our own: pending until a commit, seats from one pool, money given back.

Every thing has a natural key: the same `saga_key` finds it for ever, whatever became of it. All of it is in a
database of its own (`database`), effects included, committed before anything is answered. Sign-in and the sales
view see active workspaces only. Not modelled on any one product.
"""

from typing import Any

from sqlalchemy import select

from workers.sandbox import workspaces_acts as acts
from workers.sandbox import workspaces_answers as answers
from workers.sandbox.access import Tokens
from workers.sandbox.database import lay_tables, reach
from workers.sandbox.route import Ctx, Reply, Route, View
from workers.sandbox.stamp import Stamp
from workers.sandbox.workspaces_account import lay_out
from workers.sandbox.workspaces_effects import SYSTEM, read
from workers.sandbox.workspaces_error import dress, in_use, refusal
from workers.sandbox.workspaces_hold import RESERVATIONS
from workers.sandbox.workspaces_kinds import (
    ADMINS,
    DOCUMENTS,
    FILES,
    INVITATIONS,
    INVOICES,
    PROJECTS,
    RECORDS,
    REPOSITORIES,
    TEAMS,
    WORKSPACES,
)
from workers.sandbox.workspaces_money import PURCHASES, REFUNDS
from workers.sandbox.workspaces_schema import METADATA, effects
from workers.sandbox.workspaces_thing import Kind
from workers.sandbox.world import Effect, World

__all__ = ["AMOUNT_ACTS", "act", "dress", "effects_of", "expire", "guard", "in_use", "install", "refusal", "routes"]

_TOKENS = Tokens(reads="workspaces-read", writes="workspaces-write")
AMOUNT_ACTS = frozenset({"use"})
"""The acts that may name an amount."""
KINDS = (
    WORKSPACES, ADMINS, INVITATIONS, PROJECTS, REPOSITORIES, TEAMS, FILES, RECORDS, DOCUMENTS, INVOICES, RESERVATIONS,
    PURCHASES, REFUNDS,
)  # fmt: skip


def install(world: World) -> None:
    """Make the tables and what is there from the start; set every alarm again, since one may have been lost."""
    engine = world.database(SYSTEM)
    reach(engine)
    with engine.begin() as connection:
        lay_tables(connection, METADATA)
        lay_out(connection, world.now())
        waiting = acts.due(connection)
    for ref, at in waiting:
        world.alarm(SYSTEM, ref, at)


def reset(world: World) -> None:
    """Nothing is left; `install` puts back what is there from the start."""
    with world.database(SYSTEM).begin() as connection:
        acts.clear(connection)


def effects_of(world: World, **equals: str | None) -> list[tuple[int, Effect]]:
    """This system's effects, each with the world's effect after which it came."""
    with world.database(SYSTEM).begin() as connection:
        return read(connection, **equals)


def guard(ctx: Ctx) -> Reply | None:
    """Bearer `workspaces-write` does everything, `workspaces-read` only reads.

    Blind, as with an expired token: lists are empty, and a single thing says 401.
    """
    status = 401 if ctx.blind and ctx.match.get("id") else _TOKENS.refused(ctx)
    return refusal(status) if status else None


def run_of(world: World, view: View) -> str | None:
    """A request about a thing that does not say so itself is of the run that made it."""
    ref, key, run = view.match.get("id"), view.query.get("saga_key"), view.query.get("saga_run")
    if run or not (ref or key):
        return run
    made = select(effects.c.run).where(effects.c.ref == ref if ref else effects.c.key == key)
    with world.database(SYSTEM).begin() as connection:
        return connection.scalars(made.order_by(effects.c.seq)).first()


def act(world: World, ref: str, act: str, amount_minor: int | None = None) -> dict[str, Any]:
    """What people and banks do (`workspaces_acts`)."""
    done = acts.play(world.database(SYSTEM), ref, act, amount_minor, answers.signed(world, Stamp()))
    if act == "close":
        world.alarm(SYSTEM, ref, world.now() + acts.CLEANED_UP_S)
    return done


def expire(world: World, ref: str) -> None:
    """An alarm came due."""
    acts.pass_time(world.database(SYSTEM), ref, world.now())


def _routes(kind: Kind) -> list[Route]:
    path = f"/workspaces/v1/{kind.name}"
    found = [
        Route("GET", path, SYSTEM, ("list", "search"), answers.lists(kind)),
        Route("GET", f"{path}/{{id}}", SYSTEM, ("read",), answers.reads(kind)),
    ]
    if kind.effect:
        found.append(Route("POST", path, SYSTEM, kind.operations, answers.creates(kind)))
    for name, action in kind.actions.items():
        done = answers.acts_on(kind, name)
        found.append(Route("POST", f"{path}/{{id}}/{name}", SYSTEM, action.operations, done))
    return found


_RESERVATION = "/workspaces/v1/reservations/{id}"
routes = [
    *(route for kind in KINDS for route in _routes(kind)),
    Route("POST", f"{_RESERVATION}/confirm", SYSTEM, ("confirm",), answers.acts_on(RESERVATIONS, "confirm")),
    Route("POST", f"{_RESERVATION}/release", SYSTEM, ("release",), answers.acts_on(RESERVATIONS, "release")),
    Route("GET", "/workspaces/v1/accounts/{id}", SYSTEM, ("read",), answers.reads_account),
    Route("POST", "/workspaces/v1/sign-in", SYSTEM, ("update",), answers.sign_in),
    Route("GET", "/workspaces/v1/sales", SYSTEM, ("list",), answers.sales),
]
