"""What may be asked of the workspace service: one record for each kind of thing that can be made.

Strict, and nothing beside what is named but the three `saga_` fields, so that a wrong field is named.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from workers.sandbox.workspaces_error import Refusal

SAGA = ("saga_key", "saga_run", "saga_execution")

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+$", max_length=254)]
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00]+$", max_length=200)]
"""Without NUL, which PostgreSQL cannot keep."""
Path = Annotated[str, StringConstraints(pattern=r"^[^\x00]+$", max_length=400)]
Ref = Annotated[str, StringConstraints(pattern=r"^[^\x00]+$", max_length=100)]
Currency = Annotated[str, StringConstraints(pattern=r"^[a-z]{3}$")]
Positive = Annotated[int, Field(gt=0, le=10**12)]
"""In minor units or pieces; more is a slip of the keyboard."""
Seats = Annotated[int, Field(gt=0, le=1_000_000)]


class Wish(BaseModel):
    """What somebody asks for, less whose it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class OfClient(Wish):
    """Whatever is a client's."""

    client: Slug


class NewWorkspace(OfClient):
    """A workspace, pending."""


class OfWorkspace(Wish):
    """Whatever belongs to a workspace."""

    workspace_id: Ref


class OfProject(Wish):
    """Whatever hangs on a project."""

    project_id: Ref


class NewAdmin(OfWorkspace):
    """Somebody who administers."""

    email: Email


class NewInvitation(OfWorkspace):
    """One mail to each of these."""

    emails: Annotated[list[Email], Field(min_length=1, max_length=200)]


class NewProject(OfWorkspace):
    """A project."""

    name: Name


class NewRepository(OfProject):
    """A repository, attached."""

    repository: Name


class NewTeam(OfProject):
    """A team, told."""

    team: Name


class NewFile(OfWorkspace):
    """A file with its text, a megabyte at most."""

    path: Path
    text: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=2**20)]


class NewRecord(OfWorkspace):
    """A record that points at the file of that path, which need not be there yet."""

    title: Name
    path: Path


class Line(Wish):
    """A line of an invoice."""

    product_id: Ref
    quantity: Positive
    unit_minor: Annotated[int, Field(ge=0, le=10**12)]


class NewInvoice(OfWorkspace):
    """An invoice, whole."""

    currency: Currency
    lines: Annotated[list[Line], Field(min_length=1, max_length=100)]


class NewReservation(OfWorkspace):
    """Seats, set aside for `ttl_s`: a quarter of an hour unless told, a day at most."""

    quantity: Seats
    ttl_s: Annotated[int, Field(ge=60, le=86_400)] = 900


class NewPurchase(Wish):
    """The seats of a reservation, paid at once."""

    reservation_id: Ref
    quantity: Seats
    amount_minor: Positive
    currency: Currency


class NewRefund(Wish):
    """Money back."""

    purchase_id: Ref
    amount_minor: Positive
    reason: Name


class SignIn(OfWorkspace):
    """Somebody at the door."""

    email: Email


class Numbers(BaseModel):
    """How a list is cut: `cursor` is the `next_cursor` of the page before."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: Annotated[int, Field(ge=0)] = 0


_Input = TypeVar("_Input", bound=BaseModel)

Kind = Literal["json", "query"]


def read(model: type[_Input], fields: Any, kind: Kind = "json") -> _Input:
    """`fields` as that record; Refusal 422 naming the first that does not fit."""
    if not isinstance(fields, dict):
        raise Refusal(422, "invalid_request", "The body must be a JSON object.")
    wanted = {name: value for name, value in fields.items() if name not in SAGA}
    try:
        return model.model_validate(wanted, strict=kind == "json")
    except ValidationError as wrong:
        first = wrong.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise Refusal(422, "invalid_request", f"{where}: {first['msg']}.") from None
