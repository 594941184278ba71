"""A document archived, brought back, deleted for good, against the sandbox: told by its state and by its marks."""

import pytest

from activities.tools.archive_document import ARCHIVE_DOCUMENT, ArchiveArgs
from activities.tools.delete_document import DELETE_DOCUMENT, DeleteArgs
from compensations.restore_document import RESTORE_DOCUMENT, RestoreArgs
from saga.errors import BadInput, NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import KEY, OTHER_KEY, UNDO_KEY, Outside, call, look
from tests.activities.things import LOST, STRANGER, tags

DOCUMENT = "doc_acme_draft"
ARCHIVE = call(ArchiveArgs(document_id=DOCUMENT))
RESTORE = call(RestoreArgs(archive_key=KEY, document_id=DOCUMENT), UNDO_KEY, ref=DOCUMENT)
DELETE = call(DeleteArgs(archive_key=KEY, document_id=DOCUMENT), OTHER_KEY, upstream={KEY: DOCUMENT})


async def state(outside: Outside) -> str:
    found = await outside.workspaces("workspaces-read").one("documents", DOCUMENT)
    assert found is not None
    return found.state


async def someone(outside: Outside, *actions: str) -> None:
    """Does these things, each under a key that is nobody's here."""
    for number, action in enumerate(actions):
        await outside.workspaces().act("documents", DOCUMENT, action, tags(f"{STRANGER[:-1]}{number}"))


async def seen(outside: Outside) -> tuple[list[str], list[str], list[str]]:
    """What the three lookups say: of the archiving, of the restoring, of the deletion."""
    reader = outside.workspaces("workspaces-read")
    looks = ((ARCHIVE_DOCUMENT, ARCHIVE), (RESTORE_DOCUMENT, RESTORE), (DELETE_DOCUMENT, DELETE))
    archived, restored, deleted = [[each.state for each in await look(half, reader, of)] for half, of in looks]
    return archived, restored, deleted


async def test_it_is_out_of_sight_once_under_our_key(outside: Outside):
    assert await seen(outside) == ([], ["standing"], [])
    first = await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    again = await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    assert first.external_ref == again.external_ref == DOCUMENT
    (effect,) = outside.effects("document.archive")
    assert (effect.key, effect.audience, await state(outside)) == (KEY, ["support_team"], "archived")
    assert await seen(outside) == (["standing"], [], [])


async def test_it_is_brought_back_once_under_the_counter_actions_key(outside: Outside):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    for _ in range(2):
        await RESTORE_DOCUMENT.perform(outside.workspaces(), RESTORE)
    (archiving,), (restoring,) = outside.effects("document.archive"), outside.effects("document.restore")
    assert (archiving.state, restoring.key, await state(outside)) == ("undone", UNDO_KEY, "live")
    assert await seen(outside) == (["undone"], ["standing"], [])


async def test_it_is_deleted_once_and_for_good(outside: Outside):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    for _ in range(2):
        receipt = await DELETE_DOCUMENT.perform(outside.workspaces(), DELETE)
        assert "already" not in receipt.result
    (effect,) = outside.effects("document.delete")
    assert (effect.key, await state(outside)) == (OTHER_KEY, "removed")
    assert await seen(outside) == (["standing"], [], ["standing"])


@LOST
@pytest.mark.parametrize("half", ["archive", "restore", "delete"])
async def test_a_lost_answer_is_unknown_and_found(outside: Outside, half: str, fault: str):
    halves = {
        "archive": (ARCHIVE_DOCUMENT, ARCHIVE),
        "restore": (RESTORE_DOCUMENT, RESTORE),
        "delete": (DELETE_DOCUMENT, DELETE),
    }
    tool, asked = halves[half]
    if half != "archive":
        await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    before = len(outside.sent("workspaces"))
    outside.arm("workspaces", "delete" if half == "delete" else "update", fault)
    with pytest.raises(Unanswered):
        await tool.perform(outside.workspaces(), asked)
    assert len(outside.sent("workspaces")) == before + 1
    (found,) = await look(tool, outside.workspaces("workspaces-read"), asked)
    assert (found.state, "already" in found.result) == ("standing", False)
    await tool.perform(outside.workspaces(), asked)
    assert len(outside.effects(f"document.{half}")) == 1


