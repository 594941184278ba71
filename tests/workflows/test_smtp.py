"""Letters by SMTP, which knows no key: refused before DATA is a no, lost after the dot is never sent again blindly."""

import pytest

from tests.lab import laboratory
from tests.workflows.plan import letter, ticket
from tests.workflows.sight import doors, needs, statuses, world

LOST = ("after:reset", "after:204", "after:html200")
SEND = {"step_idx": 1, "half": "call", "by": "bob"}


@pytest.fixture
async def by_smtp(tmp_path, plans, monkeypatch):
    """The laboratory, its letters by SMTP, with the send log that they can be found in."""
    monkeypatch.setenv("SAGA_SMTP_HOST", "sandbox")
    async with laboratory(tmp_path, model_of=plans.model_of) as made:
        yield made


@pytest.fixture
async def without_log(tmp_path, plans, monkeypatch):
    """The same where nothing that was sent can be looked up."""
    for name, value in {"HOST": "127.0.0.1", "USER": "agent", "PASSWORD": "mail-write", "SECURITY": "none"}.items():
        monkeypatch.setenv(f"SAGA_SMTP_{name}", value)
    async with laboratory(tmp_path, model_of=plans.model_of) as made:
        monkeypatch.setenv("SAGA_SMTP_PORT", str(made.sandbox.smtp_port))
        yield made


async def approved(lab, plans):
    """A run whose only commit is a letter."""
    run = await lab.start("run-1", plans.make([ticket(), letter()]))
    await lab.decide(run, "approve")
    return run


async def test_a_letter_refused_before_data_is_a_failed_step_and_the_rest_is_undone(by_smtp, plans):
    """T16."""
    lab = by_smtp
    await lab.fault("mail", "send", "refuse:550")
    run = await approved(lab, plans)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    assert "Reconcile send_email" not in await doors(run)
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED", "send_email FAILED"]


@pytest.mark.parametrize("fault", LOST)
async def test_a_letter_whose_last_answer_is_lost_is_found_in_the_send_log_and_is_one(by_smtp, plans, fault):
    """T16."""
    lab = by_smtp
    await lab.fault("mail", "send", fault)
    run = await approved(lab, plans)
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing", "mail.send standing"]
    row = (await lab.check(run))[1]
    assert (row["status"], row["how"], row["attempts"]) == ("CONFIRMED", "found by lookup", 1)


async def test_without_a_send_log_a_person_says_and_the_letter_is_one(without_log, plans):
    """T16."""
    lab = without_log
    await lab.fault("mail", "send", "after:reset")
    run = await approved(lab, plans)
    need = await needs(lab, run, "unknown")
    assert need["step_idx"] == 1
    await lab.env.sleep(3600)
    assert await world(lab, system="mail") == ["mail.send standing"]
    seen = {**SEND, "happened": True, "external_ref": "seen at the customer's", "note": "she has it"}
    await run.execute_update("resolve_step", seen)
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab, system="mail") == ["mail.send standing"]
    await lab.check(run)
