"""The laws of gates and references, each broken on purpose; part of `tests/breakages.py`."""

from tests.breakage import Breakage, Edit

GATE = "tests/workflows/test_gate.py::"
NEEDS = "tests/workflows/test_dependencies.py::"

GATES = (
    Breakage(
        "a gate's approval is the pivot",
        "What a gate lets through is one call: the run can still turn round, and takes back what can be taken back.",
        (
            Edit(
                "saga/row.py",
                "return self.approved_by is not None and not self.approved_by.gate",
                "return self.approved_by is not None",
            ),
        ),
        f"{GATE}test_what_rang_stays_and_is_named_and_all_else_goes_back[cancel]",
    ),
    Breakage(
        "what cannot wait asks nobody",
        "A call that cannot wait for the pivot is approved by itself before it is sent.",
        (
            Edit(
                "workflows/saga.py",
                'behind = draft.tool_class == "irreversible" or draft.another',
                'behind = not draft.gated and draft.tool_class == "irreversible"',
            ),
        ),
        f"{GATE}test_rejected_it_is_never_sent_the_model_is_told_and_goes_on",
    ),
    Breakage(
        "a gate opened by any digest",
        "T20: a gate is decided on by the digest of exactly its call.",
        (Edit("workflows/gates.py", "if decision.digest != gate.digest:", "if not decision.digest:"),),
        "tests/workflows/test_gate_decision.py::test_what_does_not_fit_changes_nothing_and_says_why",
    ),
    Breakage(
        "a gate opened too late",
        "T6: a yes that is handled after the gate's deadline is late, whenever it was sent.",
        (Edit("workflows/gates.py", "if workflow.now() >= gate.deadline:", "if gate is None:"),),
        f"{GATE}test_a_yes_that_no_worker_heard_before_the_deadline_is_late",
    ),
    Breakage(
        "names not looked at backwards",
        "A record that points at a later page is undone before the page.",
        (Edit("saga/log.py", "for row in pointing_at(self, draft):", "for row in pointing_at((), draft):"),),
        f"{NEEDS}test_a_record_that_comes_first_and_points_at_a_later_page_goes_before_the_page",
    ),
    Breakage(
        "references that nobody declared are none",
        "A reference of this run anywhere in the arguments is a dependency.",
        (Edit("saga/references.py", "carried |= set(strings(draft.args))", "carried |= set[str]()"),),
        f"{NEEDS}test_a_reference_deep_in_an_argument_is_one",
    ),
    Breakage(
        "what must wait does not",
        "What says that it must waits for a dependant that a person has.",
        (Edit("saga/unwind.py", "if idx in given_up and not row.facts.undo_waits and", "if idx in given_up and"),),
        f"{NEEDS}test_what_must_wait_waits_with_what_a_person_has_and_goes_on_once_it_is_settled",
    ),
    Breakage(
        "anybody's reference is ours",
        "An owned argument carries the reference of an earlier step of this very run, or the call is invalid.",
        (Edit("saga/references.py", "if each.ref not in allowed:", "if not each.ref:"),),
        "tests/workflows/test_owned.py::"
        "test_any_other_is_invalid_names_the_argument_and_what_is_allowed[table-1-room-0]",
    ),
    Breakage(
        "sent again whatever is gone",
        "Before a call is sent again, what the run stands on is looked at once more.",
        (Edit("workflows/saga.py", "return self.forward and not gone", "return self.forward"),),
        "tests/workflows/test_again.py::test_what_it_stands_on_is_gone_and_nothing_more_is_sent",
    ),
)
