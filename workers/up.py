"""`make up`: the house, left running until Ctrl-C, with its addresses printed and the demo's runs to look at."""

from __future__ import annotations

import sys

from workers import settings
from workers.composition import PROVIDERS
from workers.connect import quiet
from workers.demo import STORIES, environment, perform, remembered
from workers.exits import judged, leave
from workers.house import STOPPED, House, live, watched
from workers.wording import columns

TRY = (
    'saga start refund --id my-first --requested-by me --request \'{"order_id": "1182", '
    '"customer_id": "cus_1182", "receipt": false}\''
)


def main() -> int:
    """The exit code: 0 when stopped by hand, which is how it ends."""
    quiet()
    try:
        code = live(_up)
        code = 0 if code == STOPPED else code
    except Exception as error:  # noqa: BLE001 - as for every command
        code, text = judged(error)
        print(f"make up: {text}", file=sys.stderr)
    return code


async def _up() -> int:
    config = settings.read()
    first = not remembered(config.state_dir) and not real()
    house = House(config, extra=environment() if first else None)
    _say("starting the Temporal server, the sandbox and three workers …")
    async with house:
        _say(addresses(house))
        if first:
            _say("\nNo demo has been played on this state yet: its stories are played now, in two minutes at most …")
            await perform(house, STORIES, lambda _: None)
            _say("\n".join(_of_the_demo(house)))
        _say("Ctrl-C stops all of it.")
        await watched(house, _say)
    return 0


def real() -> list[str]:
    """The systems whose real service is named by settings; stories are played in none of them."""
    return [system for system, (access, _) in PROVIDERS.items() if access().real]


def _say(text: str) -> None:
    print(text, flush=True)


def addresses(house: House) -> str:
    """Where everything is, and what to type first."""
    named = real()
    lines = [
        f"Temporal   {house.server.address}",
        f"Web UI     {house.server.ui_url}",
        f"sandbox    {house.sandbox_url}/world/effects",
        *(f"{name:<10} pid {process.pid}" for name, process in house.parts.items()),
        f"state      {house.config.state_dir.resolve()}",
        *([f"REAL       {', '.join(named)}: named by SAGA_… settings, not the sandbox"] if named else []),
        "",
        "In another terminal (its programs are in .venv/bin):",
        "  saga list",
        f"  {TRY}",
        "  saga show my-first",
        *_of_the_demo(house),
    ]
    return "\n".join(lines)


def _of_the_demo(house: House) -> list[str]:
    """How to look at the demo's runs on this state; nothing where there are none."""
    runs = remembered(house.config.state_dir)
    shown = columns([[f"  saga show {run_id}", title] for run_id, title in runs.items()])
    return ["The latest demo's runs:", *shown] if shown else []


if __name__ == "__main__":
    leave(main())
