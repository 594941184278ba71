"""Scripts: models written down in code, for tests and demonstrations. They are found by walking `scripts/`.

A script is a model like any other: it sees the schema and the answers, and its next turn follows from these alone.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from activities.models import scripts
from activities.models.model import Ask, Model, Reply
from saga.errors import BadInput

PREFIX = "scripted:"
"""What a request writes before a script's name."""


class Script:
    """A function from what is known to the next turn, as a model."""

    def __init__(self, play: Callable[[Ask], Reply]) -> None:
        """`play` depends on its argument alone."""
        self._play = play

    async def turn(self, ask: Ask) -> Reply:
        """What the script says next."""
        return self._play(ask)


def names() -> list[str]:
    """The scripts there are."""
    return sorted(module.name for module in iter_modules(scripts.__path__))


def script(name: str) -> Model:
    """The script of that name (`refund` or `scripted:refund`); BadInput lists those there are."""
    wanted, known = name.removeprefix(PREFIX), names()
    if wanted not in known:
        raise BadInput("model", f"no script of that name; there are {', '.join(PREFIX + each for each in known)}")
    return Script(import_module(f"{scripts.__name__}.{wanted}").play)
