"""`draft_email` against the sandbox's mail service: one draft, whatever becomes of the answer."""

import pytest

from activities.letters import LetterArgs
from activities.tools.draft_email import DRAFT_EMAIL
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, call, look
from tests.activities.paying import LETTER, LOST, NEVER, mail, mail_reader


async def test_one_post_and_the_key_in_its_headers(outside: Outside):
    receipt = await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("mail.draft", KEY, RUN, EXECUTION)
    assert (effect.ref, effect.audience) == (receipt.external_ref, ["agent"])
    assert receipt.execution == EXECUTION
    assert outside.sent("mail") == ["draft"]


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    outside.arm("mail", "draft", fault)
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    (seen,) = await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    assert await DRAFT_EMAIL.perform(mail(outside), call(LETTER)) == seen.receipt()
    assert len(outside.effects()) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER, OTHER_KEY))
    outside.arm("mail", "draft", fault)
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    assert await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER)) == []
    assert len(outside.effects()) == 1


async def test_an_answer_that_outlasts_the_time_limit_is_unknown(outside: Outside):
    outside.arm("mail", "draft", "after:slow:20")
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside, timeout_s=2), call(LETTER))
    assert len(outside.effects()) == 1


async def test_in_a_fresh_account_absence_is_proven_by_its_domain(outside: Outside):
    assert await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER)) == []


@pytest.mark.parametrize("operation", ["list", "search", "*"])
async def test_a_blind_look_is_never_an_absence(outside: Outside, operation: str):
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    outside.arm("mail", operation, "blind")
    with pytest.raises(NotSent) as error:
        await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert error.value.code == "blind"


async def test_a_look_that_was_blind_for_a_moment_is_made_again(outside: Outside):
    receipt = await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    outside.arm("mail", "list", "blind", times=1)
    (seen,) = await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert seen.external_ref == receipt.external_ref


@pytest.mark.parametrize(
    "fault", ["before:503", "after:reset", "after:blank200", "after:204", "after:html200", "refuse:500", "refuse:401"]
)
async def test_a_look_that_gets_no_answer_is_never_an_absence(outside: Outside, fault: str):
    outside.arm("mail", "list", fault)
    with pytest.raises(NotSent):
        await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))


@pytest.mark.parametrize("status", ["400", "404", "422"])
async def test_the_services_own_no_is_a_refusal(outside: Outside, status: str):
    outside.arm("mail", "draft", f"refuse:{status}")
    with pytest.raises(Refused):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    assert outside.effects() == []


@pytest.mark.parametrize("fault", ["refuse:409", "refuse:500", "refuse:503", "in_use"])
async def test_t12_a_conflict_or_the_services_own_trouble_is_unknown(outside: Outside, fault: str):
    outside.arm("mail", "draft", fault)
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER))


@pytest.mark.parametrize(("fault", "lasting"), [("refuse:401", True), ("refuse:403", True), ("429:7", False)])
async def test_t15_a_door_that_is_shut_let_nothing_through(outside: Outside, fault: str, lasting: bool):
    outside.arm("mail", "draft", fault)
    with pytest.raises(NotSent) as error:
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    assert (error.value.lasting, error.value.retry_after_s) == (lasting, None if lasting else 7)


async def test_t13_other_words_under_the_key_are_unknown_and_no_refusal(outside: Outside):
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER.model_copy(update={"body": "Other words."})))
    with pytest.raises(Unanswered):
        await DRAFT_EMAIL.perform(mail(outside), call(LETTER, execution="another"))
    assert len(outside.effects()) == 1


async def test_delivered_twice_is_one_draft_and_a_forgotten_key_shows_two(outside: Outside):
    outside.arm("mail", "draft", "duplicate")
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    assert len(outside.effects()) == 1
    outside.arm("mail", "*", "forget_keys:0")
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    seen = await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert [each.external_ref for each in seen] == [each.ref for each in outside.effects()]
    assert len(seen) == 2


async def test_looking_never_writes(outside: Outside):
    await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert outside.sent("mail") == ["draft"]


def test_the_identity_is_the_order_and_the_mailbox():
    typed = LetterArgs.model_validate(
        {"order_id": " #1182", "to": " Mara.Lindqvist@Customers.TEST ", "subject": "Your\n order", "body": "Words."}
    )
    assert (typed.order_id, typed.to, typed.subject) == ("1182", "mara.lindqvist@customers.test", "Your order")
    assert DRAFT_EMAIL.identity == ("order_id", "to")


@pytest.mark.parametrize("to", ["", "nobody", "a@b", "a@b.c, d@e.f", "Mara <a@b.c>", "a@b.c\nBcc: d@e.f", 7])
def test_what_is_not_one_bare_address_is_refused(to):
    with pytest.raises(ValueError, match="to"):
        LetterArgs.model_validate({**DRAFT_EMAIL.example, "to": to})
