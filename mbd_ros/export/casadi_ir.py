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
IR of what ``casadi.external`` looks for in a shared library: a function and its Jacobian.

CasADi hands over arrays of pointers, null for arguments that are zero and results that nobody
wants, and a workspace; matrices are column by column.

"""

from __future__ import annotations

from collections.abc import Sequence


def name_of(symbol: str) -> str:
    """Return the name of an exported function for CasADi."""
    return f'{symbol}_casadi'


def casadi_ir(symbol: str, derivatives: str, inputs: Sequence[tuple[str, int]], size: int,
              work: int, parameters: bool) -> tuple[str, list[str]]:
    """
    Return the module of a function of vectors with a vector as result, and of its Jacobian.

    Parameters
    ----------
    symbol, derivatives : str
        Exported functions: the function, and its derivatives as matrices (size, size), one for
        each input, row by row.
    inputs : sequence of (str, int)
        Names and sizes of the arguments; all sizes are ``size``.
    size : int
        Of the result.
    work : int
        Doubles that both take.
    parameters : bool
        Whether both take the world as an argument; it is null.

    Returns
    -------
    text : str
        IR.
    defined : list of str
        What it defines.

    """
    count, name = len(inputs), name_of(symbol)
    largest = max(one for _, one in inputs)
    pointers = ', '.join(['ptr'] * (count + 2 + parameters))
    lines = [f'declare i32 @{symbol}({pointers})', f'declare i32 @{derivatives}({pointers})',
             f'@zeros = private constant [{largest} x double] zeroinitializer']
    facts = [(name, count, 1, [(one, 1) for _, one in inputs], [(size, 1)], work),
             (f'jac_{name}', count + 1, count, [*((one, 1) for _, one in inputs), (size, 1)],
              [(size, one) for _, one in inputs], work + count * size * size)]
    defined = []
    for function, ins, outs, shapes_in, shapes_out, room in facts:
        lines += _facts(function, ins, outs, shapes_in, shapes_out, room)
        defined += [function, *(f'{function}_{end}' for end in (
            'n_in', 'n_out', 'sparsity_in', 'sparsity_out', 'work'))]
    world = ['ptr null'] if parameters else []
    given = [f'ptr %x{k}' for k in range(count)]
    lines += [_head(name), *_arguments(count), '  %r = load ptr, ptr %res',
              '  %unwanted = icmp eq ptr %r, null',
              '  br i1 %unwanted, label %nothing, label %something', 'nothing:', '  ret i32 0',
              'something:',
              f'  %code = call i32 @{symbol}({", ".join([*given, "ptr %r", *world, "ptr %w"])})',
              '  ret i32 %code', '}',
              _head(f'jac_{name}'), *_arguments(count),
              f'  %all = getelementptr double, ptr %w, i64 {work}',
              f'  %code = call i32 @{derivatives}('
              f'{", ".join([*given, "ptr %all", *world, "ptr %w"])})',
              '  %bad = icmp ne i32 %code, 0', '  br i1 %bad, label %leave, label %block0',
              'leave:', '  ret i32 %code']
    for k in range(count):
        after = f'block{k + 1}' if k + 1 < count else 'leave'
        lines += [f'block{k}:', f'  %p{k} = getelementptr ptr, ptr %res, i64 {k}',
                  f'  %r{k} = load ptr, ptr %p{k}', f'  %no{k} = icmp eq ptr %r{k}, null',
                  f'  br i1 %no{k}, label %{after}, label %copy{k}', f'copy{k}:',
                  f'  %from{k} = getelementptr double, ptr %all, i64 {k * size * size}',
                  f'  call void @turned(ptr %r{k}, ptr %from{k})', f'  br label %{after}']
    return '\n'.join([*lines, '}', _turned(size)]), defined


def _head(name: str) -> str:
    return (f'define i32 @{name}(ptr %arg, ptr %res, ptr %iw, ptr %w, i32 %mem) nounwind {{\n'
            'entry:')


def _arguments(count: int) -> list[str]:
    lines = []
    for k in range(count):
        lines += [f'  %a{k} = getelementptr ptr, ptr %arg, i64 {k}',
                  f'  %g{k} = load ptr, ptr %a{k}',
                  f'  %z{k} = icmp eq ptr %g{k}, null',
                  f'  %x{k} = select i1 %z{k}, ptr @zeros, ptr %g{k}']
    return lines


def _facts(name: str, ins: int, outs: int, shapes_in: Sequence[tuple[int, int]],
           shapes_out: Sequence[tuple[int, int]], room: int) -> list[str]:
    """Return what tells numbers and shapes; a dense one is rows, columns and 1."""
    lines = [f'define i64 @{name}_n_in() nounwind {{\n  ret i64 {ins}\n}}',
             f'define i64 @{name}_n_out() nounwind {{\n  ret i64 {outs}\n}}']
    for end, shapes in (('in', shapes_in), ('out', shapes_out)):
        table = f'@{name}_shapes_{end}'
        kinds = ', '.join(f'[3 x i64] [i64 {rows}, i64 {columns}, i64 1]'
                          for rows, columns in shapes)
        lines += [f'{table} = private constant [{len(shapes)} x [3 x i64]] [{kinds}]',
                  f'define ptr @{name}_sparsity_{end}(i64 %k) nounwind {{\nentry:',
                  f'  %outside = icmp uge i64 %k, {len(shapes)}',
                  f'  %p = getelementptr [3 x i64], ptr {table}, i64 %k',
                  '  %found = select i1 %outside, ptr null, ptr %p', '  ret ptr %found', '}']
    lines += [f'define i32 @{name}_work(ptr %arg, ptr %res, ptr %iw, ptr %w) nounwind {{\nentry:']
    for pointer, size in (('arg', ins), ('res', outs), ('iw', 0), ('w', room)):
        lines += [f'  %{pointer}.no = icmp eq ptr %{pointer}, null',
                  f'  br i1 %{pointer}.no, label %{pointer}.after, label %{pointer}.store',
                  f'{pointer}.store:', f'  store i64 {size}, ptr %{pointer}',
                  f'  br label %{pointer}.after', f'{pointer}.after:']
    return [*lines, '  ret i32 0', '}']


def _turned(size: int) -> str:
    """Return the function that copies a matrix (size, size) column by column."""
    return f"""define private void @turned(ptr %to, ptr %from) nounwind {{
entry:
  br label %entries
entries:
  %k = phi i64 [0, %entry], [%next, %entries]
  %row = udiv i64 %k, {size}
  %column = urem i64 %k, {size}
  %fp = getelementptr double, ptr %from, i64 %k
  %x = load double, ptr %fp
  %first = mul i64 %column, {size}
  %place = add i64 %first, %row
  %tp = getelementptr double, ptr %to, i64 %place
  store double %x, ptr %tp
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, {size * size}
  br i1 %more, label %entries, label %done
done:
  ret void
}}"""
