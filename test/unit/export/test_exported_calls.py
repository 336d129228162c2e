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


"""What exported libraries answer to wrong arguments, and that they keep to their arrays."""

import ctypes
import subprocess
import threading

from exported import answers, build, C99, Called, export, guarded, state_of
import numpy as np
import pytest
from robots import model_of

import mbd_ros
from mbd_ros.export.entry_ir import CODES

OK, NULL, NOT_FINITE, SINGULAR, NO_ROTATION, OVERLAP, COUNT = (
    CODES[name][0] for name in ('OK', 'NULL', 'NOT_FINITE', 'SINGULAR', 'NO_ROTATION', 'OVERLAP',
                                'COUNT'))


@pytest.fixture(scope='module')
def robot():
    """Return a robot with quaternions, free to move."""
    return model_of([0, 1, 1], ['floating', 'spherical', 'revolute'], 4)


@pytest.fixture(scope='module')
def library(robot, tmp_path_factory):
    """Return a function of one kernel and one that is put together, of that robot."""
    return export(robot, tmp_path_factory.mktemp('codes'), ('forward_dynamics', 'rk4_step'),
                  name='free')


@pytest.fixture
def given(robot):
    """Return arguments and room for the result."""
    state = state_of(robot, 1)
    return [state['q'], state['v'], state['tau'], np.full(robot.nv, 7.0)]


def many(arrays, count):
    return [np.tile(one, (count, 1)) for one in arrays]


def test_null_pointers_touch_nothing(library, given):
    call = Called(library)
    for k in range(4):
        arrays = [None if j == k else one for j, one in enumerate(given)]
        assert call('free_forward_dynamics', *arrays) == NULL
        assert call('free_forward_dynamics_many', *arrays, count=5) == NULL
    assert (given[3] == 7.0).all()
    pointers = [ctypes.c_void_p(one.ctypes.data) for one in given]
    assert call.dll.free_forward_dynamics(*pointers, None) == NULL


