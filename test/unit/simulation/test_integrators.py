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

"""Order of the integrator, and motions known in closed form."""

import numpy as np
import pytest

from mbd_ros import compile as prepare
from mbd_ros.model.state import neutral
from mbd_ros.simulation import rk4_step, simulate


def free(model):
    """Return the acceleration of a model without efforts."""
    forward = prepare(model).forward_dynamics
    rest = np.zeros(model.nv)
    return lambda t, q, v: forward(q, v, rest)


@pytest.mark.parametrize('name', ['double_pendulum', 'box'])
def test_fourth_order(name, request):
    """Halving the step divides the error by 16, on vectors as on quaternions."""
    model = request.getfixturevalue(name)
    q0, v0 = neutral(model), np.linspace(1.0, -1.5, model.nv)
    if name == 'double_pendulum':
        q0 += [0.8, 0.5]
    ends = [simulate(model, q0, v0, 1.0, step=h, record_every=10**6) for h in
            (1 / 50, 1 / 100, 1 / 200, 1 / 1600)]
    states = [np.append(end.q[-1], end.v[-1]) for end in ends]
    errors = [np.abs(state - states[-1]).max() for state in states[:-1]]
    for k in range(2):
        assert np.log2(errors[k] / errors[k + 1]) == pytest.approx(4.0, abs=0.1)


def test_known_first_acceleration_is_used(pendulum):
    """Handing over the first stage gives the same step with one evaluation less."""
    calls = []
    acceleration = free(pendulum)

    def counted(t, q, v):
        calls.append(t)
        return acceleration(t, q, v)
    q, v = np.array([0.4]), np.array([0.2])
    whole = rk4_step(pendulum, counted, 0.0, q, v, 0.1)
    assert calls == [0.0, 0.05, 0.05, 0.1]
    short = rk4_step(pendulum, counted, 0.0, q, v, 0.1, first=acceleration(0.0, q, v))
    assert len(calls) == 7
    np.testing.assert_array_equal(whole, short)


def test_energy_of_a_pendulum_is_kept(pendulum, double_pendulum):
    """Ten seconds of large motion without friction."""
    for model in (pendulum, double_pendulum):
        out = simulate(model, np.full(model.nq, 1.2), np.zeros(model.nv), 10.0, step=1e-3)
        # Fourth order at h = 1 ms with motions of 10 rad/s: (10 h)^4 = 1e-8 of 20 J per second.
        assert np.ptp(out.energy) < 1e-7
        assert np.ptp(out.q[:, 0]) > 1


def test_small_swing_of_a_pendulum(pendulum):
    """The period of a physical pendulum, m g l = 9.81 N m, I = 0.7 kg m^2."""
    out = simulate(pendulum, [1e-4], [0.0], 3.0, step=1e-3)
    w = np.sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.5**2))
    # The angle is 1e-4, the cube it neglects 1e-12.
    np.testing.assert_allclose(out.q[:, 0], 1e-4 * np.cos(w * out.time), rtol=0, atol=2e-12)


def test_free_flight_of_a_box(box):
    """The mass centre follows a parabola; energy and angular momentum stay."""
    rng = np.random.default_rng(11)
    q0 = neutral(box)
    v0 = rng.uniform(-3, 3, 6)
    out = simulate(box, q0, v0, 2.0, step=1e-3)
    parabola = (v0[:3] * out.time[:, None]
                - 0.5 * np.array([0, 0, 9.81]) * out.time[:, None]**2)
    # The path is a polynomial, but in the axes of a box that turns at 3 rad/s: (3 h)^4.
    np.testing.assert_allclose(out.q[:, :3], parabola, rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(out.q[:, 3:], axis=1), 1, rtol=0, atol=1e-15)
    assert np.ptp(out.energy) < 1e-8
    momenta = np.array([rotated(q[3:], np.array([0.1, 0.2, 0.25]) * v[3:])
                        for q, v in zip(out.q[::100], out.v[::100])])
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), atol=1e-10)


def test_steady_spin_about_a_principal_axis(box):
    """About z, the axis of largest inertia, the box turns evenly."""
    out = simulate(box, neutral(box), [0, 0, 0, 0, 0, 2.0], 1.0, step=1e-3, gravity=(0, 0, 0))
    np.testing.assert_allclose(out.q[-1, 3:], [0, 0, np.sin(1.0), np.cos(1.0)], atol=1e-12)
    np.testing.assert_allclose(out.v[-1], [0, 0, 0, 0, 0, 2.0], atol=1e-14)


def rotated(quaternion, vector):
    """Return a vector in world axes, from x y z w."""
    x, w = quaternion[:3], quaternion[3]
    return vector + 2 * np.cross(x, np.cross(x, vector) + w * vector)
