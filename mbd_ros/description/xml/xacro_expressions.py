# Copyright 2026 The authors of mbd_ros
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.

"""
Expressions of xacro, ``${...}``, evaluated by an allow list of syntax.

xacro hands them to Python's ``eval``, through which a file can run any code. Here the syntax tree
is walked by a small evaluator of its own: literals, names that the file declares, arithmetic,
comparisons, conditions, listed functions and methods, items of lists and dictionaries. Whatever is
not in its tables is refused: there are no attributes of objects, no lambdas, no text that becomes
code. Every operation has bounds on size, and all together have bounds on steps and time.

A dictionary cannot be written as ``{...}``, as xacro ends an expression at the first ``}``; files
write ``dict(a=1)``.

"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mbd_ros.description.xml.xacro_bounds import Budget
from mbd_ros.description.xml.xacro_functions import Function, Functions, Operators

MAX_CHARACTERS = 2000
"""Of an expression."""

MAX_DEPTH = 50
"""Operations within operations; ``a + b + c`` has two."""

MAX_BRACKETS = 20
"""Brackets within brackets, for which Python's parser takes long."""


class _Known(NamedTuple):
    """A function as the value of a name."""

    function: Function


class _Space(NamedTuple):
    """A namespace as the value of a name: one of xacro's, or that of an included file."""

    names: Any
    included: bool


class Evaluator:
    """
    Evaluates the expressions of one expansion.

    Parameters
    ----------
    budget : Budget
        What the expansion may use.
    dotted, spaces : type
        Of dictionaries whose entries can be written as attributes, and of namespaces:
        ``YamlDictWrapper`` and ``NameSpace`` of xacro.
    lists : type
        Of lists from YAML files: ``YamlListWrapper``.
    own : dict of str to callable
        Functions of the namespace ``xacro``.

    """

    def __init__(self, budget: Budget, dotted: Any, lists: Any, spaces: Any,
                 own: dict[str, Function]) -> None:
        self.budget = budget
        self.dotted = dotted
        self.spaces = spaces
        self.data = {bool, int, float, str, list, tuple, dict, set, range, type(None), dotted,
                     lists}
        self.operators = Operators(budget)
        self.functions = Functions(budget, own)

    def evaluate(self, expression: str, symbols: Any, _: Any = None) -> Any:
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
            raise ValueError(f'an expression of more than {MAX_CHARACTERS} characters is not '
                             'allowed')
        if max(_bracket_depths(text), default=0) > MAX_BRACKETS:
            raise ValueError(f'more than {MAX_BRACKETS} brackets in each other are not allowed')
        tree = ast.parse(text, '<expression>', 'eval')
        value = _Evaluation(self, symbols).value(tree.body)
        self.budget.make(self.budget.size(value))
        return value


