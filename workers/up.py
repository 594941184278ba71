"""`make up`: the house, left running until Ctrl-C, with its addresses printed."""

from __future__ import annotations

import sys

from workers import settings
from workers.composition import PROVIDERS
from workers.connect import quiet
from workers.demo import remembered
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
    house = House(settings.read())
    print("starting the Temporal server, the sandbox and three workers …", flush=True)
    async with house:
        print(addresses(house), flush=True)
        await watched(house, lambda text: print(text, flush=True))
    return 0


def addresses(house: House) -> str:
    """Where everything is, and what to type first."""
    real = [system for system, (access, _) in PROVIDERS.items() if access().real]
    lines = [
        f"Temporal   {house.server.address}",
        f"Web UI     {house.server.ui_url}",
        f"sandbox    {house.sandbox_url}/world/effects",
        *(f"{name:<10} pid {process.pid}" for name, process in house.parts.items()),
        f"state      {house.config.state_dir.resolve()}",
        *([f"REAL       {', '.join(real)}: named by SAGA_… settings, not the sandbox"] if real else []),
        "",
        "In another terminal (its programs are in .venv/bin):",
        "  saga list",
        f"  {TRY}",
        "  saga show my-first",
        *_of_the_demo(house),
        "Ctrl-C stops all of it.",
    ]
    return "\n".join(lines)


def _of_the_demo(house: House) -> list[str]:
    """How to look at the runs that `make demo` has left on this state; nothing where it has left none."""
    runs = remembered(house.config.state_dir)
    shown = columns([[f"  saga show {run_id}", title] for run_id, title in runs.items()])
    return ["The latest demo's runs:", *shown] if shown else []


if __name__ == "__main__":
    leave(main())
