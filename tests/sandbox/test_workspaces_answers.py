"""What the workspace service answers: fields by name, lists, tokens, faults; on both databases."""

import pytest

from tests.sandbox.office import SAGA
from workers.sandbox.faults import FaultPlan
from workers.sandbox.workspaces import KINDS

KEY = "a" * 32


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("workspaces", {"client": "Acme Inc"}, "client"),
        ("workspaces", {"client": "acme", "colour": "red"}, "colour"),
        ("workspaces", {"client": "acme", "saga_key": ""}, "saga_key"),
        ("admins", {"email": "nobody"}, "email"),
        ("admins", {"workspace_id": "ws_none", "email": "a@acme.test"}, "workspace_id"),
        ("invitations", {"emails": []}, "emails"),
        ("invitations", {"emails": ["a@acme.test", "nobody"]}, "emails.1"),
        ("repositories", {"project_id": "prj_none", "repository": "r"}, "project_id"),
        ("files", {"path": "/nul\0.pdf", "text": ""}, "path"),
        ("reservations", {"quantity": 0}, "quantity"),
        ("reservations", {"quantity": "40"}, "quantity"),
        ("reservations", {"quantity": 1, "ttl_s": 59}, "ttl_s"),
        ("invoices", {"currency": "usd", "lines": [{"product_id": "prod_seat", "quantity": 1, "unit_minor": 1.5}]},
         "lines.0.unit_minor"),
        ("refunds", {"purchase_id": "pur_none", "amount_minor": 0, "reason": "r"}, "amount_minor"),
        ("refunds", {"purchase_id": "pur_none", "amount_minor": 1, "reason": "r"}, "purchase_id"),
    ],
)  # fmt: skip
async def test_a_field_that_does_not_fit_is_named_and_nothing_is_written(office, kind, body, field):
    home = await office.workspace()
    inside = {} if kind in {"workspaces", "repositories", "refunds"} else {"workspace_id": home}
    response = await office.post(kind, **{**inside, **body})
    assert response.status_code == 422
    error = response.json()["error"]
    assert (error["code"], error["message"].partition(": ")[0]) == ("invalid_request", field)
    assert (await office.get(kind))["data"] == (
        [] if kind != "workspaces" else [await office.get(f"workspaces/{home}")]
    )
    assert office.effects() == [("workspace.create", "standing")]


async def test_lists_are_oldest_first_whole_and_narrowed(office):
    homes = [await office.workspace("acme" if number % 2 else "globex") for number in range(5)]
    first = await office.get("workspaces", limit=3)
    rest = await office.get("workspaces", limit=3, cursor=first["next_cursor"])
    assert [each["id"] for each in first["data"] + rest["data"]] == homes
    assert rest["next_cursor"] is None
    key = first["data"][1]["saga_key"]
    assert [each["id"] for each in (await office.get("workspaces", saga_key=key))["data"]] == homes[1:2]
    assert len((await office.get("workspaces", client="globex", saga_run="run-7"))["data"]) == 3
    assert (await office.get("workspaces", saga_run="run-8"))["data"] == []
    for query in ("limit=0", "limit=101", "limit=x", "cursor=x", "colour=red"):
        assert (await office.client.get(f"/v1/workspaces?{query}")).status_code == 422


@pytest.mark.parametrize(("token", "reads", "writes"), [("read", 200, 403), ("none", 401, 401), ("write", 200, 201)])
async def test_a_token_reads_writes_or_is_unknown(office, token, reads, writes):
    headers = {"Authorization": f"Bearer workspaces-{token}"}
    for kind in ("workspaces", "sales", "accounts/acme"):
        assert (await office.client.get(f"/v1/{kind}", headers=headers)).status_code == reads
    body = {"client": "acme", "saga_key": KEY, **SAGA}
    assert (await office.client.post("/v1/workspaces", json=body, headers=headers)).status_code == writes


async def test_what_is_not_there_is_not_found_and_a_blind_token_sees_nothing(office):
    home = await office.workspace()
    for path in ("workspaces/ws_none", "nothing", "workspaces/ws_none/activate"):
        response = await office.client.get(f"/v1/{path}")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
    assert await office.no("workspaces/ws_none/activate") == (404, "not_found")
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="*", fault="blind"))
    assert await office.get("workspaces") == {"data": [], "next_cursor": None}
    assert (await office.client.get(f"/v1/workspaces/{home}")).status_code == 401


async def test_a_search_lags_and_a_read_does_not(office):
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="search", fault="lag:5"))
    home = await office.workspace()
    assert (await office.get("workspaces"))["data"] == []
    assert (await office.get(f"workspaces/{home}"))["id"] == home
    office.world.advance(5)
    assert len((await office.get("workspaces"))["data"]) == 1


async def test_a_fault_of_one_run_strikes_what_was_made_by_it(office):
    home = await office.workspace()
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="read", fault="refuse:503", run="run-7"))
    assert (await office.client.get(f"/v1/workspaces/{home}")).status_code == 503
    assert (await office.client.get(f"/v1/workspaces/{home}")).status_code == 200


async def test_every_kind_is_read_and_listed(office):
    for kind in KINDS:
        response = await office.client.get(f"/v1/{kind.name}/{kind.prefix}_none")
        assert response.json()["error"]["code"] == "not_found"
        assert set(await office.get(kind.name)) == {"data", "next_cursor"}


async def test_a_409_out_of_the_blue_is_the_usual_one(office):
    usual = {
        "reservations": "not_enough_seats", "reservations/rsv_1/confirm": "reservation_expired",
        "workspaces/ws_1/abandon": "workspace_in_use", "projects/prj_1/delete": "has_dependents",
        "documents/doc_1/delete": "not_archived", "refunds": "over_refund", "admins": "conflict",
        "admins/adm_1/revoke": "conflict",
    }  # fmt: skip
    for path, code in usual.items():
        office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="*", fault="refuse:409"))
        assert await office.no(path) == (409, code)
