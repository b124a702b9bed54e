"""The constraint language: comparisons of the parameters of a family and what follows from them.

The text is read as a Python expression and only the parts below are taken; nothing is ever run as
Python. All numbers are IEEE doubles.
"""

import ast
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.designs.quantities import Numbers, Sizes, quantity_names
from tvlb.errors import InvalidInput
from tvlb.topology import Sizing

MAX_LENGTH = 300
_LONG = 1e15

_Mask = NDArray[np.bool_]
_Number = Callable[[Sizes], Numbers]
_Condition = Callable[[Sizes], _Mask]
_ARITHMETIC: dict[type[ast.operator], Callable[[Numbers, Numbers], Numbers]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
}
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
_COMPARISONS: dict[type[ast.cmpop], Callable[[Numbers, Numbers], _Mask]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ALLOWED = "numbers, names, + - * / // %, parentheses, < <= > >= == !=, and, or, not"


@dataclass(frozen=True)
class Constraint:
    """What a size has to satisfy; made by `parse_constraint`.

    Attributes
    ----------
    text : the constraint in its canonical form; parses back.
    """

    text: str

    @property
    def terms(self) -> int:
        """How many numbers and names it has."""
        nodes = ast.walk(ast.parse(self.text, mode="eval"))
        return sum(isinstance(node, ast.Constant | ast.Name) for node in nodes)

    def satisfied(self, sizes: Sizes) -> NDArray[np.bool_]:
        """Tell which sizes satisfy the constraint, bool (sizes,).

        Raises
        ------
        InvalidInput : it divides by zero for one of the sizes. As in Python, `and`, `or` and
            chains of comparisons do not look at what no longer matters.
        """
        with np.errstate(all="ignore"):
            return _condition(ast.parse(self.text, mode="eval").body)(sizes)

    def __str__(self) -> str:
        return self.text


def parse_constraint(text: str, sizing: Sizing) -> Constraint:
    """Parse a constraint on the sizes of a family.

    Raises
    ------
    InvalidInput : the text is no constraint, or has a name that the family does not know.

    Examples
    --------
    >>> from tvlb.topology import families
    >>> str(parse_constraint("(a==2*p==2*h) and radix<=36.0", families()["dfly"].sizing))
    'a == 2 * p == 2 * h and radix <= 36'
    """
    _check_length(text)
    try:
        with warnings.catch_warnings():
            # Python has an opinion on `1or a`; it is a constraint all the same.
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(
            f'"{text}" is no constraint; expected a comparison such as a == 2*p == 2*h or '
            "1000 <= nodes <= 20000"
        ) from error
    _condition(tree)
    _check_names(tree, quantity_names(sizing))
    canonical = ast.unparse(_Canonical().visit(tree))
    _check_length(canonical)
    return Constraint(canonical)


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise InvalidInput(
            f"the constraint has {len(text)} characters, with a blank around every operator; at "
            f"most {MAX_LENGTH} are read"
        )


def _check_names(tree: ast.expr, known: tuple[str, ...]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known:
            raise InvalidInput(f'unknown name "{node.id}"; use one of {", ".join(known)}')


class _Canonical(ast.NodeTransformer):
    """Write numbers and signs in one way."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = _double(node)
        # Longer ones are shorter with an exponent.
        is_short = value.is_integer() and value < _LONG
        return ast.Constant(int(value) if is_short else value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.UAdd) else node


def _refused(node: ast.AST, expected: str) -> InvalidInput:
    return InvalidInput(f'"{ast.unparse(node)}" {expected}')


def _condition(node: ast.expr) -> _Condition:
    match node:
        case ast.Compare():
            return _chain(node)
        case ast.BoolOp(op=ast.And()):
            return _all([_condition(value) for value in node.values])
        case ast.BoolOp():
            conditions = [_negation(_condition(value)) for value in node.values]
            return _negation(_all(conditions))
        case ast.UnaryOp(op=ast.Not()):
            return _negation(_condition(node.operand))
        case _:
            _number(node)
            raise _refused(node, "is a number; compare it with another, as in nodes <= 20000")


def _negation(condition: _Condition) -> _Condition:
    return lambda sizes: ~condition(sizes)


def _all(conditions: list[_Condition]) -> _Condition:
    def satisfied(sizes: Sizes) -> _Mask:
        left = np.arange(len(sizes))
        for condition in conditions:
            left = left[condition(sizes.at(left))]
        return _mask(left, len(sizes))

    return satisfied


def _mask(left: NDArray[np.intp], count: int) -> _Mask:
    mask = np.zeros(count, dtype=bool)
    mask[left] = True
    return mask


def _chain(node: ast.Compare) -> _Condition:
    first = _number(node.left)
    links = [
        (_comparison(symbol, node), _number(right))
        for symbol, right in zip(node.ops, node.comparators, strict=True)
    ]

    def satisfied(sizes: Sizes) -> _Mask:
        left = np.arange(len(sizes))
        value = first(sizes)
        for compare, number in links:
            other = number(sizes.at(left))
            kept = compare(value, other)
            left, value = left[kept], other[kept]
        return _mask(left, len(sizes))

    return satisfied


def _comparison(symbol: ast.cmpop, node: ast.Compare) -> Callable[[Numbers, Numbers], _Mask]:
    if type(symbol) not in _COMPARISONS:
        raise _refused(node, f"is not part of a constraint; allowed are {_ALLOWED}")
    return _COMPARISONS[type(symbol)]


def _number(node: ast.expr) -> _Number:
    match node:
        case ast.Constant():
            constant = _double(node)
            return lambda sizes: np.full(len(sizes), constant)
        case ast.Name():
            name = node.id
            return lambda sizes: sizes.value(name)
        case ast.UnaryOp(op=ast.USub()):
            operand = _number(node.operand)
            return lambda sizes: -operand(sizes)
        case ast.UnaryOp(op=ast.UAdd()):
            return _number(node.operand)
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            return _arithmetic(node)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            raise _refused(node, "is true or false, where a number is expected")
        case _:
            raise _refused(node, f"is not part of a constraint; allowed are {_ALLOWED}")


def _double(node: ast.Constant) -> float:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused(node, f"is not part of a constraint; allowed are {_ALLOWED}")
    try:
        double = float(value)
    except OverflowError:
        double = np.inf
    if not np.isfinite(double):
        raise InvalidInput("a number of the constraint is out of range: at most 1e308")
    return double


def _arithmetic(node: ast.BinOp) -> _Number:
    left, right = _number(node.left), _number(node.right)
    operate = _ARITHMETIC[type(node.op)]
    if not isinstance(node.op, _DIVISIONS):
        return lambda sizes: operate(left(sizes), right(sizes))

    def divided(sizes: Sizes) -> Numbers:
        divisor = right(sizes)
        if (zero := np.flatnonzero(divisor == 0)).size:
            size = (f"{name}={values[zero[0]]:.0f}" for name, values in sizes.parameters.items())
            raise _refused(node, f"divides by zero for {', '.join(size)}")
        return operate(left(sizes), divisor)

    return divided
