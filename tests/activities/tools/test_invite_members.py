"""`invite_members` against the sandbox: one request for everybody, and a result that names who was not reached."""

import pytest
from pydantic import JsonValue

from activities.providers.thing import Thing
from activities.sending import RESULT_LIMIT
from activities.tools.invite_members import INVITE_MEMBERS, InviteArgs
from saga.errors import Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call, look
from tests.activities.seats import LOST, NEVER, READS, workspace

FORTY = [f"member{number}@acme.test" for number in range(40)]


async def inviting(outside: Outside, emails: list[str]) -> InviteArgs:
    return InviteArgs(workspace_id=(await workspace(outside)).external_ref, emails=emails)


async def test_everybody_is_invited_in_one_request_and_once(outside: Outside):
    args = await inviting(outside, FORTY)
    first = await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    again = await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    assert (first.result["invited"], first.result["failed"]) == (FORTY, [])
    assert again.external_ref == first.external_ref
    assert outside.sent("workspaces") == ["create", "send", "send"]
    (effect,) = outside.effects("invitation.send")
    assert (effect.key, effect.run, effect.audience) == (KEY, RUN, ["customer"])


async def test_who_was_not_reached_is_named_beside_who_was(outside: Outside):
    args = await inviting(outside, FORTY)
    outside.arm("workspaces", "send", "partial:3")
    receipt = await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    assert receipt.result["invited"] == FORTY[:37]
    assert receipt.result["failed"] == [{"email": each, "code": "mailbox_unavailable"} for each in FORTY[37:]]
    (seen,) = await look(INVITE_MEMBERS, outside.workspaces(READS), call(args))
    assert (seen.state, seen.result["failed"]) == ("standing", receipt.result["failed"])


async def test_a_batch_that_reached_nobody_is_a_refusal_and_is_not_found_to_stand(outside: Outside):
    args = await inviting(outside, FORTY[:2])
    outside.arm("workspaces", "send", "partial:2")
    with pytest.raises(Refused) as refused:
        await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    assert (refused.value.code, refused.value.remembered) == ("nobody_invited", True)
    (seen,) = await look(INVITE_MEMBERS, outside.workspaces(READS), call(args))
    assert (seen.state, outside.effects("invitation.send")) == ("failed", [])


@LOST
async def test_a_lost_answer_is_unknown_after_one_request_and_found(outside: Outside, fault: str):
    args = await inviting(outside, FORTY)
    outside.arm("workspaces", "send", fault)
    with pytest.raises(Unanswered):
        await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    (seen,) = await look(INVITE_MEMBERS, outside.workspaces(READS), call(args))
    assert (seen.state, seen.result["invited"]) == ("standing", FORTY)
    assert outside.sent("workspaces") == ["create", "send"]
    assert len(outside.effects("invitation.send")) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_nobody_was_told(outside: Outside, fault: str):
    args = await inviting(outside, FORTY)
    outside.arm("workspaces", "send", fault)
    with pytest.raises(Unanswered):
        await INVITE_MEMBERS.perform(outside.workspaces(), call(args))
    assert outside.effects("invitation.send") == []


def test_the_longest_list_with_everybody_failing_fits_into_the_log():
    emails = [f"{number:03}{'x' * 21}@acme.test" for number in range(200)]
    InviteArgs(workspace_id="ws_1", emails=emails)
    assert sum(map(len, emails)) > 6_500
    said = {"id": "inv_" + "0" * 60, "state": "sent", "saga_execution": EXECUTION}
    failed: list[JsonValue] = [{"email": each, "code": "mailbox_unavailable"} for each in emails]
    receipt = Thing.parse("invitations", said).receipt(invited=[], failed=failed)
    assert len(receipt.model_dump_json()) < RESULT_LIMIT


def test_one_address_can_be_written_to_and_many_are_a_persons_matter():
    assert INVITE_MEMBERS.correct is not None
    letter = INVITE_MEMBERS.correct(InviteArgs(workspace_id="ws_1", emails=["ben@acme.test"]))
    assert letter is not None
    assert letter.args["to"] == "ben@acme.test"
    assert INVITE_MEMBERS.correct(InviteArgs(workspace_id="ws_1", emails=FORTY)) is None
    assert INVITE_MEMBERS.gate
