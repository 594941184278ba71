"""A ticket as the sandbox keeps it: every state it ever had, so that a search can be as old as its index.

By id, by key, or by a key that it had before it was moved. A key is never given twice (until the world is
reset).
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

from workers.sandbox.jql import Indexed
from workers.sandbox.tickets_text import Text
from workers.sandbox.tickets_workflow import PROJECTS, STATUSES, Category, Project, Status
from workers.sandbox.world import World

SYSTEM = "tickets"
_FIRST_ID = 10_000


class Ticket(BaseModel):
    """One state of a ticket; times are epoch seconds on the world's clock."""

    model_config = ConfigDict(frozen=True)

    id: str
    key: str
    born: str
    """The key that it was created under: what its effects are known by, moved or not."""
    project: str
    issuetype: str
    status: str
    summary: str
    description: Text | None = None
    labels: tuple[str, ...] = ()
    priority: str = "Medium"
    resolution: str | None = None
    reporter: str
    created: float
    updated: float
    deleted: bool = False

    @property
    def where(self) -> Project:
        """The project that it is in now."""
        return PROJECTS[self.project]

    @property
    def state(self) -> Status:
        """Its status."""
        return STATUSES[self.status]

    @property
    def category(self) -> Category:
        """The category of its status."""
        return self.state.category

    def indexed(self) -> Indexed:
        """What the search index holds of it."""
        return Indexed(
            id=self.id, key=self.key, project=self.project, labels=self.labels, status=self.status,
            category=self.category, issuetype=self.issuetype, resolution=self.resolution,
            created=self.created, updated=self.updated,
        )  # fmt: skip


def begin(world: World, project: Project, **fields: Any) -> Ticket:
    """A new ticket of this project, with the next id and key; saved."""
    number = _next(world, "id") + _FIRST_ID
    now = world.now()
    key = _next_key(world, project)
    ticket = Ticket(id=str(number), key=key, born=key, project=project.key, created=now, updated=now, **fields)
    save(world, ticket)
    return ticket


def changed(world: World, ticket: Ticket, **changes: Any) -> Ticket:
    """The ticket with these fields changed; saved."""
    new = ticket.model_copy(update={**changes, "updated": world.now()})
    save(world, new)
    return new


def moved(world: World, ticket: Ticket, to: Project) -> Ticket:
    """The ticket in another project, under a new key; the old key still finds it."""
    issuetype = ticket.issuetype if ticket.issuetype in to.starts else next(iter(to.starts))
    status = to.arrives[ticket.category]
    return changed(world, ticket, project=to.key, key=_next_key(world, to), status=status, issuetype=issuetype)


def find(world: World, reference: str) -> Ticket | None:
    """The ticket as it is now, by id, key or former key; None where there is none or it was deleted."""
    name = world.get(SYSTEM, "key", reference.upper())
    record = world.get(SYSTEM, "ticket", name["id"] if name else reference)
    ticket = None if record is None else Ticket.model_validate(record["states"][-1])
    return None if ticket is None or ticket.deleted else ticket


def as_indexed(world: World, lag_s: float, fresh: frozenset[str] = frozenset()) -> dict[str, Ticket]:
    """All tickets by id as an index `lag_s` behind has them; those with a `fresh` id as they are now."""
    horizon = world.now() - lag_s
    found: dict[str, Ticket] = {}
    for record in world.all(SYSTEM, "ticket"):
        states = record["states"]
        if lag_s > 0 and record["id"] not in fresh:
            states = [state for state in states if state["updated"] <= horizon]
        if states and not states[-1]["deleted"]:
            found[record["id"]] = Ticket.model_validate(states[-1])
    return found


def save(world: World, ticket: Ticket) -> None:
    """Keep this state after the earlier ones."""
    record = world.get(SYSTEM, "ticket", ticket.id) or {"states": []}
    states = [*record["states"], ticket.model_dump(mode="json")]
    world.put(SYSTEM, "ticket", ticket.id, {"id": ticket.id, "states": states})
    world.put(SYSTEM, "key", ticket.key, {"id": ticket.id})


def _next_key(world: World, project: Project) -> str:
    return f"{project.key}-{_next(world, project.key)}"


def _next(world: World, name: str) -> int:
    last = world.get(SYSTEM, "sequence", name) or {"last": 0}
    world.put(SYSTEM, "sequence", name, {"last": last["last"] + 1})
    return last["last"] + 1
