"""`delete_draft` against the sandbox's mail service: gone is gone, and sent is not to be deleted."""

import pytest

from activities.tools.draft_email import DRAFT_EMAIL
from activities.tools.send_draft import SEND_DRAFT
from compensations.delete_draft import DELETE_DRAFT, DeleteDraftArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, KEY, RUN, UNDO_KEY, Outside, call
from tests.activities.paying import LETTER, LOST, NEVER, SEND_KEY, mail, mail_reader

ARGS = DeleteDraftArgs(draft_key=KEY)


async def drafted(outside: Outside) -> tuple[Receipt, Call[DeleteDraftArgs]]:
    """A draft, and the counter-action on it."""
    draft = await DRAFT_EMAIL.perform(mail(outside), call(LETTER))
    return draft, call(ARGS, UNDO_KEY, ref=draft.external_ref)


async def test_it_is_thrown_away_under_its_own_key(outside: Outside):
    draft, undo = await drafted(outside)
    assert await DELETE_DRAFT.find(mail_reader(outside), undo) == []
    receipt = await DELETE_DRAFT.perform(mail(outside), undo)
    written, deleted = outside.effects()
    assert (written.ref, written.state) == (draft.external_ref, "undone")
    assert (deleted.kind, deleted.key, deleted.run, deleted.execution) == ("mail.delete", UNDO_KEY, RUN, EXECUTION)
    assert (receipt.external_ref, receipt.result) == (draft.external_ref, {})


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_done_once(outside: Outside, fault: str):
    _, undo = await drafted(outside)
    outside.arm("mail", "delete", fault)
    with pytest.raises(Unanswered):
        await DELETE_DRAFT.perform(mail(outside), undo)
    (seen,) = await DELETE_DRAFT.find(mail_reader(outside), undo)
    assert seen.state == "standing"
    assert (await DELETE_DRAFT.perform(mail(outside), undo)).result == {"already": True}
    assert len(outside.effects("mail.delete")) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    _, undo = await drafted(outside)
    outside.arm("mail", "delete", fault)
    with pytest.raises(Unanswered):
        await DELETE_DRAFT.perform(mail(outside), undo)
    assert await DELETE_DRAFT.find(mail_reader(outside), undo) == []


async def test_delivered_twice_is_gone_all_the_same(outside: Outside):
    _, undo = await drafted(outside)
    outside.arm("mail", "delete", "duplicate")
    assert (await DELETE_DRAFT.perform(mail(outside), undo)).result == {"already": True}
    assert len(outside.effects("mail.delete")) == 1


async def test_t27_what_somebody_threw_away_is_gone(outside: Outside):
    draft, undo = await drafted(outside)
    await outside.act("mail", draft.external_ref, "delete")
    assert (await DELETE_DRAFT.perform(mail(outside), undo)).result == {"already": True}
    (seen,) = await DELETE_DRAFT.find(mail_reader(outside), undo)
    assert seen.external_ref == draft.external_ref


async def test_what_was_sent_is_not_deleted(outside: Outside):
    draft, undo = await drafted(outside)
    assert DRAFT_EMAIL.commit_args is not None
    args = SEND_DRAFT.args.model_validate(DRAFT_EMAIL.commit_args(LETTER, KEY))
    await SEND_DRAFT.perform(mail(outside), call(args, SEND_KEY, upstream={KEY: draft.external_ref}))
    with pytest.raises(Refused) as refused:
        await DELETE_DRAFT.perform(mail(outside), undo)
    assert refused.value.code == "draft_already_sent"
    assert await DELETE_DRAFT.find(mail_reader(outside), undo) == []


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:blank200", "after:html200", "refuse:401"])
async def test_a_look_that_gets_no_answer_is_never_gone(outside: Outside, fault: str):
    _, undo = await drafted(outside)
    outside.arm("mail", "read", fault)
    with pytest.raises(NotSent):
        await DELETE_DRAFT.find(mail_reader(outside), undo)


async def test_without_the_drafts_reference_nothing_is_sent(outside: Outside):
    with pytest.raises(NotSent):
        await DELETE_DRAFT.perform(mail(outside), call(ARGS, UNDO_KEY))
    assert outside.sent("mail", "DELETE") == []
