"""What the tests of payments share: a charge to make, how the world then stands, and a refusal to look at."""

from collections.abc import Awaitable
from typing import Any

import pytest
import stripe

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan

CHARGE: dict[str, Any] = {"amount": 4900, "currency": "eur", "payment_method": "pm_card_visa", "confirm": True}

quiet = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
"""The `stripe` package gives its bytes to httpx under a name that httpx has deprecated."""


def arm(sandbox: Sandbox, fault: str, operation: str = "capture", system: str = "payments", **fields: Any) -> None:
    """Arm a fault, of payments unless another system is named."""
    plan = {"system": system, "operation": operation, "fault": fault, **fields}
    sandbox.faults.arm(FaultPlan.model_validate(plan))


def effects(sandbox: Sandbox) -> list[tuple[str, str, int | None]]:
    """Kind, state and amount of every effect."""
    return [(effect.kind, effect.state, effect.amount_minor) for effect in sandbox.world.effects()]


async def refused(call: Awaitable[Any]) -> Any:
    """The error that the `stripe` package raises for this call."""
    with pytest.raises(stripe.StripeError) as caught:
        await call
    return caught.value
