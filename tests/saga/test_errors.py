"""Errors say what is wrong in one line, and carry what their reader decides on."""

import pytest

from saga.errors import (
    BadInput,
    IllegalTransition,
    NotSent,
    ProviderError,
    Refused,
    RegistrationError,
    SagaError,
    Unanswered,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BadInput("limits.max_steps", "a whole number"), "limits.max_steps: a whole number"),
        (BadInput("", "expected one JSON object"), "expected one JSON object"),
        (RegistrationError("put_box", "has no class", "Set tool_class"), "put_box: has no class. Set tool_class"),
        (IllegalTransition(3, "FAILED", "CONFIRMED"), "step 3: FAILED cannot become CONFIRMED"),
        (Refused("card declined", code="card_declined", status=402), "card declined"),
    ],
)
def test_an_error_says_what_is_wrong_in_one_line(error, text):
    assert str(error) == text
    assert isinstance(error, SagaError)


def test_what_became_of_a_request_is_one_of_three_things():
    for kind in (Refused, NotSent, Unanswered):
        assert issubclass(kind, ProviderError)
    assert not issubclass(NotSent, Refused)
    assert not issubclass(Unanswered, Refused)


def test_a_door_shut_in_our_face_says_when_to_come_back_and_whether_it_is_any_use():
    busy = NotSent("too many requests", status=429, retry_after_s=7)
    assert (busy.retry_after_s, busy.lasting, busy.remembered) == (7, False, False)
    assert NotSent("bad login", status=401, lasting=True).lasting
