"""Money is whole minor units of one currency, and a person reads it with its point in the right place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from saga.money import AmountMinor, Currency, Money
from tests.build import money

AMOUNT: TypeAdapter[int] = TypeAdapter(AmountMinor)
CURRENCY: TypeAdapter[str] = TypeAdapter(Currency)


@pytest.mark.parametrize(
    ("amount_minor", "currency", "text"),
    [
        (4900, "eur", "49.00 EUR"),
        (5, "usd", "0.05 USD"),
        (0, "eur", "0.00 EUR"),
        (9800, "jpy", "9800 JPY"),
        (1, "krw", "1 KRW"),
        (1234, "kwd", "1.234 KWD"),
        (7, "bhd", "0.007 BHD"),
        (99_999_999, "eur", "999999.99 EUR"),
    ],
)
def test_a_person_reads_the_amount_with_its_point(amount_minor, currency, text):
    assert str(money(amount_minor, currency)) == text


@pytest.mark.parametrize(
    ("currency", "text"),
    [
        *((each, f"5000 {each.upper()}") for each in ("xof", "xaf", "xpf", "pyg", "rwf", "bif", "djf", "gnf")),
        *((each, f"5000 {each.upper()}") for each in ("kmf", "mga", "vuv")),
        ("isk", "50.00 ISK"),  # kept in hundredths for the sake of old callers (docs.stripe.com/currencies)
    ],
)
def test_a_person_reads_what_stripe_will_take(currency, text):
    """T38."""
    assert str(money(5000, currency)) == text


@pytest.mark.parametrize("wrong", [0, -1, 100_000_000, 1000.0, 10.5, "500", True, None, "lots"])
def test_an_amount_that_is_not_whole_minor_units_within_bounds_is_refused(wrong):
    """T38."""
    with pytest.raises(ValidationError):
        AMOUNT.validate_python(wrong)


@pytest.mark.parametrize("amount", [1, 500, 99_999_999])
def test_whole_minor_units_within_bounds_are_taken(amount):
    assert AMOUNT.validate_python(amount) == amount


@pytest.mark.parametrize("wrong", ["EUR", "eu", "euro", "eur\n", "€", "", 978, None])
def test_a_currency_that_is_not_three_small_letters_is_refused(wrong):
    with pytest.raises(ValidationError):
        CURRENCY.validate_python(wrong)


@pytest.mark.parametrize("wrong", [-1, 1.0, "1", None])
def test_money_does_not_take_less_than_nothing_or_anything_but_a_whole_number(wrong):
    with pytest.raises(ValidationError):
        Money.model_validate({"amount_minor": wrong, "currency": "eur"})


def test_two_amounts_of_one_currency_add_up():
    assert money(4900) + money(100) == money(5000)


def test_two_currencies_do_not_add_up():
    with pytest.raises(ValueError, match="eur and jpy do not add up"):
        _ = money(100) + money(100, "jpy")


@settings(deadline=None)
@given(st.integers(0, 10**12), st.sampled_from(["eur", "usd", "jpy", "kwd"]))
def test_what_a_person_reads_says_exactly_what_is_taken(amount_minor, currency):
    """T38."""
    number, code = str(money(amount_minor, currency)).split()
    assert int(number.replace(".", "")) == amount_minor
    assert code == currency.upper()
