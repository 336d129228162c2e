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
Plain functions with loops over arrays as machine code.

The text is Python and runs as such, too; what is understood of it is what small linear algebra
needs: loops over ``range``, ``if``, ``break``, arithmetic on floats and integers, entries of
arrays, arrays of one's own by ``np.zeros`` and ``np.empty``, ``math.sqrt``, ``abs``, ``int``, and
calls of other such functions, to which arrays, rows ``a[i]`` and parts ``a[k:l]`` are handed;
parts may have names. The shapes of all arrays are fixed when it is compiled. No two arrays that
are handed to a function may overlap, all parts of a condition are evaluated, and a loop leaves its
variable where nobody may read it. The remainder ``%`` of floats has the sign of the divisor, that
of integers the sign of what is divided.

Loops of a fixed number of rounds can be written out: small systems are solved several times faster
when nothing is counted and entries of arrays stay in registers. What is needed ``cold`` keeps
its loops, and its place apart from the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
import functools
import inspect
import math
import textwrap
from typing import Any, NamedTuple, TypeAlias, TypeVar

import llvmlite.binding as llvm

from mbd_ros.execution.ir.machine_code import MachineCode, target_machine
from mbd_ros.execution.ir.origin import origin_of_function
from mbd_ros.execution.ir.straight_line import SCALAR

Shape: TypeAlias = tuple[int, ...]
Function = TypeVar('Function', bound=Callable[..., Any])

_ARITHMETIC = {ast.Add: ('add', 'fadd'), ast.Sub: ('sub', 'fsub'), ast.Mult: ('mul', 'fmul'),
               ast.Div: ('', 'fdiv'), ast.Mod: ('srem', 'frem')}
_COMPARISON = {ast.Lt: ('slt', 'olt'), ast.LtE: ('sle', 'ole'), ast.Gt: ('sgt', 'ogt'),
               ast.GtE: ('sge', 'oge'), ast.Eq: ('eq', 'oeq'), ast.NotEq: ('ne', 'une')}
_SELDOM: set[Callable[..., Any]] = set()
_INTRINSICS = ('declare double @llvm.sqrt.f64(double)', 'declare double @llvm.fabs.f64(double)',
               'declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)')


class Value(NamedTuple):
    """An ``i64`` or ``double`` in IR."""

    kind: str
    text: str


class Array(NamedTuple):
    """A pointer to doubles in rows."""

    pointer: str
    shape: Shape


class LoopCode(NamedTuple):
    """Machine code of a function; ``address`` is valid as long as ``code`` lives."""

    code: MachineCode
    address: int


def cold(function: Function) -> Function:
    """Mark a function that is called in rare cases only."""
    _SELDOM.add(function)
    return function


def loop_code(function: Callable[..., None], shapes: Sequence[Shape], sizes: Sequence[int] = (),
              *, written_out: bool = False) -> LoopCode:
    """
    Return a function as ``void kernel(array...)``, all arrays of double.

    Parameters
    ----------
    function : callable
        Takes arrays, then integers.
    shapes : sequence of tuple of int
        Of the arrays.
    sizes : sequence of int, optional
        The integers, fixed from now on.
    written_out : bool, optional
        Whether loops of a fixed number of rounds are written out.

    Returns
    -------
    LoopCode
        The code.

    """
    def text() -> str:
        module = _Module()
        name = module.function(function, tuple(shapes), tuple(sizes), written_out)
        arrays = ', '.join(f'ptr noalias %a{k}' for k in range(len(shapes)))
        return '\n'.join([*_INTRINSICS, *module.texts,
                          f'define void @kernel({arrays}) nounwind {{', f'  call void @{name}('
                          + ', '.join(f'ptr %a{k}' for k in range(len(shapes))) + ')',
                          '  ret void', '}'])
    origin = origin_of_function(function, tuple(shapes), tuple(sizes), written_out)
    code = MachineCode(lambda: _optimized(text()), optimization=2,
                       origin=origin or f'optimized {text()}')
    return LoopCode(code, code.address('kernel'))


def _optimized(text: str) -> str:
    """Return IR after LLVM's usual passes: variables in registers, loops in vectors."""
    machine = target_machine(2)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return '\n'.join(line for line in str(module).splitlines()
                     if not line.startswith(('source_filename', 'target ')))


