"""Order numbers and mail addresses as every tool takes them: one thing, one text."""

import pytest
from pydantic import TypeAdapter, ValidationError

from activities.mail_address import MailAddress
from activities.order_id import OrderId

ORDER_ID, ADDRESS = TypeAdapter(OrderId), TypeAdapter(MailAddress)


@pytest.mark.parametrize("typed", ["1182", "#1182", " 1182", "1182\n", " # 1182 "])
def test_t17_one_order_has_one_number(typed: str):
    assert ORDER_ID.validate_python(typed, strict=True) == "1182"


@pytest.mark.parametrize(
    "typed", ["", "#", "##1182", "11 82", "1182/..", "1182?x=1", "é", "1" * 65, 1182, None, ["1182"]]
)
def test_what_is_no_order_number_is_refused(typed):
    with pytest.raises(ValidationError):
        ORDER_ID.validate_python(typed, strict=True)


@pytest.mark.parametrize("typed", ["mara@customers.test", " Mara@Customers.TEST ", "MARA@customers.test\n"])
def test_t17_one_mailbox_has_one_address(typed: str):
    assert ADDRESS.validate_python(typed, strict=True) == "mara@customers.test"


@pytest.mark.parametrize(
    "typed", ["", "mara", "@b.c", "a@b", "a@b.", "a b@c.d", "a@b.c,d@e.f", "<a@b.c>", "a" * 252 + "@b.c", 7, None]
)
def test_what_is_no_bare_address_is_refused(typed):
    with pytest.raises(ValidationError):
        ADDRESS.validate_python(typed, strict=True)
