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

"""Efforts that trajectories of joints need, of robots of all kinds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.joint_efforts import needs_of_joints, pace_that_fits, thinned
from mbd_ros.control.tasks.paced_motion import Stretchable
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.effort_needs import Needs
from mbd_ros.errors import TooMuchEffortError

ROBOTS = Path(__file__).resolve().parents[3] / 'urdf'


def tracker_of(text, q=None, **task):
    model = mbd_ros.load(text)
    q = np.zeros(model.nq) if q is None else np.array(q, float)
    dyn = mbd_ros.compile(model)
    return Tracker(dyn, replace(Task(), **task), q, np.zeros(model.nv)), q


def swing(count, way, duration=0.6):
    """Return a quintic from rest at zero to rest, and back."""
    rows = np.outer([0.0, 1.0, 0.0], np.ones(count) * way)
    return trajectory([0.0, 0.5 * duration, duration], rows, 0.0 * rows, 0.0 * rows)


def test_drives_of_closed_loops_need_what_inverse_dynamics_says():
    """Of the loops the drives alone have an effort, which moves all."""
    drives = ['left_drive', 'right_drive']
    tracker, q = tracker_of(ROBOTS / 'five_bar.urdf', actuated=tuple(drives))
    model = tracker.dyn.model
    q, _ = mbd_ros.close_loops(model, q)
    places = [model.q_offsets[model.joint_index(name)] for name in drives]
    path = swing(2, 0.2)
    shift = q[places]
    path = trajectory(path.times, [shift + row for row in ([0, 0], [0.2, -0.1], [0, 0])],
                      np.zeros((3, 2)), np.zeros((3, 2)))
    needs = needs_of_joints(tracker.copy_for_planning(), drives, path, q)
    at = [model.v_offsets[model.joint_index(name)] for name in drives]
    others = np.setdiff1d(np.arange(model.nv), at)
    assert len(needs.times) == 10
    assert not needs.efforts[:, others].any()
    for time, effort in zip(needs.times.tolist(), needs.efforts):
        follower = tracker.copy_for_planning()
        follower.follow_joints(path, 0.0, q, np.zeros(model.nv), joints=drives)
        state = follower.source.advance_to(time)
        found = mbd_ros.inverse_dynamics(model, state.q, state.v, state.accelerations,
                                         actuated=drives, dissipation=True)
        assert effort == pytest.approx(found, abs=1e-4)   # the way of RK4 there, in steps of 2 ms


CART = """<robot name="cart"><link name="base"/>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit effort="40" velocity="9" lower="-3" upper="3"/>
    <dynamics damping="0.4" friction="1"/></joint>
  <link name="cart"><inertial><mass value="2"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="cart"/><child link="pole"/>
    <axis xyz="0 1 0"/></joint>
  <link name="pole"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link></robot>"""


def test_a_passive_joint_moves_as_it_must():
    """The pole hangs from a cart that is driven; closed form of its effort."""
    tracker, q = tracker_of(CART, actuated=('slide',))
    path = swing(1, 0.5)
    needs = needs_of_joints(tracker.copy_for_planning(), ['slide'], path, q)
    assert len(needs.times) == 59   # each 10 ms on the way
    follower = tracker.copy_for_planning()
    follower.follow_joints(path, 0.0, q, np.zeros(2), joints=['slide'])
    for time, effort in zip(needs.times.tolist(), needs.efforts):
        state = follower.source.advance_to(time)
        (_, angle), (speed, rate), (a, turning) = state.q, state.v, state.accelerations
        # Newton's law of cart and mass of the pole, at 0.5 m.
        along = 2.0 * a + 1.0 * (a - 0.5 * (turning * np.cos(angle) - rate**2 * np.sin(angle)))
        friction = 0.4 * speed + np.sign(speed)
        assert effort == pytest.approx([along + friction, 0.0], abs=1e-6)   # the nominal model's
    # It is slower until it fits, though nobody knows before how the pole will swing.
    limits = tracker.law.effort_limits
    assert np.abs(needs.efforts[:, 0]).max() > 1.5 * limits[0]
    path_at = Stretchable(path)
    pace = pace_that_fits(tracker, ['slide'], path_at, q)
    slower = needs_of_joints(tracker.copy_for_planning(), ['slide'], path_at(pace), q)
    assert 0.95 * limits[0] < np.abs(slower.efforts[:, 0]).max() < 1.01 * limits[0]


def test_a_motion_may_leave_where_joints_cannot_hold_the_robot():
    limits = np.array([2.0, 9.0])
    times, held = np.arange(4.0), np.tile([5.0, 0.0], (4, 1))
    leaves = Needs(times, np.array([[5.0, 1], [4.0, 1], [1.0, 1], [0.0, 1]]), held)
    assert not leaves.beyond(limits).any()
    returns = Needs(times, np.array([[5.0, 1], [1.0, 1], [-3.0, 1], [0.0, 1]]), held)
    assert np.argwhere(returns.beyond(limits)).tolist() == [[2, 0]]
    assert returns.beyond(limits)[2, 0] == pytest.approx(0.5)
    harder = Needs(times, np.array([[5.0, 1], [6.0, 1], [1.0, 1], [0.0, 1]]), held)
    assert np.argwhere(harder.beyond(limits)).tolist() == [[1, 0]]


def test_the_first_joint_and_its_largest_effort_are_told():
    model = mbd_ros.load(CART)
    needs = Needs(np.array([0.0, 0.1, 0.2]), np.array([[0.0, 0], [41.0, 0], [-50.0, 0]]),
                  np.zeros((3, 2)))
    with pytest.raises(TooMuchEffortError) as told:
        needs.require_within(model, model.effort_limits, 'trajectory')
    assert str(told.value) == (
        "the trajectory cannot be followed 0.1 s after its begin: joint 'slide' would need 50 N "
        '(at 0.2 s), allowed: 40 N')
    # At the part r of its speed: 50 r^2 = 40.
    assert needs.slower(model.effort_limits) == pytest.approx(np.sqrt(40.0 / 50.0))
    assert (told.value.joint, told.value.needed, told.value.allowed) == ('slide', 50.0, 40.0)


def test_many_instants_are_thinned_evenly():
    assert thinned(np.arange(5.0), 5).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert thinned(np.arange(101.0), 5).tolist() == [0.0, 25.0, 50.0, 75.0, 100.0]
