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

"""Public functions called as somebody might: no states at all, a list for a mapping, a seed."""

from pathlib import Path
import warnings

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import DivergedError, InvalidValueError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ROBOTS = {
    'fixed': mbd_ros.load(URDF / 'puma560.urdf'),
    'floating': mbd_ros.load(URDF / 'space_robot.urdf.xacro', floating_base=True),
    'loops': mbd_ros.load(URDF / 'four_bar.urdf'),
    'flexible': mbd_ros.load(URDF / 'flexible_arm.urdf')}
CALLS = {
    **dict.fromkeys(('center_of_mass', 'center_of_mass_jacobian', 'centroidal_map',
                     'gravity_forces', 'mass_matrix'), 'q'),
    **dict.fromkeys(('bias_forces', 'centroidal_momentum', 'coriolis_matrix', 'integrate'), 'qv'),
    **dict.fromkeys(('forward_dynamics', 'inverse_dynamics', 'regressor'), 'qva'),
    **dict.fromkeys(('jacobian', 'jacobian_derivatives', 'pose'), 'ql'),
    'difference': 'qq', 'frame_velocity': 'qvl',
    'jacobian_rate': 'qvl', 'frame_acceleration': 'qval', 'inverse_kinematics': 't',
    'gravity_forces_derivatives': 'q', 'center_of_mass_velocity_derivatives': 'qv',
    'centroidal_momentum_derivatives': 'qva', 'frame_velocity_derivatives': 'qvl',
    'frame_acceleration_derivatives': 'qval', 'integrate_derivatives': 'qv',
    'difference_derivatives': 'qq'}
REFUSED = {('inverse_kinematics', 'loops'), *((function, 'flexible') for function in (
    'regressor', 'center_of_mass_velocity_derivatives', 'centroidal_momentum_derivatives',
    'frame_velocity_derivatives', 'frame_acceleration_derivatives', 'jacobian_derivatives'))}
"""For any states."""


@pytest.mark.parametrize('robot', ROBOTS)
@pytest.mark.parametrize('function', CALLS)
def test_no_states_give_no_results(function, robot):
    """What has the shape of one state's result, without a row: filters may leave nothing."""
    if (function, robot) in REFUSED:
        return
    model, shapes = ROBOTS[robot], []
    for count in (0, 1):
        given = {'q': np.tile(mbd_ros.neutral(model), (count, 1)), 'l': list(model.links)[-1],
                 'v': np.zeros((count, model.nv)), 'a': np.zeros((count, model.nv)),
                 't': {list(model.links)[-1]: np.zeros((count, 3))}}
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')   # neutral states of loops are open
            found = getattr(mbd_ros, function)(model, *(given[name] for name in CALLS[function]))
        shapes.append(np.shape(found[0] if isinstance(found, tuple) else found))
    assert shapes[0] == (0, *shapes[1][1:])


@pytest.mark.parametrize(('call', 'text'), [
    (lambda model: mbd_ros.lock(model, ['joint1']), 'a mapping of joints to positions'),
    (lambda model: mbd_ros.lock(model, None), 'a mapping of joints to positions'),
    (lambda model: mbd_ros.inverse_kinematics(model, [[0.5, 0.0, 0.5]]), 'a mapping of links'),
    (lambda model: mbd_ros.load(URDF / 'pendulum.urdf.xacro', arguments=[2]), 'a mapping of'),
    (lambda model: mbd_ros.random_configuration(model, 'x'), 'a numpy.random.Generator'),
    (lambda model: mbd_ros.random_configuration(model, 0, -1), 'a count, 0 or more'),
    (lambda model: mbd_ros.Threads('x'), 'at least one thread'),
    (lambda model: mbd_ros.identify(model, *np.zeros((3, 20, 6)), time='x'), r'20 stamps \[s\]')])
def test_what_is_no_argument_is_one_error_that_says_what_is(call, text):
    with pytest.raises(InvalidValueError, match=text):
        call(ROBOTS['fixed'])


def test_a_motion_that_diverges_says_once_what_is_allowed():
    said = str(DivergedError(1.0, 'the state is 1e300; allowed: values that fit into float64'))
    assert said.count('allowed: ') == 1 and 'the state is 1e300' in said


def test_random_configurations_of_a_seed():
    model = ROBOTS['floating']
    first = mbd_ros.random_configuration(model, 7, 3)
    np.testing.assert_array_equal(
        first, mbd_ros.random_configuration(model, np.random.default_rng(7), 3))
    assert not np.array_equal(first[0], mbd_ros.random_configuration(model))
