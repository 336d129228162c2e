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

"""Forces of the ground as a function, as wrenches and as markers."""

from pathlib import Path

import numpy as np
import pytest
from visualization_msgs.msg import Marker

import mbd_ros
from mbd_ros import Fluid, Ground
from mbd_ros.dynamics.functions.contact_forces import ContactForces
from mbd_ros.messages.states.contacts_and_water import contact_wrenches, surroundings_markers
from mbd_ros.messages.states.drawings import segments_of, shapes_of

ROOT = Path(__file__).resolve().parents[3]
QUADRUPED = mbd_ros.load(ROOT / 'config' / 'modules' / 'quadruped.yaml')
SLOPE = Ground(-0.1, (0.1, -0.2, 1.0))


def state(seed=4):
    """Return a state with some feet in the ground."""
    rng = np.random.default_rng(seed)
    q = mbd_ros.integrate(QUADRUPED, mbd_ros.neutral(QUADRUPED),
                          rng.uniform(-0.3, 0.3, QUADRUPED.nv))
    return q, 0.2 * rng.normal(size=QUADRUPED.nv)


def test_they_are_what_the_equations_of_motion_have():
    q, v = state()
    found = mbd_ros.contact_forces(QUADRUPED, q, v, SLOPE)
    loads = {}
    for point, place, force in zip(QUADRUPED.contacts, *found):
        origin = mbd_ros.pose(QUADRUPED, q, point.link)[:3, 3]
        loads[point.link] = np.concatenate([force, np.cross(place - origin, force)])
    assert 0 < np.count_nonzero(found.forces.any(axis=1)) < 5
    still = np.zeros(QUADRUPED.nv)
    expected = mbd_ros.forward_dynamics(QUADRUPED, q, v, still, ground=SLOPE)
    # The same forces by two ways, accelerations of up to 1e3.
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(QUADRUPED, q, v, still, external_forces=loads), expected,
        atol=1e-9 * np.abs(expected).max())
    wrenches = contact_wrenches(7, QUADRUPED, q, found)
    assert set(wrenches) == set(loads)
    for link, message in wrenches.items():
        R_WL = mbd_ros.pose(QUADRUPED, q, link)[:3, :3]
        force, torque = message.wrench.force, message.wrench.torque
        assert message.header.frame_id == link and message.header.stamp.nanosec == 7
        np.testing.assert_allclose(
            [*R_WL @ (force.x, force.y, force.z), *R_WL @ (torque.x, torque.y, torque.z)],
            loads[link], atol=1e-9)


def test_what_is_drawn():
    found = ContactForces(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]),
                          np.array([[0.0, 0.0, 250.0], [0.0, 0.0, 0.0]]))
    message = surroundings_markers(5, 'world', np.array([0.4, 2.6, -1.0]),
                                   Fluid(current=(0.2, 0.0, 0.0), surface=1.5), found)
    assert message.markers[0].action == Marker.DELETEALL
    np.testing.assert_allclose(segments_of(message, 'contact'), [[[1, 2, 0], [1, 2, 0.5]]])
    current = segments_of(message, 'current')
    np.testing.assert_allclose(current[:, 1] - current[:, 0], [[0.4, 0.0, 0.0]] * 9)
    np.testing.assert_allclose(current[4, 0], [0.0, 3.0, -0.5])   # on the grid of the world
    (surface,) = shapes_of(message)
    assert (surface.kind, surface.pose[2, 3]) == ('box', 1.5)
    nothing = surroundings_markers(5, 'world', np.zeros(3), None, None)
    assert len(nothing.markers) == 1
    still = surroundings_markers(5, 'world', np.zeros(3), Fluid(), None)
    assert len(still.markers) == 1


@pytest.mark.parametrize('height', [-1.0, -1e6])
def test_nothing_touches_a_ground_below(height):
    q, v = state()
    assert not mbd_ros.contact_forces(QUADRUPED, q, v, Ground(height)).forces.any()
