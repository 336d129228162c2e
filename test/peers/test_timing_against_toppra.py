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

"""The fastest timing of a path beside toppra's."""

from pathlib import Path

import numpy as np
import pytest
import toppra as ta
from toppra import algorithm, constraint

import mbd_ros
from mbd_ros import control

PANDA = mbd_ros.load(Path(__file__).resolve().parents[2] / 'urdf' / 'panda.urdf')


def test_beside_toppra():
    """The same bounds at the same points, by another program: the same time."""
    points = 0.5 * np.array([mbd_ros.random_configuration(PANDA, k) for k in range(5)])
    path = control.trajectory(np.linspace(0.0, 1.0, 5), points)
    found = control.fastest_timing(PANDA, path)
    spline = ta.SplineInterpolator(np.linspace(0.0, 1.0, 5), points, bc_type='clamped')
    velocity, effort = (np.stack([-one, one], axis=1) for one in (
        PANDA.velocity_limits, PANDA.effort_limits))
    solver = algorithm.TOPPRA([
        constraint.JointVelocityConstraint(velocity), constraint.JointTorqueConstraint(
            lambda q, v, a: mbd_ros.inverse_dynamics(PANDA, q, v, a), effort, PANDA.friction,
            discretization_scheme=constraint.DiscretizationType.Interpolation)],
        spline, gridpoints=np.linspace(0.0, 1.0, 200), parametrizer='ParametrizeConstAccel')
    # 0.5 %: ours keeps velocities between points, too, and knows viscous friction.
    assert found.duration == pytest.approx(solver.compute_trajectory().duration, rel=5e-3)
    assert found.duration >= solver.compute_trajectory().duration
