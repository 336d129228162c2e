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

"""Efforts and forces beyond all measure: an answer or one error, and nothing else said."""

from contextlib import suppress
from pathlib import Path
import warnings

import numpy as np
import pytest

import mbd_ros
from mbd_ros import Ground
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).parents[3]
ROBOTS = {
    'urdf/puma560.urdf': {}, 'urdf/four_bar.urdf': {}, 'urdf/flexible_arm.urdf': {},
    'urdf/space_robot.urdf.xacro': {'floating_base': True}, 'config/modules/quadruped.yaml': {}}


def stepped(model, q, v, commands):
    """Move a stepper with its audit."""
    stepper = Stepper(model, q, v, ground=Ground())
    stepper.audits = True
    stepper.advance(commands, 2e-3)
    return stepper.energies


@pytest.mark.parametrize('huge', [1e300, -1.7e308])
@pytest.mark.parametrize('name', ROBOTS)
def test_they_are_an_answer_or_an_error(name, huge):
    model = mbd_ros.load(ROOT / name, **ROBOTS[name])
    q, v = mbd_ros.neutral(model), np.zeros(model.nv)
    if model.loops:
        q, v = mbd_ros.close_loops(model, q + 0.3, v)
    tau, push = np.full(model.nv, huge), {[*model.links][-1]: np.full(6, huge)}
    calls = [lambda how=how, method=method: mbd_ros.simulate(
        model, q, v, 2e-3, method=method, **how)
        for how in ({'tau': tau}, {'external_forces': push}, {'tau': lambda t, q, v: tau})
        for method in (None, 'dop853', 'radau')]
    calls += [lambda: mbd_ros.forward_dynamics(model, q, v, tau),
              lambda: mbd_ros.forward_dynamics(model, q, v, v, external_forces=push),
              lambda: mbd_ros.inverse_dynamics(model, q, v, v, external_forces=push),
              lambda: mbd_ros.inverse_dynamics_derivatives(model, q, v, v, external_forces=push),
              lambda: mbd_ros.constrained_dynamics(model, q, v, tau),
              lambda: stepped(model, q, v, np.full(model.nv + len(model.thrusters), huge))]
    if model.elastic is not None:
        calls += [lambda: mbd_ros.static_deflection(model, q, tau),
                  lambda: mbd_ros.static_deflection(model, q, external_forces=push)]
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            warnings.simplefilter('error', RuntimeWarning)
            with suppress(MbdError):
                call()


@pytest.mark.parametrize('force', [1e6, 1e12, 1e100])
def test_a_search_for_rest_that_ends_far_away_tells_no_ratio(force):
    """Of what the links carry; it was -1e+157 of the stiffness without load."""
    model = mbd_ros.load(ROOT / 'urdf/flexible_arm.urdf')
    q = mbd_ros.neutral(model)
    with pytest.raises(InvalidValueError, match='allowed: ') as told:
        mbd_ros.static_deflection(
            model, q, external_forces={[*model.links][-1]: [force, force, -force, 0.0, 0.0, 0.0]})
    said = str(told.value)
    assert 'of that without load' not in said or (
        abs(float(said.split(' of that without load')[0].split()[-1])) < 100.0)
