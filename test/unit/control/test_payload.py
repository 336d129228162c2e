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

"""A payload on a link is what the same body in the description would be."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import Payload
from mbd_ros.control.tracking.payload import dynamics_with, LoadedDynamics
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, UnknownNameError

ARM = (Path(__file__).parents[3] / 'urdf' / 'three_link_arm.urdf').read_text()
LOAD = """
  <link name="load"><inertial><origin xyz="0.1 -0.2 0.05"/><mass value="2.5"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="-0.002" izz="0.025"/></inertial></link>
  <joint name="load_joint" type="fixed"><parent link="tool"/><child link="load"/></joint>
</robot>"""
PAYLOAD = Payload('tool', 2.5, (0.1, -0.2, 0.05),
                  ((0.02, 0.001, 0.0), (0.001, 0.03, -0.002), (0.0, -0.002, 0.025)))
GRAVITY = (0.5, 1.0, -9.0)


@pytest.fixture(scope='module')
def pair():
    """Return the arm with a payload, and with the same body in its description."""
    described = mbd_ros.load(ARM.replace('</robot>', LOAD))
    return (LoadedDynamics(mbd_ros.load(ARM), PAYLOAD, GRAVITY),
            mbd_ros.compile(described, gravity=GRAVITY))


def test_it_is_the_same_as_a_body_of_the_description(pair):
    loaded, described = pair
    rng = np.random.default_rng(4)
    for _ in range(10):
        q, v, a = rng.uniform(-2, 2, (3, 3))
        # The load adds numbers of up to 100 N m, in another order of operations.
        close = {'rtol': 1e-13, 'atol': 1e-12}
        np.testing.assert_allclose(loaded.mass_matrix(q), described.mass_matrix(q), **close)
        np.testing.assert_allclose(loaded.bias_forces(q, v), described.bias_forces(q, v), **close)
        tau = described.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(loaded.inverse_dynamics(q, v, a), tau, **close)
        np.testing.assert_allclose(loaded.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-11)


def test_lists_and_strided_vectors_and_what_is_no_state(pair):
    """As other prepared dynamics take them; with and without machine code."""
    loaded, _ = pair
    q, v = np.array([0.1, 0.4, -0.3]), np.array([0.5, -0.2, 0.7])
    expected = loaded.bias_forces(q, v)
    wide = np.zeros((3, 2))
    wide[:, 0] = v
    for given in (v.tolist(), wide[:, 0]):
        assert (loaded.bias_forces(q.tolist(), given) == expected).all()
    other = LoadedDynamics(loaded.model, PAYLOAD, GRAVITY)
    other.machine_code = lambda *_: None
    np.testing.assert_allclose(other.bias_forces(q, v), expected, rtol=1e-14, atol=1e-13)
    np.testing.assert_allclose(other.mass_matrix(q), loaded.mass_matrix(q), rtol=1e-14)
    many = loaded.mass_matrix(np.array([q, 2.0 * q]))
    np.testing.assert_allclose(many[0], loaded.mass_matrix(q), rtol=1e-14)
    with pytest.raises(ShapeError, match='q'):
        loaded.mass_matrix(np.zeros(4))
    with pytest.raises(NotFiniteError, match="'joint2' is nan"):
        loaded.bias_forces(q, np.array([0.0, np.nan, 0.0]))


def test_the_energy_is_that_with_the_load(pair):
    loaded, described = pair
    q, v = np.array([0.1, 0.4, -0.3]), np.array([0.5, -0.2, 0.7])
    # Sums of up to 100 J in another order.
    np.testing.assert_allclose(loaded.energies(q, v).sum(), described.energies(q, v).sum(),
                               rtol=1e-13)


def test_nothing_carried_is_the_bare_robot(urdf_arm):
    for payload in (None, Payload('tool', 0.0)):
        bare = dynamics_with(urdf_arm.model, payload, (0, 0, -9.81))
        assert not isinstance(bare, LoadedDynamics)
        assert bare.gravity.tolist() == [0, 0, -9.81]


@pytest.mark.parametrize(('payload', 'error', 'words'), [
    (Payload('tol', 1.0), UnknownNameError, "did you mean 'tool'"),
    (Payload('tool', -1.0), InvalidValueError, 'mass of the payload is -1.0'),
    (Payload('tool', float('nan')), InvalidValueError, 'mass of the payload is nan'),
    (Payload('tool', 1.0, (0, float('inf'), 0)), NotFiniteError, 'center of the payload of y'),
    (Payload('tool', 1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 3))), InvalidValueError,
     'not above the sum of the others'),
    (Payload('tool', 1.0, inertia=((1, 1, 0), (0, 1, 0), (0, 0, 1))), InvalidValueError,
     'a symmetric tensor'),
    (Payload('tool', 1.01e4), InvalidValueError, r'mass of the payload is 10100.0; .* 10000 \[kg'),
    (Payload('tool', 1.0, (0, -1e5, 0)), InvalidValueError,
     r'center of the payload is \(0, -100000.0, 0\); allowed: numbers from -100 to 100 \[m\]'),
    (Payload('tool', 2.0, inertia=((1e12, 0, 0), (0, 1e12, 0), (0, 0, 1e12))), InvalidValueError,
     r'inertia of the payload is .* at most 20000 \[kg m\^2\]'),
    (Payload('tool', 0.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1))), InvalidValueError,
     'inertia of the payload is'),
])
def test_payloads_that_are_none(urdf_arm, payload, error, words):
    with pytest.raises(error, match=words):
        dynamics_with(urdf_arm.model, payload, (0, 0, -9.81))


def test_what_needs_no_more_effort():
    """The same body with less mass, or none; any other body may be harder to hold."""
    heavy = Payload('tool', 2.0, (0.1, 0.0, 0.0))
    for mass, center, less in ((1.0, 0.1, True), (2.0, 0.1, True), (2.1, 0.1, False),
                               (1.0, 0.2, False), (0.0, 9.0, True)):
        assert Payload('tool', mass, (center, 0.0, 0.0)).is_less_than(heavy) == less
    assert not Payload('link3', 1.0, (0.1, 0.0, 0.0)).is_less_than(heavy)
