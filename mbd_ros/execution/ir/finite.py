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
IR that tells whether all entries of arrays are finite: ``0 * x`` then sums to zero.

NaN and infinity give NaN.

"""

from __future__ import annotations

from collections.abc import Sequence

_LONG = 512  # entries beyond which an array is tested by a loop, _BLOCK entries at a time
_BLOCK = 32  # four vectors of eight, so that their sums do not wait for each other
_BLOCKS = f'<{_BLOCK} x double>'
_EIGHT, _FOUR = '<8 x double>', '<4 x double>'
_VECTORS = {8: _EIGHT, 4: _FOUR}
FINITE_IR = f"""
declare double @llvm.vector.reduce.fadd.v{_BLOCK}f64(double, {_BLOCKS})
declare double @llvm.vector.reduce.fadd.v8f64(double, {_EIGHT})
declare double @llvm.vector.reduce.fadd.v4f64(double, {_FOUR})
define private double @finite(ptr readonly %array, i64 %size) nounwind {{
entry:
  %blocks = and i64 %size, {-_BLOCK}
  br label %many
many:
  %k = phi i64 [0, %entry], [%next, %block]
  %sums = phi {_BLOCKS} [zeroinitializer, %entry], [%added, %block]
  %more = icmp slt i64 %k, %blocks
  br i1 %more, label %block, label %rest
block:
  %p = getelementptr double, ptr %array, i64 %k
  %x = load {_BLOCKS}, ptr %p, align 8
  %z = fmul {_BLOCKS} %x, zeroinitializer
  %added = fadd {_BLOCKS} %sums, %z
  %next = add i64 %k, {_BLOCK}
  br label %many
rest:
  %all = call reassoc double @llvm.vector.reduce.fadd.v{_BLOCK}f64(double 0.0, {_BLOCKS} %sums)
  br label %single
single:
  %i = phi i64 [%blocks, %rest], [%j, %entryof]
  %sum = phi double [%all, %rest], [%one, %entryof]
  %left = icmp slt i64 %i, %size
  br i1 %left, label %entryof, label %done
entryof:
  %ip = getelementptr double, ptr %array, i64 %i
  %ix = load double, ptr %ip
  %iz = fmul double %ix, 0.0
  %one = fadd double %sum, %iz
  %j = add i64 %i, 1
  br label %single
done:
  ret double %sum
}}"""
"""``double @finite(array, size)``: zero if all entries are finite, else NaN."""


def all_finite_ir(arrays: Sequence[tuple[str, int]], name: str, *, written: bool = False
                  ) -> list[str]:
    """
    Return the IR of a test of arrays.

    Parameters
    ----------
    arrays : sequence of (str, int)
        Names of the pointers and numbers of entries.
    name : str
        Of the i1, which is true if all are finite; names of other values begin with it.
    written : bool, optional
        Whether the entries were written just before, one by one: a vector of them would have to
        wait until they are in the cache.

    Returns
    -------
    list of str
        IR, for a module with ``FINITE_IR``.

    """
    lines: list[str] = []
    sums: dict[str, list[str]] = {'double': [], _EIGHT: [], _FOUR: []}
    for array, size in arrays:
        if size > _LONG:
            lines.append(f'  %{name}.{array} = call double @finite(ptr %{array}, i64 {size})')
            sums['double'].append(f'%{name}.{array}')
            continue
        for entry, kind in _parts(size, written):
            value = f'%{name}.{array}.{entry}'
            lines += [f'  {value}p = getelementptr double, ptr %{array}, i64 {entry}',
                      f'  {value}x = load {kind}, ptr {value}p, align 8',
                      f'  {value} = fmul {kind} {value}x, '
                      f'{"0.0" if kind == "double" else "zeroinitializer"}']
            sums[kind].append(value)
    for lanes, kind in _VECTORS.items():
        if sums[kind]:
            lines.append(f'  %{name}.of{lanes} = call reassoc double @llvm.vector.reduce.fadd.v'
                         f'{lanes}f64(double 0.0, {kind} {_total(sums[kind], kind, lines)})')
            sums['double'].append(f'%{name}.of{lanes}')
    total = _total(sums['double'], 'double', lines) if sums['double'] else '0.0'
    return [*lines, f'  %{name} = fcmp oeq double {total}, 0.0']


def _parts(size: int, written: bool) -> list[tuple[int, str]]:
    """Return first entries and kinds of what covers an array; the last vector may overlap."""
    lanes = next((lanes for lanes in _VECTORS if size >= lanes), 0)
    if not lanes or (written and size <= _BLOCK):
        return [(entry, 'double') for entry in range(size)]
    whole = [*range(0, size - lanes + 1, lanes)]
    return [(entry, _VECTORS[lanes]) for entry in (
        *whole, *([size - lanes] if size % lanes else []))]


def _total(values: list[str], kind: str, lines: list[str]) -> str:
    """Add the IR of a sum by pairs, in which few additions wait for each other."""
    while len(values) > 1:
        pairs = [f'{value}s' for value in values[:-1:2]]
        lines += [f'  {pair} = fadd {kind} {one}, {other}'
                  for pair, one, other in zip(pairs, values[::2], values[1::2])]
        values = pairs + values[len(values) - len(values) % 2:]
    return values[0]
