"""`saga`: the command line. Exit 0 fine · 1 the answer is no · 2 bad input · 3 cannot tell."""

from __future__ import annotations

import typer

from workers.commands import book, decide, look, run, serve, settle
from workers.connect import quiet
from workers.exits import leave

app = typer.Typer(
    name="saga",
    help="Runs of agents, and what became of what they did.",
    epilog="Exit 0 fine · 1 the answer is no · 2 bad input · 3 cannot tell.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for _name, _command in (
    ("start", run.start),
    ("show", look.show),
    ("list", look.list_runs),
    ("approve", decide.approve),
    ("reject", decide.reject),
    ("send-back", decide.send_back),
    ("resolve", settle.resolve),
    ("retry", settle.retry),
    ("waive", settle.waive),
    ("cancel", run.cancel),
    ("tools", book.tools),
    ("sandbox", serve.sandbox),
    ("worker", serve.worker),
):
    app.command(_name)(_command)


def main() -> None:
    """The program `saga`."""
    quiet()
    try:
        app()
    except SystemExit as done:
        leave(done.code if isinstance(done.code, int) else int(done.code is not None))


if __name__ == "__main__":
    main()
