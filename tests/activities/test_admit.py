"""The door `admit`: a request that fits is admitted; anything else ends the run before its first row, with a reason."""

from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment

from activities.admit import RUN_REFUSED, Admit, examine
from saga.doors import AdmitOrder
from saga.errors import BadInput
from saga.request import Admitted
from tests.build import EXECUTION, OTHER_EXECUTION, make_agent, make_registry

REGISTRY = make_registry(agents=[make_agent()])
FITS: dict[str, Any] = {
    "agent": "shelves",
    "request": {"shelf": "A1"},
    "requested_by": "ann",
    "model": "scripted:refund",
    "approvers": ["bob"],
}


class Server:
    """A Temporal server that remembers the first run id of each execution of the id, or fails so."""

    def __init__(self, *firsts: str, fails: RPCStatusCode | None = None, forgot: str = "") -> None:
        self.queries: list[str] = []
        self._firsts, self._fails, self._forgot = firsts, fails, forgot

    async def list_workflows(self, query: str) -> AsyncIterator[Any]:
        self.queries.append(query)
        if self._fails:
            raise RPCError("no", self._fails, b"")
        for first in self._firsts:
            yield SimpleNamespace(run_id=first)

    def get_workflow_handle(self, _: str, *, run_id: str) -> Any:
        async def describe() -> Any:
            if run_id == self._forgot:
                raise RPCError("gone", RPCStatusCode.NOT_FOUND, b"")
            info = SimpleNamespace(first_run_id=run_id)
            return SimpleNamespace(raw_description=SimpleNamespace(workflow_execution_info=info))

        return SimpleNamespace(describe=describe)


def model_of(name: str) -> None:
    if name != "scripted:refund":
        raise BadInput("model", "no such model")


async def admit(payload: Any, server: Server | None = None, *, run_id: str = "run-1182", attempt: int = 1) -> Admitted:
    env = ActivityEnvironment(client=cast(Client, server or Server()))
    env.info = replace(env.info, workflow_id=run_id)
    order = AdmitOrder(payload=payload, attempt=attempt, execution=EXECUTION)
    return await env.run(Admit(REGISTRY, model_of).admit, order)


async def refusal(payload: Any, server: Server | None = None, **changes: Any) -> str:
    """The reason given for not starting."""
    with pytest.raises(ApplicationError) as caught:
        await admit(payload, server, **changes)
    assert (caught.value.type, caught.value.non_retryable) == (RUN_REFUSED, True)
    assert caught.value.__suppress_context__
    return caught.value.message


async def test_a_request_that_fits_is_admitted_with_what_the_run_needs_of_its_agent():
    admitted = await admit(FITS)
    assert (admitted.agent, admitted.subject, admitted.request) == ("shelves", "A1", {"shelf": "A1"})
    assert (admitted.pivot, admitted.paged) == ("the approval", "the storekeeper")
    assert (admitted.requested_by, admitted.approvers) == ("ann", ("bob",))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"agent": "refnud"}, "agent: no such agent; there are shelves"),
        ({"model": "scripted:refnud"}, "model: no such model"),
        ({"request": {"shlef": "A1"}}, "request.shelf"),
        ({"request": {"shelf": 7}}, "request.shelf"),
        ({"request": {"shelf": "A1", "colour": "red"}}, "request.colour"),
        ({"requested_by": ""}, "requested_by"),
        ({"limits": {"max_steps": 0}}, "limits.max_steps"),
        ({"request": {"shelf": "A" * 20_000}}, "request: at most"),
        ({"modle": "x"}, "modle"),
        ({"faults": [{"verb": "call", "tool": "charge_card", "fault": "after"}]}, "fault injection is off"),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_what_does_not_fit_is_refused_naming_the_field(changes, says):
    assert says in await refusal({**FITS, **changes})


@pytest.mark.parametrize(
    "payload",
    [None, [], [FITS], [FITS, FITS], "refund 1182", 7, True],
    ids=["null", "none", "one in a list", "two", "text", "number", "truth"],
)
async def test_anything_but_one_request_is_refused(payload):
    assert "expected one JSON object" in await refusal(payload)


async def test_temporals_own_second_try_of_a_run_is_refused():
    """T41."""
    assert "a retry of the whole execution" in await refusal(FITS, attempt=2)


@pytest.mark.parametrize("run_id", ["", "a b", "a/b", "x" * 201, 'a" OR "', "ä"], ids=lambda it: it[:10] or "empty")
async def test_an_id_that_does_not_fit_into_labels_and_headers_is_refused_and_nobody_is_asked(run_id):
    server = Server()
    assert (await refusal(FITS, server, run_id=run_id)).startswith("id: ")
    assert server.queries == []


async def test_an_id_that_has_run_before_is_refused():
    assert "has run before" in await refusal(FITS, Server(EXECUTION, OTHER_EXECUTION))


async def test_continue_as_new_and_reset_are_the_same_life():
    server = Server(EXECUTION, EXECUTION)
    assert (await admit(FITS, server)).agent == "shelves"
    assert server.queries == ['WorkflowId = "run-1182"']


async def test_a_server_without_visibility_knows_no_earlier_life():
    assert await admit(FITS, Server(fails=RPCStatusCode.UNIMPLEMENTED))


async def test_a_server_that_cannot_say_lets_nothing_through():
    with pytest.raises(RPCError):
        await admit(FITS, Server(fails=RPCStatusCode.UNAVAILABLE))


async def test_an_execution_that_was_deleted_meanwhile_hides_no_other():
    assert "has run before" in await refusal(FITS, Server("deleted", OTHER_EXECUTION, forgot="deleted"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON | st.fixed_dictionaries(dict.fromkeys(FITS, JSON)))
def test_no_payload_whatsoever_does_anything_but_fit_or_be_refused(payload):
    try:
        assert examine(REGISTRY, model_of, payload, "run-1182")
    except BadInput as refused:
        assert str(refused)  # noqa: PT017 - either is fine, nothing else is
