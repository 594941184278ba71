"""`send_correction` against the sandbox's mail service: a letter of its own, that names what it puts right."""

import pytest

from compensations.send_correction import SEND_CORRECTION, CorrectionArgs
from saga.errors import Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, UNDO_KEY, Outside, call
from tests.activities.paying import LOST, mail, mail_reader, smtp

ARGS = CorrectionArgs(
    original_key=KEY, to="mara.lindqvist@customers.test", subject="Correction", text="Please disregard it."
)


async def test_it_goes_out_under_its_own_key_and_names_the_original(outside: Outside):
    receipt = await SEND_CORRECTION.perform(mail(outside), call(ARGS, UNDO_KEY))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("mail.send", UNDO_KEY, RUN, EXECUTION)
    assert effect.ref == receipt.external_ref
    (letter,) = await mail_reader(outside).carrying("log", UNDO_KEY, since=0)
    assert letter.marks["x-saga-corrects"] == KEY
    assert letter.letter.text == "Please disregard it."


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    outside.arm("mail", "send", fault)
    with pytest.raises(Unanswered):
        await SEND_CORRECTION.perform(mail(outside), call(ARGS, UNDO_KEY))
    (seen,) = await SEND_CORRECTION.find(mail_reader(outside), call(ARGS, UNDO_KEY))
    assert await SEND_CORRECTION.perform(mail(outside), call(ARGS, UNDO_KEY)) == seen.receipt()
    assert len(outside.effects()) == 1


async def test_a_refusal_is_one(outside: Outside):
    outside.arm("mail", "send", "refuse:422")
    with pytest.raises(Refused):
        await SEND_CORRECTION.perform(mail(outside), call(ARGS, UNDO_KEY))
    assert outside.effects() == []


async def test_over_smtp_too(outside: Outside):
    service = smtp(outside, log=mail_reader(outside))
    await SEND_CORRECTION.perform(service, call(ARGS, UNDO_KEY))
    (seen,) = await SEND_CORRECTION.find(service, call(ARGS, UNDO_KEY))
    assert seen.state == "standing"
