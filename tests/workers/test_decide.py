"""Deciding: on a digest, on what stands now, or, on a terminal, on what was shown and agreed to."""

from typing import Any

import pytest
from typer.testing import CliRunner

from saga.proposal import build, call_of
from saga.word import Approval
from tests.workers.rows import RUN, confirmed, draft, later, log
from workers.cli import app
from workers.seen import Seen
from workflows.need import Need

GATE = "00112233445566aa"


class Desk:
    """Stands in for the server: one run, and what was sent to it."""

    def __init__(self) -> None:
        self.log = log()
        confirmed(self.log)
        self.queued = self.log.write(draft("send_email", target="mail to the customer"), "QUEUED", later(2))
        self.proposal = build(self.log, "nonce", later(3600))
        self.open = True
        self.gates: list[Need] = []
        self.sent: list[tuple[dict[str, Any], str]] = []
        self.updates: list[str] = []

    def gate(self) -> None:
        """Nothing is proposed; one call waits by itself."""
        self.open = False
        call = call_of(self.queued)
        about = {"step_idx": 1, "half": "call", "kind": "gate", "what": "may it?", "how": "saga approve"}
        self.gates = [Need.model_validate({**about, "digest": GATE, "call": call, "deadline": later(3600)})]

    async def see(self, _client, run_id):
        proposal = self.proposal if self.open else self.proposal.model_copy(update={"digest": None})
        phase = "AWAITING_APPROVAL" if self.open else "COMMITTED"
        needs = [need.model_dump(mode="json") for need in self.gates]
        status = {"phase": phase, "needs_human": needs}
        return Seen(run_id=run_id, rows=tuple(self.log), proposal=proposal, status=status)

    async def send(self, _handle, update, payload, *, key):
        self.sent.append((payload, key))
        self.updates.append(update)
        return {"phase": "COMMITTING"}

    async def connect(self, _config):
        return self

    def get_workflow_handle(self, run_id):
        return run_id


@pytest.fixture
def desk(monkeypatch) -> Desk:
    desk = Desk()
    for name in ("see", "send", "connect"):
        monkeypatch.setattr(f"workers.commands.decide.{name}", getattr(desk, name))
    return desk


def saga(*arguments: str, typed: str = ""):
    return CliRunner().invoke(app, list(arguments), input=typed)


def test_yes_decides_on_what_stands_now(desk):
    assert saga("approve", RUN, "--by", "ben", "--yes").exit_code == 0
    payload = {"decision": "approve", "digest": desk.proposal.digest, "by": "ben", "note": ""}
    assert [sent for sent, _ in desk.sent] == [payload]


def test_a_digest_is_sent_as_it_was_typed(desk):
    assert saga("reject", RUN, "--by", "ben", "--digest", "0123456789abcdef", "--note", "no").exit_code == 0
    assert desk.sent[0][0]["digest"] == "0123456789abcdef"


def test_the_same_decision_goes_under_the_same_id_and_another_under_another(desk):
    for verb in ("approve", "approve", "reject"):
        saga(verb, RUN, "--by", "ben", "--yes")
    first, second, other = (key for _, key in desk.sent)
    assert first == second != other


def test_on_a_terminal_it_is_shown_and_asked(desk, monkeypatch):
    monkeypatch.setattr("workers.commands.decide.on_terminal", lambda: True)
    result = saga("approve", RUN, "--by", "ben", typed="y\n")
    assert result.exit_code == 0
    assert "1 send_email: mail to the customer" in result.stdout
    assert "approve this as ben?" in result.stdout
    assert desk.sent[0][0]["digest"] == desk.proposal.digest


def test_who_says_no_to_the_question_has_decided_nothing(desk, monkeypatch):
    monkeypatch.setattr("workers.commands.decide.on_terminal", lambda: True)
    assert saga("approve", RUN, "--by", "ben", typed="n\n").exit_code == 1
    assert desk.sent == []


