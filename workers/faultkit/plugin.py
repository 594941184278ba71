"""The pytest plugin: `@pytest.mark.saga_faults(KIT)` makes a test of every target of a fault kit.

    @pytest.mark.saga_faults(KIT)
    def test_my_tools(saga_cell):
        saga_cell.run()

`only` chooses among the targets, `known` names cells that fail for a reason that is known (pattern of the id → reason;
one that no longer fails is told), `stations` is how many laboratories stand side by side (3). `--saga-cell ID` runs one
cell alone. Nothing else of the kit is loaded where no test asks for it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from workers.faultkit.kit import Kit
    from workers.faultkit.pool import Pool, Report
    from workers.faultkit.target import Target

STATIONS = 3
"""So many side by side that clients which wait for an answer hold nobody up; more would only share two cores."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """--saga-cell."""
    parser.getgroup("saga").addoption("--saga-cell", metavar="ID", help="run this cell of a fault matrix alone")


def pytest_configure(config: pytest.Config) -> None:
    """The marker."""
    config.addinivalue_line(
        "markers", "saga_faults(kit, only=…, known=…, stations=3): one test for each target of the kit, as saga_cell"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each target."""
    mark = metafunc.definition.get_closest_marker("saga_faults")
    if mark is None:
        return
    only, alone = mark.kwargs.get("only", lambda _: True), metafunc.config.getoption("--saga-cell")
    targets = [each for each in mark.args[0].targets if only(each) and (not alone or alone.startswith(f"{each.id}/"))]
    metafunc.parametrize("saga_cell", targets, ids=[each.id for each in targets], indirect=True)


class Pools:
    """The pools of one process of pytest, each opened when it is first asked for."""

    def __init__(self) -> None:
        """A loop of our own: no other plugin is needed."""
        self._runner, self._stack = asyncio.Runner(), AsyncExitStack()
        self._pools: dict[int, Pool] = {}

    def run(self, kit: Kit, stations: int, target: Target, alone: str | None) -> Report:
        """All cells of that target, or one alone."""
        return self._runner.run(self._run(kit, stations, target, alone))

    async def _run(self, kit: Kit, stations: int, target: Target, alone: str | None) -> Report:
        from workers.faultkit.pool import pooled  # noqa: PLC0415 - loads Temporal's SDK

        if id(kit) not in self._pools:
            self._pools[id(kit)] = await self._stack.enter_async_context(pooled(kit, stations))
        return await self._pools[id(kit)].run(target, alone)

    def close(self) -> None:
        """Everything is shut down."""
        self._runner.run(self._stack.aclose())
        self._runner.close()


@dataclass(frozen=True)
class SagaCell:
    """One target of the matrix; `run` fails the test where a cell of it came out otherwise than it must."""

    target: Target
    kit: Kit
    known: Mapping[str, str]
    stations: int
    pools: Pools
    alone: str | None

    def run(self) -> None:
        """Every cell; each that failed is told with the law or the difference, and with how to run it alone."""
        report = self.pools.run(self.kit, self.stations, self.target, self.alone)
        known = {each.id for each in report.cells if any(re.fullmatch(pattern, each.id) for pattern in self.known)}
        failed = {each.cell: each for each in report.failures}
        wrong = [f"{each}\n  alone: pytest --saga-cell '{name}'" for name, each in failed.items() if name not in known]
        wrong += [f"{name}\n  is mended: take it off the list" for name in sorted(known - failed.keys())]
        if not report.met:
            wrong.append(f"{self.target.id}\n  no fault met anything")
        if wrong:
            pytest.fail("\n" + "\n".join(wrong), pytrace=False)


@pytest.fixture(scope="session")
def saga_pools() -> Iterator[Pools]:
    """The pools of this process."""
    pools = Pools()
    yield pools
    pools.close()


@pytest.fixture
def saga_cell(request: pytest.FixtureRequest, saga_pools: Pools) -> SagaCell:
    """One target of the kit that the test is marked with."""
    mark: Any = request.node.get_closest_marker("saga_faults")
    return SagaCell(
        target=request.param,
        kit=mark.args[0],
        known=mark.kwargs.get("known", {}),
        stations=mark.kwargs.get("stations", STATIONS),
        pools=saga_pools,
        alone=request.config.getoption("--saga-cell"),
    )
