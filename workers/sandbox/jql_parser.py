"""Reading JQL: text to `Query`; everything that is not understood is refused.

What is not understood raises `JqlRefused` (a 400 in Jira), never an empty list: "found nothing" must mean
just that. Known: AND, OR, NOT, parentheses, ORDER BY; = != in, not in, is, is not; < <= > >= on dates.
Refused though Jira has them: ~ (text), = on dates, `was` and `changed`, and functions such as now().
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from workers.sandbox.jql import DATES, Clause, Group, JqlRefused, Query

FIELDS = {
    "project": "project", "key": "key", "issuekey": "key", "issue": "key", "id": "key", "labels": "labels",
    "status": "status", "statuscategory": "statusCategory", "issuetype": "issuetype", "type": "issuetype",
    "resolution": "resolution", "created": "created", "createddate": "created",
    "updated": "updated", "updateddate": "updated",
}  # fmt: skip
MAY_BE_EMPTY = ("labels", "resolution")
SORTABLE = ("created", "updated", "key")
KEYWORDS = {"and", "or", "not", "in", "is", "order", "by", "was", "changed", "empty", "null"}
RESERVED = set("+.,;?|*/%^$#@[]{}\\`&")
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<sign>[<>!]=|!~|&&|\|\||[=<>~!(),])"""
    r"""|(?P<word>[^\s=<>~!(),"'&|]+)|(?P<stray>\S))"""
)


def parse(text: str) -> Query:
    """Read a query. Raises JqlRefused with Jira's kind of sentence."""
    return _Parser(_tokens(text)).query()


@dataclass(frozen=True)
class _Token:
    kind: str  # text | sign | word | end
    value: str
    at: int

    @property
    def keyword(self) -> str:
        """The token as a keyword or sign, lower case; a quoted string never is one."""
        return "" if self.kind == "text" else self.value.lower()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "stray"
        value, at = match[kind], match.start(kind)
        odd = value if kind == "stray" else ""
        if kind == "word":
            odd = next((character for character in value if character in RESERVED), "")
        if odd in ('"', "'"):
            _syntax("The quoted string has not been completed.", at)
        if odd:
            _syntax(f"The character '{odd}' is a reserved JQL character. You must enclose it in a string.", at)
        found.append(_Token(kind, re.sub(r"\\(.)", r"\1", value[1:-1]) if kind == "text" else value, at))
    return [*found, _Token("end", "", len(text))]


def _syntax(message: str, at: int) -> NoReturn:
    raise JqlRefused(f"Error in the JQL Query: {message} (line 1, character {at + 1})")


class _Parser:
    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens = list(tokens)

    def query(self) -> Query:
        where = None if self._next.keyword in ("", "order") and self._next.kind != "text" else self._any()
        order = self._order() if self._takes("order") else ()
        if self._next.kind != "end":
            _syntax(f"Expecting either 'OR' or 'AND' but got '{self._next.value}'.", self._next.at)
        return Query(where, order)

    @property
    def _next(self) -> _Token:
        return self.tokens[0]

    def _takes(self, *keywords: str) -> bool:
        if self._next.kind != "end" and self._next.keyword in keywords:
            self.tokens.pop(0)
            return True
        return False

    def _any(self) -> Clause | Group:
        parts = [self._every()]
        while self._takes("or", "||"):
            parts.append(self._every())
        return parts[0] if len(parts) == 1 else Group(False, tuple(parts))

    def _every(self) -> Clause | Group:
        parts = [self._one()]
        while self._takes("and", "&&"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Group(True, tuple(parts))

    def _one(self) -> Clause | Group:
        if self._takes("not", "!"):
            return self._one().negated()
        if not self._takes("("):
            return self._clause()
        inside = self._any()
        if not self._takes(")"):
            _syntax(f"Expecting ')' but got '{self._next.value}'.", self._next.at)
        return inside

    def _clause(self) -> Clause:
        token = self.tokens.pop(0)
        if token.kind not in ("word", "text") or token.keyword in KEYWORDS:
            self.tokens.insert(0, token)
            _syntax(f"Expecting a field name but got '{token.value}'.", token.at)
        field = FIELDS.get(token.value.lower())
        if field is None:
            raise JqlRefused(f"Field '{token.value}' does not exist or you do not have permission to view it.")
        operator = self._operator()
        operands = self._list() if operator in ("in", "not in") else (self._operand(),)
        if field == "resolution":
            operands = tuple(None if str(operand).lower() == "unresolved" else operand for operand in operands)
        _check(field, operator, operands)
        return Clause(field, operator, operands)

    def _operator(self) -> str:
        token = self._next
        if self._takes("is"):
            return "is not" if self._takes("not") else "is"
        if self._takes("not"):
            if not self._takes("in"):
                _syntax(f"Expecting 'IN' but got '{self._next.value}'.", self._next.at)
            return "not in"
        if self._takes("in", "=", "!=", "<", "<=", ">", ">=", "~", "!~"):
            return token.keyword
        _syntax(
            f"Expecting operator but got '{token.value}'. Known here: =, !=, <, <=, >, >=, in, not in, is.",
            token.at,
        )

    def _operand(self) -> str | None:
        token = self.tokens.pop(0)
        if token.keyword in ("empty", "null"):
            return None
        if token.kind not in ("word", "text") or token.keyword in KEYWORDS:
            _syntax(f"Expecting either a value, list or function but got '{token.value}'.", token.at)
        if self._next.keyword == "(" and token.kind == "word":
            raise JqlRefused(f"Unable to find JQL function '{token.value}()'.")
        return token.value

    def _list(self) -> tuple[str | None, ...]:
        if not self._takes("("):
            _syntax(f"Expecting '(' but got '{self._next.value}'.", self._next.at)
        operands = [self._operand()]
        while self._takes(","):
            operands.append(self._operand())
        if not self._takes(")"):
            _syntax(f"Expecting ')' but got '{self._next.value}'.", self._next.at)
        return tuple(operands)

    def _order(self) -> tuple[tuple[str, bool], ...]:
        if not self._takes("by"):
            _syntax(f"Expecting 'BY' but got '{self._next.value}'.", self._next.at)
        order = [self._ordering()]
        while self._takes(","):
            order.append(self._ordering())
        return tuple(order)

    def _ordering(self) -> tuple[str, bool]:
        token = self.tokens.pop(0)
        field = FIELDS.get(token.value.lower())
        if field not in SORTABLE:
            raise JqlRefused(f"Not able to sort using field '{token.value}'.")
        if self._takes("desc"):
            return field, True
        return field, not self._takes("asc") and field in DATES  # dates are newest first unless told otherwise


def _check(field: str, operator: str, operands: tuple[str | None, ...]) -> None:
    fits = operator in (("<", "<=", ">", ">=") if field in DATES else ("=", "!=", "in", "not in", "is", "is not"))
    if not fits or (operator in ("is", "is not") and field not in MAY_BE_EMPTY):
        raise JqlRefused(f"The operator '{operator}' is not supported by the '{field}' field.")
    if operator in ("is", "is not") and operands != (None,):
        raise JqlRefused(f"The operator '{operator}' only takes EMPTY.")
    if None in operands and field not in MAY_BE_EMPTY:
        raise JqlRefused(f"The field '{field}' does not support searching for an empty value.")
