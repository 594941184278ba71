"""The story: what a person reads of a run, from rows alone."""

from typing import Any

from saga.outcome import Problem, Receipt
from saga.proposal import build
from saga.row import Approval, Repeat, Row, Waiver
from tests.workers.rows import AT, RUN, confirmed, draft, later, log
from workers.effects import Effect, WorldView
from workers.seen import Seen
from workers.story import OUTCOMES, happened, heading, of_world, standing, stands, step_line, story, undone
from workers.waiting import approvers, lines


def seen(rows: Any = (), **changes: Any) -> Seen:
    known: dict[str, Any] = {"run_id": RUN, "agent": "refund", "subject": "order 1182", "requested_by": "maria"}
    known |= {"rows": tuple(rows), "status": {"phase": "STAGING"}, **changes}
    return Seen(**known)


def undo(row: Row, to: str, **changes: Any) -> Row:
    moved = row.move_undo("INTENDED", later(10))
    return moved if to == "INTENDED" else moved.move_undo(to, later(11), **changes)  # type: ignore[arg-type]


def test_a_step_is_one_line_of_time_what_on_what_outcome_how_repeats_and_who_saw_it():
    rows = log()
    row = confirmed(rows, how="found by lookup")
    row = row.repeat(Repeat(turn=1, args={}), later(2)).repeat(Repeat(turn=2, args={}), later(3))
    assert step_line(row) == (
        "12:03:04   0 create_ticket  a ticket about order 1182 — done (SUP-1); found by lookup; "
        "asked for 3 times, one step; seen by support team"
    )


def test_a_repeated_answer_says_so_and_how_often_it_was_sent():
    row = log().write(draft(), "INTENDED", AT)
    row = row.confirm(Receipt(external_ref="pi_1"), later(1), how="replayed", attempts=2)
    assert "the provider repeated its first answer; sent 2 times" in step_line(row)


def test_a_refusal_says_why_and_that_nobody_saw_it():
    row = log().write(draft(), "INTENDED", AT)
    row = row.move("FAILED", later(1), error=Problem(code="sold_out", message="nothing left of it"))
    line = step_line(row)
    assert "refused: nothing left of it" in line
    assert "seen by" not in line


def test_steps_stand_in_the_order_they_happened_and_not_in_which_they_were_queued():
    rows = log()
    queued = rows.write(draft("send_email"), "QUEUED", AT)
    confirmed(rows, after_s=5)
    approval = Approval(by="ben", at=later(60), digest="d")
    rows.put(queued.move("INTENDED", later(60), approved_by=approval))
    found = happened(list(rows))
    assert [line.split()[2] for line in found] == ["create_ticket", "send_email"]
    assert "approved by ben" in found[1]


def test_what_is_undone_and_what_stands():
    rows = log()
    rows.put(undo(confirmed(rows), "CONFIRMED", external_ref="SUP-1"))
    confirmed(rows, ref="SUP-2", after_s=1)
    rows.write(draft(), "INTENDED", later(2))
    assert undone(rows) == ["12:03:15   0 create_ticket: close_ticket on SUP-1 — confirmed (SUP-1)"]
    assert stands(rows) == [
        " 1 create_ticket: a ticket about order 1182 (SUP-2)",
        " 2 create_ticket: a ticket about order 1182 — perhaps",
    ]


def test_an_undo_that_is_not_confirmed_still_stands():
    rows = log()
    rows.put(undo(confirmed(rows), "PENDING"))
    assert stands(rows) == [" 0 create_ticket: a ticket about order 1182 (SUP-1) — until its undo is confirmed"]


def test_a_waiver_is_by_name():
    row = log().write(draft(), "INTENDED", AT).move("UNKNOWN", later(1))
    row = row.waive(Waiver(by="ben", at=later(2), note="called them"), later(2))
    assert "waived by ben (called them)" in step_line(row)


