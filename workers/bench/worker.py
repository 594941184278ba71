"""A worker process of the bench: the product's own, with the bench's plans, toys and bare workflow among its parts.

Runs as `python -m workers.bench.worker runs|tools|lookups`. Both kinds of run share its processes and its queues.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from workers import composition, doors
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
    behind = (*doors.for_runs(registry, plan), bare.ask, bare.read)
    return Parts(queue=RUNS, workflows=(AgentRun, Reconcile, Bare, Together), doors=behind)


def tools(config: Settings) -> Parts:
    """What writes. Both kinds of run use the same connections."""
    registry, writers = toys.registry(config), composition.writers(config)
    behind = (*doors.for_tools(registry, writers), Straight(registry, writers, plan).send)
    return Parts(queue=TOOLS, doors=behind, providers=writers)


def lookups(config: Settings) -> Parts:
    """What only reads."""
    registry, readers = toys.registry(config), composition.readers(config)
    behind = (*doors.for_lookups(registry, readers), Straight(registry, readers, plan).read)
    return Parts(queue=LOOKUPS, doors=behind, providers=readers)


PARTS: Mapping[Kind, Make] = {"runs": runs, "tools": tools, "lookups": lookups}

if __name__ == "__main__":
    leave(main(sys.argv[1:], parts=PARTS))
