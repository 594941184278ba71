"""`send_draft` against the sandbox's mail service: the draft as it was approved, once."""

import httpx
import pytest

from activities.tools.draft_email import DRAFT_EMAIL
from activities.tools.send_draft import SEND_DRAFT, SendDraftArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.keys import OPEN_KEY
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call, look
from tests.activities.paying import LETTER, LOST, NEVER, SEND_KEY, mail, mail_reader


async def drafted(outside: Outside) -> tuple[Receipt, Call[SendDraftArgs]]:
    """A draft, and the commit half that would send it."""
    draft = await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    assert DRAFT_EMAIL.commit_args is not None
    args = SendDraftArgs.model_validate(DRAFT_EMAIL.commit_args(LETTER, KEY))
    return draft, call(args, SEND_KEY, upstream={KEY: draft.external_ref})


async def person(outside: Outside, method: str, path: str, body: object = None) -> None:
    """What a colleague does in the mailbox, under no key of ours."""
    headers = {"Authorization": "Bearer mail-write"}
    async with httpx.AsyncClient(base_url=f"{outside.sandbox.url}/mail", headers=headers) as client:
        answer = await client.request(method, path, json=body)
    assert answer.status_code == 200, answer.text


async def test_the_letter_carries_the_key_that_sent_it(outside: Outside):
    draft, commit = await drafted(outside)
    receipt = await SEND_DRAFT.perform(mail(outside), commit)
    written, sent = outside.effects()
    assert (written.key, written.state, written.ref) == (KEY, "standing", draft.external_ref)
    assert (sent.kind, sent.key, sent.run, sent.execution) == ("mail.send", SEND_KEY, RUN, EXECUTION)
    assert (sent.ref, sent.audience) == (receipt.external_ref, ["customer"])
    assert sent.about["to"] == ["mara.lindqvist@customers.test"]
    (seen,) = await look(DRAFT_EMAIL, mail_reader(outside), call(LETTER))
    assert (seen.external_ref, seen.state) == (draft.external_ref, "standing")


async def test_a_draft_that_waits_is_not_sent(outside: Outside):
    _, commit = await drafted(outside)
    assert await look(SEND_DRAFT, mail_reader(outside), commit) == []


@LOST
async def test_t16_a_lost_answer_is_unknown_is_found_and_is_sent_once(outside: Outside, fault: str):
    _, commit = await drafted(outside)
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_DRAFT.perform(mail(outside), commit)
    (seen,) = await look(SEND_DRAFT, mail_reader(outside), commit)
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    assert await SEND_DRAFT.perform(mail(outside), commit) == seen.receipt().model_copy(update={"found": True})
    assert len(outside.effects("mail.send")) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    _, commit = await drafted(outside)
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_DRAFT.perform(mail(outside), commit)
    assert await look(SEND_DRAFT, mail_reader(outside), commit) == []
    assert outside.effects("mail.send") == []


@pytest.mark.parametrize("fault", ["in_use", "refuse:409"])
async def test_t12_a_key_in_use_is_unknown(outside: Outside, fault: str):
    _, commit = await drafted(outside)
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_DRAFT.perform(mail(outside), commit)


@pytest.mark.parametrize("times", [1, 2])
async def test_t16_delivered_twice_or_with_a_forgotten_key_it_is_one_letter(outside: Outside, times: int):
    _, commit = await drafted(outside)
    outside.arm("mail", "*", "forget_keys:0")
    outside.arm("mail", "send", "duplicate", times=times)
    first = await SEND_DRAFT.perform(mail(outside), commit)
    second = await SEND_DRAFT.perform(mail(outside), commit)
    assert first.external_ref == second.external_ref
    assert len(outside.effects("mail.send")) == 1


