"""What the tools for a workspace's contents take from a model: bad input is refused by its field, before any row."""

from typing import Any

import pytest
from pydantic import ValidationError

from activities.tools.archive_document import ARCHIVE_DOCUMENT
from activities.tools.attach_repository import ATTACH_REPOSITORY
from activities.tools.create_invoice import CREATE_INVOICE, InvoiceArgs
from activities.tools.create_project import CREATE_PROJECT
from activities.tools.create_record import CREATE_RECORD
from activities.tools.invite_team import INVITE_TEAM
from activities.tools.upload_file import UPLOAD_FILE
from saga.decision import first_problem
from saga.tool import Tool

LINE = {"product_id": "prod_seat", "quantity": 1, "unit_minor": 100}


def typed(tool: Tool[Any], **changes: Any) -> Any:
    """The tool's example with these arguments in their place."""
    return tool.args.model_validate({**tool.example, **changes})


@pytest.mark.parametrize(
    ("tool", "field", "value"),
    [
        *((CREATE_PROJECT, "workspace_id", value) for value in ("", "ws", "../ws_1", "ws_1/x", 7, None)),
        *((CREATE_PROJECT, "name", value) for value in ("", " \n ", "x" * 101, 7)),
        *((ATTACH_REPOSITORY, "project_id", value) for value in ("prj", "prj_1?x=1", 7)),
        *(
            (ATTACH_REPOSITORY, "repository", value)
            for value in ("acme", "/x", "a/b/c", "../b", "a b/c", "https://a/b")
        ),
        *((INVITE_TEAM, "team", value) for value in ("", "Field Support", "-x", "x" * 50, 7)),
        *(
            (UPLOAD_FILE, "path", value)
            for value in ("", "/", "/a/../b", "/a//b", "/a/", "/.git/x", "/a\nb", "x" * 201)
        ),
        *((UPLOAD_FILE, "text", value) for value in ("", "x" * 4_001, b"x")),
        *((CREATE_RECORD, "title", value) for value in ("", "x" * 101)),
        *((CREATE_RECORD, "path", value) for value in ("..", 7)),
        *((ARCHIVE_DOCUMENT, "document_id", value) for value in ("", "ws_1", "doc_", "doc_a/../b", "doc_" + "x" * 61)),
        *((CREATE_INVOICE, "currency", value) for value in ("USD", "dollars", "", 1)),
        *((CREATE_INVOICE, "lines", value) for value in ([], [LINE] * 101, "lots", LINE)),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(tool: Tool[Any], field: str, value: Any):
    with pytest.raises(ValidationError) as error:
        typed(tool, **{field: value})
    assert first_problem(error.value)[0] == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("quantity", value) for value in (0, -1, 1.0, "1", True, 100_001)),
        *(("unit_minor", value) for value in (0, -100, 12.5, 12.0, "1250", 100_000_000)),
        *(("product_id", value) for value in ("", "a b", 7)),
    ],
)
def test_a_line_that_does_not_fit_is_refused_by_its_place_and_field(field: str, value: Any):
    with pytest.raises(ValidationError) as error:
        typed(CREATE_INVOICE, lines=[LINE, {**LINE, field: value}])
    assert first_problem(error.value)[0] == f"lines.1.{field}"


def test_lines_that_fit_by_themselves_may_be_too_much_together():
    with pytest.raises(ValidationError) as error:
        typed(CREATE_INVOICE, lines=[{**LINE, "quantity": 100_000, "unit_minor": 1_000}])
    assert first_problem(error.value)[0] == "lines"


@pytest.mark.parametrize(
    "tool", [CREATE_PROJECT, ATTACH_REPOSITORY, INVITE_TEAM, UPLOAD_FILE, CREATE_RECORD, ARCHIVE_DOCUMENT]
)
def test_no_argument_passes_that_there_is_none_of(tool: Tool[Any]):
    with pytest.raises(ValidationError) as error:
        typed(tool, saga_key="0" * 32)
    assert first_problem(error.value)[0] == "saga_key"


@pytest.mark.parametrize("written", ["/contracts/acme.txt", "contracts/acme.txt", " contracts/acme.txt "])
def test_a_record_points_at_the_file_of_its_path_however_it_is_written(written: str):
    assert UPLOAD_FILE.names is not None
    assert CREATE_RECORD.points_at is not None
    name = UPLOAD_FILE.names(typed(UPLOAD_FILE, path="/contracts/acme.txt"))
    assert name == ("file:ws_1:/contracts/acme.txt",)
    assert CREATE_RECORD.points_at(typed(CREATE_RECORD, path=written)) == name


@pytest.mark.parametrize("other", [{"path": "/contracts/acme.pdf"}, {"workspace_id": "ws_2"}])
def test_a_record_does_not_point_at_another_file(other: dict[str, str]):
    assert UPLOAD_FILE.names is not None
    assert CREATE_RECORD.points_at is not None
    assert CREATE_RECORD.points_at(typed(CREATE_RECORD, **other)) != UPLOAD_FILE.names(typed(UPLOAD_FILE))


def test_one_repository_and_one_name_are_one_however_they_are_written():
    assert typed(ATTACH_REPOSITORY, repository=" Acme/Rollout ").repository == "acme/rollout"
    assert typed(CREATE_PROJECT, name=" The\n rollout ").name == "The rollout"


def test_people_read_the_invoices_amount_in_its_currency():
    lines = [LINE, {**LINE, "quantity": 3, "unit_minor": 50}]
    args: InvoiceArgs = typed(CREATE_INVOICE, lines=lines)
    assert CREATE_INVOICE.target(args) == "an invoice of 2.50 USD for workspace ws_1"
    assert CREATE_INVOICE.target(typed(CREATE_INVOICE, currency="jpy", lines=lines)).startswith("an invoice of 250 JPY")
