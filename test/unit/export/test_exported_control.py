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


"""Control steps of exported libraries, beside those of the controller, bit for bit."""

from pathlib import Path

from exported import answers, build, Called, export, state_of
import numpy as np
import pytest
from robots import model_of

import mbd_ros
from mbd_ros.control.control_step.fused_step import fused_step
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.references.paths import PathPoint
from mbd_ros.control.tasks.task import controller_for, law_for, Task, TASKS
from mbd_ros.errors import InvalidValueError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ROBUST = {**TASKS['panda'], 'start': 'as_given', 'robust_rate': 20.0}
STEP = 0.002


def start_of(model, task):
    """Return a state from which a task begins, loops closed."""
    q = mbd_ros.neutral(model)
    if task.start_positions:
        q[:] = task.start_positions
    if model.loops:
        q, _ = mbd_ros.close_loops(model, q + 0.3)
    return q, np.zeros(model.nv)


def afloat():
    """Return a robot that floats, with a task that begins where its tool is."""
    model = model_of([0, 1, 2, 3], ['floating', 'revolute', 'revolute', 'revolute'], 5)
    q, tool = mbd_ros.neutral(model), list(model.links)[-1]
    q[-3:] = 0.3, -0.5, 0.7
    place = mbd_ros.compile(model).of_link('pose', tool)(q)[:3, 3]
    return model, {'link': tool, 'start_positions': q.tolist(), 'path': {
        'kind': 'line', 'start': place.tolist(), 'end': (place + 0.1).tolist(), 'duration': 200.0}}


@pytest.mark.parametrize(('name', 'floating', 'data'), [
    ('three_link_arm', False, TASKS['three_link_arm']),         # from far away, inconsistent
    ('panda', False, ROBUST),                                   # redundant, postures, robust
    ('five_bar', False, {**TASKS['five_bar'], 'start': 'as_given'}),       # a closed loop
    ('', True, {}),                                             # a base that nothing drives
    ('rov', False, {'constraints': [{
        'kind': 'joint_path', 'joints': mbd_ros.load(URDF / 'rov.urdf').joint_names[:2],
        'times': [0.0, 1.0], 'positions': [[0.0, 0.0], [0.3, 0.2]]}]}),
], ids=['arm', 'redundant', 'loop', 'floating', 'water'])
def test_steps_bit_for_bit(name, floating, data, tmp_path):
    if floating:
        model, data = afloat()
    else:
        model = mbd_ros.load(URDF / f'{name}.urdf')
    task = Task.from_data(data)
    call = Called(export(model, tmp_path, ('bias_forces',), task=data, name='robot'))
    functions = {one.name: one for _, one in call.library.functions}
    afar = 'control_step_from_afar' in functions
    assert afar == (not floating)
    q, v = start_of(model, task)
    controller = controller_for(mbd_ros.compile(model), task, q=q, v=v)
    own = fused_step(controller.nominal, controller.law, controller.law.machine_code())
    gains = controller.law.gains
    state, after = np.zeros((2, functions['control_start'].size))
    assert call('robot_control_start', np.zeros(1), q, v, state) == 0
    (first, size), rng = functions['control_step'].places['effort'], np.random.default_rng(3)
    pulled = 0
    for k in range(1, 16):
        now = np.array([k * STEP])
        measured, speed = state[:model.nq].copy(), state[model.nq:model.nq + model.nv].copy()
        measured[-3:] += 1e-4 * rng.normal(size=3)
        speed[-3:] += 1e-3 * rng.normal(size=3)
        code = call('robot_control_step', state, now, measured, speed, gains, after)
        if code == 7 and afar:
            pulled += 1
            code = call('robot_control_step_from_afar', state, now, measured, speed, gains, after)
        limited = own.step(now[0], measured, speed, limited=True)
        right = limited or own.step(now[0], measured, speed, limited=False)
        if right is None:   # one Newton step is not enough: both leave it to others
            assert code == 7 and floating and k > 1
            return
        assert code in (0, 8) and (limited is None) == (code == 8)
        assert np.array_equal(after[first:first + size], right.effort)
        assert np.array_equal(after[:model.nq], right.nominal.q)
        state, after = after, state
    assert pulled < 3


