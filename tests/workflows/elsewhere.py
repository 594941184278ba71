"""What reaches the world from elsewhere: a request that lands late, another execution, a person in Jira."""

from __future__ import annotations

from typing import Any

import httpx

from activities.providers.ticket import labels_of
from saga.tool import Tags
from tests.lab import Lab

LOGIN = ("agent@sandbox.test", "jira-write-token")
ANOTHER_EXECUTION = "0192aabb-ccdd-7eef-8001-998877665544"


async def ticket_again(lab: Lab, row: dict[str, Any], *, execution: str = "", issue_type: str = "Task") -> str:
    """The same create once more, as a request that was held up on its way; answers the ticket."""
    tags = Tags(
        key=row["idempotency_key"],
        run_id=row["run_id"],
        step_idx=row["step_idx"],
        execution=execution or row["execution"],
    )
    fields = {
        "project": {"key": "SUP"},
        "issuetype": {"name": issue_type},
        "summary": "late",
        "labels": labels_of(tags),
    }
    async with httpx.AsyncClient(base_url=lab.sandbox.url, auth=LOGIN) as jira:
        made = await jira.post("/jira/rest/api/2/issue", json={"fields": fields})
    return made.raise_for_status().json()["key"]


async def charge_again(lab: Lab, row: dict[str, Any], *, execution: str = "", amount_minor: int = 500) -> str:
    """The same charge once more, under the same key, as a request that was held up on its way; answers the intent."""
    metadata = {
        "saga_key": row["idempotency_key"],
        "saga_run": row["run_id"],
        "saga_step": str(row["step_idx"]),
        "saga_execution": execution or row["execution"],
    }
    form = {
        "amount": amount_minor,
        "currency": "eur",
        "customer": "cus_1182",
        "payment_method": "pm_card_visa",
        "confirm": "true",
        "automatic_payment_methods[enabled]": "true",
        "automatic_payment_methods[allow_redirects]": "never",
        **{f"metadata[{name}]": value for name, value in metadata.items()},
    }
    return (await _stripe(lab, "payment_intents", form, key=row["idempotency_key"]))["id"]


async def refund_by_hand(lab: Lab, intent: str, amount_minor: int) -> str:
    """Somebody gives a part back in the dashboard; answers the refund."""
    return (await _stripe(lab, "refunds", {"payment_intent": intent, "amount": amount_minor}))["id"]


async def _stripe(lab: Lab, path: str, form: dict[str, Any], *, key: str | None = None) -> dict[str, Any]:
    headers = {"Idempotency-Key": key} if key else {}
    async with httpx.AsyncClient(base_url=lab.sandbox.url, auth=("sk_test_sandbox", "")) as stripe:
        made = await stripe.post(f"/v1/{path}", data=form, headers=headers)
    return made.raise_for_status().json()
