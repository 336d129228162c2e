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
Kernels of functions with loops, see ``loop_code``: for one state, and for W states side by side.

A vector register holds one entry of W states. What loops takes them one after the other.

"""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.ir.straight_line import Width
from mbd_ros.execution.ir.workspace import DECLARATIONS, give_ir, take_ir


def chained(first: int, size: int, second: int, given: Sequence[str | int], count: int
            ) -> MachineCode:
    """
    Return ``void kernel(argument..., world, result)`` that calls two functions.

    Parameters
    ----------
    first : int
        Address of ``void f(a0, world, between)``.
    size : int
        Entries of what it writes.
    second : int
        Address of a function of arrays, the last one the result.
    given : sequence of str or int
        What that is handed: ``'between'``, ``'a0'`` and so on, ``'world'``, or an address.
    count : int
        Number of arguments.

    Returns
    -------
    MachineCode
        The code.

    """
    parameters = ', '.join(f'ptr %{name}' for name in (
        *(f'a{k}' for k in range(count)), 'world', 'result'))
    addresses: list[int] = [first, second]
    lines = [DECLARATIONS, f'define void @kernel({parameters}) nounwind {{', 'entry:',
             *take_ir('%between', 8 * size), address_ir('%first', 0), address_ir('%second', 1)]
    handed = []
    for one in given:
        if isinstance(one, int):
            lines.append(address_ir(f'%p{len(addresses)}', len(addresses)))
            handed.append(f'p{len(addresses)}')
            addresses.append(one)
        else:
            handed.append(one)
    arrays = ', '.join(f'ptr %{name}' for name in (*handed, 'result'))
    return MachineCode('\n'.join([
        *lines, '  call void %first(ptr %a0, ptr %world, ptr %between)',
        f'  call void %second({arrays})', *give_ir(), '  ret void', '}']), addresses=addresses)


def one_by_one(kernel: int, sizes: Sequence[int], result_size: int, width: Width) -> MachineCode:
    """
    Return ``void kernel(argument..., world, result)`` for the vectors of W states.

    Parameters
    ----------
    kernel : int
        Address of the same for one state.
    sizes : sequence of int
        Entries of each argument.
    result_size : int
        Entries of the result.
    width : Width
        W.

    Returns
    -------
    MachineCode
        The code.

    """
    spaces = [(f'a{k}', size) for k, size in enumerate(sizes)] + [('result', result_size)]
    parameters = ', '.join(f'ptr %{name}' for name in (
        *(f'a{k}' for k in range(len(sizes))), 'world', 'result'))
    lines = [DECLARATIONS, f'define void @kernel({parameters}) nounwind {{', 'entry:',
             *take_ir('%memory', 8 * sum(size for _, size in spaces)), address_ir('%one', 0)]
    offset = 0
    for name, size in spaces:
        lines.append(f'  %{name}.one = getelementptr double, ptr %memory, i64 {offset}')
        offset += size
    lines += ['  br label %lane', 'lane:', '  %l = phi i64 [0, %taken], [%l1, %given]']
    before = 'lane'
    for name, size in spaces[:-1]:
        lines += _moved(name, size, width, before, True)
        before = f'{name}.done'
    handed = ', '.join([*(f'ptr %{name}.one' for name, _ in spaces[:-1]), 'ptr %world',
                        'ptr %result.one'])
    lines += [f'  call void %one({handed})', *_moved('result', result_size, width, before, False),
              '  br label %given', 'given:', '  %l1 = add i64 %l, 1',
              f'  %more = icmp slt i64 %l1, {width.lanes}',
              '  br i1 %more, label %lane, label %end', 'end:', *give_ir(), '  ret void', '}']
    return MachineCode('\n'.join(lines), addresses=[kernel])


def _moved(name: str, size: int, width: Width, before: str, into: bool) -> list[str]:
    """Return the loop that takes the entries of a lane out of vectors, or puts them there."""
    source, target = (f'%{name}.v', f'%{name}.s') if into else (f'%{name}.s', f'%{name}.v')
    return [f'  br label %{name}.test', f'{name}.test:',
            f'  %{name}.k = phi i64 [0, %{before}], [%{name}.k1, %{name}.move]',
            f'  %{name}.go = icmp slt i64 %{name}.k, {size}',
            f'  br i1 %{name}.go, label %{name}.move, label %{name}.done', f'{name}.move:',
            f'  %{name}.row = mul i64 %{name}.k, {width.lanes}',
            f'  %{name}.at = add i64 %{name}.row, %l',
            f'  %{name}.v = getelementptr double, ptr %{name}, i64 %{name}.at',
            f'  %{name}.s = getelementptr double, ptr %{name}.one, i64 %{name}.k',
            f'  %{name}.x = load double, ptr {source}',
            f'  store double %{name}.x, ptr {target}',
            f'  %{name}.k1 = add i64 %{name}.k, 1', f'  br label %{name}.test', f'{name}.done:']
