"""`/v1/payment_intents/search`: Stripe's query language as far as payment intents have fields, with lag.

Refuses what it does not understand, as Stripe does. Differs: a search sees changes of an intent at once
and lags only for new ones, and not at all unless `lag` is armed (Stripe: up to a minute, more in an outage).
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

from workers.sandbox import payments_input as read
from workers.sandbox.payments_error import Refusal
from workers.sandbox.payments_record import SYSTEM, shown
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.world import Doc

_NUMBERS = frozenset({"amount", "created"})
_STRINGS = frozenset({"currency", "customer", "status"})
_MOST_CLAUSES = 10
_PAGE = 10
_LARGEST_PAGE = 100
_CLAUSE = re.compile(
    r"""(?P<negated>-)?(?P<field>[a-z_]+)
        (?:\[(?P<quote>["'])(?P<name>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)\])?
        (?P<operator>:|~|>=|<=|>|<)
        (?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\d+|null)(?=\s|$)""",
    re.VERBOSE,
)
_JOINT = re.compile(r"\s+(?:(AND|OR)\s+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Clause:
    """`field operator value`; `name` is the metadata's."""

    field: str
    name: str | None
    operator: str
    value: str | None
    negated: bool

    def holds(self, wire: Doc) -> bool:
        """Whether an intent fits."""
        return self._fits(wire) is not self.negated

    def _fits(self, wire: Doc) -> bool:
        there: Any = wire["metadata"].get(self.name) if self.field == "metadata" else wire[self.field]
        if self.field in _NUMBERS:
            return _compared(there, self.operator, int(self.value or 0))
        if self.value is None or there is None:
            return self.value is None and there is None
        return there.lower() == self.value.lower()


def search(ctx: Ctx) -> Reply:
    """GET /v1/payment_intents/search: `query`, `limit`, and the `page` that the answer before named."""
    query = ctx.query
    read.known(query, {"query", "limit", "page"})
    names = {
        name.removeprefix("data.")
        for name in read.expand(query, {"data.latest_charge", "data.latest_charge.balance_transaction"})
    }
    clauses, joint = parse(read.required(query, "query"))
    limit = read.integer(query, "limit", most=_LARGEST_PAGE) or _PAGE
    start = _start(read.text(query, "page"))
    seen_until = ctx.world.now() - ctx.lag_s
    every = all if joint == "AND" else any
    found = [
        doc["wire"]
        for doc in reversed(ctx.world.all(SYSTEM, "intent"))
        if doc["at"] <= seen_until and every(clause.holds(doc["wire"]) for clause in clauses)
    ]
    if ctx.blind:
        found = []
    more = len(found) > start + limit
    answer: dict[str, Any] = {
        "object": "search_result",
        "url": "/v1/payment_intents/search",
        "has_more": more,
        "data": [shown(ctx.world, wire, names) for wire in found[start : start + limit]],
        "next_page": base64.urlsafe_b64encode(str(start + limit).encode()).decode() if more else None,
    }
    return Reply(200, answer)


def parse(query: str) -> tuple[list[Clause], str]:
    """The clauses and how they are joined; raises Refusal where Stripe would not understand them either."""
    clauses, joints, rest = list[Clause](), set[str](), query.strip()
    while True:
        match = _CLAUSE.match(rest)
        if match is None:
            raise _not_understood()
        clauses.append(_clause(match))
        rest = rest[match.end() :]
        if not rest:
            break
        joint = _JOINT.match(rest)
        if joint is None:
            raise _not_understood()
        joints.add((joint.group(1) or "AND").upper())
        rest = rest[joint.end() :]
    if len(joints) > 1:
        raise Refusal("We were unable to parse your search query. AND and OR cannot be combined.", param="query")
    if len(clauses) > _MOST_CLAUSES:
        raise Refusal(f"A search query can have at most {_MOST_CLAUSES} clauses.", param="query")
    return clauses, joints.pop() if joints else "AND"


def _clause(match: re.Match[str]) -> Clause:
    field, name, operator, value = (match[part] for part in ("field", "name", "operator", "value"))
    quoted = value[0] in "\"'"
    if field not in _NUMBERS | _STRINGS | {"metadata"} or (field == "metadata") is (name is None):
        message = f"Field `{field}` is an unsupported search field for resource `payment_intents`."
        raise Refusal(message, param="query")
    if operator != ":" and field not in _NUMBERS:
        raise Refusal(f"Field `{field}` does not support the operator `{operator}`.", param="query")
    if operator == "~" or (field in _NUMBERS and (value == "null" or not _plain(value).isdigit())):
        raise Refusal(f"Field `{field}` takes whole numbers.", param="query")
    if field not in _NUMBERS and not quoted and (value != "null" or field != "metadata"):
        raise _not_understood()
    return Clause(
        field,
        None if name is None else re.sub(r"\\(.)", r"\1", name),
        operator,
        None if value == "null" else _plain(value),
        negated=match["negated"] is not None,
    )


def _plain(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[0] in "\"'" else value


def _compared(there: int, operator: str, value: int) -> bool:
    if operator == ":":
        return there == value
    return {">": there > value, ">=": there >= value, "<": there < value, "<=": there <= value}[operator]


def _start(page: str | None) -> int:
    if page is None:
        return 0
    try:
        return int(base64.urlsafe_b64decode(page.encode()))
    except (ValueError, binascii.Error):
        raise Refusal("Invalid page.", param="page") from None


def _not_understood() -> Refusal:
    return Refusal(
        'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query'
        ' for metadata or key:"value" to query for other fields.',
        param="query",
    )
