"""`send_code` against the sandbox's verification service: one message a key, and no code anywhere."""

import pytest
from pydantic import ValidationError

from activities.tools.send_code import SEND_CODE, SendCodeArgs
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, call, look
from tests.activities.paying import LOST, NEVER
from tests.activities.telling import CODE, sms


async def test_one_message_and_its_key_on_it(outside: Outside):
    receipt = await SEND_CODE.perform(sms(outside), call(CODE))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("sms.send", KEY, RUN, EXECUTION)
    assert (effect.ref, effect.audience) == (receipt.external_ref, ["customer"])
    assert receipt.result == {"verification": effect.ref, "to": CODE.phone, "purpose": "sign_in"}
    assert receipt.execution == EXECUTION
    assert outside.sent("sms") == ["send"]


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    outside.arm("sms", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_CODE.perform(sms(outside), call(CODE))
    assert outside.sent("sms") == ["send"]
    (seen,) = await look(SEND_CODE, sms(outside, "sms-read"), call(CODE))
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    assert await SEND_CODE.perform(sms(outside), call(CODE)) == seen.receipt()
    assert len(outside.effects()) == 1


async def test_an_answer_that_comes_too_late_is_unknown_and_found(outside: Outside):
    outside.arm("sms", "send", "after:slow:1")
    with pytest.raises(Unanswered):
        await SEND_CODE.perform(sms(outside, timeout_s=0.3), call(CODE))
    assert len(await look(SEND_CODE, sms(outside, "sms-read"), call(CODE))) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    await SEND_CODE.perform(sms(outside), call(CODE, OTHER_KEY))
    outside.arm("sms", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_CODE.perform(sms(outside), call(CODE))
    assert await look(SEND_CODE, sms(outside, "sms-read"), call(CODE)) == []


@pytest.mark.parametrize("fault", ["refuse:400", "refuse:404", "refuse:422"])
async def test_a_no_is_a_no(outside: Outside, fault: str):
    outside.arm("sms", "send", fault)
    with pytest.raises(Refused):
        await SEND_CODE.perform(sms(outside), call(CODE))
    assert outside.effects() == []


@pytest.mark.parametrize(("fault", "wait_s"), [("429:7", 7), ("refuse:401", None), ("refuse:403", None)])
async def test_turned_away_at_the_door_nothing_was_sent(outside: Outside, fault: str, wait_s: float | None):
    """T15."""
    outside.arm("sms", "send", fault)
    with pytest.raises(NotSent) as error:
        await SEND_CODE.perform(sms(outside), call(CODE))
    assert (error.value.retry_after_s, error.value.lasting) == (wait_s, wait_s is None)
    assert outside.effects() == []


@pytest.mark.parametrize("fault", ["in_use", "refuse:409", "refuse:500"])
async def test_what_speaks_of_another_request_is_unknown(outside: Outside, fault: str):
    """T12."""
    outside.arm("sms", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_CODE.perform(sms(outside), call(CODE))


async def test_t13_a_key_that_names_another_message_is_unknown(outside: Outside):
    await SEND_CODE.perform(sms(outside), call(CODE))
    with pytest.raises(Unanswered) as error:
        await SEND_CODE.perform(sms(outside), call(CODE.model_copy(update={"phone": "+4915112345679"})))
    assert error.value.code == "saga_key_in_use"
    assert len(outside.effects()) == 1


async def test_delivered_twice_is_one_message_and_never_forgotten(outside: Outside):
    outside.arm("sms", "send", "duplicate")
    await SEND_CODE.perform(sms(outside), call(CODE))
    outside.arm("sms", "*", "forget_keys:0")
    await SEND_CODE.perform(sms(outside), call(CODE))
    assert len(outside.effects()) == 1


async def test_another_executions_message_is_not_ours(outside: Outside):
    await SEND_CODE.perform(sms(outside), call(CODE, execution="another"))
    (seen,) = await look(SEND_CODE, sms(outside, "sms-read"), call(CODE))
    assert seen.execution == "another"


@pytest.mark.parametrize("fault", ["blind", "before:503", "refuse:401", "after:truncate", "after:html200", "429:1"])
async def test_a_look_that_fails_is_never_an_absence(outside: Outside, fault: str):
    await SEND_CODE.perform(sms(outside), call(CODE))
    outside.arm("sms", "*", fault)
    with pytest.raises(NotSent):
        await look(SEND_CODE, sms(outside, "sms-read"), call(CODE))


async def test_a_list_that_lags_shows_nothing_until_the_lag_is_over(outside: Outside):
    """T10."""
    await SEND_CODE.perform(sms(outside), call(CODE))
    outside.arm("sms", "search", "lag:3")
    assert await look(SEND_CODE, sms(outside, "sms-read"), call(CODE)) == []
    outside.advance(SEND_CODE.index_lag_s or 0)
    assert len(await look(SEND_CODE, sms(outside, "sms-read"), call(CODE))) == 1


@pytest.mark.parametrize("typed", ["+49 151 12345678", "+49 (151) 123-456-78", " +49.151.12345678", "+49151/12345678"])
def test_however_people_write_a_number_it_is_the_same(typed: str):
    assert SendCodeArgs(phone=typed, purpose="sign_in") == CODE


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("phone", value) for value in ("015112345678", "004915112345678", "+0151123456", "49151123456", "")),
        *(("phone", value) for value in ("+49151", "+1234567890123456", "+49151123456x", "++4915112345678")),
        *(("phone", value) for value in ("+٤٩١٥١١٢٣٤٥٦٧", "+4915112345678\n", 4915112345678, None)),
        *(("purpose", value) for value in ("", "Sign_in", "your code is 4711", "sign in", "x" * 41, 7)),
        ("code", "4711"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(field: str, value: object):
    typed = {"phone": CODE.phone, "purpose": CODE.purpose, field: value}
    with pytest.raises(ValidationError) as error:
        SendCodeArgs.model_validate(typed)
    assert {each["loc"][0] for each in error.value.errors()} == {field}


def test_a_person_approves_it_by_itself_and_is_told_why():
    assert SEND_CODE.tool_class == "irreversible"
    assert (SEND_CODE.at_once, SEND_CODE.correct, SEND_CODE.compensate) == (True, None, None)
    assert "called back" in SEND_CODE.gate
    assert CODE.phone in SEND_CODE.target(CODE)
