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

"""A robot that differs from its description."""

from pathlib import Path

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import Payload
from mbd_ros.control.tracking.payload import LoadedDynamics
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation.plant import plant

URDF = Path(__file__).parents[3] / 'urdf'
RNG = np.random.default_rng(5)


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.load(URDF / 'puma560.urdf')


def test_all_efforts_grow_with_the_masses(arm):
    """But for the rotors of the drives, which are no masses of links."""
    q, v, a = RNG.normal(size=(3, arm.nv))
    np.testing.assert_allclose(
        mbd_ros.inverse_dynamics(plant(arm, mass_scale=1.2), q, v, a),
        1.2 * mbd_ros.inverse_dynamics(arm, q, v, a) - 0.2 * arm.armature * a, rtol=1e-12)


def test_a_load_is_that_of_a_controller_that_knows_it(arm):
    """Against the Jacobian form of ``LoadedDynamics``."""
    q, v, a = RNG.normal(size=(3, arm.nv))
    loaded = plant(arm, payload=2.5, link='tool', center=(0.02, -0.01, 0.05))
    known = LoadedDynamics(arm, Payload('tool', 2.5, (0.02, -0.01, 0.05)))
    np.testing.assert_allclose(mbd_ros.inverse_dynamics(loaded, q, v, a),
                               known.inverse_dynamics(q, v, a), rtol=1e-10)


def test_masses_of_links_that_bend_are_scaled_as_their_density(arm):
    """Beams of another density, as stiff and as damped as before."""
    text = flexible_robots.two_link_arm(extra='rayleigh="0 0.01"')
    model = mbd_ros.load(text)
    q, v, a = 0.01 * RNG.normal(size=model.nq), *RNG.normal(size=(2, model.nv))
    heavy = plant(model, mass_scale=1.3, dissipation=True)
    rest = mbd_ros.inverse_dynamics(model, q, v, 0.0 * a, gravity=(0.0, 0.0, 0.0))
    spring = rest - mbd_ros.inverse_dynamics(model, q, 0.0 * v, 0.0 * a)
    assert np.abs(spring).max() > 0.0
    np.testing.assert_allclose(mbd_ros.mass_matrix(heavy, q), 1.3 * mbd_ros.mass_matrix(model, q),
                               rtol=1e-12, atol=1e-14)   # rounding
    slow, fast = (mbd_ros.natural_frequencies(one, np.zeros(model.nq), gravity=(0.0, 0.0, 0.0),
                                              locked=['joint1', 'joint2']).frequencies
                  for one in (heavy, model))
    np.testing.assert_allclose(slow, fast / np.sqrt(1.3), rtol=1e-9)
    place = {'link': 'link2', 'center': (0.4, 0.0, 0.0)}
    laden = plant(model, mass_scale=1.3, payload=0.2, **place)
    other = mbd_ros.with_payload(heavy, 'link2', 0.2, (0.4, 0.0, 0.0))
    np.testing.assert_array_equal(mbd_ros.mass_matrix(laden, q), mbd_ros.mass_matrix(other, q))


@pytest.mark.parametrize('other', [{}, {'friction': 0.3}, {'payload': 1.0, 'link': 'tool'}])
def test_a_plant_that_takes_its_own_place_goes_on_as_it_is(arm, other):
    """As a simulator does when parameters change: where no mass does, nothing is struck."""
    one, two = plant(arm, mass_scale=1.2), plant(arm, mass_scale=1.2, **other)
    q, v = RNG.normal(size=(2, arm.nv))
    state = mbd_ros.carry_over(one, q, v, two)
    np.testing.assert_allclose(state.v, v, atol=1e-10)
    assert state.kinetic_energy_after == pytest.approx(mbd_ros.energy(two, q, v).kinetic)


def test_friction_is_that_of_the_description_only_where_it_is_wanted(arm):
    assert not plant(arm).friction.any()
    assert (plant(arm, friction=0.5).friction == 0.5).all()
    np.testing.assert_array_equal(plant(arm, friction=0.5, dissipation=True).friction,
                                  arm.friction + 0.5)
    assert plant(arm, dissipation=True).damping is not None


def test_what_makes_no_sense_is_refused(arm):
    with pytest.raises(InvalidValueError, match=r'mass_scale is 0\.0; allowed: a positive number'):
        plant(arm, mass_scale=0.0)
    with pytest.raises(InvalidValueError, match='friction is -1'):
        plant(arm, friction=-1.0)
    with pytest.raises(UnknownNameError, match="did you mean 'tool'"):
        plant(arm, payload=1.0, link='tol')
    with pytest.raises(InvalidValueError, match="'base_link'; allowed: a link that moves"):
        plant(arm, payload=1.0, link='base_link')


def test_joints_that_stick_have_friction_of_their_own(arm):
    stuck = plant(arm, friction=0.5, sticking=['joint2'], sticking_friction=4.0)
    assert stuck.friction.tolist() == [0.5, 4.5, *[0.5] * (arm.nv - 2)]
    with pytest.raises(UnknownNameError, match=r"no joint named 'elbow'"):
        plant(arm, sticking=['elbow'], sticking_friction=1.0)
    with pytest.raises(InvalidValueError, match='sticking_friction is -1'):
        plant(arm, sticking=['joint2'], sticking_friction=-1.0)
