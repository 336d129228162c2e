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

"""Partial velocities of Kane's equations; the equations: ``test_array_formulations.py``."""

import numpy as np
import pytest
from random_loops import random_loops
from robots import model_of, random_state

import mbd_ros
from mbd_ros.dynamics.formulations.kane import Paths, reaches, times
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import integrate

BRANCHED = model_of([0, 1, 1, 0, 2, 3, 5], ['spherical', 'planar', 'prismatic', 'revolute',
                                            'floating', 'continuous', 'fixed'], 3)


def test_speeds_reach_the_bodies_on_their_paths():
    S = reaches(BRANCHED)
    for body in range(BRANCHED.nb):
        path, above = set(), body
        while above >= 0:
            path.add(above)
            above = BRANCHED.parents[above]
        joints = [j for j, kind in enumerate(BRANCHED.joint_types) for _ in range(kind.nv)]
        np.testing.assert_array_equal(S[body], [j in path for j in joints])


def test_partial_velocities_and_their_rates():
    """``V^r`` are the derivatives of velocities by speeds; their rates are those by time."""
    q, u, _ = random_state(BRANCHED, 4)
    h = 1e-6   # central differences: errors of h^2, and of 1e-16 / h by rounding
    before, now, after = (Paths(BRANCHED, integrate(BRANCHED, q, u * step)[None])
                          for step in (-h, 0.0, h))
    speeds = u[None]
    np.testing.assert_allclose(times(now.partial_velocities(now.o), speeds),
                               (after.o - before.o) / (2.0 * h), rtol=1e-7, atol=1e-7)
    V_rate, W_rate = now.rates(now.o, speeds)
    for found, partial in ((V_rate, lambda paths: paths.partial_velocities(paths.o)),
                           (W_rate, lambda paths: paths.partial_angular_velocities())):
        rate = (partial(after) - partial(before)) / (2.0 * h)
        np.testing.assert_allclose(found, rate, rtol=1e-7, atol=1e-7)


def test_loops_are_refused_by_name():
    model = random_loops(2, 4, 1, cuts=('spherical',))[0]
    with pytest.raises(InvalidValueError, match=r"^formulation is 'kane'; allowed: 'auto', "
                       r"'closed_loop'.* for robot 'random', which has closed loops$"):
        mbd_ros.compile(model, formulation='kane')
