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
