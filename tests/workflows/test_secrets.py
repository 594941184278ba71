"""Secrets: whatever a provider answers, no credential, header or page of it reaches history, the model or a person."""

import base64

import pytest

from tests.workflows.plan import charge, draft, goods, hold, ticket
from tests.workflows.sight import children, events

CALLS = {
    "mail draft delete": draft(),
    "tickets create transition": ticket(),
    "payments authorise cancel": hold(),
    "payments capture refund": charge(),
    "warehouse reserve release": goods(),
}
ASKS = {"mail": "list", "tickets": "search", "payments": "list", "warehouse": "list"}
FAULTS = ("refuse:400", "refuse:500", "before:502", "after:reset")
"""Each has another text: the provider's own no, its own trouble, a gateway's page, an error of the line."""
LOGINS = ("agent@sandbox.test:jira-write-token", "reader@sandbox.test:jira-read-token", "sk_test_sandbox:")
SECRETS = (
    *("jira-write-token", "jira-read-token", "sk_test_sandbox", "rk_test_sandbox", "mail-write", "mail-read"),
    *("warehouse-write", "warehouse-read", "orders-read"),
    *(base64.b64encode(login.encode()).decode().rstrip("=") for login in LOGINS),
    *("Authorization", "Bearer ", "Set-Cookie", "headers", "<html", "<center>", "gateway</", "127.0.0.1"),
)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("what", CALLS)
async def test_no_error_of_any_provider_carries_a_secret_a_header_or_a_page_into_history(lab, plans, what, fault):
    """T37."""
    system, do, undo = what.split()
    # Only what the last attempt says goes into history; a third refusal to undo would call a person.
    await lab.fault(system, do, fault, times=3)
    await lab.fault(system, undo, fault, times=2 if fault.startswith("refuse") else 3)
    await lab.fault(system, ASKS[system], "before:502", skip=2, times=2)
    plan = plans.make([CALLS[what], hold(order_id="1188", customer_id="cus_1188")])
    run = await lab.start("run-1", plan)
    await lab.until(run, lambda status: status["deadline"] is not None or status["phase"] in ("UNWOUND", "COMMITTED"))
    if (await run.query("proposal"))["digest"]:
        await lab.decide(run, "reject")
    assert await lab.end(run) in ("RunUnwound", "COMMITTED")
    assert [call for call in await lab.calls(system=system) if call["fault"] == fault]
    told = [each.SerializeToString() for each in await events(run)]
    for child in await children(lab, run):
        told += [each.SerializeToString() for each in await events(child)]
    told += [ask.model_dump_json().encode() for ask in plans[plan].asked]
    told.append(str([await run.query(name) for name in ("saga_log", "status", "transcript")]).encode())
    assert [secret for secret in SECRETS if any(secret.lower().encode() in each.lower() for each in told)] == []
    await lab.check(run)