class _Module:
    """All functions that one calls, each once for each combination of shapes and sizes."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[tuple[object, ...], str] = {}

    def function(self, function: Callable[..., Any], shapes: tuple[Shape, ...],
                 sizes: tuple[int, ...], written_out: bool) -> str:
        """Return the name of a function for shapes and integers, written now or before."""
        written_out = written_out and function not in _SELDOM
        key = (function, shapes, sizes, written_out)
        if key not in self._known:
            name = f'{function.__name__}.{len(self._known)}'
            self._known[key] = name
            self.texts.append(
                _Function(self, function, name, shapes, sizes, written_out).text())
        return self._known[key]


@functools.cache
def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax of a function."""
    found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


class _Function:
    """Writes one function; every value has a name of its own, every variable a place."""

    def __init__(self, module: _Module, function: Callable[..., Any], name: str,
                 shapes: tuple[Shape, ...], sizes: tuple[int, ...], written_out: bool) -> None:
        self._module, self._name, self._shapes = module, name, shapes
        self._written_out = written_out
        self._apart = ' cold noinline' if function in _SELDOM else ''
        self._syntax, self._globals = _definition(function), function.__globals__
        arguments = [argument.arg for argument in self._syntax.args.args]
        self._arrays = {given: Array(f'%a{k}', shape)
                        for k, (given, shape) in enumerate(zip(arguments, shapes))}
        self._sizes = dict(zip(arguments[len(shapes):], sizes))
        self._places: dict[str, Value] = {}
        self._head: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._ends: list[str] = []

    def text(self) -> str:
        """Return the IR."""
        answers = self._syntax.returns
        kind = {'int': 'i64', 'float': 'double'}.get(getattr(answers, 'id', ''), 'void')
        self._statements(self._syntax.body)
        parameters = ', '.join(f'ptr noalias %a{k}' for k in range(len(self._shapes)))
        last = '  ret void' if kind == 'void' else '  unreachable'
        return '\n'.join([
            f'define private {kind} @{self._name}({parameters}) nounwind{self._apart} {{',
            'entry:', *self._head, *self._lines, last, '}'])

    def _new(self, line: str) -> str:
        self._count += 1
        self._lines.append(f'  %t{self._count} = {line}')
        return f'%t{self._count}'

    def _labels(self, *names: str) -> list[str]:
        self._count += 1
        return [f'{name}{self._count}' for name in names]

    def _statements(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            write: Callable[[ast.stmt], None] = getattr(
                self, f'_{type(statement).__name__.lower()}')
            write(statement)

    def _assign(self, node: ast.Assign) -> None:
        target, = node.targets
        made = _called_name(node.value) if isinstance(node.value, ast.Call) else ''
        if made in ('zeros', 'empty'):
            assert isinstance(target, ast.Name) and isinstance(node.value, ast.Call)
            self._own_array(target.id, node.value.args[0], made)
        elif isinstance(node.value, ast.Subscript) and isinstance(node.value.slice, ast.Slice):
            assert isinstance(target, ast.Name)
            self._arrays[target.id] = self._array(node.value)
        else:
            self._store(target, self._value(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        self._store(node.target, self._operation(
            node.op, self._value(node.target), self._value(node.value)))

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):   # a docstring
            self._value(node.value)

    def _for(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        assert not node.orelse, ast.unparse(node)
        bounds = [self._value(bound) for bound in node.iter.args]
        start = bounds[0] if len(bounds) > 1 else Value('i64', '0')
        stop = bounds[1] if len(bounds) > 1 else bounds[0]
        step = int(bounds[2].text) if len(bounds) > 2 else 1
        if self._written_out and _is_fixed(start, stop):
            self._rounds(node, range(int(start.text), int(stop.text), step))
            return
        head, body, end = self._labels('head', 'body', 'end')
        self._store(node.target, start)
        self._lines += [f'  br label %{head}', f'{head}:']
        here = self._value(node.target)
        more = self._new(f'icmp {"slt" if step > 0 else "sgt"} i64 {here.text}, {stop.text}')
        self._lines += [f'  br i1 {more}, label %{body}, label %{end}', f'{body}:']
        self._ends.append(end)
        self._statements(node.body)
        self._ends.pop()
        here = self._value(node.target)
        self._store(node.target, Value('i64', self._new(f'add i64 {here.text}, {step}')))
        self._lines += [f'  br label %{head}', f'{end}:']

    def _rounds(self, node: ast.For, numbers: range) -> None:
        """Write out a loop; its variable is an integer that is fixed in each round."""
        assert isinstance(node.target, ast.Name)
        end, = self._labels('end')
        self._ends.append(end)
        for number in numbers:
            self._sizes[node.target.id] = number
            self._statements(node.body)
        self._sizes.pop(node.target.id, None)
        self._ends.pop()
        self._lines += [f'  br label %{end}', f'{end}:']

    def _if(self, node: ast.If) -> None:
        then, other, end = self._labels('then', 'else', 'fi')
        self._lines.append(
            f'  br i1 {self._condition(node.test)}, label %{then}, label %{other}')
        for label, body in ((then, node.body), (other, node.orelse)):
            self._lines.append(f'{label}:')
            self._statements(body)
            self._lines.append(f'  br label %{end}')
        self._lines.append(f'{end}:')

    def _break(self, node: ast.Break) -> None:
        self._lines += [f'  br label %{self._ends[-1]}', f'{self._labels("dead")[0]}:']

    def _return(self, node: ast.Return) -> None:
        found = None if node.value is None else self._value(node.value)
        self._lines += ['  ret void' if found is None else f'  ret {found.kind} {found.text}',
                        f'{self._labels("dead")[0]}:']

    def _own_array(self, name: str, extents: ast.expr, made: str) -> None:
        nodes = extents.elts if isinstance(extents, ast.Tuple) else [extents]
        shape = tuple(int(self._value(node).text) for node in nodes)
        if name not in self._arrays:
            self._head.append(
                f'  %own.{name} = alloca [{max(1, math.prod(shape))} x double], align 64')
            self._arrays[name] = Array(f'%own.{name}', shape)
        if made == 'zeros':
            self._lines.append(f'  call void @llvm.memset.p0.i64(ptr %own.{name}, i8 0, '
                               f'i64 {8 * math.prod(shape)}, i1 false)')

    def _store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Subscript):
            value = self._as_float(value)
            self._lines.append(f'  store double {value.text}, ptr {self._entry(target)}')
            return
        assert isinstance(target, ast.Name)
        if target.id not in self._places:
            self._head.append(f'  %v.{target.id} = alloca {value.kind}')
            self._places[target.id] = Value(value.kind, f'%v.{target.id}')
        kind, place = self._places[target.id]
        if kind == 'double':
            value = self._as_float(value)
        assert value.kind == kind, f'{target.id} holds both integers and floats'
        self._lines.append(f'  store {kind} {value.text}, ptr {place}')

    def _entry(self, node: ast.Subscript) -> str:
        """Return a pointer to an entry of an array."""
        array = self._array(node.value)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        assert len(indices) == len(array.shape), ast.unparse(node)
        place = Value('i64', '0')
        for index, extent in zip(indices, array.shape):
            place = self._operation(ast.Add(), self._operation(
                ast.Mult(), place, Value('i64', str(extent))), self._value(index))
        return self._new(f'getelementptr double, ptr {array.pointer}, i64 {place.text}')

    def _array(self, node: ast.expr) -> Array:
        """Return an array, one of its rows, or its tail."""
        if isinstance(node, ast.Name):
            return self._arrays[node.id]
        assert isinstance(node, ast.Subscript)
        array = self._array(node.value)
        below = math.prod(array.shape[1:])
        if isinstance(node.slice, ast.Slice):
            first = self._value(node.slice.lower) if node.slice.lower else Value('i64', '0')
            stop = self._value(node.slice.upper).text if node.slice.upper else array.shape[0]
            shape: Shape = (int(stop) - int(first.text), *array.shape[1:])
        else:
            first, shape = self._value(node.slice), array.shape[1:]
        place = self._operation(ast.Mult(), first, Value('i64', str(below)))
        return Array(self._new(f'getelementptr double, ptr {array.pointer}, i64 {place.text}'),
                     shape)

    def _value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return _constant(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            if node.id in self._sizes:
                return _constant(self._sizes[node.id])
            if node.id in self._places:
                kind, place = self._places[node.id]
                return Value(kind, self._new(f'load {kind}, ptr {place}'))
            return _constant(self._globals[node.id])
        if isinstance(node, ast.Attribute):
            return _constant(getattr(math, node.attr))
        if isinstance(node, ast.Subscript):
            return Value('double', self._new(f'load double, ptr {self._entry(node)}'))
        if isinstance(node, ast.BinOp):
            return self._operation(node.op, self._value(node.left), self._value(node.right))
        if isinstance(node, ast.UnaryOp):
            assert isinstance(node.op, ast.USub), ast.unparse(node)
            value = self._value(node.operand)
            return self._operation(ast.Sub(), Value(value.kind, _constant(
                -0.0).text if value.kind == 'double' else '0'), value)
        if isinstance(node, ast.IfExp):
            test = self._condition(node.test)
            one, other = self._alike(self._value(node.body), self._value(node.orelse))
            return Value(one.kind, self._new(
                f'select i1 {test}, {one.kind} {one.text}, {one.kind} {other.text}'))
        assert isinstance(node, ast.Call), ast.unparse(node)
        return self._call(node)

    def _call(self, node: ast.Call) -> Value:
        name = _called_name(node)
        if name in ('sqrt', 'abs'):
            intrinsic = {'sqrt': 'sqrt', 'abs': 'fabs'}[name]
            value = self._as_float(self._value(node.args[0]))
            return Value('double', self._new(
                f'call double @llvm.{intrinsic}.f64(double {value.text})'))
        if name == 'int':
            value = self._value(node.args[0])
            return Value('i64', self._new(f'fptosi double {value.text} to i64'))
        function = self._globals[name]
        count = sum(argument.annotation is None or ast.unparse(argument.annotation) != 'int'
                    for argument in _definition(function).args.args)
        arrays = [self._array(argument) for argument in node.args[:count]]
        called = self._module.function(
            function, tuple(array.shape for array in arrays),
            tuple(int(self._value(argument).text) for argument in node.args[count:]),
            self._written_out)
        handed = ', '.join(f'ptr {array.pointer}' for array in arrays)
        kind = {'int': 'i64', 'float': 'double'}.get(
            getattr(_definition(function).returns, 'id', ''), 'void')
        if kind == 'void':
            self._lines.append(f'  call void @{called}({handed})')
            return Value('void', '')
        return Value(kind, self._new(f'call {kind} @{called}({handed})'))

    def _condition(self, node: ast.expr) -> str:
        if isinstance(node, ast.BoolOp):
            found = [self._condition(part) for part in node.values]
            word = 'and' if isinstance(node.op, ast.And) else 'or'
            total = found[0]
            for part in found[1:]:
                total = self._new(f'{word} i1 {total}, {part}')
            return total
        assert isinstance(node, ast.Compare) and len(node.ops) == 1, ast.unparse(node)
        one, other = self._alike(self._value(node.left), self._value(node.comparators[0]))
        whole, real = _COMPARISON[type(node.ops[0])]
        return self._new(f'{"icmp " + whole if one.kind == "i64" else "fcmp " + real} '
                         f'{one.kind} {one.text}, {other.text}')

    def _operation(self, op: ast.operator, one: Value, other: Value) -> Value:
        one, other = self._alike(one, other, isinstance(op, ast.Div))
        whole, real = _ARITHMETIC[type(op)]
        if one.kind == 'i64':
            if _is_fixed(one, other):
                a, b = int(one.text), int(other.text)
                return Value('i64', str({'add': a + b, 'sub': a - b, 'mul': a * b,
                                         'srem': a % (b or 1)}[whole]))
            return Value('i64', self._new(f'{whole} i64 {one.text}, {other.text}'))
        if real == 'frem':
            return self._remainder(one, other)
        return Value('double', self._new(f'{real} contract reassoc double {one.text}, '
                                         f'{other.text}'))

    def _remainder(self, one: Value, other: Value) -> Value:
        """Return the exact remainder of floats, with the sign of the divisor as in Python."""
        rest = self._new(f'frem double {one.text}, {other.text}')
        below = self._new(f'fcmp olt double {rest}, 0.0')
        negative = self._new(f'fcmp olt double {other.text}, 0.0')
        apart = self._new(f'xor i1 {below}, {negative}')
        left = self._new(f'fcmp one double {rest}, 0.0')
        wrong = self._new(f'and i1 {apart}, {left}')
        moved = self._new(f'fadd double {rest}, {other.text}')
        return Value('double', self._new(f'select i1 {wrong}, double {moved}, double {rest}'))

    def _alike(self, one: Value, other: Value, real: bool = False) -> tuple[Value, Value]:
        if real or one.kind != other.kind:
            return self._as_float(one), self._as_float(other)
        return one, other

    def _as_float(self, value: Value) -> Value:
        if value.kind == 'double':
            return value
        return Value('double', self._new(f'sitofp i64 {value.text} to double'))


def _is_fixed(*values: Value) -> bool:
    """Return whether integers are known when the text is written."""
    return all(value.text.lstrip('-').isdigit() for value in values)


def _constant(value: float) -> Value:
    if isinstance(value, int):
        return Value('i64', str(int(value)))
    return Value('double', SCALAR.constant(value))


def _called_name(node: ast.Call) -> str:
    """Return the name of what is called, without its module."""
    return ast.unparse(node.func).rpartition('.')[2]