def test_where_nothing_waits_the_answer_is_no(desk):
    desk.open = False
    result = saga("reject", RUN, "--by", "ben", "--yes")
    assert result.exit_code == 1
    assert f"nothing awaits approval: {RUN} is COMMITTED" in result.stderr
    assert desk.sent == []


def test_an_approval_asked_for_again_is_the_one_that_was_given(desk):
    desk.open = False
    approval = Approval(by="ben", at=later(60), digest="0123456789abcdef")
    desk.log.put(desk.queued.move("INTENDED", later(60), approved_by=approval))
    assert saga("approve", RUN, "--by", "ben", "--yes").exit_code == 0
    assert desk.sent[0][0]["digest"] == "0123456789abcdef"
    assert saga("approve", RUN, "--by", "eva", "--yes").exit_code == 1


def test_what_is_struck_goes_along(desk):
    assert saga("send-back", RUN, "--by", "ben", "--yes", "--note", "no mail", "--strike", "1").exit_code == 0
    assert desk.sent[0][0] == {
        "decision": "send_back",
        "digest": desk.proposal.digest,
        "by": "ben",
        "note": "no mail",
        "strike": [1],
    }


def test_a_gate_is_decided_by_its_step_on_the_digest_of_exactly_that_call(desk):
    desk.gate()
    for verb in ("approve", "reject"):
        assert saga(verb, RUN, "1", "--by", "ben", "--yes", "--note", "quick").exit_code == 0
    payload = {"step_idx": 1, "decision": "approve", "digest": GATE, "by": "ben", "note": "quick"}
    assert [sent for sent, _ in desk.sent] == [payload, {**payload, "decision": "reject"}]
    assert desk.updates == ["decide_gate"] * 2
    assert desk.sent[0][1] != desk.sent[1][1]


def test_a_digest_for_a_gate_is_sent_as_it_was_typed(desk):
    assert saga("approve", RUN, "1", "--by", "ben", "--digest", "f" * 16).exit_code == 0
    assert (desk.updates, desk.sent[0][0]["digest"]) == (["decide_gate"], "f" * 16)


def test_on_a_terminal_the_call_is_shown_with_its_arguments(desk, monkeypatch):
    monkeypatch.setattr("workers.commands.decide.on_terminal", lambda: True)
    desk.gate()
    result = saga("approve", RUN, "1", "--by", "ben", typed="n\n")
    assert (result.exit_code, desk.sent) == (1, [])
    assert "1 send_email: mail to the customer" in result.stdout
    for name in desk.queued.args:
        assert f"{name}: " in result.stdout


def test_a_gate_is_never_decided_without_its_step_and_the_answer_says_which_waits(desk):
    desk.gate()
    result = saga("approve", RUN, "--by", "ben", "--yes")
    assert (result.exit_code, desk.sent) == (1, [])
    assert f"by itself waits: saga approve {RUN} 1" in result.stderr


@pytest.mark.parametrize("step", ["0", "1", "9"])
def test_a_step_that_waits_at_no_gate_is_not_decided_on(desk, step):
    result = saga("approve", RUN, step, "--by", "ben", "--yes")
    assert (result.exit_code, desk.sent) == (1, [])
    assert "nothing there waits to be decided on by itself" in result.stderr


def test_an_approval_of_a_gate_asked_for_again_is_the_one_that_was_given(desk):
    desk.open = False
    approval = Approval(by="ben", at=later(60), digest=GATE, gate=True)
    desk.log.put(desk.queued.move("INTENDED", later(60), approved_by=approval))
    assert saga("approve", RUN, "1", "--by", "ben", "--yes").exit_code == 0
    assert desk.sent[0][0]["digest"] == GATE
    for other in (("approve", RUN, "1", "--by", "eva"), ("approve", RUN, "--by", "ben")):
        assert saga(*other, "--yes").exit_code == 1
