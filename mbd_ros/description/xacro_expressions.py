"""
Expressions of xacro, ``${...}``, evaluated without letting a description run code.

xacro hands them to Python's ``eval`` and looks only at the names of the outermost code object, so
that a lambda in them reaches everything. Here the syntax tree is compared with a list of what
descriptions need: arithmetic, comparisons, calls of the functions xacro offers, attributes of its
dictionaries, one comprehension. What could take very long or very much memory is bounded.

"""

from __future__ import annotations

import ast
from collections.abc import Callable
import re
from typing import Any

MAX_CHARACTERS = 2000
"""Of an expression."""

MAX_ENTRIES = 100_000
"""And characters, of what an expression makes, with all that is in it."""

MAX_BITS = 10_000
"""Of a whole number."""

_NODES = (
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.BinOp, ast.UnaryOp,
    ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Attribute, ast.Subscript,
    ast.Slice, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_REFUSED = {'type', 'vars', 'format', 'format_map', 'factorial', 'comb', 'perm', 'ljust', 'rjust',
            'center', 'zfill', 'expandtabs', 'translate', 'mro', 'abs_filename'}
_WIDTH = re.compile(r'%[^a-zA-Z%]*(\d{4,}|\*)')


class _Bounded(ast.NodeTransformer):
    """Hand those operations that can explode to functions that look at the operands first."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace one operation."""
        self.generic_visit(node)
        name = _OPERATIONS.get(type(node.op))
        if name is None:
            return node
        function = ast.Name(name, ast.Load())
        return ast.copy_location(ast.Call(function, [node.left, node.right], []), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace one call."""
        self.generic_visit(node)
        function = ast.Name(' called', ast.Load())
        return ast.copy_location(ast.Call(function, [node.func, *node.args], node.keywords), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace ``range``."""
        return ast.copy_location(ast.Name(' range', ast.Load()), node) if (
            node.id == 'range') else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace ``python.range``."""
        self.generic_visit(node)
        return ast.copy_location(ast.Name(' range', ast.Load()), node) if (
            node.attr == 'range') else node


def evaluate(expression: str, symbols: dict[str, Any], _: Any = None) -> Any:
    """
    Return the value of an expression; stands in for ``xacro.safe_eval``.

    Parameters
    ----------
    expression : str
        As it stands in the file, without ``${`` and ``}``.
    symbols : mapping
        Names known to it: properties, arguments and the functions xacro offers.

    Raises
    ------
    ValueError
        If the expression is not allowed.

    """
    text = expression.strip()
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f'an expression of more than {MAX_CHARACTERS} characters is not allowed')
    tree = ast.parse(text, '<expression>', 'eval')
    comprehensions = 0
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ValueError(f'{type(node).__name__} is not allowed in an expression')
        comprehensions += isinstance(node, ast.comprehension)
        for name in (getattr(node, 'id', ''), getattr(node, 'attr', '')):
            if name in _REFUSED or name.startswith('_'):
                raise ValueError(f"the name '{name}' is not allowed in an expression")
    if comprehensions > 1:
        raise ValueError('more than one "for" is not allowed in an expression')
    bounded = ast.fix_missing_locations(_Bounded().visit(tree))
    value = eval(compile(bounded, '<expression>', 'eval'), {'__builtins__': {}} | _FUNCTIONS,
                 symbols)
    _check_size(value)
    return value


def _check_size(value: Any, times: int = 1) -> None:
    """Raise if a value, with all that is in it, has too many entries and characters."""
    count, waiting = 0, [value]
    while waiting and count * times <= MAX_ENTRIES:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.keys())
            waiting.extend(dict.values(item))
        elif isinstance(item, (list, tuple, set, frozenset)):
            waiting.extend(item)
        count += len(item) if isinstance(item, (str, bytes)) else 1
    if count * times > MAX_ENTRIES:
        raise ValueError(f'a value of more than {MAX_ENTRIES} entries is not allowed')


def _called(function: Any, *arguments: Any, **named: Any) -> Any:
    """Call a function whose arguments and result are bounded."""
    owner = getattr(function, '__self__', None)
    for value in (owner, *arguments, *named.values()):
        _check_size(value)
    if isinstance(owner, str) and getattr(function, '__name__', '') in ('replace', 'join'):
        _check_size(arguments, len(owner) + 1)  # what comes out is at most that long
    result = function(*arguments, **named)
    _check_size(result)
    return result


def _range(*bounds: int) -> range:
    made = range(*bounds)
    if len(made) > MAX_ENTRIES:
        raise ValueError(f'a range of more than {MAX_ENTRIES} entries is not allowed')
    return made


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        _check_bits(base.bit_length() * abs(exponent))
    return base ** exponent


def _product(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (str, list, tuple)) and isinstance(count, int):
            _check_size(sequence, max(count, 0))
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    return left * right


def _shifted(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right)
    return left << right


def _rest(left: Any, right: Any) -> Any:
    if isinstance(left, str) and _WIDTH.search(left):
        raise ValueError('a width of more than three digits is not allowed')
    return left % right


def _check_bits(count: int) -> None:
    if count > MAX_BITS:
        raise ValueError(f'a whole number of more than {MAX_BITS} bits is not allowed')


_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Pow: ' power', ast.Mult: ' product', ast.LShift: ' shifted', ast.Mod: ' rest'}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    ' power': _power, ' product': _product, ' shifted': _shifted, ' rest': _rest,
    ' range': _range, ' called': _called}
