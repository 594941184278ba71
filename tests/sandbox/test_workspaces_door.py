"""The door and the sales view: nobody gets into a pending workspace, and sales hears nothing of it."""

ADMIN, MEMBER, STRANGER = "boss@acme.test", "one@acme.test", "somebody@else.test"


async def _staged(office) -> str:
    home = await office.workspace()
    await office.made("admins", workspace_id=home, email=ADMIN)
    await office.made("invitations", workspace_id=home, emails=[MEMBER])
    await office.made("reservations", workspace_id=home, quantity=40)
    return home


async def _enters(office, home: str, email: str) -> tuple[int, str | None]:
    response = await office.post("sign-in", workspace_id=home, email=email)
    return response.status_code, response.json().get("error", {}).get("code")


async def test_a_pending_or_abandoned_workspace_is_in_neither(office):
    home = await _staged(office)
    for _ in range(2):
        for email in (ADMIN, MEMBER, STRANGER):
            assert await _enters(office, home, email) == (403, "not_active")
        assert await office.get("sales") == {"data": []}
        abandoned = await office.done(f"workspaces/{home}/abandon")
        assert abandoned["state"] == "abandoned", "who was turned away has not used it"


async def test_an_active_workspace_is_in_both_and_in_use_from_the_first_sign_in(office):
    home = await _staged(office)
    await office.done(f"workspaces/{home}/activate")
    assert await office.get("sales") == {"data": [{"client": "acme", "workspace_id": home, "seats": 0}]}
    [held] = (await office.get("reservations"))["data"]
    await office.done(f"reservations/{held['id']}/confirm")
    assert (await office.get("sales"))["data"][0]["seats"] == 40
    assert await _enters(office, home, STRANGER) == (403, "not_a_member")
    for email in (ADMIN, MEMBER):
        assert await _enters(office, home, email) == (200, None)
    assert await office.no(f"workspaces/{home}/abandon") == (409, "workspace_in_use")


async def test_who_is_no_longer_admin_stays_outside(office):
    home = await office.workspace()
    admin = await office.made("admins", workspace_id=home, email=ADMIN)
    await office.done(f"workspaces/{home}/activate")
    assert (await office.done(f"admins/{admin['id']}/revoke"))["state"] == "removed"
    assert await _enters(office, home, ADMIN) == (403, "not_a_member")
