"""Small changes of a program that its tests should notice: one comparison, sign, number, condition
or statement at a time. Not here: running anything (runner.py).
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
# Changes that matter only where both sides are equal.
_EDGES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt,),
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed program."""

    line: int
    what: str
    where: str  # the first line of its statement
    source: str
    function: str = ""  # the innermost one

    def is_one_of(self, known: Iterable[str]) -> bool:
        """Is it named there: by what it changes, by that and the statement, or the function too?"""
        return not known_names(self.what, self.where, self.function).isdisjoint(known)


def mutants(source: str) -> list[Mutant]:
    """All of them, in the order of the lines."""
    tree = ast.parse(source)
    statements, functions = _statements(tree), _functions(tree)
    found = []
    for node, change in list(_changes(tree)):
        before = change.swap(change.value)
        text = ast.unparse(tree)
        change.swap(before)
        where, function = statements.get(id(node), ""), functions.get(id(node), "")
        found.append(Mutant(getattr(node, "lineno", 0), change.what, where, text, function))
    return sorted(found, key=lambda mutant: mutant.line)


def names(source: str) -> set[str]:
    """What the changes are called, shortly and at length; quicker than making them."""
    tree = ast.parse(source)
    statements, functions = _statements(tree), _functions(tree)
    found = set()
    for node, change in _changes(tree):
        where, function = statements.get(id(node), ""), functions.get(id(node), "")
        found |= known_names(change.what, where, function)
    return found


def known_names(what: str, where: str, function: str) -> set[str]:
    """By which names a change may be called."""
    return {what, f"{what} in {where}", f"{what} in {where} of {function}()"}


def _statements(tree: ast.Module) -> dict[int, str]:
    """The innermost statement of every node, by its first line."""
    found: dict[int, str] = {}
    for statement in ast.walk(tree):  # the outer ones first
        if isinstance(statement, ast.stmt):
            text = ast.unparse(statement).split("\n", 1)[0]
            found |= {id(node): text for node in ast.walk(statement)}
    return found


def _functions(tree: ast.Module) -> dict[int, str]:
    """The innermost function of every node."""
    found: dict[int, str] = {}
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {id(node): each.name for node in ast.walk(each)}
    return found


@dataclass(slots=True)
class _Change:
    """What to do to a tree; done only while the mutant is made."""

    what: str
    owner: ast.AST
    field: str
    value: object
    index: int | None = None

    def swap(self, value: object) -> object:
        """Put this there; returns what was there."""
        before: object = getattr(self.owner, self.field)
        if self.index is None:
            setattr(self.owner, self.field, value)
        else:
            before, getattr(self.owner, self.field)[self.index] = (
                getattr(self.owner, self.field)[self.index],
                value,
            )
        return before


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, _Change]]:
    bounds = {id(node.test) for node in ast.walk(tree) if _is_bound(node)}
    for node in _code(tree):
        yield from ((node, change) for change in _of_expression(node, bounds))
        yield from _of_statements(node)


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but annotations, decorators, imports, what is only for the type checker, and the
    defaults of a dataclass's fields: most are written before they are read.
    """
    yield tree
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params", "type_comment"):
            continue
        if isinstance(tree, ast.Assert) or (
            isinstance(tree, ast.If) and _text(tree.test) == "TYPE_CHECKING"
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_default = isinstance(tree, ast.ClassDef) and isinstance(child, ast.AnnAssign)
            is_import = isinstance(child, ast.Import | ast.ImportFrom)
            # zip(strict=True) is an assertion
            is_strict = isinstance(child, ast.keyword) and _text(child) == "strict=True"
            if isinstance(child, ast.AST) and not (is_default or is_import or is_strict):
                yield from _code(child)


def _of_expression(node: ast.AST, bounds: set[int]) -> Iterator[_Change]:
    if isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            for other in _COMPARISONS.get(type(op), ()):
                if id(node) in bounds and other in _EDGES.get(type(op), ()):
                    continue
                name = f"{type(op).__name__} -> {other.__name__}"
                yield _Change(f"{name}: {_text(node)}", node, "ops", other(), index)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        other_op = _OPERATORS[type(node.op)]
        if not isinstance(node.left, ast.Constant | ast.JoinedStr):
            yield _Change(f"{other_op.__name__}: {_text(node)}", node, "op", other_op())
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _Change(f"{type(swapped).__name__}: {_text(node)}", node, "op", swapped)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        yield _Change(_text(node), node.func, "id", _NAMES[node.func.id])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _Change(f"without not: {_text(node)}", node, "op", ast.UAdd())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _Change(f"without minus: {_text(node)}", node, "op", ast.UAdd())
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, ast.IfExp):
        for fixed in (True, False):
            yield _Change(f"{fixed}: {_text(node)}", node, "test", ast.Constant(fixed))


def _is_bound(node: ast.AST) -> TypeGuard[ast.IfExp]:
    """`low if y < low else y`: where both are equal the two branches are, too."""
    if not isinstance(node, ast.IfExp) or not isinstance(node.test, ast.Compare):
        return False
    operands = {_text(node.test.left), *map(_text, node.test.comparators)}
    rest = {_text(each) for each in ast.walk(node.orelse) if isinstance(each, ast.expr)}
    return _text(node.body) in operands and bool(operands & rest)


def _of_constant(node: ast.Constant) -> Iterator[_Change]:
    value = node.value
    if isinstance(value, bool):
        yield _Change(f"{value} -> {not value}", node, "value", not value)
    elif isinstance(value, int | float) and value + 1 != value:  # 1e300 + 1 is 1e300
        yield _Change(f"{value} -> {value + 1}", node, "value", value + 1)


def _of_statements(node: ast.AST) -> Iterator[tuple[ast.AST, _Change]]:
    if isinstance(node, ast.If):
        if _text(node.test) == "TYPE_CHECKING":
            return
        for fixed in (True, False):
            what = f"{fixed}: if {_text(node.test)}"
            yield node, _Change(what, node, "test", ast.Constant(fixed))
    if not isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.While | ast.Try):
        return
    for name in ("body", "orelse"):
        for index, statement in enumerate(getattr(node, name, [])):
            if _can_go(statement):
                what = f"without: {_text(statement)}"
                yield statement, _Change(what, node, name, ast.Pass(), index)


def _can_go(statement: ast.stmt) -> bool:
    """May it be left out, and is it still a program? A new local name is needed later."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)  # a docstring
    if isinstance(statement, ast.Assign):
        return all(
            isinstance(target, ast.Attribute | ast.Subscript) for target in statement.targets
        )
    return isinstance(statement, ast.AugAssign | ast.Continue | ast.Raise | ast.Delete)


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."
