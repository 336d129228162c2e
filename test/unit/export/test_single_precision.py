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


"""Libraries in single precision, beside double precision."""

from pathlib import Path
import re
import subprocess

from emulated import built_for, emulated
from exported import answers, build, C99, Called, CXX, export, guarded, ours, state_of
from hypothesis import given as drawn, strategies as st
from loop_models import many_legs
import numpy as np
import pytest
from robots import chain, model_of

import mbd_ros
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.execution.ir.sincos import sincos_ir
from mbd_ros.execution.ir.straight_line import SCALAR, Width
from mbd_ros.export.real import in_single_precision
from mbd_ros.export.target import target_named, TARGETS

URDF = Path(__file__).resolve().parents[3] / 'urdf'
MAIN = ('forward_dynamics', 'inverse_dynamics', 'mass_matrix')
NEAR = 1e-5
"""Of the largest entry: a float is rounded by 6e-8, some tens of roundings in a row, and
accelerations are those times the condition of the mass matrix as the recursion meets it."""


def rounded(given):
    """Return arguments that floats hold exactly, so that both precisions have the same ones."""
    return {name: one.astype(np.float32).astype(float) for name, one in given.items()}


def errors(model, library, program, given):
    """Yield symbol and largest difference to double precision, of the largest entry."""
    found = answers(program, library, given)
    for symbol, function in library.functions:
        right = np.ravel(ours(model, function, given))
        for end in ('', '_many'):
            code, numbers = found[f'{symbol}{end}']
            assert code == 0, (symbol, end, code)
            yield symbol, np.abs(numbers.reshape(-1, right.size) - right).max() / (
                np.abs(right).max())


@pytest.mark.parametrize(('name', 'compiler'), [
    ('three_link_arm.urdf', C99), ('panda.urdf', CXX), ('four_bar.urdf', C99)])
def test_functions_of_shipped_robots(name, compiler, tmp_path):
    model = mbd_ros.load(URDF / name)
    library = export(model, tmp_path, (*MAIN, 'rk4_step', 'forward_dynamics_derivatives', 'pose'),
                     real='float')
    given = state_of(model, 1)
    if model.loops:
        given['q'], given['v'] = mbd_ros.close_loops(
            model, mbd_ros.neutral(model), 0.1 * given['v'])
    for symbol, error in errors(model, library, build(library, compiler), rounded(given)):
        assert error < NEAR, symbol


@pytest.mark.parametrize(('model', 'seed'), [
    (model_of([0, 1, 2, 1, 4, 1], ['floating', 'spherical', 'revolute', 'planar', 'prismatic',
                                   'revolute'], 9), 3),
    (mbd_ros.load(chain(45, 1)), 4), (mbd_ros.load(chain(210, 2)), 5),
    (many_legs(4, 12, 3, springs=2), 6),
], ids=['all joints', 'loops over bodies', 'segments of a chain', 'bundles, rows and springs'])
def test_every_way_to_run_code(model, seed, tmp_path):
    functions = MAIN[1:] if model.nb > 40 else MAIN
    library = export(model, tmp_path, functions, real='float')
    given = state_of(model, seed)
    given['v'] *= 0.1
    for symbol, error in errors(model, library, build(library), rounded(given)):
        assert error < NEAR, symbol


@pytest.mark.parametrize('seed', [4, 5])
def test_accelerations_of_long_chains(seed, tmp_path):
    # The condition of the mass matrix of a chain of 45 is some 1e6, so that accelerations
    # themselves may differ; the forces that these accelerations need may not.
    model = mbd_ros.load(chain(45, 1))
    library = export(model, tmp_path, ('forward_dynamics',), real='float')
    given = state_of(model, seed)
    given['v'] *= 0.1
    given = rounded(given)
    (code, found), (many_code, many) = answers(build(library), library, given).values()
    assert code == 0 and many_code == 0
    for qdd in (found, *many.reshape(-1, model.nv)):
        needed = mbd_ros.inverse_dynamics(model, given['q'], given['v'], qdd)
        terms = np.abs(mbd_ros.mass_matrix(model, given['q'])) @ np.abs(qdd)
        assert np.abs(needed - given['tau']).max() < NEAR * terms.max()


def test_sine_and_cosine(tmp_path):
    # The pose of a pendulum holds them. 2 units in the last place of 1: 2.4e-7.
    model = mbd_ros.load(URDF / 'pendulum.urdf.xacro')
    library = export(model, tmp_path, ('pose',), real='float')
    call, (symbol, function) = Called(library), library.functions[0]
    q = np.concatenate((np.linspace(-7.0, 7.0, 4001), np.linspace(-9000.0, 9000.0, 4001),
                        [0.0, 1e-30, -1e-42, 1e6, 3e38])).astype(np.float32)
    found = np.empty((q.size, function.size), np.float32)
    assert call(f'{symbol}_many', q, found, count=q.size) == 0
    right = mbd_ros.compile(model).of_link('pose', function.link)(q.astype(float)[:, None])
    assert np.abs(found.reshape(right.shape)[:, :3, :3] - right[:, :3, :3]).max() < 2.4e-7


@pytest.mark.parametrize('count', [1, 3, 11])
@pytest.mark.parametrize('end', ['low', 'high'])
@pytest.mark.parametrize('model', [mbd_ros.load(URDF / 'panda.urdf'), mbd_ros.load(chain(45, 1)),
                                   many_legs(4, 12, 3, springs=2)], ids=['arm', 'chain', 'legs'])
