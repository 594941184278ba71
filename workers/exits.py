"""How a command ends: 0 fine · 1 the answer is no · 2 bad input · 3 cannot tell."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec

import typer
from temporalio.service import RPCError, RPCStatusCode

from saga.errors import BadInput, RegistrationError, SagaError

NO, BAD_INPUT, CANNOT_TELL = 1, 2, 3

P = ParamSpec("P")


class AnswerIsNo(SagaError):
    """The question was understood, and the answer is no."""


class CannotTell(SagaError):
    """Something that would have to answer does not; the text says what to do."""


def answers(command: Callable[P, Any]) -> Callable[P, None]:
    """The function or coroutine as a command: its errors become one plain sentence and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            done = command(*args, **kwargs)
            if inspect.iscoroutine(done):
                asyncio.run(done)
        except Exception as error:  # noqa: BLE001 - every error ends as one of the four codes
            code, text = judged(error)
            typer.echo(f"saga: {text}", err=True)
            raise typer.Exit(code) from None

    return run


def leave(code: int) -> NoReturn:
    """End the process now, with everything said and nothing torn down.

    The SDK's threads may call into an interpreter that is being taken down: of processes that ended right after the
    server's last answer one in four aborted (measured, temporalio 1.35.0), and a right answer became a wrong exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # the reader has gone
            stream.flush()
    os._exit(code)


def judged(error: Exception) -> tuple[int, str]:
    """(exit code, sentence) of whatever a command ended with; typer's own ways of ending pass through."""
    if isinstance(error, AnswerIsNo):
        return NO, str(error)
    if isinstance(error, BadInput | RegistrationError):
        return BAD_INPUT, str(error)
    if isinstance(error, CannotTell):
        return CANNOT_TELL, str(error)
    if isinstance(error, RPCError):
        return _of_server(error)
    if isinstance(error, typer.Exit | typer.Abort | typer.BadParameter):
        raise error
    # Our own bug: whether anything was done, nobody can say from here.
    logging.getLogger(__name__).debug("unexpected", exc_info=error)
    return CANNOT_TELL, f"unexpected {type(error).__name__}: {error} (SAGA_LOG_LEVEL=debug shows where)"


def _of_server(error: RPCError) -> tuple[int, str]:
    if error.status == RPCStatusCode.INVALID_ARGUMENT:
        return BAD_INPUT, f"the Temporal server refuses this: {error.message}"
    if error.status == RPCStatusCode.NOT_FOUND:
        return BAD_INPUT, f"the Temporal server knows no such thing: {error.message}"
    return CANNOT_TELL, f"the Temporal server gave no answer ({error.status.name}: {error.message}); ask again"
