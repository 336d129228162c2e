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
IR of what C calls: it checks arguments, lays out the world, runs a kernel and checks its result.

The caller's workspace holds the address of the memory that is left (eight bytes), the world, then,
from the next cache line on, that memory (``execution/ir/workspace.py``). The texts are written in
double precision; ``Real.text`` makes them those of other numbers.

"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.ir.finite import all_finite_ir, FINITE_IR
from mbd_ros.execution.ir.straight_line import SCALAR
from mbd_ros.execution.ir.workspace import BEFORE_WORLD
from mbd_ros.export.functions import Exported
from mbd_ros.export.modules import ALIGNED
from mbd_ros.export.real import Real

CODES = {
    'OK': (0, 'the result is right'),
    'NULL': (1, 'a pointer is null; nothing was written'),
    'NOT_FINITE': (2, 'an argument holds NaN or infinity'),
    'SINGULAR': (3, 'the result is not finite: a joint moves no inertia, or numbers are huge'),
    'NO_ROTATION': (4, 'a quaternion or direction in q has length zero; nothing was written'),
    'OVERLAP': (5, 'result or workspace overlap with something else; nothing was written'),
    'COUNT': (6, 'a number of states is negative; nothing was written'),
    'UNUSUAL': (7, 'of a controller: the step is too long, a rank is not clear, or a violation '
                   'remains; the state is of no use'),
    'LIMITS': (8, 'of a controller: the state is right, but robot or nominal model are beyond '
                  'limits of position or velocity')}
"""Return codes by the end of their names: number and meaning."""
SMALLEST_SQUARE = 1e-12
"""Of the length of a quaternion, as for prepared callables."""
_LOOPS = """
define private void @copy(ptr %to, ptr %from, i64 %count) nounwind {
entry:
  br label %test
test:
  %k = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
  %fp = getelementptr double, ptr %from, i64 %k
  %x = load double, ptr %fp
  %tp = getelementptr double, ptr %to, i64 %k
  store double %x, ptr %tp
  %next = add i64 %k, 1
  br label %test
done:
  ret void
}"""


def words(values: Sequence[float]) -> str:
    """Return doubles as the text of an IR array of them, bit for bit."""
    return (f'[{len(values)} x double] '
            f'[{", ".join(f"double {SCALAR.constant(one)}" for one in values)}]')


def first_free(world: int, real: Real) -> int:
    """Return how many bytes of the workspace come before the memory that is left, at most."""
    return BEFORE_WORLD + real.bytes * world + ALIGNED


def entry_ir(symbol: str, function: Exported, kernel: str, batch: str,
             units: Sequence[tuple[int, int]], world: Sequence[float], work: int,
             parameters: bool, real: Real) -> str:
    """
    Return the module of a function: one state, and many.

    Parameters
    ----------
    symbol : str
        Name in C; that for many states ends in ``_many``.
    function : Exported
        The function.
    kernel, batch : str
        Names of the machine code; ``batch`` is empty where there is none for many states.
    units : sequence of (int, int)
        First and last entry, exclusive, of each vector of length 1 in q.
    world : sequence of float
        What is read of the world if the caller says nothing.
    work : int
        Numbers of the workspace.
    parameters : bool
        Whether callers say something: the world as one more argument, which may be null.
    real : Real
        The numbers.

    """
    entry = _Entry(symbol, function, units, len(world), work, parameters, real)
    declared = [f'declare hidden void @{kernel}()']
    if batch:
        declared.append(f'declare hidden i64 @{batch}()')
    return real.text('\n'.join([
        FINITE_IR, _LOOPS, *declared, f'@world = internal constant {words(world)}',
        *entry.single(kernel), *(entry.side_by_side(batch) if batch else entry.in_turn())]))


