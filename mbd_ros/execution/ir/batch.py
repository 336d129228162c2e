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
IR of the loop over the rows of a batch, W rows at a time.

W rows of each argument are packed into vectors, entry by entry, the kernel runs once on these, and
the result is unpacked into W rows. The last block overlaps the one before it, so that every row
goes through the same code.

"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.ir.machine_code import address_ir
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, take_ir


def batch_ir(sizes: Sequence[int], result_size: int, width: Width) -> str:
    """
    Return the IR of ``int64 batch(int64 n, argument..., world, result)`` for n >= W.

    It gives 1 if all entries of arguments and result are finite, else 0; the rows of states that
    are finite are right even so. The kernel is the first of the module's addresses. ``int64
    rows(arrays, first, count, result)`` does some rows of a batch for those who share it
    (``shares_ir.py``).

    Parameters
    ----------
    sizes : sequence of int
        Entries of one row of each argument.
    result_size : int
        Entries of one row of the result.
    width : Width
        W.

    Returns
    -------
    str
        LLVM IR.

    """
    names = [f'a{k}' for k in range(len(sizes))]
    parameters = ', '.join(f'ptr %{name}' for name in [*names, 'world', 'result'])
    lines = [DECLARATIONS, f'define i64 @batch(i64 %n, {parameters}) nounwind {{', 'entry:',
             *take_ir('%memory', 8 * width.lanes * (sum(sizes) + result_size))]
    lines.append(address_ir('%kernel', 0))
    offset = 0
    for name, size in zip([*names, 'result'], [*sizes, result_size]):
        lines.append(
            f'  %{name}.vectors = getelementptr {width.type}, ptr %memory, i64 {offset}')
        offset += size
    lines += [f'  %final = sub i64 %n, {width.lanes}', '  br label %test', 'test:',
              f'  %zeros = phi {width.type} [{width.constant(0.0)}, %taken], '
              '[%result.zeros, %unpacked]',
              '  %i = phi i64 [0, %taken], [%next, %unpacked]',
              '  %more = icmp slt i64 %i, %n', '  br i1 %more, label %block, label %done',
              'block:', '  %late = icmp sgt i64 %i, %final',
              '  %row = select i1 %late, i64 %final, i64 %i']
    before = 'block', '%zeros'
    for name, size in zip(names, sizes):
        lines += _transposed(name, size, width, before, pack=True)
        before = f'{name}.done', f'%{name}.zeros'
    vectors = ', '.join(f'ptr %{name}.vectors' for name in names)
    lines.append(f'  call void %kernel({vectors}{", " if names else ""}ptr %world, '
                 'ptr %result.vectors)')
    lines += _transposed('result', result_size, width, before, pack=False)
    lines += ['  br label %unpacked', 'unpacked:', f'  %next = add i64 %i, {width.lanes}',
              '  br label %test', 'done:', *give_ir(),
              f'  %finite = fcmp oeq {width.type} %zeros, {width.constant(0.0)}',
              f'  %bits = bitcast <{width.lanes} x i1> %finite to i{width.lanes}',
              f'  %all = icmp eq i{width.lanes} %bits, -1', '  %answer = zext i1 %all to i64',
              '  ret i64 %answer', '}', *_some_rows(names, sizes)]
    return '\n'.join(lines)


