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


"""Exported libraries as C programs, beside what Python computes."""

from collections.abc import Iterator
import contextlib
import ctypes
import mmap
import shutil
import subprocess

import numpy as np

from mbd_ros.dynamics.functions import whole_robot
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.export.c_text import SEVERAL
from mbd_ros.export.write import export_library, ExportedLibrary
from mbd_ros.model import Model
from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.manifold import normalized, rate

STRICT = ('-Wall', '-Wextra', '-Werror', '-pedantic')
C99 = ('gcc', '-std=c99', *STRICT, '-x', 'c')
CXX = ('g++', '-std=c++17', *STRICT, '-x', 'c++')
COMPILERS = tuple(one for one in (C99, CXX, ('clang', *C99[1:]), ('clang++', *CXX[1:]))
                  if shutil.which(one[0]))
"""Those that are here, by turns where one is enough."""
STEP = 0.002
PAGE = mmap.PAGESIZE
LIBC = ctypes.CDLL(None)
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def export(model, folder, functions=('all',), **given):
    """Write a library."""
    return export_library(model, folder, functions=functions, **given)


def build(library: ExportedLibrary, compiler=C99, more=()):
    """Compile the example with all warnings as errors; return the program."""
    program = library.folder / f'example-{compiler[0]}'
    done = subprocess.run(
        [*compiler, str(library.folder / 'example.c'), f'-I{library.folder / "include"}',
         *more, '-x', 'none', str(library.static), '-lm', '-o', str(program)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def state_of(model: Model, seed: int) -> dict[str, np.ndarray]:
    """Return arguments by name, within reach of closed loops or not."""
    from mbd_ros.model.state import random_configuration
    rng = np.random.default_rng(seed)
    q = random_configuration(model, rng)
    elastic = len(model.elastic_names)
    if elastic:
        q[-elastic:] *= 0.01
    return {'q': q, **{name: rng.normal(size=model.nv) for name in (
        'v', 'tau', 'qdd', 'weights', 'dq', 'dv', 'dqdd')},
            'h': np.array([STEP])}


STRANGE = (0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 1e308, 5e-324, -1e-300, 1e-38, np.pi,
           1e6, 1e30)


def strange_state(library: ExportedLibrary, seed: int) -> dict[str, np.ndarray]:
    """Return arguments by name, a third of them numbers that no robot has."""
    rng = np.random.default_rng(seed)
    sizes = {name: size for _, one in library.functions for name, size in one.inputs
             if name != 'before'}   # which the example makes
    return {name: np.where(rng.random(size) < 0.3, rng.choice(STRANGE, size),
                           rng.normal(size=size)) for name, size in sizes.items()}


def answers(program, library: ExportedLibrary, given) -> dict[str, tuple[int, np.ndarray]]:
    """Run the example on a state; return code and numbers by symbol."""
    order = dict.fromkeys(name for _, one in library.functions for name, _ in one.inputs
                          if name != 'before')
    text = ' '.join(f'{x:.17g}' for name in order for x in given[name])
    done = subprocess.run([str(program)], input=text, capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        symbol, code, *numbers = line.split()
        found[symbol] = int(code), np.array(list(map(float, numbers)))
    assert done.returncode == any(code for code, _ in found.values()), done.stderr
    return found


def ours(model: Model, function, given, count=1, **surroundings):
    """Return what Python computes for one state, or for that state ``count`` times."""
    dyn = compile_model(model, **surroundings)
    states = [given[name] for name, _ in function.inputs]
    if count > 1:
        states = [np.tile(one, (count, 1)) for one in states]
    name, link = function.name, function.link
    if link:
        return (dyn._of_link('motion', link, '') if name == 'link_motion'
                else dyn.of_link(name, link))(*states)
    if name.endswith('derivatives'):
        found = getattr(dyn, name)(*states)
        return np.stack(found, axis=-3) if isinstance(found, tuple) else found
    if name.endswith('step'):
        return stepped(dyn, name, given)
    if hasattr(dyn, name):
        found = getattr(dyn, name)(*states)
        return np.stack(found, axis=-2) if isinstance(found, tuple) else found
    return getattr(whole_robot, name)(model, *states)


def stepped(dyn, name, given):
    """Return q and v after a step, or q after one with constant v."""
    if name == 'configuration_step':
        q, v, h = given['q'], given['v'], given['h'][0]
        return normalized(dyn.model, q + h * rate(dyn.model, q, v))
    q, v, tau, h = given['q'], given['v'], given['tau'], given['h'][0]
    if name == 'rk4_step':
        return np.concatenate(rk4_step(
            dyn.model, lambda t, q, v: dyn.forward_dynamics(q, v, tau), 0.0, q, v, h))
    new = v + h * dyn.forward_dynamics(q, v, tau)
    return np.concatenate([normalized(dyn.model, q + h * rate(dyn.model, q, new)), new])


# What Python puts together from parts in NumPy: sums in another order, fused or not.
IN_NUMPY = ('center_of_mass', 'configuration_step', 'semi_implicit_step', 'rk4_step')


def check(model: Model, library: ExportedLibrary, program, given, **surroundings) -> int:
    """Compare all functions, one state and many; return how many numbers were compared."""
    found, compared = answers(program, library, given), 0
    for symbol, function in library.functions:
        alone = np.ravel(ours(model, function, given, **surroundings))
        code, numbers = found[symbol]
        assert code == 0, (symbol, code)
        many_code, many = found[f'{symbol}_many']
        assert many_code == 0, (symbol, many_code)
        many = many.reshape(SEVERAL, function.size)
        together = alone if function.batches is None else np.reshape(
            ours(model, function, given, SEVERAL, **surroundings), (SEVERAL, -1))
        if function.name in IN_NUMPY:
            # 1e-13: some tens of roundings of 1e-16 each of numbers of the largest one's size.
            bound = 1e-13 * max(1.0, np.abs(alone).max())
            assert np.abs(numbers - alone).max() <= bound, symbol
            assert np.abs(many - numbers).max() == 0.0, symbol
        else:
            assert np.array_equal(numbers, alone), (symbol, np.abs(numbers - alone).max())
            if function.name in ('regressor', 'centroidal_map', 'coriolis_matrix'):
                together = alone   # poses of batches are rounded otherwise
            assert np.array_equal(many, np.broadcast_to(together, many.shape)), symbol
        compared += numbers.size + many.size
    return compared


class Called:
    """The shared library of an export, its functions called with arrays that touch no others."""

    def __init__(self, library: ExportedLibrary) -> None:
        assert library.shared is not None, library.missing
        self.library = library
        self.dll = ctypes.CDLL(str(library.shared))
        self.functions = dict(library.functions)

    def __call__(self, symbol, *arrays, work=None, count=None):
        """Call a function by addresses of arrays, None for a null pointer; return its code."""
        work = np.empty(self.library.work, self.library.real.dtype) if work is None else work
        pointers = [None if one is None else ctypes.c_void_p(one.ctypes.data)
                    for one in (*arrays, work)]
        more = [] if count is None else [ctypes.c_int64(count)]
        return getattr(self.dll, symbol)(*more, *pointers)


@contextlib.contextmanager
def guarded(arrays, end) -> Iterator[list[np.ndarray]]:
    """Give copies, each of which touches a page that must not be touched, 'low' or 'high'."""
    kept, copies, pages = [], [], []
    try:
        for array in arrays:
            size = -(-array.nbytes // PAGE) * PAGE
            memory = mmap.mmap(-1, size + 2 * PAGE)
            base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            place = PAGE if end == 'low' else PAGE + size - array.nbytes
            copy = np.frombuffer(memory, array.dtype, array.size, place).reshape(array.shape)
            copy[...] = array
            kept.append(memory)
            copies.append(copy)
            for page in (base, base + PAGE + size):
                assert LIBC.mprotect(page, PAGE, 0) == 0
                pages.append(page)
        yield copies
    finally:
        for page in pages:
            LIBC.mprotect(page, PAGE, 3)
