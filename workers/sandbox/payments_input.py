"""What comes in over Stripe's wire, all strings, turned into what it means, or refused as Stripe does."""

import re
from collections.abc import Mapping
from typing import Any

from workers.sandbox.documents import Comparison
from workers.sandbox.payments_error import Refusal

_METADATA = {"fields": 50, "name": 40, "value": 500}
"""Stripe's limits on metadata."""
_WINDOW = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}

Params = Mapping[str, Any]


def known(params: Params, allowed: set[str]) -> None:
    """Refuse parameters that this endpoint does not have."""
    for name in params:
        if name not in allowed | {"expand"}:
            raise _unknown(name)


def text(params: Params, name: str) -> str | None:
    """A string; None where it is not given. An empty one is refused, as an empty parameter unsets."""
    value = params.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refusal(f"Invalid string: {value}", param=name)
    if not value:
        raise Refusal(
            f"You passed an empty string for '{name}'. We assume empty values are an attempt to unset a"
            f" parameter; however '{name}' cannot be unset.",
            code="parameter_invalid_empty",
            param=name,
        )
    return value


def required(params: Params, name: str) -> str:
    """A string that has to be there."""
    value = text(params, name)
    if value is None:
        raise Refusal(f"Missing required param: {name}.", code="parameter_missing", param=name)
    return value


def one_of(params: Params, name: str, allowed: tuple[str, ...]) -> str | None:
    """A string out of a few."""
    value = text(params, name)
    if value is not None and value not in allowed:
        words = f"{', '.join(allowed[:-1])}, or {allowed[-1]}"
        raise Refusal(f"Invalid {name}: must be one of {words}", param=name)
    return value


def flag(params: Params, name: str) -> bool:
    """`true` or `false`; not given is false."""
    value = text(params, name)
    if value not in {None, "true", "false"}:
        raise Refusal(f"Invalid boolean: {value}", param=name)
    return value == "true"


def integer(params: Params, name: str, *, least: int = 1, most: int | None = None) -> int | None:
    """A whole number: `10.5`, `1e3` and `ten` are refused, and so is what is too small or too large."""
    value = text(params, name)
    if value is None:
        return None
    code = "parameter_invalid_integer"
    if not re.fullmatch(r"[+-]?\d{1,18}", value):
        raise Refusal(f"Invalid integer: {value}", code=code, param=name)
    number = int(value)
    if number < least:
        raise Refusal(f"This value must be greater than or equal to {least}.", code=code, param=name)
    if most is not None and number > most:
        raise Refusal(f"This value must be less than or equal to {most}.", code=code, param=name)
    return number


def email(params: Params, name: str) -> str | None:
    """An address, as far as Stripe looks."""
    value = text(params, name)
    if value is not None and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", value):
        raise Refusal(f"Invalid email address: {value}", code="email_invalid", param=name)
    return value


def metadata(params: Params) -> dict[str, str]:
    """The metadata given, within Stripe's limits; an empty value unsets its name."""
    given = params.get("metadata")
    if given is None or given == "":
        return {}
    if not isinstance(given, dict):
        raise Refusal("Invalid object", param="metadata")
    if len(given) > _METADATA["fields"]:
        raise Refusal(f"Metadata can have up to {_METADATA['fields']} keys.", param="metadata")
    for name, value in given.items():
        if not isinstance(value, str):
            raise Refusal("Metadata values must be strings.", param=f"metadata[{name}]")
        if len(name) > _METADATA["name"] or len(value) > _METADATA["value"]:
            limits = f"keys up to {_METADATA['name']} and values up to {_METADATA['value']} characters"
            raise Refusal(f"Metadata can have {limits}.", param=f"metadata[{name}]")
    return given


def expand(params: Params, allowed: set[str]) -> set[str]:
    """What to put in place of ids."""
    given = params.get("expand") or []
    wanted = set(given if isinstance(given, list) else [given])
    for name in wanted - allowed:
        raise Refusal(f"This property cannot be expanded ({name}).", param="expand")
    return wanted


def window(params: Params) -> list[Comparison]:
    """`created`: a moment, or bounds `gt`, `gte`, `lt`, `lte`, in whole seconds."""
    given = params.get("created")
    if given is None:
        return []
    bounds = given if isinstance(given, dict) else {"": given}
    for name in bounds:
        if name and name not in _WINDOW:
            raise _unknown(f"created[{name}]")
    return [
        ("wire.created", _WINDOW.get(name, "="), integer(bounds, name, least=0))  # type: ignore[misc]
        for name in bounds
    ]


def _unknown(name: str) -> Refusal:
    return Refusal(f"Received unknown parameter: {name}", code="parameter_unknown", param=name)