def test_a_path_of_all_joints(tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    call = Called(export(model, tmp_path, ('joint_control_step',)))
    (symbol, function), = call.library.functions
    given, dyn = state_of(model, 2), mbd_ros.compile(model)
    path = np.concatenate((given['q'] + 0.01, given['v'], given['qdd']))
    law = law_for(dyn, Task())
    state, n = np.zeros(function.size), model.nv
    assert call(symbol, path, np.array([0.3]), given['q'], given['v'], law.gains, state) in (0, 8)
    nominal = JointReference(dyn, Still(path)).state
    right = law.efforts(nominal, given['q'], given['v'])
    first = function.places['effort'][0]
    assert np.array_equal(state[first:first + n], right.effort)
    # The example hands the gains of the library, and a robot at rest.
    code, numbers = answers(build(call.library), call.library, {
        'path': np.zeros(3 * n), 'now': [0.0], 'q': np.zeros(n), 'v': np.zeros(n),
        'gains': law.gains})[symbol]
    assert code in (0, 8) and (code or np.isfinite(numbers).all())


class Still:
    """A path that stands."""

    def __init__(self, path):
        self._path = path

    def at(self, time):
        """Return position, velocity and acceleration."""
        return PathPoint(*np.split(self._path, 3))


def test_codes(tmp_path):
    data = TASKS['three_link_arm']
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    call = Called(export(model, tmp_path, ('bias_forces',), task=data, name='arm'))
    size, (q, v) = dict(call.library.functions)['arm_control_step'].size, start_of(
        model, Task.from_data(data))
    gains, state, after = np.array([15.0, 0.0, 1.5, 1.5, 1.5]), *np.zeros((2, size))
    assert call('arm_control_start', np.zeros(1), q, v, state) == 0
    step = 'arm_control_step_from_afar'
    assert call(step, state, np.array([STEP]), q, v, gains, after) == 0
    assert call(step, state, np.array([2.5 * STEP]), q, v, gains, after) == 7   # too long
    assert call(step, state, np.array([-STEP]), q, v, gains, after) == 7   # back in time
    assert call(step, state, np.array([np.nan]), q, v, gains, after) == 2
    assert call(step, state, np.array([STEP]), q, v, gains, state) == 5
    assert call(step, None, np.array([STEP]), q, v, gains, after) == 1
    states, times = np.tile(state, (3, 1)), np.full((3, 1), STEP)
    many = np.zeros((3, size))
    assert call(f'{step}_many', states, times, *(np.tile(one, (3, 1)) for one in (q, v, gains)),
                many, count=3) == 0
    call(step, state, np.array([STEP]), q, v, gains, after)
    assert (many == after).all()
    done = answers(build(call.library), call.library, {
        'q': q, 'v': v, 'now': [0.0], 'gains': gains, 'before': []})
    assert done['arm_control_start'][0] == 0
    text = call.library.header.read_text()
    first = dict(call.library.functions)['arm_control_step'].places['effort'][0]
    assert f'#define ARM_CONTROL_STEP_EFFORT {first} ' in text
    assert 'extern const double arm_gains[ARM_NV + 2];' in text


@pytest.mark.parametrize(('change', 'more', 'error'), [
    ({'start': 'approach'}, {}, 'as_given'), ({'adaptation_rate': 1.0}, {}, 'Python'),
    ({}, {'real': 'float'}, 'double precision'), ({}, {'parameters': True}, 'gravity'),
], ids=['approach', 'learning', 'float', 'world'])
def test_what_is_refused(change, more, error, tmp_path):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    with pytest.raises(UnsupportedError, match=error):
        export(model, tmp_path / 'no', ('bias_forces',),
               task={**TASKS['three_link_arm'], **change}, **more)
    with pytest.raises(InvalidValueError, match='control_step'):
        export(model, tmp_path / 'no', ('control_step',))
    assert not (tmp_path / 'no').exists()