def test_every_status_has_words():
    for status in Row.model_fields["status"].annotation.__args__:  # type: ignore[union-attr]
        assert OUTCOMES[status]


def test_an_approval_is_waited_for_with_the_commands_to_type():
    rows = log()
    confirmed(rows)
    rows.write(draft("send_email", target="mail to the customer", audience=("customer",)), "QUEUED", later(2))
    proposal = build(rows, "nonce", later(3600))
    text = "\n".join(lines(seen(rows, proposal=proposal, approvers=("ben", "eva"))))
    assert "an approval by ben or eva until 2026-11-30 13:03:04 UTC" in text
    assert f"saga approve {RUN} --by YOU --digest {proposal.digest}" in text
    assert f"saga reject {RUN} --by YOU --digest {proposal.digest}" in text
    assert "1 send_email: mail to the customer; seen by customer" in text
    assert "0 create_ticket: a ticket about order 1182; already visible; undone by close_ticket" in text


def test_a_person_is_told_what_to_type_for_a_step():
    need = {
        "step_idx": 2,
        "half": "compensation",
        "kind": "undo_failed",
        "what": "disputed",
        "how": "mend the cause, then saga retry r 2 · or saga waive r 2",
    }
    assert lines(seen(status={"phase": "NEEDS_HUMAN", "needs_human": [need]})) == [
        "a person, for step 2, its undo (undo failed): disputed",
        "  mend the cause, then saga retry r 2",
        "  or saga waive r 2",
    ]


def test_without_approvers_anyone_but_who_asked():
    assert approvers(seen()) == "anyone but maria"


def test_the_world_stands_beside_the_steps_that_explain_it():
    rows = log()
    row = undo(confirmed(rows), "CONFIRMED")
    rows.put(row)
    assert row.compensation is not None
    effects = (
        effect(key=row.idempotency_key, state="undone"),
        effect(kind="ticket.transition", key=row.compensation.idempotency_key),
        effect(kind="charge.capture", key="another", ref="pi_9", amount_minor=4900, currency="eur"),
    )
    found = of_world(WorldView("http://w", effects), seen(rows))
    assert [line.split("  ")[-1].strip() for line in found] == [
        "step 0 create_ticket",
        "step 0 create_ticket, close_ticket",
        "NO STEP EXPLAINS THIS",
    ]
    assert "49.00 EUR" in found[2]


def test_a_silent_world_is_said():
    page = story(seen(), WorldView("http://w", silent="no sandbox answers at http://w"))
    assert "no sandbox answers at http://w" in page


def test_a_page_read_from_history_says_so():
    page = heading(seen(source="history", arrived=("an answer: step 1",)))
    assert "No worker answered: read from the history" in page
    assert "an answer: step 1" in page


def test_a_refusal_at_the_door_has_no_steps():
    page = story(seen(refused=True, ended="FAILED", why="agent: no such agent"), None)
    assert "REFUSED at the door: nothing was done" in page
    assert "agent: no such agent" in page
    assert "What happened" not in page


def test_a_terminated_run_is_not_said_to_be_over_and_well():
    assert standing(seen(ended="TERMINATED", ended_at=AT)).startswith("TERMINATED from outside")


def test_an_open_run_that_waits_for_nobody_says_nothing():
    page = story(seen([confirmed(log())]), None)
    assert page.endswith("Waits\n  nothing\n")


def test_a_text_of_somebody_elses_cannot_move_the_cursor():
    row = log().write(draft(target="\x1b[2Jfree\nrefund " + "x" * 500), "INTENDED", AT)
    line = step_line(row)
    assert "\x1b" not in line
    assert "\n" not in line
    assert len(line) < 400


def effect(**changes: Any) -> Effect:
    known = {"system": "tickets", "kind": "ticket.create", "ref": "SUP-1", "state": "standing", "at": AT.timestamp()}
    return Effect.model_validate({**known, **changes})