class _Evaluation:
    """One walk over a syntax tree."""

    def __init__(self, rules: Evaluator, symbols: Any) -> None:
        self._rules = rules
        self._budget = rules.budget
        self._symbols = symbols
        self._locals: dict[str, Any] = {}
        self._depth = 0

    def value(self, node: ast.AST) -> Any:
        """Return the value of a node: data, never a function or a namespace."""
        return self._refusing((_Known, _Space), node)

    def _value_or_function(self, node: ast.AST) -> Any:
        """Return the value of a node: data or a function, never a namespace."""
        return self._refusing(_Space, node)

    def _refusing(self, kinds: Any, node: ast.AST) -> Any:
        found = self._any(node)
        if isinstance(found, kinds):
            raise ValueError(f"'{ast.unparse(node)}' is not allowed as a value; allowed: what it "
                             'gives')
        return found

    def _any(self, node: ast.AST) -> Any:
        self._budget.step()
        rule = _RULES.get(type(node))
        if rule is None:
            raise ValueError(f'{type(node).__name__} is not allowed in an expression')
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f'more than {MAX_DEPTH} operations in each other are not allowed')
        found = rule(self, node)
        self._depth -= 1
        return found

    def _made(self, value: Any) -> Any:
        """Return what an operation has made, if it is allowed."""
        return self._budget.checked(value)

    def _constant(self, node: ast.Constant) -> Any:
        return self._made(node.value)

    def _name(self, node: ast.Name) -> Any:
        if node.id in self._locals:
            return self._locals[node.id]
        try:
            return self._known(node.id, self._symbols)
        except KeyError:
            raise NameError(f"name '{node.id}' is not defined") from None

    def _known(self, name: str, symbols: Any) -> Any:
        """Return what a name stands for among the symbols of xacro."""
        functions = self._rules.functions
        if name.startswith('__'):
            raise ValueError(f"the name '{name}' is not allowed in an expression")
        found = symbols[name]
        if type(found) in self._rules.data:
            self._budget.size(found) if isinstance(found, str) else None
            return found
        if isinstance(found, self._rules.spaces):
            if name in functions.spaces and type(found.parent) is dict:
                return _Space(functions.spaces[name], included=False)
            return _Space(found, included=True)
        if callable(found) and name in functions.known:
            return _Known(functions.known[name])
        raise ValueError(f"the name '{name}' is not allowed in an expression")

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self._any(node.value)
        name = node.attr
        if isinstance(owner, _Space):
            if owner.included:
                return self._known(name, owner.names)
            if name in owner.names:
                found = owner.names[name]
                return _Known(found) if callable(found) else found
        elif type(owner) is self._rules.dotted:
            return self._entry(owner[name])
        raise ValueError(f"the name '{name}' is not allowed in an expression")

    def _entry(self, found: Any) -> Any:
        """Return what stands in a list or dictionary of a file, if expressions may use it."""
        if type(found) not in self._rules.data:
            raise ValueError(f'a value of the type {type(found).__name__} is not allowed in an '
                             'expression')
        return found

    def _binary(self, node: ast.BinOp) -> Any:
        rule = self._rules.operators.binary.get(type(node.op))
        if rule is None:
            raise ValueError(f'{type(node.op).__name__} is not allowed in an expression')
        return self._made(rule(self.value(node.left), self.value(node.right)))

    def _unary(self, node: ast.UnaryOp) -> Any:
        return self._made(self._rules.operators.unary[type(node.op)](self.value(node.operand)))

    def _boolean(self, node: ast.BoolOp) -> Any:
        ends_with = isinstance(node.op, ast.Or)
        found = None
        for operand in node.values:
            found = self.value(operand)
            if bool(found) is ends_with:
                break
        return found

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        found: Any = True
        for sign, operand in zip(node.ops, node.comparators):
            right = self.value(operand)
            found = self._rules.operators.compare[type(sign)](left, right)
            if not found:
                break
            left = right
        return found

    def _condition(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _call(self, node: ast.Call) -> Any:
        called, before = self._called(node.func)
        argument = (self._value_or_function if called in self._rules.functions.takes_functions
                    else self.value)
        arguments = [getattr(found, 'function', found) if isinstance(found, _Known) else found
                     for found in map(argument, node.args)]
        named = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise ValueError('** is not allowed in an expression')
            named[keyword.arg] = self.value(keyword.value)
        return self._made(called(*before, *arguments, **named))

    def _called(self, node: ast.expr) -> tuple[Function, tuple[Any, ...]]:
        """Return the function that is called, and the value it is a method of."""
        if isinstance(node, ast.Attribute):
            owner = self._any(node.value)
            if not isinstance(owner, _Space):
                method = self._rules.functions.method(owner, node.attr)
                if method is None:
                    raise ValueError(f"the method '{node.attr}' is not allowed in an expression")
                return method, (owner,)
        found = self._any(node)
        if not isinstance(found, _Known):
            raise ValueError(f"'{ast.unparse(node)}' is not allowed as a function")
        return found.function, ()

    def _item(self, node: ast.Subscript) -> Any:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [None if bound is None else self.value(bound)
                      for bound in (node.slice.lower, node.slice.upper, node.slice.step)]
            return self._made(owner[slice(*bounds)])
        return self._entry(owner[self.value(node.slice)])

    def _list(self, node: ast.List) -> Any:
        return self._made([self.value(entry) for entry in node.elts])

    def _tuple(self, node: ast.Tuple) -> Any:
        return self._made(tuple([self.value(entry) for entry in node.elts]))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        outer = self._locals
        self._locals = dict(outer)
        found = self._rules.functions.collected(
            self.value(node.elt) for _ in self._bindings(node.generators))
        self._locals = outer
        return found

    def _bindings(self, loops: list[ast.comprehension]) -> Iterator[None]:
        """Set the variables of all loops, once for every round of the innermost one."""
        if not loops:
            yield
            return
        loop = loops[0]
        for entry in self.value(loop.iter):
            self._budget.step()
            self._bind(loop.target, self._entry(entry))
            if all(self.value(condition) for condition in loop.ifs):
                yield from self._bindings(loops[1:])

    def _bind(self, target: ast.expr, entry: Any) -> None:
        if isinstance(target, ast.Name):
            self._locals[target.id] = entry
        elif isinstance(target, ast.Tuple):
            if len(entry) != len(target.elts):
                raise ValueError(f'{len(entry)} values do not fit {len(target.elts)} names')
            for part, value in zip(target.elts, entry):
                self._bind(part, self._entry(value))
        else:
            raise ValueError(f'{type(target).__name__} is not allowed after "for"')


def _bracket_depths(text: str) -> Iterator[int]:
    depth = 0
    for character in text:
        depth += (character in '([{') - (character in ')]}')
        yield depth


_RULES: dict[type[ast.AST], Callable[[_Evaluation, Any], Any]] = {
    ast.Constant: _Evaluation._constant, ast.Name: _Evaluation._name,
    ast.Attribute: _Evaluation._attribute, ast.BinOp: _Evaluation._binary,
    ast.UnaryOp: _Evaluation._unary, ast.BoolOp: _Evaluation._boolean,
    ast.Compare: _Evaluation._compare, ast.IfExp: _Evaluation._condition,
    ast.Call: _Evaluation._call, ast.Subscript: _Evaluation._item, ast.List: _Evaluation._list,
    ast.Tuple: _Evaluation._tuple, ast.ListComp: _Evaluation._comprehension,
    ast.GeneratorExp: _Evaluation._comprehension}
