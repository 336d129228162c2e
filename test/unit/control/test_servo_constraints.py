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

"""A, b, phi and phi_dot belong together."""

import numpy as np
import pytest

from mbd_ros.control import Baumgarte, Ellipse, FunctionConstraint, ToolPosition
from mbd_ros.errors import InvalidValueError, UnknownNameError

PATH = Ellipse([0.6, 0.1, 0.8], [0, 0.2, 0.1], [0.1, 0, 0.1], 3.0)


@pytest.mark.parametrize('robot', ['arm', 'urdf_arm', 'puma'])
@pytest.mark.parametrize('axes', ['xyz', 'z', 'yx'])
def test_derivatives_of_the_violation(robot, axes, request):
    """Along any motion phi_dot is the rate of phi, and ``A vdot - b`` that of phi_dot."""
    dyn = request.getfixturevalue(robot)
    constraint = ToolPosition(dyn, 'tool', PATH, axes=axes)
    rng = np.random.default_rng(5)
    q, v, a = rng.uniform(-1, 1, (3, dyn.model.nv))
    t, h = 0.4, 1e-4

    def state(s):
        return q + s * v + 0.5 * s * s * a, v + s * a
    (q1, v1), (q2, v2) = state(-h), state(h)
    rate = (constraint.violation(q2, t + h) - constraint.violation(q1, t - h)) / (2 * h)
    # Central differences: h^2 / 6 times third derivatives of about 50 m/s^3.
    np.testing.assert_allclose(constraint.violation_rate(q, v, t), rate, rtol=0, atol=1e-6)
    second = (constraint.violation_rate(q2, v2, t + h)
              - constraint.violation_rate(q1, v1, t - h)) / (2 * h)
    np.testing.assert_allclose(
        constraint.matrix(q, v, t) @ a - constraint.right_side(q, v, t), second, rtol=0,
        atol=1e-5)
    assert constraint.matrix(q, v, t).shape == (len(axes), dyn.model.nv)


def test_axes_are_rows_in_the_order_given(urdf_arm):
    """'yx' has the y row first."""
    whole = ToolPosition(urdf_arm, 'tool', PATH)
    part = ToolPosition(urdf_arm, 'tool', PATH, axes='yx')
    q, v = np.array([0.1, -0.5, 0.9]), np.array([0.3, 0.2, 0.1])
    np.testing.assert_array_equal(part.matrix(q, v, 0.0), whole.matrix(q, v, 0.0)[[1, 0]])
    np.testing.assert_array_equal(part.right_side(q, v, 0.0), whole.right_side(q, v, 0.0)[[1, 0]])
    np.testing.assert_array_equal(part.violation(q, 0.0), whole.violation(q, 0.0)[[1, 0]])


def test_unknown_link_is_named(urdf_arm):
    """With the nearest name."""
    with pytest.raises(UnknownNameError, match=r"there is no link named 'tol'.*mean 'tool'"):
        ToolPosition(urdf_arm, 'tol', PATH)


@pytest.mark.parametrize('axes', ['', 'w', 'xx', 'xyzz'])
def test_axes_are_checked(urdf_arm, axes):
    """Each axis at most once, at least one."""
    with pytest.raises(InvalidValueError, match=r"axes is '.*'; allowed: each of 'x', 'y', 'z'"):
        ToolPosition(urdf_arm, 'tool', PATH, axes=axes)


def test_baumgarte_adds_to_the_right_side_alone(urdf_arm):
    """``b - alpha phi_dot - beta phi``."""
    plain = ToolPosition(urdf_arm, 'tool', PATH)
    damped = Baumgarte(plain, 3.0, 7.0)
    q, v, t = np.array([0.1, -0.5, 0.9]), np.array([0.3, 0.2, 0.1]), 0.2
    np.testing.assert_allclose(
        damped.right_side(q, v, t),
        plain.right_side(q, v, t) - 3 * plain.violation_rate(q, v, t) - 7 * plain.violation(q, t),
        rtol=1e-14)
    np.testing.assert_array_equal(damped.matrix(q, v, t), plain.matrix(q, v, t))


def test_baumgarte_of_a_velocity_constraint():
    """Without phi only the rate is damped; without both nothing is."""
    rate_only = FunctionConstraint(
        lambda q, v, t: [[1, 0]], lambda q, v, t: [2.0], phi_dot=lambda q, v, t: [v[0]])
    bare = FunctionConstraint(lambda q, v, t: [[1, 0]], lambda q, v, t: [2.0])
    q, v = np.zeros(2), np.array([0.5, 0])
    assert Baumgarte(rate_only, 3.0, 7.0).right_side(q, v, 0.0) == 2 - 3 * 0.5
    assert Baumgarte(bare, 3.0, 7.0).right_side(q, v, 0.0) == 2