def test_nothing_beyond_its_arrays(model, end, count, tmp_path_factory):
    name = f'float{model.nb}'
    library = LIBRARIES.get(name)
    if library is None:
        library = LIBRARIES[name] = export(
            model, tmp_path_factory.mktemp(name), MAIN[:2], real='float')
    call, given = Called(library), state_of(model, 7)
    for symbol, function in library.functions:
        arrays = [np.tile(given[one], (count, 1)) for one, _ in function.inputs]
        sizes = (count, function.size), library.work
        with guarded([one.astype(np.float32) for one in (*arrays, *map(np.zeros, sizes))],
                     end) as kept:
            assert call(f'{symbol}_many', *kept[:-1], work=kept[-1], count=count) == 0
            assert np.isfinite(kept[-2]).all() and kept[-2].any()


LIBRARIES = {}
"""Those that tests of this file have written."""


def test_codes(tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('forward_dynamics',), real='float', parameters=True)
    call = Called(library)
    q, v, tau = np.zeros((3, 7), np.float32)
    result, symbol = np.zeros(7, np.float32), 'panda_forward_dynamics'
    assert call(symbol, q, v, tau, result, None) == 0 and np.isfinite(result).all()
    assert call(symbol, None, v, tau, result, None) == 1
    assert call(symbol, q, v, tau, q, None) == 5
    assert call(f'{symbol}_many', q, v, tau, result, None, count=-1) == 6
    big = np.full(7, 3e38, np.float32)
    assert call(symbol, q, big, tau, result, None) == 3   # beyond the range of a float
    q[3] = np.nan
    assert call(symbol, q, v, tau, result, None) == 2
    world = np.array([0.0, 0.0, np.inf], np.float32)
    assert call(symbol, v, v, tau, result, world) == 2


def test_the_wrapper_for_cpp(tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('bias_forces',), real='float')
    main = tmp_path / 'main.cpp'
    main.write_text("""#include <array>
#include <cstdio>
#include "panda_dynamics.hpp"
int main() {
  panda_dynamics::Robot robot;
  const std::array<float, panda_dynamics::nq> q{}, v{};
  std::array<float, panda_dynamics::nv> tau;
  if (robot.bias_forces(q, v, tau) != panda_dynamics::Code::ok) return 1;
  for (float one : tau) std::printf("%.9g ", static_cast<double>(one));
}
""")
    program = tmp_path / 'main'
    subprocess.run([*CXX, str(main), f'-I{tmp_path / "include"}', '-x', 'none',
                    str(library.static), '-o', str(program)], check=True)
    said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    right = mbd_ros.compile(model).bias_forces(np.zeros(7), np.zeros(7))
    assert np.abs(np.array(said.split(), float) - right).max() < NEAR * np.abs(right).max()


@pytest.mark.parametrize('target', [one for one in TARGETS if one != 'x86-64-all'])
def test_every_target(target, tmp_path):
    library = export(mbd_ros.load(URDF / 'three_link_arm.urdf'), tmp_path, MAIN[:1],
                     target=target, real='float')
    assert '#define THREE_LINK_ARM_REAL float' in library.header.read_text()
    if target == 'thumbv7em':   # a Cortex-M4 computes in single precision alone
        assert target_named(target, library.real).cpu == 'cortex-m4'
        symbols = set(re.findall(rb'__aeabi_d\w+|\bsin\b|\bcos\b', library.static.read_bytes()))
        assert not symbols


@pytest.mark.parametrize('target', [
    one for one in ('aarch64', 'armv7', 'thumbv7em') if emulated(one, 'float')])
def test_on_another_processor(target, tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, MAIN, target=target, real='float')
    script = built_for(library, target)
    for symbol, error in errors(model, library, script, rounded(state_of(model, 3))):
        assert error < NEAR, symbol


def test_what_it_cannot_do(tmp_path):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    with pytest.raises(InvalidValueError, match='double or float'):
        export(model, tmp_path / 'no', MAIN, real='half')
    with pytest.raises(UnsupportedError, match='double precision'):
        export(model, tmp_path / 'no', MAIN[:1], real='float', bindings=('jax',))
    assert not (tmp_path / 'no').exists()


@drawn(st.floats(allow_nan=False))
def test_constants_are_rounded_and_stay_what_they_guard(value):
    text = in_single_precision(f'  %x = fadd double %y, {SCALAR.constant(value)}')
    bits = int(re.findall(r'0x([0-9A-F]{16})', text)[0], 16)
    got = float(np.array(bits, np.uint64).view(np.float64))
    assert float(np.float32(got)) == got   # or LLVM refuses it
    assert np.isfinite(got) == np.isfinite(value) and (got == 0.0) == (value == 0.0)
    assert np.signbit(got) == np.signbit(value)
    if 1.2e-38 < abs(value) < 3.4e38:
        assert abs(got - value) <= 2.0**-24 * abs(value)


@pytest.mark.parametrize('lanes', [1, 4, 8])
def test_nothing_is_left_in_double_precision(lanes):
    text = in_single_precision(sincos_ir(Width(lanes)))
    assert 'double' not in text and 'f64' not in text and 'i64' not in text