async def test_t22_a_draft_that_somebody_changed_is_not_what_was_approved(outside: Outside):
    draft, commit = await drafted(outside)
    await person(outside, "PATCH", f"/drafts/{draft.external_ref}", {"text": "You owe us money."})
    with pytest.raises(NotSent) as error:
        await SEND_DRAFT.perform(mail(outside), commit)
    assert (error.value.code, error.value.lasting) == ("draft_changed", True)
    assert outside.effects("mail.send") == []


async def test_a_draft_that_somebody_threw_away_is_gone(outside: Outside):
    draft, commit = await drafted(outside)
    await outside.act("mail", draft.external_ref, "delete")
    with pytest.raises(NotSent) as error:
        await SEND_DRAFT.perform(mail(outside), commit)
    assert (error.value.code, error.value.lasting) == ("draft_gone", True)
    assert await look(SEND_DRAFT, mail_reader(outside), commit) == []


async def test_a_draft_that_somebody_else_sent_is_not_sent_by_us(outside: Outside):
    draft, commit = await drafted(outside)
    await person(outside, "POST", f"/drafts/{draft.external_ref}/send")
    with pytest.raises(Refused) as refused:
        await SEND_DRAFT.perform(mail(outside), commit)
    assert refused.value.code == "sent_elsewhere"
    assert await look(SEND_DRAFT, mail_reader(outside), commit) == []
    assert len(outside.effects("mail.send")) == 1


async def test_somebody_who_sends_it_between_our_look_and_our_asking(outside: Outside, monkeypatch):
    draft, commit = await drafted(outside)
    service = mail(outside)
    ask = service.send_draft

    async def late(*args):
        await person(outside, "POST", f"/drafts/{draft.external_ref}/send")
        return await ask(*args)

    monkeypatch.setattr(service, "send_draft", late)
    with pytest.raises(Refused) as refused:
        await SEND_DRAFT.perform(service, commit)
    assert refused.value.code == "sent_elsewhere"
    assert len(outside.effects("mail.send")) == 1


async def test_a_recipient_that_is_rejected_got_nothing(outside: Outside):
    _, commit = await drafted(outside)
    outside.arm("mail", "send", "partial:1")
    with pytest.raises(Refused) as refused:
        await SEND_DRAFT.perform(mail(outside), commit)
    assert refused.value.code == "recipient_rejected"
    assert outside.effects("mail.send") == []
    (seen,) = await look(SEND_DRAFT, mail_reader(outside), commit)
    assert seen.state == "failed"


async def test_the_draft_is_found_by_its_key_where_its_reference_is_not_given(outside: Outside):
    _, commit = await drafted(outside)
    await SEND_DRAFT.perform(mail(outside), call(commit.args, SEND_KEY))
    assert len(outside.effects("mail.send")) == 1
    stray = call(commit.args.model_copy(update={"draft_key": "f" * 32}), SEND_KEY)
    with pytest.raises(NotSent):
        await SEND_DRAFT.perform(mail(outside), stray)


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:blank200", "after:204", "refuse:500"])
async def test_a_look_that_gets_no_answer_is_never_an_absence_and_sends_nothing(outside: Outside, fault: str):
    _, commit = await drafted(outside)
    outside.arm("mail", "read", fault, times=2)
    with pytest.raises(NotSent):
        await look(SEND_DRAFT, mail_reader(outside), commit)
    with pytest.raises(NotSent):
        await SEND_DRAFT.perform(mail(outside), commit)
    assert outside.sent("mail") == ["draft"]


def test_the_correction_stands_before_the_letter_is_sent():
    assert DRAFT_EMAIL.commit_args is not None
    assert SEND_DRAFT.correct is not None
    letter = SEND_DRAFT.correct(SendDraftArgs.model_validate(DRAFT_EMAIL.commit_args(LETTER, OPEN_KEY)))
    assert letter is not None
    assert (letter.tool, letter.args["original_key"], letter.args["to"]) == (
        "send_correction",
        OPEN_KEY,
        "mara.lindqvist@customers.test",
    )
