"""The warehouse: goods set aside for a stated time, given back, shipped.

It honours our key as a natural one: a reservation, and the parcel made of it, has one `saga_key` for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote

from activities.providers.service import Service
from saga.draft import Pace
from saga.errors import NotSent, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Tags

PACE = Pace(
    request_s=10,  # a row in a table: done within a second; ten times that is no longer slow but silent
    attempt_s=40,  # a half makes three requests at most (find, change, read back), none to outlive the attempt
    patience_s=600,  # a restart of the warehouse, or of our workers, is over within minutes
    tries=3,  # the second is answered by key; a third outlives a short outage
)
INDEX_LAG_S = 5.0
"""Its lists are read from where it writes, so a new row shows at once; seconds more for one still being written."""
HOLD_S = 25 * 3600
"""How long goods are set aside. An approval may take a day unless told otherwise: an hour more for the planning before
it and the commits after it. Goods set aside are goods not sold, so no longer."""

_REFUSALS = (
    "out_of_stock",
    "reservation_expired",
    "reservation_released",
    "reservation_confirmed",
)
"""The 409s that are a no. `in_use` and `saga_key_in_use` speak of another request."""
_PAGE = 100
_PAGES = 10
"""100 is its largest page; a thousand of one key is no answer to work with."""

_STATES: Mapping[str, Literal["standing", "undone"]] = {
    "held": "standing",
    "confirmed": "standing",
    "released": "undone",
    "expired": "undone",
}


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """Goods set aside; `state`: held, confirmed (the parcel has left), released or expired."""

    id: str
    state: str
    order_id: str
    sku: str
    holds_until: datetime
    execution: str | None

    @classmethod
    def parse(cls, said: Mapping[str, Any]) -> Reservation:
        """From the warehouse's JSON. Unanswered where it is none."""
        try:
            return cls(
                id=_text(said["id"]),
                state=_text(said["state"]),
                order_id=str(said["order_id"]),
                sku=str(said["sku"]),
                holds_until=datetime.fromtimestamp(float(said["expires_at"]), UTC),
                execution=said.get("saga_execution"),
            )
        except (KeyError, TypeError, ValueError):
            raise Unanswered("the warehouse's answer is no reservation", code="no_answer") from None

    def sighting(self) -> Sighting:
        """The reservation as an effect; undone once the goods are back on the shelf."""
        return Sighting(
            external_ref=self.id,
            state=_STATES.get(self.state, "pending"),
            result={"reservation": self.id, "state": self.state, "sku": self.sku},
            execution=self.execution,
            holds_until=self.holds_until if self.state == "held" else None,
        )


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """What has left; nobody can call it back."""

    id: str
    tracking: str
    reservation: str
    execution: str | None

    @classmethod
    def parse(cls, said: Mapping[str, Any]) -> Parcel:
        """From the warehouse's JSON. Unanswered where it is none."""
        try:
            return cls(
                id=_text(said["id"]),
                tracking=str(said["tracking"]),
                reservation=_text(said["reservation_id"]),
                execution=said.get("saga_execution"),
            )
        except (KeyError, TypeError, ValueError):
            raise Unanswered("the warehouse's answer is no parcel", code="no_answer") from None

    def receipt(self) -> Receipt:
        """The parcel as the provider's answer."""
        return Receipt(
            external_ref=self.id,
            result={"parcel": self.id, "tracking": self.tracking, "reservation": self.reservation},
            execution=self.execution,
        )


class Warehouse:
    """The warehouse, with one token: one that writes, or one that only reads."""

    def __init__(self, *, url: str, token: str, timeout_s: float) -> None:
        """`url` without `/warehouse`. Nothing is sent before the first call."""
        self._service = Service("warehouse", url=url, token=token, timeout_s=timeout_s, conflicts=_REFUSALS)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    async def reserve(self, tags: Tags, *, order_id: str, address: Json | None, reason: str) -> Reservation:
        """Set the order's goods aside. The reservation of this key where there is one, whatever became of it."""
        body: Json = {**_marks(tags), "order_id": order_id, "ttl_s": HOLD_S, "reason": reason}
        if address is not None:
            body["address"] = address
        return Reservation.parse(await self._service.post("/warehouse/reservations", body))

    async def release(self, reservation: str, tags: Tags) -> Reservation:
        """Give the goods back; twice is once."""
        path = f"/warehouse/reservations/{quote(reservation, safe='')}/release"
        return Reservation.parse(await self._service.post(path, _marks(tags)))

    async def ship(self, reservation: str, tags: Tags) -> Parcel:
        """Send the parcel; twice under one key is once."""
        path = f"/warehouse/reservations/{quote(reservation, safe='')}/confirm"
        return Parcel.parse(await self._service.post(path, _marks(tags)))

    async def reservation(self, reference: str) -> Reservation | None:
        """The reservation of this id; None where the warehouse knows none."""
        try:
            said = await self._service.get(f"/warehouse/reservations/{quote(reference, safe='')}")
        except NotSent as error:
            if error.status == 404 and error.code == "not_found":
                return None
            raise
        return _read_as(Reservation, said)

    async def reservations(self, key: str) -> list[Reservation]:
        """Every reservation that carries this key, oldest first."""
        return [_read_as(Reservation, said) for said in await self._carrying("reservations", key)]

    async def parcels(self, key: str) -> list[Parcel]:
        """Every parcel that carries this key, oldest first."""
        return [_read_as(Parcel, said) for said in await self._carrying("parcels", key)]

    async def _carrying(self, kind: str, key: str) -> list[Json]:
        found: list[Json] = []
        asked: dict[str, Any] = {"saga_key": key, "limit": _PAGE}
        for _ in range(_PAGES):
            page = await self._service.get(f"/warehouse/{kind}", asked)
            data = page.get("data")
            if not isinstance(data, list):
                raise NotSent("the warehouse answered no list", code="no_answer")
            # The filter is a hint; whose they are is decided here.
            found += [each for each in data if isinstance(each, dict) and each.get("saga_key") == key]
            asked["cursor"] = page.get("next_cursor")
            if not asked["cursor"]:
                break
        else:
            raise NotSent("the warehouse's list does not end", code="too_many", lasting=True)
        if not found:
            # A token that is known gets the warehouse's own "there is none"; any other is turned away here.
            await self.reservation(key)
        return sorted(found, key=lambda each: float(str(each.get("created_at", 0))))


def _marks(tags: Tags) -> Json:
    return {"saga_key": tags.key, "saga_run": tags.run_id, "saga_execution": tags.execution}


def _read_as(kind: Any, said: Mapping[str, Any]) -> Any:
    try:
        return kind.parse(said)
    except Unanswered as error:
        raise NotSent(error.message, code=error.code) from None


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("not a text")
    return value
