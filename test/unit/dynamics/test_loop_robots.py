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

"""The robots with closed loops that come with this package."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.loops.closure import loop_closure
from mbd_ros.dynamics.loops.efforts import loop_efforts
from mbd_ros.model import state

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ROBOTS = {   # loops, freedoms, drives
    'four_bar.urdf': (1, 1, ['crank_joint']), 'slider_crank.urdf': (1, 1, ['crank_joint']),
    'five_bar.urdf': (1, 2, ['left_drive', 'right_drive']), 'bricard.urdf': (1, 1, ['corner1']),
    'stewart.urdf.xacro': (6, 6, [f'leg{k}_drive' for k in range(1, 7)]),
    'delta.urdf.xacro': (6, 3, [f'arm{k}_drive' for k in range(1, 4)])}


@pytest.mark.parametrize('name', ROBOTS)
def test_robots(name):
    loops, freedoms, drives = ROBOTS[name]
    model = mbd_ros.load(URDF / name)
    assert len(model.loops) == loops
    assert not [finding for finding in model.findings if finding.severity != 'info']
    rest = np.zeros(model.nv)
    at_rest = state.neutral(model)
    assert loop_closure(model, at_rest, rest).iterations == 0
    rng = np.random.default_rng(0)
    q, v = mbd_ros.close_loops(
        model, state.integrate(model, at_rest, 0.05 * rng.normal(size=model.nv)),
        rng.normal(size=model.nv))
    qdd = mbd_ros.forward_dynamics(model, q, v, rng.normal(size=model.nv), executor='rolled')
    driven = loop_efforts(model, q, v, qdd, actuated=drives)
    assert driven.freedoms == freedoms
    assert driven.spare == 0
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, driven.efforts, executor='rolled'), qdd,
        atol=1e-8 * max(1.0, np.abs(qdd).max()))
