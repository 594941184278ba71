"""A run with the least that a run has: steps, a wait, the queries, one update; and it notes a cancel."""

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError

QUEUE, TOOLS = "toy", "toy-tools"


@activity.defn
async def step(number: int) -> str:
    return f"ref-{number}"


@workflow.defn(name="Toy", sandboxed=False)
class Toy:
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.phase = "STAGING"
        self.decided = 0

    @workflow.run
    async def run(self, steps: int) -> str:
        try:
            for number in range(steps):
                self.rows.append({"step_idx": number, "status": "INTENDED"})
                ref = await workflow.execute_activity(
                    step,
                    number,
                    task_queue=TOOLS,
                    start_to_close_timeout=timedelta(seconds=30),
                    summary=f"step {number}",
                )
                self.rows[number] = {"step_idx": number, "status": "CONFIRMED", "external_ref": ref}
            self.phase = "AWAITING_APPROVAL"
            await workflow.wait_condition(lambda: self.decided > 0)
        except asyncio.CancelledError:
            self.phase = "CANCELLED"
            raise
        self.phase = "COMMITTED"
        return self.phase

    @workflow.query
    def saga_log(self, *payload: Any) -> list[dict[str, Any]]:
        after = payload[0]["after"] if payload else -1
        return [row for row in self.rows if row["step_idx"] > after]

    @workflow.query
    def status(self) -> dict[str, Any]:
        return {"phase": self.phase}

    @workflow.update
    def decide(self, payload: dict[str, Any]) -> dict[str, Any]:
        self.decided += 1
        return {"decided": self.decided, "by": payload["by"]}

    @decide.validator
    def check(self, payload: dict[str, Any]) -> None:
        if payload.get("digest") == "stale":
            raise ApplicationError("digest: is not the digest of what stands now")


@workflow.defn(name="Toy", sandboxed=False)
class OtherToy:
    """The same name, other code: its histories are not those of Toy."""

    @workflow.run
    async def run(self, steps: int) -> None:
        await workflow.sleep(timedelta(seconds=steps))
