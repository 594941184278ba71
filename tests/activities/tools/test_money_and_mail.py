"""What the tools of payments and mail say of themselves: every half is there, and takes what its other half writes."""

import dataclasses

import pytest

from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.capture_payment import CAPTURE_PAYMENT
from activities.tools.charge_card import CHARGE_CARD
from activities.tools.draft_email import DRAFT_EMAIL
from activities.tools.refund_order import REFUND_ORDER
from activities.tools.send_draft import SEND_DRAFT
from activities.tools.send_email import SEND_EMAIL
from compensations.delete_draft import DELETE_DRAFT
from compensations.refund_charge import REFUND_CHARGE
from compensations.send_correction import SEND_CORRECTION
from compensations.void_authorisation import VOID_AUTHORISATION
from saga.errors import RegistrationError
from saga.registry import Registry

TOOLS = [CHARGE_CARD, AUTHORISE_PAYMENT, CAPTURE_PAYMENT, REFUND_ORDER, DRAFT_EMAIL, SEND_DRAFT, SEND_EMAIL]
COUNTERS = [REFUND_CHARGE, VOID_AUTHORISATION, DELETE_DRAFT, SEND_CORRECTION]


def test_they_are_registered_as_they_are():
    registry = Registry(tools=TOOLS, counters=COUNTERS, agents=[])
    assert registry.commit_halves == {"capture_payment", "send_draft"}


@pytest.mark.parametrize("missing", ["refund_charge", "void_authorisation", "delete_draft"])
def test_none_is_registered_without_its_counter_action(missing: str):
    with pytest.raises(RegistrationError):
        Registry(tools=TOOLS, counters=[each for each in COUNTERS if each.name != missing], agents=[])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_correction_takes_what_its_tool_writes(tool):
    if tool.correct is None:
        assert tool.tool_class != "irreversible"
        return
    letter = tool.correct(tool.args.model_validate(tool.example))
    assert letter.tool == SEND_CORRECTION.name
    SEND_CORRECTION.args.model_validate(letter.args)


def test_a_correction_fits_whatever_the_subject():
    longest = {**SEND_EMAIL.example, "subject": "x" * 250}
    assert SEND_EMAIL.correct is not None
    letter = SEND_EMAIL.correct(SEND_EMAIL.args.model_validate(longest))
    assert letter is not None
    SEND_CORRECTION.args.model_validate(letter.args)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_arguments_survive_the_way_through_a_row(tool):
    typed = tool.args.model_validate(tool.example)
    assert tool.args.model_validate(typed.model_dump(mode="json")) == typed


@pytest.mark.parametrize("tool", [*TOOLS, *COUNTERS], ids=lambda tool: tool.name)
def test_a_pace_may_be_replaced(tool):
    assert dataclasses.replace(tool, index_lag_s=0.0).name == tool.name
