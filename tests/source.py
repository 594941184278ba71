"""The project's own source, as the rules of style read it."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Each room may import itself and what stands to its left.
ROOMS = ("saga", "activities", "compensations", "workflows", "workers")


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Every module under these folders: its path from the root, with slashes, and its tree."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def imports(path: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of all that is imported, relative or not; `from a import b` names a and a.b."""
    package = path.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield node.lineno, source
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def functions(path: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every function, `file::Class.name`, with its lines from `def` to its end, less its docstring's."""

    def walk(node: ast.AST, above: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            name = f"{above}.{child.name}" if named else above
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path}::{name.lstrip('.')}", span(child) - docstring_span(child)
            yield from walk(child, name)

    return walk(tree, "")


def span(node: ast.stmt) -> int:
    """How many lines a statement takes, decorators not counted."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def docstring_span(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many of its lines are its docstring."""
    return span(function.body[0]) if ast.get_docstring(function) else 0


def assert_none(complaints: Iterable[str]) -> None:
    """Fails with every complaint on a line of its own."""
    found = list(complaints)
    assert not found, "\n" + "\n".join(found)
