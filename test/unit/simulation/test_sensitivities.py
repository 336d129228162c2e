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


"""Derivatives of motions by start, forces and parameters."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError, ShapeError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
ARM = mbd_ros.load(URDF / 'three_link_arm.urdf')
RNG = np.random.default_rng(0)
Q, V = RNG.uniform(-1.0, 1.0, (2, ARM.nv))
EFFORTS = RNG.normal(size=(20, ARM.nv))
H = 0.01


def test_the_motion_is_that_of_simulate():
    found = mbd_ros.sensitivities(ARM, Q, V, np.tile(EFFORTS[0], (20, 1)), H)
    run = mbd_ros.simulate(ARM, Q, V, 20 * H, step=H, tau=EFFORTS[0],
                           method='rk4')
    np.testing.assert_allclose(found.states[-1], np.concatenate([run.q[-1], run.v[-1]]),
                               atol=1e-12)


@pytest.mark.parametrize('parameters', [None, ['masses', 'damping']])
def test_tangents_and_adjoints(parameters):
    """Central differences with steps of 1e-6; the adjoint is the tangent's transpose."""
    dyn = mbd_ros.compile(ARM, parameters=parameters)
    values = None if parameters is None else dyn.pack(damping=np.full(ARM.nv, 0.1))
    found = mbd_ros.sensitivities(dyn, Q, V, EFFORTS, H, parameters=values)
    start, forces = RNG.normal(size=2 * ARM.nv), RNG.normal(size=EFFORTS.shape)
    change = 0.0 if values is None else RNG.normal(size=len(values))

    def moved(e):
        x = np.concatenate([Q, V]) + e * start
        more = None if values is None else values + e * change
        return mbd_ros.sensitivities(dyn, x[:ARM.nv], x[ARM.nv:], EFFORTS + e * forces, H,
                                     parameters=more).states
    expected = (moved(1e-6) - moved(-1e-6)) / 2e-6
    tangent = found.tangent(start, forces, change)
    np.testing.assert_allclose(tangent, expected, atol=1e-7 * np.abs(expected).max())
    gradients = RNG.normal(size=found.states.shape)
    back = found.adjoint(gradients)
    along = back.start @ start + (back.efforts * forces).sum() + np.sum(back.parameters * change)
    assert along == pytest.approx((gradients * tangent).sum(), rel=1e-11)


def test_refusals():
    bar = mbd_ros.load(URDF / 'four_bar.urdf')
    with pytest.raises(UnsupportedError, match='closed loops'):
        mbd_ros.sensitivities(bar, [0.0] * 3, [0.0] * 3, np.zeros((2, 3)), H)
    with pytest.raises(InvalidValueError, match='parameters'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, H, parameters=[1.0])
    with pytest.raises(ShapeError, match='efforts'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS[0], H)
    with pytest.raises(InvalidValueError, match='step'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, 0.0)
    with pytest.raises(ShapeError, match='gradients'):
        mbd_ros.sensitivities(ARM, Q, V, EFFORTS, H).adjoint(np.zeros(3))
    with pytest.raises(InvalidValueError, match='a Model'):
        mbd_ros.sensitivities('arm', Q, V, EFFORTS, H)
