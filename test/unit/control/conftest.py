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

"""The three-link arm of the theory page in closed form, and the shipped robots."""

import json
from math import cos, sin
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import mbd_ros

DATA = Path(__file__).parents[2] / 'data'
URDF = Path(__file__).parents[3] / 'urdf'


class Model:
    """As much of a model as the controllers read."""

    nq = nv = 3
    joint_names = coordinate_names = ('joint1', 'joint2', 'joint3')
    q_offsets = v_offsets = (0, 1, 2)
    links = {'tool': None}
    effort_limits = velocity_limits = np.full(3, np.inf)

    def require_rigid(self, what):
        """Refuse nothing: its links are rigid."""


class ClosedFormArm:
    """Section 3.3 and 3.4 of the theory page, with the signature of prepared dynamics."""

    def __init__(self):
        self.model = Model()
        self.parameters = json.loads(
            (DATA / 'udwadia_kalaba.json').read_text())['model']['parameters']

    def mass_matrix(self, q):
        """Return the mass matrix."""
        p = SimpleNamespace(**self.parameters)
        c2, s2 = cos(q[1]), sin(q[1])
        c23, s23, c3 = cos(q[1] + q[2]), sin(q[1] + q[2]), cos(q[2])
        w = p.l1 * c2 + p.r2 * c23
        m11 = (p.Iy2 * s2**2 + p.Iy3 * s23**2 + p.Iz1 + p.Iz2 * c2**2 + p.Iz3 * c23**2
               + p.m2 * p.r1**2 * c2**2 + p.m3 * w**2)
        m22 = (p.Ix2 + p.Ix3 + p.m3 * p.l1**2 + p.m2 * p.r1**2 + p.m3 * p.r2**2
               + 2 * p.m3 * p.l1 * p.r2 * c3)
        m23 = p.Ix3 + p.m3 * p.r2**2 + p.m3 * p.l1 * p.r2 * c3
        m33 = p.Ix3 + p.m3 * p.r2**2
        return np.array([[m11, 0, 0], [0, m22, m23], [0, m23, m33]])

    def bias_forces(self, q, v):
        """Return ``C v + G``."""
        p = SimpleNamespace(**self.parameters)
        c2, s2 = cos(q[1]), sin(q[1])
        c23, s23, s3 = cos(q[1] + q[2]), sin(q[1] + q[2]), sin(q[2])
        w, u = p.l1 * c2 + p.r2 * c23, p.l1 * s2 + p.r2 * s23
        k = p.m3 * p.l1 * p.r2 * s3
        g3 = (p.Iy3 - p.Iz3) * c23 * s23 - p.m3 * p.r2 * s23 * w
        g2 = ((p.Iy2 - p.Iz2 - p.m2 * p.r1**2) * c2 * s2 + (p.Iy3 - p.Iz3) * c23 * s23
              - p.m3 * w * u)
        coriolis = np.array([
            [g2 * v[1] + g3 * v[2], g2 * v[0], g3 * v[0]],
            [-g2 * v[0], -k * v[2], -k * (v[1] + v[2])],
            [-g3 * v[0], k * v[1], 0]])
        gravity = np.array([0, -(p.m2 * p.r1 + p.m3 * p.l1) * p.g * c2 - p.m3 * p.r2 * p.g * c23,
                            -p.m3 * p.r2 * p.g * c23])
        return coriolis @ v + gravity

    def inverse_dynamics(self, q, v, qdd):
        """Return the efforts."""
        return self.mass_matrix(q) @ qdd + self.bias_forces(q, v)

    def forward_dynamics(self, q, v, tau):
        """Return the accelerations."""
        return np.linalg.solve(self.mass_matrix(q), tau - self.bias_forces(q, v))

    def pose(self, q, link):
        """Return the tool's position in a homogeneous matrix."""
        r = cos(q[1]) + cos(q[1] + q[2])
        pose = np.eye(4)
        pose[:3, 3] = r * cos(q[0]), r * sin(q[0]), 1 - sin(q[1]) - sin(q[1] + q[2])
        return pose

    def jacobian(self, q, link):
        """Return the tool's linear rows above zeros."""
        c1, s1, c23, s23 = cos(q[0]), sin(q[0]), cos(q[1] + q[2]), sin(q[1] + q[2])
        r, height = cos(q[1]) + c23, sin(q[1]) + s23
        return np.vstack([[[-r * s1, -height * c1, -s23 * c1], [r * c1, -height * s1, -s23 * s1],
                           [0, -r, -c23]], np.zeros((3, 3))])

    def link_motion(self, q, v, link):
        """Return pose, velocity, and ``Jdot v`` as the acceleration."""
        c1, s1, c2, s2 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
        c23, s23, v23 = cos(q[1] + q[2]), sin(q[1] + q[2]), v[1] + v[2]
        r, rdot = c2 + c23, -s2 * v[1] - s23 * v23
        rddot = -c2 * v[1]**2 - c23 * v23**2
        return SimpleNamespace(
            pose=self.pose(q, link), velocity=self.jacobian(q, link) @ v,
            acceleration=np.array([
                rddot * c1 - 2 * rdot * s1 * v[0] - r * c1 * v[0]**2,
                rddot * s1 + 2 * rdot * c1 * v[0] - r * s1 * v[0]**2,
                s2 * v[1]**2 + s23 * v23**2, 0, 0, 0]))


@pytest.fixture(scope='session')
def arm():
    """Return the closed-form arm."""
    return ClosedFormArm()


@pytest.fixture(scope='session')
def reference():
    """Return the reference numbers of the theory page."""
    return json.loads((DATA / 'udwadia_kalaba.json').read_text())


@pytest.fixture(scope='session')
def drift():
    """Return the reference numbers of the step-size table."""
    return json.loads((DATA / 'udwadia_kalaba_drift.json').read_text())


@pytest.fixture(scope='session')
def urdf_arm():
    """Return the prepared dynamics of the shipped three-link arm."""
    return mbd_ros.compile(mbd_ros.load(URDF / 'three_link_arm.urdf'))


@pytest.fixture(scope='session')
def puma():
    """Return the prepared dynamics of the shipped PUMA 560."""
    return mbd_ros.compile(mbd_ros.load(URDF / 'puma560.urdf'))
