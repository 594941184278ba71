"""What sales may ask for: everything else ends the run before its first row, with the field that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from activities.admit import examine
from saga.errors import BadInput
from workers.composition import model_of, registry
from workers.settings import Settings

REGISTRY = registry(Settings())
FORTY = [f"member{number:02}@acme.test" for number in range(1, 41)]


def request(**changes: Any) -> dict[str, Any]:
    asked = {"client": "acme", "admin": "ada@acme.test", "members": FORTY, "seats": 40, **changes}
    return {"agent": "onboarding", "request": asked, "requested_by": "ann", "model": "scripted:onboarding"}


def admitted(**changes: Any) -> Any:
    return examine(REGISTRY, model_of, request(**changes), "run-1")


def test_what_fits_is_about_the_client() -> None:
    assert admitted().subject == "acme"


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("members", [*FORTY[:-1], "member40 at acme"], "request.members.39"),
        ("members", [], "request.members"),
        ("members", [*FORTY, FORTY[0].upper()], "member01@acme.test is named twice"),
        ("members", [f"m{number}@acme.test" for number in range(201)], "request.members"),
        ("members", "ben@acme.test", "request.members"),
        ("admin", "ada", "request.admin"),
        ("seats", 0, "request.seats"),
        ("seats", -40, "request.seats"),
        ("seats", 40.0, "request.seats"),
        ("seats", "40", "request.seats"),
        ("seats", True, "request.seats"),
        ("client", "Acme & Sons", "request.client"),
        ("client", "../acme", "request.client"),
        ("discount", 10, "request.discount"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(field: str, value: Any, named: str) -> None:
    with pytest.raises(BadInput) as refused:
        admitted(**{field: value})
    assert named in str(refused.value)
