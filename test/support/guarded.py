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
Runs every program of a robot with guard pages around all tables; see test_guarded_tables.py.

    python guarded.py SEED END

END is where the tables touch a guard page: ``low`` finds reads and writes before them, ``high``
those behind them. A wrong address ends the process; a wrong number is an AssertionError.
"""

import ctypes
import mmap
import sys

import llvmlite.binding as llvm
import numpy as np
from random_loops import random_loops
from robots import ALL_KINDS, model_of

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution import Auto, Compiled, Lanes, Threads
from mbd_ros.execution.executors import compiled
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.rolled import bundles as rolled_bundles, segments as rolled_segments, tables
from mbd_ros.execution.threads import subtrees
from mbd_ros.model import state

SEED, END = int(sys.argv[1]), sys.argv[2]
PAGE = mmap.PAGESIZE
EXECUTORS = {
    'interpreted': None, 'compiled': Compiled(), 'rolled': Compiled('rolled'),
    'unrolled': Compiled('unrolled'), 'lanes': Lanes(2), 'threads': Threads(2, Compiled('rolled')),
    'threads within a state': Threads(2, within_state=True), 'auto': Auto()}
PLAIN = ('mass_matrix', 'inverse_dynamics', 'forward_dynamics', 'bias_forces', 'energies',
         'body_poses', 'body_velocities', 'inverse_dynamics_derivatives',
         'forward_dynamics_derivatives')
OF_LOOPS = ('loop_reactions', 'loop_rows', 'own_loop_rows', 'position_correction',
            'velocity_correction')
COUNTS = (1, 3, 11)  # one state, less than a vector, more than one
# What machine code asks for is 64 bytes more than it uses, to align it to cache lines.
MALLOC = f"""
declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @mprotect(ptr, i64, i32)
define ptr @guarded(i64 %asked) {{
  %padded = sub i64 %asked, 1
  %rounded = and i64 %padded, -64
  %more = add i64 %rounded, {PAGE - 1}
  %size = and i64 %more, {-PAGE}
  %all = add i64 %size, {2 * PAGE}
  %base = call ptr @mmap(ptr null, i64 %all, i32 0, i32 34, i32 -1, i64 0)
  %low = getelementptr i8, ptr %base, i64 {PAGE}
  %set = call i32 @mprotect(ptr %low, i64 %size, i32 3)
  %rest = sub i64 %size, %rounded
  %high = getelementptr i8, ptr %low, i64 %rest
  ret ptr %{END}
}}
define void @leave(ptr %place) {{
  ret void
}}
"""
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded(array):
    """Return a copy of an array that touches a page which must not be touched."""
    size = -(-max(array.nbytes, 1) // PAGE) * PAGE
    low = LIBC.mmap(None, size + 2 * PAGE, 0, 34, -1, 0) + PAGE  # private, anonymous, no access
    assert LIBC.mprotect(low, size, 3) == 0                     # read and write
    place = low if END == 'low' else low + size - array.nbytes
    memory = (ctypes.c_byte * array.nbytes).from_address(place)
    copy = np.frombuffer(memory, dtype=array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def guard_everything():
    """Put guard pages around work space and the tables of robots."""
    code = MachineCode(MALLOC)
    llvm.add_symbol('malloc', code.address('guarded'))
    llvm.add_symbol('free', code.address('leave'))
    for module in (compiled, rolled_bundles, rolled_segments, subtrees):
        module.rolled_tables = lambda *given: tuple(map(guarded, tables.rolled_tables(*given)))
    return code


def programs(dyn):
    """Yield the name of each program of a robot with its kernel; every link is a target."""
    names = [*PLAIN, *(OF_LOOPS if dyn.model.loops else ())]
    if dyn.model.springs or dyn.model.loops:
        names = [name for name in names if not name.endswith('derivatives')]
    for name in names:
        getattr(dyn, name)
        yield name, dyn._kernels[name]
    for link in dyn.model.links:
        for what in ('jacobian', 'pose', 'motion'):
            dyn._of_link(what, link, '')
            yield f'{what} of {link}', dyn._kernels[f'{what} of {link}']


def states(model, count):
    rng = np.random.default_rng(SEED)
    return {'q': np.array([state.random_configuration(model, rng) for _ in range(count)]),
            **{name: rng.normal(size=(count, model.nv)) for name in ('v', 'qdd', 'tau')}}


def check(model, prepared, expected):
    """Run all programs on one, few and many states and compare with the interpreted ones."""
    gravity = guarded(np.array([0.3, -0.2, -9.81]))
    for name, kernel in programs(prepared):
        for count in COUNTS:
            given = states(model, count)
            out = guarded(np.full((count, *kernel.shape), np.nan))
            arguments = [guarded(given[key]) for key in kernel.program.inputs]
            finite = kernel.run(arguments, gravity, out)
            if (name, count) not in expected:
                expected[name, count] = out.copy()
                continue
            wanted = expected[name, count]
            assert finite == np.isfinite(out).all() and (finite or model.loops), (
                name, kernel.name)
            both = np.isfinite(wanted) & np.isfinite(out)  # not where pivots leave a rank in doubt
            # Far from closed loops accelerations are large, and so is what rounding makes of them.
            scale = max(1.0, np.abs(wanted[both]).max(initial=0.0))
            difference = np.abs((out - wanted)[both]).max(initial=0.0) / scale
            assert difference < 1e-8, (name, kernel.name, count, difference)
            assert not (name.endswith(' of ' + model.root) and 'jacobian' in name and out.any())


def main():
    rng = np.random.default_rng(SEED)
    count = int(rng.integers(3, 6))
    kinds = [str(kind) for kind in rng.choice(ALL_KINDS, count)]
    kinds[0] = 'revolute'
    robots = [model_of([int(rng.integers(0, i + 1)) for i in range(count)], kinds, SEED),
              random_loops(SEED, count, 1, springs=1)[0]]
    for model in robots:
        expected = {}
        for name, executor in EXECUTORS.items():
            prepared = PreparedDynamics(model, executor=executor or name)
            check(model, prepared, expected)


if __name__ == '__main__':
    alive = guard_everything()
    main()
    print('all tables kept')
