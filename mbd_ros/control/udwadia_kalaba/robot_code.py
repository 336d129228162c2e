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

"""Access to the compiled kernels of a robot, from which control steps are built."""

from __future__ import annotations

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder, Symbols
from mbd_ros.execution.compiled_calls.fused import Argument, KernelCall

LARGEST_DENSE = 32
"""Entries of v beyond which the general form is used: its work is in matrices, too, by then."""

LARGEST = 16
"""Rows, and entries of v, up to which a single solution comes from machine code, and loops of few
operations are written out."""


def has_machine_code(dyn: object) -> bool:
    """Return whether the kernels of a robot are machine code, and it is not too large."""
    if not isinstance(dyn, PreparedDynamics) or not 0 < dyn.model.nv <= LARGEST_DENSE:
        return False
    needed = ('mass_matrix', 'bias_forces', *(('own_loop_rows',) if dyn.model.loops else ()))
    return all(dyn.machine_code(function) is not None for function in needed)


def machine_code(dyn: PreparedDynamics, function: str, link: str = '') -> tuple[int, int]:
    """Return addresses of a kernel and of its world, which are known to be there."""
    code = dyn.machine_code(function, link)
    assert code is not None
    return code


def robot_call(dyn: PreparedDynamics, function: str, result: str, size: int,
               *arguments: Argument, link: str = '') -> KernelCall:
    """Return the call of a robot's function; without machine code it can be interpreted only."""
    code = dyn.machine_code(function, link)
    address, world = (0, 0) if code is None else code
    return KernelCall(address, (*arguments, world), result, size,
                      None if link else getattr(dyn, function))


def robot(step: CallRecorder, dyn: PreparedDynamics, function: str, size: int,
          *arguments: Argument | Symbols, link: str = '') -> Symbols:
    """Record the call of a robot's function, which has machine code; return its result (size,)."""
    address, world = machine_code(dyn, function, link)
    return step.call(address, (*arguments, world), size)


def padded(columns: int) -> int:
    """Return a number of columns that whole vectors hold."""
    return -(-columns // 4) * 4
