"""The laws, each broken on purpose: the mistake somebody would make, and the test of the world that must then fail.

A mistake is written as a change of the code, in as few words as it takes. Where the code moves on, an `old` that is no
longer there is an error of `tests/test_breakages.py`, and the breakage must follow.
"""

from tests.breakage import Breakage, Edit
from tests.breakages_of_gates import GATES

LOST = "tests/workflows/test_lost_answer.py::"
NOT_DONE = "tests/workflows/test_not_done.py::"
CANCEL = "tests/workflows/test_cancel.py::"
COMMIT = "tests/workflows/test_commit.py::"
DEADLINE = "tests/workflows/test_deadline.py::"
UNKNOWN = "tests/workflows/test_unknown.py::"


BREAKAGES = (
    Breakage(
        "silence is failure",
        "No answer is no failure: the outcome is UNKNOWN and is found out.",
        (
            Edit(
                "workflows/halves.py",
                'to = "FAILED" if problem.code == "not_sent" else "UNKNOWN"\n            return self._put(row.move(to,',
                'to = "FAILED"\n            return self._put(row.move(to,',
            ),
        ),
        f"{LOST}test_a_ticket_whose_answer_is_lost_is_looked_for_and_not_created_again[after:504]",
    ),
    Breakage(
        "undone before it is found out",
        "Nothing is undone, and no run ends, before every open call has been found out about.",
        (
            Edit("workflows/saga.py", "row = await self._found_out(idx)", "row = self.log[idx]"),
            Edit(
                "workflows/unwinding.py",
                "await self._halves.settling(idx)",
                'self._log.put(self._log[idx].move("NOT_EXECUTED", workflow.now()))',
            ),
        ),
        "tests/workflows/test_run_a.py::"
        "test_a_lost_ticket_a_lost_charge_and_a_refusal_end_with_nothing_left_and_nobody_told",
    ),
    Breakage(
        "one key for all steps of a tool",
        "A key is made of run, step and tool: two steps never share one.",
        (Edit("saga/keys.py", '_key(f"{run_id}:{step_idx}:{tool}", attempt)', '_key(f"{run_id}:{tool}", attempt)'),),
        f"{NOT_DONE}test_declined_after_a_request_that_never_arrived_is_declined",
    ),
    Breakage(
        "keys of arguments",
        "No word of a model's is in a key: the same words may be another step.",
        (
            Edit("saga/log.py", "self._next(draft.tool, draft", "self._next(str(draft.args), draft"),
            Edit("saga/log.py", "self._next(row.tool, undo", "self._next(str(row.args), undo"),
            Edit("saga/log.py", "key = step_key(self.run_id, idx, tool)", "key = step_key(self.run_id, 0, tool)"),
        ),
        f"{COMMIT}test_a_later_commit_that_is_refused_is_tried_again_as_a_new_step_when_a_person_says_so",
    ),
    Breakage(
        "a branch on the run id",
        "T34: a reset changes the run's own id, so no code of a workflow branches on it.",
        (
            Edit(
                "workflows/saga.py",
                "            await self.halves.call(idx)\n",
                "            if workflow.info().run_id != workflow.info().first_execution_run_id:\n"
                "                await workflow.sleep(1)\n"
                "            await self.halves.call(idx)\n",
            ),
        ),
        "tests/test_histories.py::test_a_recorded_history_replays_as_that_of_a_reset_run[run_c]",
    ),
    Breakage(
        "an empty list is absence",
        "T10: an empty look proves nothing before the half's clock has passed.",
        (
            Edit(
                "workflows/reconcile.py",
                'elif finding.kind != "absent" or began >= proves_from:',
                'elif finding.kind != "pending" or began >= proves_from:',
            ),
        ),
        "tests/workflows/test_lookup.py::test_an_index_that_lags_is_waited_for_and_no_second_ticket_is_made",
    ),
    Breakage(
        "a shut door says nothing was sent",
        "A door shut in the face of a later attempt says nothing of the first.",
        (
            Edit(
                "activities/sending.py",
                "if isinstance(error, NotSent) and self._fresh:",
                "if isinstance(error, NotSent):",
            ),
        ),
        "tests/activities/test_sending_again.py::"
        "test_a_door_shut_in_our_face_says_nothing_of_an_earlier_attempt[connection refused-done-key_and_lookup]",
    ),
    Breakage(
        "a later refusal is an answer",
        "A refusal of a later attempt that does not stand under the key says nothing of the first.",
        (
            Edit(
                "activities/sending.py",
                "if isinstance(error, Refused) and (self._fresh or error.remembered):",
                "if isinstance(error, Refused):",
            ),
        ),
        f"{NOT_DONE}test_refused_after_a_lost_answer_is_not_taken_for_a_refusal[400]",
    ),
    Breakage(
        "approved whatever stands",
        "T20: an approval is of one proposal, and bound to its digest.",
        (Edit("workflows/pivot.py", "if decision.digest != self.proposal.digest:", "if not decision.digest:"),),
        "tests/workflows/test_approval.py::test_a_signal_that_does_not_fit_changes_nothing_and_is_written_on_the_page",
    ),
    Breakage(
        "a late approval counts",
        "T6: a decision that is handled after the deadline is late, whenever it was sent.",
        (Edit("workflows/pivot.py", "if workflow.now() >= self.deadline:", "if self.decision is not None:"),),
        f"{DEADLINE}test_an_approval_sent_in_time_that_no_worker_heard_before_the_deadline_is_late",
    ),
    Breakage(
        "commits in the model's order",
        "Commits follow what can still be refused, and then who sees it.",
        (Edit("saga/proposal.py", "left = sorted(rows, key=_rank)", "left = list(rows)"),),
        f"{COMMIT}test_commits_follow_what_a_provider_may_refuse_and_then_who_sees_it_not_the_models_order",
    ),
    Breakage(
        "a cancel after a commit undoes",
        "Once a commit has happened or may have, a cancel changes nothing.",
        (Edit("workflows/desk.py", '"UNWOUND") or self.saga.committed:', '"UNWOUND"):'),),
        f"{CANCEL}test_cancelled_while_the_first_commit_waits_for_its_next_attempt_that_attempt_is_made",
    ),
    Breakage(
        "undone whatever stands on it",
        "A step is undone before what it refers to.",
        (Edit("saga/unwind.py", "for idx in dependants:", "for idx in set[int]():"),),
        "tests/workflows/test_undo_order.py::"
        "test_a_charge_that_a_customer_has_seen_goes_back_before_the_ticket_that_it_names",
    ),
    Breakage(
        "sent again where no key is honoured",
        "What a provider without keys may have done is looked for, never sent again blindly.",
        (
            Edit("activities/sending.py", "and (self._fresh or self._honours_key):\n", "and self._number:\n"),
            Edit("activities/sending.py", "pace.tries or not self._honours_key or", "pace.tries or"),
        ),
        "tests/workflows/test_lookup.py::test_an_index_that_lags_is_waited_for_and_no_second_ticket_is_made",
    ),
    Breakage(
        "another execution's effect is ours",
        "T13: an effect under our key that carries another execution stops the run.",
        (Edit("activities/find.py", "each.execution not in (None, execution)", "not each.external_ref"),),
        f"{UNKNOWN}test_an_effect_under_our_key_from_another_execution_stops_the_run",
    ),
    Breakage(
        "committed without another look",
        "Every staged effect is looked at once more before the first commit.",
        (Edit("workflows/standing.py", 'return "; ".join(gone) or None', "return None"),),
        f"{COMMIT}test_what_is_gone_when_the_person_says_yes_means_that_nothing_is_committed[mail-mail.draft-delete]",
    ),
    Breakage(
        "a pending refund is a refund",
        "T26: COMPENSATED means that the provider has confirmed it.",
        (Edit("workflows/halves.py", '"PENDING" if receipt.pending else "CONFIRMED"', '"CONFIRMED"'),),
        "tests/workflows/test_undo_by_others.py::"
        "test_a_pending_refund_that_fails_is_asked_for_once_more_under_another_key",
    ),
    Breakage(
        "two of one key are one",
        "Two effects under one key are a person's matter, and never hidden.",
        (Edit("activities/find.py", "if len(left) > 1:", "if len(left) > len(sightings):"),),
        f"{UNKNOWN}test_two_tickets_under_one_key_are_a_persons_matter_and_are_never_hidden",
    ),
    Breakage(
        "asked for again is made again",
        "T17: an old step in other words is that step, and is not made again.",
        (Edit("saga/log.py", "for row in reversed(self._rows):", "for row in self._rows[:0]:"),),
        "tests/workflows/test_model.py::"
        "test_the_same_ticket_in_other_words_another_place_or_a_later_answer_is_one_ticket",
    ),
    Breakage(
        "a cancel drops what is under way",
        "T1: what is under way when a cancel comes is let end, and its answer is heard.",
        (
            Edit(
                "workflows/halves.py",
                "ActivityCancellationType.WAIT_CANCELLATION_COMPLETED",
                "ActivityCancellationType.TRY_CANCEL",
            ),
        ),
        f"{CANCEL}test_cancelled_while_a_charge_is_under_way_its_answer_is_heard_and_the_charge_refunded",
    ),
    Breakage(
        "irreversible before the pivot",
        "Nothing that cannot be taken back happens before its approval.",
        (Edit("workflows/saga.py", 'draft.tool_class == "irreversible" or draft.another', "draft.another"),),
        f"{DEADLINE}test_a_letter_that_nobody_approved_is_never_sent",
    ),
    Breakage(
        "a refused commit unwinds",
        "After the first commit there is no way but forward: a person is called, and nothing is undone.",
        (
            Edit(
                "workflows/saga.py",
                "            if not self.committed:\n                return False\n            written",
                "            return False\n            written",
            ),
        ),
        f"{COMMIT}test_waived_the_rest_is_committed_without_it",
    ),
    Breakage(
        "a forgotten key is sent again",
        "T11: a step older than its key is only looked up.",
        (
            Edit(
                "activities/sending.py",
                "self._only_look = forgotten and (info.attempt > 1 or _tries(order.row, which) > 1)",
                "self._only_look = False",
            ),
        ),
        "tests/workflows/test_key_life.py::test_a_step_older_than_its_key_is_only_looked_up[1]",
    ),
    *GATES,
)