async def test_what_somebody_else_archived_is_neither_ours_nor_brought_back(outside: Outside):
    await someone(outside, "archive")
    with pytest.raises(Refused) as error:
        await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    assert (error.value.code, outside.sent("workspaces")) == ("archived_elsewhere", ["update"])
    assert await seen(outside) == ([], ["standing"], [])
    await RESTORE_DOCUMENT.perform(outside.workspaces(), RESTORE)
    assert await state(outside) == "archived"


async def test_what_somebody_brought_back_is_not_archived_a_second_time_under_one_key(outside: Outside):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    await someone(outside, "restore")
    assert await seen(outside) == (["undone"], ["standing"], [])
    with pytest.raises(Refused) as error:
        await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    assert (error.value.code, error.value.remembered) == ("restored_since", True)
    assert len(outside.effects("document.archive")) == 1
    assert outside.sent("workspaces") == ["update", "update"]
    receipt = await RESTORE_DOCUMENT.perform(outside.workspaces(), RESTORE)
    assert (receipt.found, receipt.result["already"]) == (True, True)
    assert [each.key for each in outside.effects("document.restore")] != [UNDO_KEY]


@pytest.mark.parametrize("actions", [("restore",), ("restore", "archive")])
async def test_what_is_no_longer_archived_by_us_is_not_deleted(outside: Outside, actions: tuple[str, ...]):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    await someone(outside, *actions)
    with pytest.raises(Refused) as error:
        await DELETE_DOCUMENT.perform(outside.workspaces(), DELETE)
    assert error.value.code == "restored_since"
    assert outside.effects("document.delete") == []


async def test_what_somebody_else_archived_anew_is_theirs_to_keep(outside: Outside):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    await someone(outside, "restore", "archive")
    receipt = await RESTORE_DOCUMENT.perform(outside.workspaces(), RESTORE)
    assert receipt.result["already"] is True
    assert await state(outside) == "archived"


async def test_what_somebody_deleted_is_a_persons_matter_to_bring_back(outside: Outside):
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    await someone(outside, "delete")
    assert await seen(outside) == (["standing"], [], ["standing"])
    with pytest.raises(Refused) as error:
        await RESTORE_DOCUMENT.perform(outside.workspaces(), RESTORE)
    assert error.value.code == "document_removed"
    receipt = await DELETE_DOCUMENT.perform(outside.workspaces(), DELETE)
    assert (receipt.found, receipt.result["already"]) == (True, True)
    assert len(outside.effects("document.delete")) == 1


async def test_a_look_that_fails_is_an_error_and_sends_nothing(outside: Outside):
    for tool, asked in ((ARCHIVE_DOCUMENT, ARCHIVE), (RESTORE_DOCUMENT, RESTORE), (DELETE_DOCUMENT, DELETE)):
        outside.arm("workspaces", "read", "after:html200", times=2)
        with pytest.raises(ProviderError):
            await look(tool, outside.workspaces("workspaces-read"), asked)
        with pytest.raises(NotSent):
            await tool.perform(outside.workspaces(), asked)
    assert outside.sent("workspaces") == []


async def test_a_document_that_is_not_there_is_bad_input(outside: Outside):
    assert ARCHIVE_DOCUMENT.check is not None
    reader = outside.workspaces("workspaces-read")
    await ARCHIVE_DOCUMENT.check(reader, ArchiveArgs(document_id=DOCUMENT))
    await ARCHIVE_DOCUMENT.perform(outside.workspaces(), ARCHIVE)
    await ARCHIVE_DOCUMENT.check(reader, ArchiveArgs(document_id=DOCUMENT))  # asked again, it is the step of before
    await someone(outside, "delete")
    for document_id in (DOCUMENT, "doc_unknown"):
        with pytest.raises(BadInput) as error:
            await ARCHIVE_DOCUMENT.check(reader, ArchiveArgs(document_id=document_id))
        assert error.value.field == "document_id"
    with pytest.raises(Refused):
        await ARCHIVE_DOCUMENT.perform(outside.workspaces(), call(ArchiveArgs(document_id="doc_unknown")))
