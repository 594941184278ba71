"""`send_email` over HTTP and over SMTP: never twice, and what cannot be told is not guessed."""

import pytest

from activities.tools.send_email import SEND_EMAIL
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, call, look
from tests.activities.paying import LETTER, LOST, NEVER, mail, mail_reader, smtp


async def test_one_post_and_the_key_in_its_headers(outside: Outside):
    receipt = await SEND_EMAIL.perform(mail(outside), call(LETTER))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("mail.send", KEY, RUN, EXECUTION)
    assert (effect.ref, effect.audience) == (receipt.external_ref, ["customer"])
    assert outside.sent("mail") == ["send"]


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_EMAIL.perform(mail(outside), call(LETTER))
    (seen,) = await look(SEND_EMAIL, mail_reader(outside), call(LETTER))
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    assert await SEND_EMAIL.perform(mail(outside), call(LETTER)) == seen.receipt()
    assert len(outside.effects()) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    await SEND_EMAIL.perform(mail(outside), call(LETTER, OTHER_KEY))
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_EMAIL.perform(mail(outside), call(LETTER))
    assert await look(SEND_EMAIL, mail_reader(outside), call(LETTER)) == []


async def test_delivered_twice_is_one_letter_and_a_forgotten_key_shows_two(outside: Outside):
    outside.arm("mail", "send", "duplicate")
    await SEND_EMAIL.perform(mail(outside), call(LETTER))
    assert len(outside.effects()) == 1
    outside.arm("mail", "*", "forget_keys:0")
    await SEND_EMAIL.perform(mail(outside), call(LETTER))
    assert len(await look(SEND_EMAIL, mail_reader(outside), call(LETTER))) == 2


async def test_a_blind_look_is_never_an_absence(outside: Outside):
    await SEND_EMAIL.perform(mail(outside), call(LETTER))
    outside.arm("mail", "*", "blind")
    with pytest.raises(NotSent):
        await look(SEND_EMAIL, mail_reader(outside), call(LETTER))


async def test_a_recipient_that_is_rejected_got_nothing(outside: Outside):
    outside.arm("mail", "send", "partial:1")
    with pytest.raises(Refused) as refused:
        await SEND_EMAIL.perform(mail(outside), call(LETTER))
    assert refused.value.code == "recipient_rejected"
    (seen,) = await look(SEND_EMAIL, mail_reader(outside), call(LETTER))
    assert seen.state == "failed"


async def test_over_smtp_it_is_found_in_the_send_log(outside: Outside):
    service = smtp(outside, log=mail_reader(outside))
    await SEND_EMAIL.perform(service, call(LETTER))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("mail.send", KEY, RUN, EXECUTION)
    (seen,) = await look(SEND_EMAIL, service, call(LETTER))
    assert (seen.external_ref, seen.execution) == (effect.ref, EXECUTION)


@LOST
async def test_t16_over_smtp_a_lost_answer_is_unknown_and_found_in_the_send_log(outside: Outside, fault: str):
    service = smtp(outside, log=mail_reader(outside))
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_EMAIL.perform(service, call(LETTER))
    (seen,) = await look(SEND_EMAIL, service, call(LETTER))
    assert seen.state == "standing"
    assert len(outside.effects()) == 1


async def test_t16_over_smtp_without_a_send_log_a_person_must_say(outside: Outside):
    outside.arm("mail", "send", "after:reset")
    with pytest.raises(Unanswered):
        await SEND_EMAIL.perform(smtp(outside), call(LETTER))
    with pytest.raises(NotSent) as error:
        await look(SEND_EMAIL, smtp(outside), call(LETTER))
    assert (error.value.code, error.value.lasting) == ("no_send_log", True)
