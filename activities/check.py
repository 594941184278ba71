"""The door `check`: asks the world whether it would take a call's arguments, with a credential that cannot write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.pulse import pulse
from saga.doors import CheckOrder
from saga.errors import BadInput, NotSent, ProviderError, Refused
from saga.outcome import Problem
from saga.registry import Registry
from saga.tool import Tool

NOT_ASKED = "NotAsked"
"""Failure type: the world could not be asked. Nobody concludes anything from it."""


class Check:
    """Holds credentials that can only read."""

    def __init__(self, registry: Registry, readers: Mapping[str, Any]) -> None:
        """`readers`: provider by system name."""
        self._registry, self._readers = registry, readers

    @activity.defn(name="check")
    async def check(self, order: CheckOrder) -> Problem | None:
        """What the world would not take, naming the argument; None where it would take all of them.

        Raises ApplicationError NOT_ASKED where it does not say; Temporal asks again, unless that would not help.
        """
        tool = self._registry.tools.get(order.tool)
        if not isinstance(tool, Tool) or tool.check is None:
            return None  # another deployment's tool: what cannot be checked here goes on
        try:
            args = tool.args.model_validate(order.args)
            async with pulse():
                await tool.check(self._readers[tool.system], args)
        except BadInput as problem:
            return Problem(code="arguments", message=str(problem))
        except ValidationError:
            raise _failure("this worker does not take the arguments", final=True) from None
        except ProviderError as error:
            final = isinstance(error, Refused) or (isinstance(error, NotSent) and error.lasting)
            raise _failure(error.message, final=final) from None
        except Exception as error:  # noqa: BLE001 - its words may hold anything, and go into history
            activity.logger.exception("unrecognised error in a check of %s", tool.name)
            raise _failure(f"unrecognised {type(error).__name__}", final=True) from None
        return None


def _failure(message: str, *, final: bool) -> ApplicationError:
    return ApplicationError(message, type=NOT_ASKED, non_retryable=final, category=ApplicationErrorCategory.BENIGN)
