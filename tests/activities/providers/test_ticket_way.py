"""Which way out of a ticket's state is taken, told from what Jira lists alone."""

from typing import Any

import pytest

from activities.providers.ticket_way import Way, to_close, to_publish

RESOLUTION = {"required": True, "allowedValues": [{"id": "1", "name": "Done"}, {"id": "2", "name": "Won't Do"}]}


def way(to: str, category: str, **fields: Any) -> Way:
    return Way(id=to, name=f"go to {to}", to=to, category=category, fields=fields)


def closing(*ways: Way, at: str = "Open", been: tuple[str, ...] = ()) -> str | None:
    chosen = to_close(ways, been=been, draft="Draft", at=at)
    return chosen and chosen.to


def test_a_done_state_is_told_by_its_category_whatever_it_is_called():
    """T28."""
    assert closing(way("Abgeschlossen", "done"), way("In Progress", "indeterminate")) == "Abgeschlossen"


def test_a_way_that_records_a_resolution_is_preferred():
    assert closing(way("Done", "done"), way("Closed", "done", resolution=RESOLUTION)) == "Closed"


def test_a_way_whose_screen_insists_on_a_field_that_we_cannot_fill_is_none():
    """T28."""
    needy = way("Closed", "done", customfield_1={"required": True})
    assert closing(needy) is None
    assert closing(needy, way("Rejected", "done")) == "Rejected"


@pytest.mark.parametrize("rule", [{"required": True, "hasDefaultValue": True}, {"required": False}, {}])
def test_a_field_that_may_stay_as_it_is_stops_nobody(rule: Any):
    assert closing(way("Closed", "done", customfield_1=rule)) == "Closed"


def test_without_a_direct_way_it_goes_on_towards_the_end():
    assert closing(way("Backlog", "new"), way("In Review", "indeterminate")) == "In Review"


def test_it_goes_nowhere_twice():
    assert closing(way("Open", "new"), at="In Review", been=("Open",)) is None
    assert closing(way("In Review", "indeterminate"), at="In Review") is None


def test_a_draft_is_closed_directly_or_not_at_all():
    assert closing(way("Open", "new"), at="Draft") is None
    assert closing(way("Closed", "done"), at="Draft") == "Closed"


def test_publishing_goes_into_the_queue_and_never_to_the_end():
    ways = (way("Closed", "done"), way("In Progress", "indeterminate"), way("Draft", "new"), way("Open", "new"))
    assert getattr(to_publish(ways, draft="Draft"), "to", None) == "Open"
    assert getattr(to_publish(ways[:3], draft="Draft"), "to", None) == "In Progress"
    assert to_publish((way("Closed", "done"),), draft="Draft") is None


@pytest.mark.parametrize(
    ("rule", "wanted", "given"),
    [
        (RESOLUTION, ("Won't Do",), {"name": "Won't Do"}),
        (RESOLUTION, ("Declined",), {"name": "Done"}),
        ({**RESOLUTION, "required": False}, ("Declined",), None),
        ({"required": True, "allowedValues": []}, ("Declined",), None),
        (None, ("Won't Do",), None),
    ],
)
def test_the_resolution_is_ours_if_allowed_any_if_required_and_none_if_not_on_the_screen(
    rule: Any, wanted: tuple[str, ...], given: Any
):
    """T28."""
    fields = {} if rule is None else {"resolution": rule}
    assert way("Closed", "done", **fields).resolution(wanted) == given


def test_parse_takes_a_transition_without_fields():
    raw = {"id": 5, "name": "X", "to": {"name": "Done", "statusCategory": {"key": "done"}}}
    assert Way.parse(raw) == Way(id="5", name="X", to="Done", category="done", fields={})
