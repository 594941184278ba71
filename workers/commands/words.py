"""What is typed after a command's name: the arguments and options that several commands share."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

RunId = Annotated[str, typer.Argument(metavar="ID", help="The run: the id it was started under.")]
Step = Annotated[int, typer.Argument(metavar="STEP", help="The step, by its number in `saga show`.", min=0)]
By = Annotated[str, typer.Option("--by", metavar="WHO", help="Who decides; it is written down.")]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why; it is written down.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
HalfOf = Annotated[
    str,
    typer.Option("--half", metavar="call|compensation", help="Which half of the step: its call, or its undo."),
]


def answer(text: str, data: Any, *, as_json: bool) -> None:
    """Print what a person reads, or what a program does."""
    typer.echo(json.dumps(data, indent=2, default=str) if as_json else text)