def _some_rows(names: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Return the function that does some rows; it finds the arrays, then the world, in a table."""
    lines = ['define i64 @rows(ptr %arrays, i64 %first, i64 %count, ptr %result) nounwind {']
    for k, (name, size) in enumerate(zip([*names, 'world'], [*sizes, 0])):
        lines += [f'  %{name}.p = getelementptr ptr, ptr %arrays, i64 {k}',
                  f'  %{name}.all = load ptr, ptr %{name}.p',
                  f'  %{name}.o = mul i64 %first, {size}',
                  f'  %{name} = getelementptr double, ptr %{name}.all, i64 %{name}.o']
    handed = ', '.join(f'ptr %{name}' for name in [*names, 'world', 'result'])
    return [*lines, f'  %finite = call i64 @batch(i64 %count, {handed})', '  ret i64 %finite', '}']


def _transposed(name: str, size: int, width: Width, before: tuple[str, str], pack: bool
                ) -> list[str]:
    """
    Return the loop over entries, W at a time, that packs W rows into vectors or unpacks them.

    Squares of W rows and W entries are transposed in registers; the entries that fill none come
    last. 0 * x is added for every entry to a sum, which stays zero as long as all are finite;
    ``before`` are the block that comes first and the sum there.
    """
    kind, (label, zeros) = width.type, before
    squares = size - size % width.lanes
    lines = [f'  %{name}.first = mul i64 %row, {size}', f'  br label %{name}.loop',
             f'{name}.loop:', f'  %{name}.k = phi i64 [0, %{label}], [%{name}.k1, %{name}.body]',
             f'  %{name}.sum = phi {kind} [{zeros}, %{label}], [%{name}.s.sum, %{name}.body]',
             f'  %{name}.more = icmp slt i64 %{name}.k, {squares}',
             f'  br i1 %{name}.more, label %{name}.body, label %{name}.rest', f'{name}.body:',
             *_square(name, f'{name}.s', f'%{name}.k', size, width.lanes, width, pack),
             f'  %{name}.k1 = add i64 %{name}.k, {width.lanes}', f'  br label %{name}.loop',
             f'{name}.rest:']
    if size > squares:
        lines += _square(name, f'{name}.r', str(squares), size, size - squares, width, pack)
    last = f'%{name}.r.sum' if size > squares else f'%{name}.sum'
    return [*lines, f'  br label %{name}.done', f'{name}.done:',
            f'  %{name}.zeros = phi {kind} [{last}, %{name}.rest]']


def _square(name: str, new: str, entry: str, size: int, count: int, width: Width, pack: bool
            ) -> list[str]:
    """Return the instructions for W rows of some entries; ``new`` begins the names of values."""
    rows = [f'  %{new}.at = add i64 %{name}.first, {entry}']
    for lane in range(width.lanes):
        rows += [f'  %{new}.o{lane} = add i64 %{new}.at, {lane * size}',
                 f'  %{new}.row{lane} = getelementptr double, ptr %{name}, i64 %{new}.o{lane}']
    vectors = [f'  %{new}.e{k} = add i64 {entry}, {k}\n'
               f'  %{new}.vector{k} = getelementptr {width.type}, ptr %{name}.vectors, '
               f'i64 %{new}.e{k}' for k in range(count)]
    if pack:
        loads = [load_ir(f'%{new}.x{lane}', f'%{new}.row{lane}', count, width)
                 for lane in range(width.lanes)]
        values, moves = transpose_ir(
            [f'%{new}.x{lane}' for lane in range(width.lanes)], new, width)
        stores = [f'  store {width.type} {values[k]}, ptr %{new}.vector{k}, align 8'
                  for k in range(count)]
        checked = width.lanes
    else:
        loads = [f'  %{new}.x{k} = load {width.type}, ptr %{new}.vector{k}, align 8'
                 for k in range(count)]
        values, moves = transpose_ir([*(f'%{new}.x{k}' for k in range(count)), *[
            'zeroinitializer'] * (width.lanes - count)], new, width)
        stores = [store_ir(values[lane], f'%{new}.row{lane}', count, width)
                  for lane in range(width.lanes)]
        checked = count
    return [*rows, *vectors, *loads,
            *_still_zero(new, f'%{name}.sum', [f'%{new}.x{k}' for k in range(checked)], width),
            *moves, *stores]


def _still_zero(new: str, total: str, values: Sequence[str], width: Width) -> list[str]:
    """Return the instructions that add 0 * x of some vectors to a sum."""
    lines = []
    for k, value in enumerate(values):
        more = f'%{new}.sum' if k == len(values) - 1 else f'%{new}.sum{k}'
        lines += [f'  %{new}.zero{k} = fmul contract {width.type} {value}, {width.constant(0.0)}',
                  f'  {more} = fadd contract {width.type} {total}, %{new}.zero{k}']
        total = more
    return lines


def transpose_ir(rows: Sequence[str], new: str, width: Width) -> tuple[list[str], list[str]]:
    """
    Return the names of the columns of a square of W rows, and the instructions that make them.

    Squares of 2, then of 4 and of 8 are transposed by exchanging the two blocks off their
    diagonals, for all pairs of rows.
    """
    rows, lines, lanes = list(rows), [], range(width.lanes)
    step = 1
    while step < width.lanes:
        for i in lanes:
            if i & step:
                continue
            upper, lower = rows[i], rows[i | step]
            for place, source in ((i, [lane if not lane & step else width.lanes + (lane ^ step)
                                       for lane in lanes]),
                                  (i | step, [width.lanes + lane if lane & step else lane | step
                                              for lane in lanes])):
                mask = ', '.join(f'i32 {lane}' for lane in source)
                rows[place] = f'%{new}.t{step}.{place}'
                lines.append(f'  {rows[place]} = shufflevector {width.type} {upper}, {width.type} '
                             f'{lower}, <{width.lanes} x i32> <{mask}>')
        step *= 2
    return rows, lines


def load_ir(name: str, pointer: str, count: int, width: Width) -> str:
    """Return the instructions that load some entries of a row, with zeros after them."""
    if count == width.lanes:
        return f'  {name} = load {width.type}, ptr {pointer}, align 8'
    part, mask = f'<{count} x double>', ', '.join(
        f'i32 {min(lane, count)}' for lane in range(width.lanes))
    return (f'  {name}.part = load {part}, ptr {pointer}, align 8\n'
            f'  {name} = shufflevector {part} {name}.part, {part} zeroinitializer, '
            f'<{width.lanes} x i32> <{mask}>')


def store_ir(value: str, pointer: str, count: int, width: Width) -> str:
    """Return the instructions that store the first entries of a vector."""
    if count == width.lanes:
        return f'  store {width.type} {value}, ptr {pointer}, align 8'
    part, mask = f'<{count} x double>', ', '.join(f'i32 {lane}' for lane in range(count))
    return (f'  {value}.part = shufflevector {width.type} {value}, {width.type} poison, '
            f'<{count} x i32> <{mask}>\n  store {part} {value}.part, ptr {pointer}, align 8')
