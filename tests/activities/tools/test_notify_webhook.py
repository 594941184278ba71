"""`notify_webhook` against the sandbox's endpoints: told once, under our key, at an address nobody here can choose."""

import pytest
from pydantic import ValidationError

from activities.tools.notify_webhook import NOTIFY_WEBHOOK, NotifyArgs
from saga.errors import BadInput, NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, call
from tests.activities.paying import NEVER
from tests.activities.telling import NEWS, OTHER_SECRET, got, webhooks

perform = NOTIFY_WEBHOOK.perform


async def test_the_clients_endpoint_is_told_once_under_our_key(outside: Outside):
    receipt = await perform(webhooks(outside), call(NEWS))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("webhook.send", KEY, RUN, EXECUTION)
    assert (effect.ref, effect.audience) == (receipt.external_ref, ["customer"])
    assert effect.about == {
        "client": "acme",
        "event": "workspace.activated",
        "data": {"client": "acme", "workspace_id": "ws_1"},
    }
    assert receipt.execution is None
    assert outside.sent("webhooks") == ["send"]


@pytest.mark.parametrize(
    "fault", ["after:reset", "after:502", "after:503", "after:504", "after:truncate", "after:html200"]
)
async def test_a_lost_answer_is_unknown_and_the_same_key_again_is_no_second_event(outside: Outside, fault: str):
    outside.arm("webhooks", "send", fault)
    with pytest.raises(Unanswered):
        await perform(webhooks(outside), call(NEWS))
    assert outside.sent("webhooks") == ["send"]
    await perform(webhooks(outside), call(NEWS))
    assert len(outside.effects()) == 1
    first, again = await got(outside)
    assert (first["body"], again["dropped"]) == (again["body"], True)


@pytest.mark.parametrize("fault", ["after:blank200", "after:204"])
async def test_an_endpoint_need_not_say_anything(outside: Outside, fault: str):
    outside.arm("webhooks", "send", fault)
    await perform(webhooks(outside), call(NEWS))
    assert len(outside.effects()) == 1


async def test_an_answer_that_comes_too_late_is_unknown(outside: Outside):
    outside.arm("webhooks", "send", "after:slow:1")
    with pytest.raises(Unanswered):
        await perform(webhooks(outside, timeout_s=0.3), call(NEWS))
    assert len(outside.effects()) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_too(outside: Outside, fault: str):
    outside.arm("webhooks", "send", fault)
    with pytest.raises(Unanswered):
        await perform(webhooks(outside), call(NEWS))
    assert outside.effects() == []


@pytest.mark.parametrize("fault", ["in_use", "refuse:409", "refuse:500"])
async def test_what_speaks_of_another_request_is_unknown(outside: Outside, fault: str):
    """T12."""
    outside.arm("webhooks", "send", fault)
    with pytest.raises(Unanswered):
        await perform(webhooks(outside), call(NEWS))


@pytest.mark.parametrize("fault", ["refuse:400", "refuse:404", "refuse:410", "refuse:422"])
async def test_what_the_endpoint_did_not_take_is_a_no(outside: Outside, fault: str):
    outside.arm("webhooks", "send", fault)
    with pytest.raises(Refused):
        await perform(webhooks(outside), call(NEWS))
    assert outside.effects() == []


@pytest.mark.parametrize(("fault", "wait_s"), [("429:7", 7), ("refuse:401", None), ("refuse:403", None)])
async def test_turned_away_at_the_door_nothing_was_taken(outside: Outside, fault: str, wait_s: float | None):
    """T15."""
    outside.arm("webhooks", "send", fault)
    with pytest.raises(NotSent) as error:
        await perform(webhooks(outside), call(NEWS))
    assert (error.value.retry_after_s, error.value.lasting) == (wait_s, wait_s is None)
    assert outside.effects() == []


async def test_delivered_twice_is_one_event_while_the_endpoint_remembers(outside: Outside):
    outside.arm("webhooks", "send", "duplicate")
    await perform(webhooks(outside), call(NEWS))
    assert (len(await got(outside)), len(outside.effects())) == (2, 1)
    outside.arm("webhooks", "*", "forget_keys:0")
    await perform(webhooks(outside), call(NEWS))
    assert len(outside.effects()) == 2


async def test_two_steps_are_two_events(outside: Outside):
    await perform(webhooks(outside), call(NEWS))
    await perform(webhooks(outside), call(NEWS.model_copy(update={"event": "workspace.created"}), OTHER_KEY))
    assert [each.about["event"] for each in outside.effects()] == ["workspace.activated", "workspace.created"]


async def test_an_endpoint_that_the_customer_closed_is_a_no(outside: Outside):
    await outside.act("webhooks", "acme", "close")
    with pytest.raises(Refused) as refused:
        await perform(webhooks(outside), call(NEWS))
    assert (refused.value.code, outside.effects()) == ("gone", [])


async def test_a_secret_that_is_not_theirs_gets_nothing_in(outside: Outside):
    with pytest.raises(NotSent) as error:
        await perform(webhooks(outside, secret=OTHER_SECRET), call(NEWS))
    assert (error.value.lasting, outside.effects()) == (True, [])


async def test_a_client_without_an_endpoint_is_refused_before_a_row_is_written(outside: Outside):
    assert NOTIFY_WEBHOOK.check is not None
    known = {"globex": {"url": "https://hooks.globex.example/in"}}  # as who only looks is told: without a secret
    with pytest.raises(BadInput) as bad:
        await NOTIFY_WEBHOOK.check(webhooks(outside, secret="", endpoints=known), NEWS)
    assert (bad.value.field, outside.sandbox.world.calls()) == ("client", [])
    assert "globex" not in str(bad.value)
    await NOTIFY_WEBHOOK.check(
        webhooks(outside, secret="", endpoints=known), NEWS.model_copy(update={"client": "globex"})
    )
    await NOTIFY_WEBHOOK.check(webhooks(outside, secret=""), NEWS)
    assert outside.sandbox.world.calls() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("client", value)
            for value in ("Acme", "a", "acme.example", "../globex", "https://acme.example", "", 7, None)
        ),
        *(("event", value) for value in ("workspace.deleted", "", None)),
        *(("workspace_id", value) for value in ("", "ws", "ws_1/..", 1, None)),
        ("url", "http://169.254.169.254/latest/meta-data"),
        ("endpoint", "http://127.0.0.1:8470/world/reset"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(field: str, value: object):
    with pytest.raises(ValidationError) as error:
        NotifyArgs.model_validate({**NEWS.model_dump(), field: value})
    assert {each["loc"][0] for each in error.value.errors()} == {field}


def test_it_waits_whole_behind_the_pivot_and_a_person_answers_for_what_nobody_can_look_up():
    assert (NOTIFY_WEBHOOK.tool_class, NOTIFY_WEBHOOK.at_once, NOTIFY_WEBHOOK.tells) == ("irreversible", False, True)
    assert (NOTIFY_WEBHOOK.grade, NOTIFY_WEBHOOK.find) == ("key", None)
    assert "webhook-id" in NOTIFY_WEBHOOK.person_answers
    assert NOTIFY_WEBHOOK.gate
    assert (dict(NOTIFY_WEBHOOK.references), NOTIFY_WEBHOOK.owned) == (
        {"workspace_id": "create_workspace"},
        ("workspace_id",),
    )