class _Entry:
    """Writes the functions."""

    def __init__(self, symbol: str, function: Exported, units: Sequence[tuple[int, int]],
                 world: int, work: int, parameters: bool, real: Real) -> None:
        self._symbol, self._function, self._units = symbol, function, units
        self._world, self._work, self._parameters = world, work, parameters
        self._bytes = real.bytes
        self._sizes = [size for _, size in function.inputs]
        self._arrays = [*(f'a{k}' for k in range(len(self._sizes))), 'result']
        self._given = [*self._arrays, *(['given'] if parameters else []), 'work']
        self._handed = ', '.join(f'ptr %a{k}' for k in range(len(self._sizes)))

    def single(self, kernel: str) -> list[str]:
        """Return the function for one state."""
        function = self._function
        lines = [self._head(''), *self._pointers(['1'] * len(self._arrays))]
        lines += [*all_finite_ir([(f'a{k}', size) for k, size in enumerate(self._sizes)], 'in'),
                  '  br i1 %in, label %finite, label %infinite', 'infinite:', _leave('NOT_FINITE'),
                  'finite:']
        if self._turns():
            lines += [*self._rotations(f'a{self._at}'),
                      '  br i1 %turned, label %upright, label %unturned', 'unturned:',
                      _leave('NO_ROTATION'), 'upright:']
        lines += self._surroundings()
        world = '' if function.places else 'ptr %world, '   # controllers have their own
        lines += [f'  call void @{kernel}({self._handed}, {world}ptr %result)',
                  *all_finite_ir([('result', function.size)], 'out', written=True),
                  f'  %fine = select i1 %out, i32 0, i32 {CODES["SINGULAR"][0]}']
        if not function.places:
            return [*lines, '  ret i32 %fine', '}']
        for k, name in enumerate(('excess', 'margin')):
            lines += [f'  %{name}.p = getelementptr double, ptr %result, '
                      f'i64 {function.size - 2 + k}', f'  %{name} = load double, ptr %{name}.p']
        return [*lines, '  %within = fcmp ole double %excess, 0.0',
                '  %right = fcmp ogt double %margin, 0.0',
                f'  %limited = select i1 %within, i32 0, i32 {CODES["LIMITS"][0]}',
                f'  %said = select i1 %right, i32 %limited, i32 {CODES["UNUSUAL"][0]}',
                '  %code = select i1 %out, i32 %said, i32 %fine', '  ret i32 %code', '}']

    def side_by_side(self, batch: str) -> list[str]:
        """Return the function for many states, as many at a time as batches have lanes."""
        assert self._function.batches is not None
        lanes, size = self._function.batches.lanes, self._function.size
        lines = [*self._many(), *self._every_rotation(), *self._surroundings(),
                 f'  %few = icmp slt i64 %count, {lanes}',
                 '  br i1 %few, label %padded, label %enough', 'enough:',
                 f'  %all = call i64 @{batch}(i64 %count, {self._handed}, ptr %world, '
                 'ptr %result)', '  br label %ran', 'padded:',
                 '  %space = load ptr, ptr %work, align 4']
        place = 0
        for name, extent in zip(self._arrays, [*self._sizes, size]):
            lines.append(f'  %{name}.rows = getelementptr double, ptr %space, i64 {place}')
            place += lanes * extent
        lines += [f'  %rest = getelementptr double, ptr %space, i64 {place}',
                  '  store ptr %rest, ptr %work, align 4', '  %last = sub i64 %count, 1',
                  '  br label %row', 'row:', '  %i = phi i64 [0, %padded], [%i1, %row]',
                  '  %beyond = icmp sgt i64 %i, %last',
                  '  %from = select i1 %beyond, i64 %last, i64 %i']
        for name, extent in zip(self._arrays, self._sizes):
            lines += [*_row(f'{name}.from', name, '%from', extent),
                      *_row(f'{name}.to', f'{name}.rows', '%i', extent),
                      f'  call void @copy(ptr %{name}.to, ptr %{name}.from, i64 {extent})']
        rows = ', '.join(f'ptr %{name}.rows' for name in self._arrays[:-1])
        lines += ['  %i1 = add i64 %i, 1', f'  %again = icmp slt i64 %i1, {lanes}',
                  '  br i1 %again, label %row, label %run', 'run:',
                  f'  %some = call i64 @{batch}(i64 {lanes}, {rows}, ptr %world, '
                  'ptr %result.rows)', f'  %entries = mul i64 %count, {size}',
                  '  call void @copy(ptr %result, ptr %result.rows, i64 %entries)',
                  '  br label %ran', 'ran:', '  %good = phi i64 [%all, %enough], [%some, %run]',
                  '  %fine = icmp eq i64 %good, 1',
                  '  br i1 %fine, label %done, label %bad', 'done:', _leave('OK'), 'bad:']
        sums = []
        for name, extent in zip(self._arrays, self._sizes):
            lines += [f'  %{name}.n = mul i64 %count, {extent}',
                      f'  %{name}.sum = call double @finite(ptr %{name}, i64 %{name}.n)']
            sums.append(f'%{name}.sum')
        for k, one in enumerate(sums):
            before = sums[0] if k == 0 else f'%sums{k - 1}'
            lines.append(f'  %sums{k} = fadd double {before}, {one}')
        return [*lines, f'  %known = fcmp oeq double %sums{len(sums) - 1}, 0.0',
                f'  %code = select i1 %known, i32 {CODES["SINGULAR"][0]}, '
                f'i32 {CODES["NOT_FINITE"][0]}', '  ret i32 %code', '}']

    def in_turn(self) -> list[str]:
        """Return the function for many states, one after the other; the first code counts."""
        lines = [*self._many(), '  br label %row', 'row:',
                 '  %i = phi i64 [0, %several], [%i1, %row]',
                 '  %code = phi i32 [0, %several], [%kept, %row]']
        handed = []
        for name, size in zip(self._arrays, [*self._sizes, self._function.size]):
            lines += _row(f'{name}.row', name, '%i', size)
            handed.append(f'ptr %{name}.row')
        handed += [f'ptr %{name}' for name in self._given[len(self._arrays):]]
        return [*lines, f'  %new = call i32 @{self._symbol}({", ".join(handed)})',
                '  %first = icmp eq i32 %code, 0',
                '  %kept = select i1 %first, i32 %new, i32 %code', '  %i1 = add i64 %i, 1',
                '  %more = icmp slt i64 %i1, %count',
                '  br i1 %more, label %row, label %done', 'done:', '  ret i32 %kept', '}']

    def _head(self, end: str) -> str:
        count = 'i64 %count, ' if end else ''
        return (f'define i32 @{self._symbol}{end}({count}'
                f'{", ".join(f"ptr %{name}" for name in self._given)}) nounwind {{\nentry:')

    def _many(self) -> list[str]:
        """Return the begin of the function for many states; it goes on in ``several``."""
        single = ', '.join(f'ptr %{name}' for name in self._given)
        return [self._head('_many'), '  %negative = icmp slt i64 %count, 0',
                '  br i1 %negative, label %wrong, label %counted', 'wrong:', _leave('COUNT'),
                'counted:', '  %nothing = icmp eq i64 %count, 0',
                '  br i1 %nothing, label %none, label %some.states', 'none:', _leave('OK'),
                'some.states:', '  %alone = icmp eq i64 %count, 1',
                '  br i1 %alone, label %one, label %many', 'one:',
                f'  %ofone = call i32 @{self._symbol}({single})', '  ret i32 %ofone', 'many:',
                *self._pointers(['%count'] * len(self._arrays)), '  br label %several',
                'several:']

    def _pointers(self, counts: Sequence[str]) -> list[str]:
        """Return the checks of pointers; the code goes on in ``apart``."""
        lines, wrong = [], 'false'
        for name in (*self._arrays, 'work'):
            lines += [f'  %{name}.null = icmp eq ptr %{name}, null',
                      f'  %{name}.nulls = or i1 {wrong}, %{name}.null']
            wrong = f'%{name}.nulls'
        lines += [f'  br i1 {wrong}, label %null, label %there', 'null:', _leave('NULL'),
                  'there:']
        extents = [self._bytes * size for size in (*self._sizes, self._function.size)]
        for name, count, extent in zip(self._arrays, counts, extents):
            lines += [f'  %{name}.first = ptrtoint ptr %{name} to i64',
                      f'  %{name}.bytes = mul i64 {count}, {extent}',
                      f'  %{name}.end = add i64 %{name}.first, %{name}.bytes']
        lines += ['  %work.first = ptrtoint ptr %work to i64',
                  f'  %work.end = add i64 %work.first, {self._bytes * self._work}']
        names, wrong = [*self._arrays, 'work'], 'false'
        for written in ('result', 'work'):
            for name in names[:names.index(written)]:
                pair = f'%{name}.{written}'
                lines += [f'  {pair}.a = icmp ult i64 %{name}.first, %{written}.end',
                          f'  {pair}.b = icmp ult i64 %{written}.first, %{name}.end',
                          f'  {pair}.c = and i1 {pair}.a, {pair}.b',
                          f'  {pair}.d = or i1 {wrong}, {pair}.c']
                wrong = f'{pair}.d'
        return [*lines, f'  br i1 {wrong}, label %overlap, label %apart', 'overlap:',
                _leave('OVERLAP'), 'apart:']

    def _turns(self) -> bool:
        return bool(self._units) and 'q' in dict(self._function.inputs)

    @property
    def _at(self) -> int:
        """Return which of the arguments is q."""
        return [name for name, _ in self._function.inputs].index('q')

    def _rotations(self, array: str) -> list[str]:
        """Return the test whether all quaternions of one state have a length: ``turned``."""
        lines, right = [], 'true'
        for k, (first, last) in enumerate(self._units):
            total = '0.0'
            for entry in range(first, last):
                one = f'%turn{k}.{entry}'
                lines += [f'  {one}p = getelementptr double, ptr %{array}, i64 {entry}',
                          f'  {one}x = load double, ptr {one}p',
                          f'  {one}q = fmul double {one}x, {one}x',
                          f'  {one} = fadd double {total}, {one}q']
                total = one
            lines += [f'  %long{k} = fcmp uge double {total}, '
                      f'{SCALAR.constant(SMALLEST_SQUARE)}',
                      f'  %longs{k} = and i1 {right}, %long{k}']
            right = f'%longs{k}'
        return [*lines, f'  %turned = and i1 {right}, true']

    def _every_rotation(self) -> list[str]:
        """Return the test of the rotations of many states."""
        if not self._turns():
            return []
        return ['  br label %state', 'state:', '  %s = phi i64 [0, %several], [%s1, %sound]',
                *_row('q.row', f'a{self._at}', '%s', self._sizes[self._at]),
                *self._rotations('q.row'),
                '  br i1 %turned, label %sound, label %unturned', 'unturned:',
                _leave('NO_ROTATION'), 'sound:', '  %s1 = add i64 %s, 1',
                '  %states = icmp slt i64 %s1, %count',
                '  br i1 %states, label %state, label %right', 'right:']

    def _surroundings(self) -> list[str]:
        """Return the code that lays out workspace and world."""
        lines = [f'  %world = getelementptr i8, ptr %work, i64 {BEFORE_WORLD}']
        source = '@world'
        if self._parameters:
            lines += ['  %default = icmp eq ptr %given, null',
                      '  %around = select i1 %default, ptr @world, ptr %given',
                      *all_finite_ir([('around', self._world)], 'sane'),
                      '  br i1 %sane, label %surrounded, label %odd', 'odd:',
                      _leave('NOT_FINITE'), 'surrounded:']
            source = '%around'
        for entry in range(self._world):
            lines += [f'  %w{entry}.from = getelementptr double, ptr {source}, i64 {entry}',
                      f'  %w{entry} = load double, ptr %w{entry}.from',
                      f'  %w{entry}.to = getelementptr double, ptr %world, i64 {entry}',
                      f'  store double %w{entry}, ptr %w{entry}.to']
        before = BEFORE_WORLD + self._bytes * self._world + ALIGNED - 1
        return [*lines, f'  %free.b = add i64 %work.first, {before}',
                f'  %free.i = and i64 %free.b, {-ALIGNED}',
                '  %free = inttoptr i64 %free.i to ptr',
                '  store ptr %free, ptr %work, align 4']


def _leave(code: str) -> str:
    return f'  ret i32 {CODES[code][0]}'


def _row(name: str, array: str, row: str, size: int) -> list[str]:
    return [f'  %{name}.e = mul i64 {row}, {size}',
            f'  %{name} = getelementptr double, ptr %{array}, i64 %{name}.e']
