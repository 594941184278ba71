"""The door `read`: runs a pure tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.pulse import pulse
from saga.decision import first_problem
from saga.doors import ReadOrder
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.record import Json
from saga.registry import Registry
from saga.tool import PureTool

RESULT_LIMIT = 32_000
"""Bytes of one answer: it stays in history and in every later question to the model."""


class Read:
    """Holds credentials that can only read; a local one holds none."""

    def __init__(self, registry: Registry, readers: Mapping[str, Any]) -> None:
        """`readers`: provider by system name."""
        self._registry, self._readers = registry, readers

    @activity.defn(name="read")
    async def read(self, order: ReadOrder) -> Json:
        """The tool's answer. A no (not found, too large) is not retried; silence is."""
        tool = self._registry.tools.get(order.tool)
        if not isinstance(tool, PureTool):
            raise _failure(Refused(f"{order.tool} is not a pure tool of this worker", code="no_such_tool"))
        provider = self._readers[tool.system] if tool.system else None
        try:
            async with pulse():
                answer = await tool.read(provider, tool.args.model_validate(order.args))
        except ProviderError as error:
            raise _failure(error) from None
        except ValidationError as error:
            field, allowed = first_problem(error)
            raise _failure(Refused(f"{field}: {allowed}", code="arguments_no_longer_fit")) from None
        except Exception as error:  # noqa: BLE001 - its words may hold anything, and go to the model
            activity.logger.exception("unrecognised error from %s", tool.name)
            raise _failure(Unanswered(f"unrecognised {type(error).__name__}", code="unrecognised")) from None
        if len(json.dumps(answer)) > RESULT_LIMIT:
            raise _failure(Refused("the answer is too large; ask for less", code="too_large"))
        return answer


def _failure(error: ProviderError) -> ApplicationError:
    final = isinstance(error, Refused) or (isinstance(error, NotSent) and error.lasting)
    return ApplicationError(
        error.message,
        type=error.code or type(error).__name__,
        non_retryable=final,
        category=ApplicationErrorCategory.BENIGN,
    )
