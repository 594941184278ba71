"""A worker process of the bench: the product's own, with the bench's plans, toys and bare workflow among its parts.

Runs as `python -m workers.bench.worker runs|tools|lookups`. Both kinds of run share its processes and its queues.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from activities.admit import Admit
from activities.find import Find
from activities.note import note
from activities.perform import Perform
from activities.propose import Propose
from activities.read import Read
from compensations.door import Compensate
from workers import composition
from workers.bench import toys
from workers.bench.bare import Bare, Together
from workers.bench.plans import plan
from workers.bench.straight import Straight
from workers.exits import leave
from workers.settings import Settings
from workers.worker import Kind, Make, Parts, main
from workflows.agent_run import AgentRun
from workflows.options import LOOKUPS, RUNS, TOOLS
from workflows.reconcile import Reconcile


def runs(config: Settings) -> Parts:
    """Workflows, models and quick reads."""
    registry = toys.registry(config)
    bare = Straight(registry, {}, plan)
    doors = (Admit(registry, plan).admit, Propose(registry, plan).propose, Read(registry, {}).read, note)
    return Parts(queue=RUNS, workflows=(AgentRun, Reconcile, Bare, Together), doors=(*doors, bare.ask, bare.read))


def tools(config: Settings) -> Parts:
    """What writes. Both kinds of run use the same connections."""
    registry, writers = toys.registry(config), composition.writers(config)
    doors = (Perform(registry, writers).perform, Compensate(registry, writers).compensate)
    return Parts(queue=TOOLS, doors=(*doors, Straight(registry, writers, plan).send), providers=writers)


def lookups(config: Settings) -> Parts:
    """What only reads."""
    registry, readers = toys.registry(config), composition.readers(config)
    doors = (Find(registry, readers).find, Read(registry, readers).read)
    return Parts(queue=LOOKUPS, doors=(*doors, Straight(registry, readers, plan).read), providers=readers)


PARTS: Mapping[Kind, Make] = {"runs": runs, "tools": tools, "lookups": lookups}

if __name__ == "__main__":
    leave(main(sys.argv[1:], parts=PARTS))
