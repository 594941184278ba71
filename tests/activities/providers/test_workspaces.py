"""The workspace service's client against the sandbox: whose a thing is, all pages, and what counts as an answer."""

import pytest

from activities.providers.thing import Account, Kind, Thing
from activities.providers.workspaces import located
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.tool import Tags
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, call
from tests.activities.seats import READS, SEATS_KEY, WORKSPACE_KEY, held, undoing, workspace

TAGS = Tags(key=KEY, run_id=RUN, step_idx=0, execution=EXECUTION)
SAID = {"id": "rsv_1", "state": "held", "saga_key": KEY, "saga_execution": EXECUTION, "expires_at": 60.0, "quantity": 2}


async def test_what_a_key_made_is_found_by_it_with_every_mark(outside: Outside):
    made = await outside.workspaces().make("workspaces", TAGS, client="acme")
    (found,) = await outside.workspaces(READS).carrying("workspaces", KEY)
    assert (found.id, found.key, found.execution, found.state) == (made.id, KEY, EXECUTION, "provisioning")
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("workspace.create", KEY, RUN, EXECUTION)


async def test_an_action_leaves_its_key_as_a_mark_and_twice_is_once(outside: Outside):
    made = await outside.workspaces().make("workspaces", TAGS, client="acme")
    act = Tags(key=OTHER_KEY, run_id=RUN, step_idx=1, execution=EXECUTION)
    await outside.workspaces().act("workspaces", made.id, "activate", act)
    after = await outside.workspaces().act("workspaces", made.id, "activate", act)
    assert (after.state, after.marks, after.carries(OTHER_KEY)) == ("active", {"activate": OTHER_KEY}, True)
    assert len(outside.effects("workspace.activate")) == 1


async def test_all_pages_are_read_and_compared_here(outside: Outside, monkeypatch):
    workspaces = outside.workspaces()
    for number in range(3):
        tags = Tags(key=f"{number}" * 32, run_id=RUN, step_idx=number, execution=EXECUTION)
        await workspaces.make("workspaces", tags, client="acme")
    monkeypatch.setattr("activities.providers.workspaces._PAGE", 1)
    found = await workspaces._listed("workspaces", {"saga_run": RUN})
    assert [each.key for each in found] == [f"{number}" * 32 for number in range(3)]
    monkeypatch.setattr("activities.providers.workspaces._PAGES", 2)
    with pytest.raises(NotSent) as error:
        await workspaces._listed("workspaces", {"saga_run": RUN})
    assert (error.value.code, error.value.lasting) == ("too_many", True)


async def test_a_filter_that_is_not_heeded_finds_nobody_elses(outside: Outside, monkeypatch):
    await workspace(outside)
    workspaces = outside.workspaces()
    get = workspaces._service.get

    async def unfiltered(path: str, params=None):
        return await get(path, {"limit": 100} if params else None)

    monkeypatch.setattr(workspaces._service, "get", unfiltered)
    assert await workspaces.carrying("workspaces", KEY) == []
    assert len(await workspaces.carrying("workspaces", WORKSPACE_KEY)) == 1


async def test_nothing_of_a_key_is_only_said_with_a_token_that_is_known(outside: Outside):
    assert await outside.workspaces(READS).carrying("workspaces", KEY) == []
    assert await outside.workspaces(READS).one("workspaces", "ws_nobody") is None
    with pytest.raises(NotSent):
        await outside.workspaces("stale").carrying("workspaces", KEY)
    await workspace(outside)
    outside.arm("workspaces", "*", "blind", times=2)
    with pytest.raises(NotSent):
        await outside.workspaces(READS).carrying("workspaces", WORKSPACE_KEY)


@pytest.mark.parametrize("fault", ["before:503", "before:reset", "after:blank200", "after:html200", "refuse:401"])
async def test_a_look_that_fails_is_an_error_and_never_an_absence(outside: Outside, fault: str):
    outside.arm("workspaces", "list", fault)
    with pytest.raises(ProviderError):
        await outside.workspaces(READS).carrying("workspaces", KEY)


