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

"""The plan of a tree in parts: when a trunk and what hangs on it are swept, by any back end."""

from __future__ import annotations

from collections.abc import Sequence

from mbd_ros.execution.ir.machine_code import address_ir
from mbd_ros.execution.program.sweeps import Inward, Program, Ties


def phases(program: Program) -> list[tuple[str, tuple[int, ...]]]:
    """
    Return the order: ``('trunk', (k,))``, ``('parts', (k, ...))``, ``('ties', (k,))``.

    Outward the trunk is first, inward the parts are, which run as many sweeps at a time as they
    can: ties need what all bodies have handed outward.
    """
    order: list[tuple[str, tuple[int, ...]]] = []
    pending: tuple[int, ...] = ()
    for k, sweep in enumerate(program.sweeps):
        if isinstance(sweep, Ties):
            order += [*([('parts', pending)] if pending else []), ('ties', (k,))]
            pending = ()
            continue
        pending += (k,)
        if isinstance(sweep, Inward):
            order.append(('parts', pending))
            pending = ()
        order.append(('trunk', (k,)))
    return [*order, ('parts', pending)] if pending else order


def call_ir(name: str, function: int, tables: int, pointers: Sequence[str], count: int
            ) -> list[str]:
    """
    Return the call of one sweep, or of what begins it, for some bodies.

    Parameters
    ----------
    name : str
        Makes the names of values unique.
    function, tables : int
        Numbers of the addresses of the function, and of the constants; the topology is next.
    pointers : sequence of str
        To the inputs, the world, the result and the work space.
    count : int
        Number of bodies.

    Returns
    -------
    list of str
        IR.

    """
    *given, result, work = pointers
    arguments = ', '.join(f'ptr {pointer}' for pointer in (
        *given, f'%{name}.c', f'%{name}.t', result))
    return [address_ir(f'%{name}.f', function), address_ir(f'%{name}.c', tables),
            address_ir(f'%{name}.t', tables + 1),
            f'  call void %{name}.f({arguments}, i64 {count}, ptr {work})']