@pytest.mark.parametrize('count', [1, 3, 11])
@pytest.mark.parametrize('wrong', [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(library, given, wrong, count):
    call = Called(library)
    for k in range(3):
        for entry in (0, given[k].size - 1):
            arrays = many(given, count)
            arrays[k][count - 1, entry] = wrong
            assert call('free_forward_dynamics_many', *arrays, count=count) == NOT_FINITE
            if count == 1:
                assert call('free_forward_dynamics', *arrays) == NOT_FINITE


@pytest.mark.parametrize('count', [1, 3, 11])
def test_rotations_without_a_length(library, robot, given, count):
    call = Called(library)
    for first in (3, 7):
        arrays = many(given, count)
        arrays[0][count - 1, first:first + 4] = 0.0
        assert call('free_forward_dynamics_many', *arrays, count=count) == NO_ROTATION
        assert (arrays[3] == 7.0).all()
        if count == 1:
            assert call('free_forward_dynamics', *arrays) == NO_ROTATION


def test_arrays_that_overlap(library, given):
    call, work = Called(library), np.empty(library.work)
    q, v, tau, qdd = given
    assert call('free_forward_dynamics', q, v, tau, tau) == OVERLAP
    assert call('free_forward_dynamics', q, v, work[-tau.size:], qdd, work=work) == OVERLAP
    assert call('free_forward_dynamics', q, v, tau, work[-1:], work=work) == OVERLAP
    both = np.concatenate([tau, qdd])
    assert call('free_forward_dynamics', q, v, both[:tau.size], both[tau.size - 1:]) == OVERLAP
    assert call('free_forward_dynamics', q, v, both[:tau.size], both[tau.size:]) == OK
    assert call('free_forward_dynamics', q, v, v, qdd) == OK   # inputs may be the same


def test_numbers_of_states(library, given):
    call = Called(library)
    assert call('free_forward_dynamics_many', *given, count=-1) == COUNT
    assert call('free_forward_dynamics_many', *given, count=-2**63) == COUNT
    assert call('free_forward_dynamics_many', *given, count=0) == OK
    assert call('free_rk4_step_many', *given, given[3], count=0) == OK
    assert (given[3] == 7.0).all()


def test_a_joint_that_moves_no_inertia_where_it_is(tmp_path):
    # A point mass on the axis of the first joint, if the second one is at zero.
    text = """<robot name="mast"><link name="base"/><link name="yaw"/><link name="tip"><inertial>
      <mass value="1"/><origin xyz="0 0 1"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="base"/><child link="yaw"/>
      <axis xyz="0 0 1"/></joint><joint name="k" type="continuous"><parent link="yaw"/>
      <child link="tip"/><axis xyz="0 1 0"/></joint></robot>"""
    model = mbd_ros.load(text, inertia='unchecked')
    library = export(model, tmp_path, ('forward_dynamics',))
    call, zero, out = Called(library), np.zeros(2), np.zeros(2)
    assert call('mast_forward_dynamics', np.array([0.3, 0.5]), zero, zero, out) == OK
    assert call('mast_forward_dynamics', zero, zero, np.ones(2), out) == SINGULAR
    for count in (3, 11):
        arrays = many([np.array([0.3, 0.5]), zero, np.ones(2), out], count)
        arrays[0][1] = 0.0   # one state of them
        assert call('mast_forward_dynamics_many', *arrays, count=count) == SINGULAR
        assert np.isfinite(np.delete(arrays[3], 1, axis=0)).all()


def test_results_too_large_for_a_double(library, given):
    call = Called(library)
    given[1][:] = 1e200
    assert call('free_forward_dynamics', *given) == SINGULAR
    assert call('free_forward_dynamics_many', *many(given, 11), count=11) == SINGULAR
    step = np.full(given[0].size + given[1].size, 0.0)
    assert call('free_rk4_step', *given[:3], np.array([1.0]), step) in (SINGULAR,)


@pytest.mark.parametrize('end', ['low', 'high'])
@pytest.mark.parametrize('count', [1, 3, 11])
def test_nothing_beyond_its_arrays(library, robot, end, count):
    call, state = Called(library), state_of(robot, 2)
    for symbol, function in library.functions:
        arrays = [*(state[name] for name, _ in function.inputs), np.zeros(function.size)]
        with guarded([*many(arrays, count), np.zeros(library.work)], end) as kept:
            assert call(f'{symbol}_many', *kept[:-1], work=kept[-1], count=count) == OK
            assert kept[-2].any()
            if count == 1:
                assert call(symbol, *kept[:-1], work=kept[-1]) == OK


def test_threads_at_once(library, robot):
    call = Called(library)
    states = [state_of(robot, seed) for seed in range(8)]

    def run(state, count):
        out = np.zeros(robot.nv)
        for _ in range(count):
            assert call('free_forward_dynamics', state['q'], state['v'], state['tau'], out) == OK
        return out
    right, found = [run(state, 1) for state in states], [None] * 8

    def several(k):
        found[k] = run(states[k], 500)
    threads = [threading.Thread(target=several, args=(k,)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(map(np.array_equal, found, right))


def test_the_example_under_sanitizers(library, robot):
    program = build(library, C99, ('-fsanitize=address,undefined', '-fno-sanitize-recover=all'))
    rng = np.random.default_rng(5)
    strange = [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 1e308, 5e-324, -1e-300, np.pi, 1e6]
    for _ in range(12):
        given = {name: np.where(rng.random(size) < 0.3, rng.choice(strange, size),
                                rng.normal(size=size))
                 for name, size in (('q', robot.nq), ('v', robot.nv), ('tau', robot.nv), ('h', 1))}
        found = answers(program, library, given)   # which reads codes, and no report of theirs
        assert len(found) == 4
        for code, numbers in found.values():
            assert code in (OK, NOT_FINITE, SINGULAR, NO_ROTATION)
            assert (code == OK) == (numbers.size > 0) and np.isfinite(numbers).all()
    done = subprocess.run([str(program)], input='words 1 2', capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and not done.stderr