@pytest.mark.parametrize("token", [READS, "stale"])
async def test_who_may_not_write_is_told_so_for_good(outside: Outside, token: str):
    with pytest.raises(NotSent) as error:
        await outside.workspaces(token).make("workspaces", TAGS, client="acme")
    assert error.value.lasting
    assert outside.effects() == []


async def test_no_service_there_is_not_sent(outside: Outside):
    with pytest.raises(NotSent):
        await outside.workspaces(url="http://127.0.0.1:9").make("workspaces", TAGS, client="acme")


async def test_the_services_no_names_the_field(outside: Outside):
    with pytest.raises(Refused) as error:
        await outside.workspaces().make("workspaces", TAGS, client="Not A Slug")
    assert "client" in error.value.message
    assert outside.effects() == []


async def test_it_is_located_by_reference_or_by_key_and_never_somebody_elses(outside: Outside):
    made = await held(outside)
    workspaces = outside.workspaces(READS)
    for half in (undoing(SEATS_KEY, made), undoing(SEATS_KEY)):
        found = await located(workspaces, half, "reservations", SEATS_KEY)
        assert found is not None
        assert found.id == made.external_ref
    upstream = call(undoing(SEATS_KEY).args, upstream={SEATS_KEY: made.external_ref})
    assert await located(workspaces, upstream, "reservations", SEATS_KEY) is not None
    with pytest.raises(NotSent) as error:
        await located(workspaces, undoing(OTHER_KEY, made), "reservations", OTHER_KEY)
    assert (error.value.code, error.value.lasting) == ("not_ours", True)
    with pytest.raises(NotSent) as error:
        await located(workspaces, undoing(OTHER_KEY), "reservations", OTHER_KEY)
    assert error.value.code == "target_unclear"


async def test_an_account_says_what_a_seat_costs(outside: Outside):
    account = await outside.workspaces(READS).account("umbrella")
    assert str(account.seat_price) == "1800 JPY"


@pytest.mark.parametrize("kind", ["repositories", "workspaces"])
@pytest.mark.parametrize("said", [{}, {"id": "", "state": "live"}, {"id": 7, "state": "live"}, {"id": "x_1"}])
def test_a_body_without_an_id_or_a_state_is_no_answer(kind: Kind, said: dict[str, object]):
    with pytest.raises(Unanswered):
        Thing.parse(kind, said)


@pytest.mark.parametrize("said", [{}, {"client": "acme", "currency": "usd", "seat_price_minor": "much"}])
def test_half_an_account_is_no_answer(said: dict[str, object]):
    with pytest.raises(Unanswered):
        Account.parse(said)


def test_a_hold_says_until_when_and_only_while_it_holds():
    assert Thing.parse("reservations", SAID).receipt().holds_until is not None
    assert Thing.parse("reservations", {**SAID, "state": "confirmed"}).receipt().holds_until is None


@pytest.mark.parametrize(
    ("kind", "state", "meaning"),
    [
        ("workspaces", "abandoned", "undone"),
        ("workspaces", "deleted", "undone"),
        ("reservations", "expired", "undone"),
        ("reservations", "confirmed", "standing"),
        ("refunds", "requested", "pending"),
        ("refunds", "failed", "failed"),
        ("invoices", "never heard of", "pending"),
    ],
)
def test_what_a_state_means(kind: Kind, state: str, meaning: str):
    assert Thing.parse(kind, {**SAID, "state": state}).sighting().state == meaning


def test_what_a_key_names_for_ever_and_is_undone_is_refused_for_ever():
    gone = Thing.parse("reservations", {**SAID, "state": "expired"})
    with pytest.raises(Refused) as error:
        gone.made(TAGS)
    assert (error.value.code, error.value.remembered) == ("reservation_expired", True)
    foreign = Tags(key=KEY, run_id=RUN, step_idx=0, execution="another")
    assert gone.made(foreign).execution == EXECUTION


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_a_number_is_a_whole_number(value: object):
    with pytest.raises(Unanswered):
        Thing.parse("reservations", {**SAID, "quantity": value}).number("quantity")
