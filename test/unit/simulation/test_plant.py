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
