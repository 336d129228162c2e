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

"""Lin's form of the balance of a link, D P = F with D = d/dt + V x*, in any moving axes."""

from flexible_robots import four_joint_arm
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.flexible.link_inertia import body_terms, extended

STEP = 1e-30j
"""A complex step: derivatives by it are exact to rounding."""
SEGMENTS = [one for one in mbd_ros.load(four_joint_arm()).elastic.segments
            if one.elastic is not None]


def cross_force(twist, momentum):
    """Return ``V x* P``, linear parts first."""
    (v, w), (p, h) = np.split(twist, 2), np.split(momentum, 2)
    return np.concatenate([np.cross(w, p), np.cross(v, p) + np.cross(w, h)])


def covariant(twist, momentum):
    """Return D P at time 0 of functions of time."""
    return momentum(STEP).imag / abs(STEP) + cross_force(twist(0.0), momentum(0.0)).real


def motion_of(segment, seed):
    """Return twist, elastic coordinates with rates, and all accelerations, of a random motion."""
    rng = np.random.default_rng(seed)
    # A tenth of its length, and rates of the order of the link's own.
    a, da, dda = 0.1 * rng.normal(size=(3, segment.elastic.count))
    start, slope = rng.normal(size=(2, 6))

    def twist(t):
        return start + slope * t

    def bent(t):
        return a + da * t + 0.5 * dda * t * t, da + dda * t

    return twist, bent, np.concatenate([slope, dda])


def momentum_of(segment, twist, bent):
    """Return (p; H) of a link at a time."""
    def momentum(t):
        a, rates = (np.atleast_2d(one) for one in bent(t))
        terms = body_terms(segment, extended(segment.elastic, a, rates), a, rates,
                           np.atleast_2d(twist(t)[3:]))
        return terms.mass[0, :6] @ np.concatenate([twist(t), rates[0]])

    return momentum


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('segment', SEGMENTS)
def test_the_balance_of_a_link_is_the_covariant_rate_of_its_momentum(segment, seed):
    twist, bent, accelerations = motion_of(segment, seed)
    (v, w), (a, rates) = np.split(twist(0.0), 2), (np.atleast_2d(one) for one in bent(0.0))
    accelerations[:3] += np.cross(w, v)   # o''
    terms = body_terms(segment, extended(segment.elastic, a, rates), a, rates, w[None])
    expected = terms.mass[0, :6] @ accelerations + terms.bias[0, :6]
    found = covariant(twist, momentum_of(segment, twist, bent))
    # Rounding of sums of some ten products.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('segment', SEGMENTS)
def test_it_has_the_same_form_in_axes_that_move_against_the_link(segment, seed):
    twist, bent, _ = motion_of(segment, seed)
    momentum = momentum_of(segment, twist, bent)
    place, drift = np.random.default_rng(seed + 100).normal(size=(2, 3))
    spin = 1.3   # about z of the link [rad/s]

    def axes(t):
        """Return the rotation of the other axes and where their origin is."""
        c, s = np.cos(0.4 + spin * t), np.sin(0.4 + spin * t)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), place + drift * t

    def other_twist(t):
        (v, w), (rotation, r) = np.split(twist(t), 2), axes(t)
        return np.concatenate([rotation.T @ (v + np.cross(w, r) + drift),
                               rotation.T @ w + [0.0, 0.0, spin]])

    def in_other_axes(wrench, t):
        (p, h), (rotation, r) = np.split(wrench, 2), axes(t)
        return np.concatenate([rotation.T @ p, rotation.T @ (h - np.cross(r, p))])

    found = covariant(other_twist, lambda t: in_other_axes(momentum(t), t))
    expected = in_other_axes(covariant(twist, momentum), 0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    # d/dt alone has not: the axes turn.
    plain = (in_other_axes(momentum(STEP), STEP).imag / abs(STEP),
             in_other_axes(momentum(STEP).imag / abs(STEP), 0.0))
    assert np.abs(np.subtract(*plain)).max() > 0.1 * np.abs(expected).max()
