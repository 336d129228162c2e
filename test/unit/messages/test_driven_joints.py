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

"""From a goal to efforts and back to a state, through messages, for joints of every kind."""

import math

from described import joint, link, robot
from geometry_msgs.msg import Quaternion, Transform, Vector3
import numpy as np
from trajectory_msgs.msg import (
    JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint)

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.component_errors import joint_error
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateReader, JointStateWriter
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.trajectories.multi_dof_trajectories import feedback_of, read_goal
from mbd_ros.messages.trajectories.way_points import Reference
from mbd_ros.model.state import curved_joints, neutral
from mbd_ros.simulation import Stepper

PERIOD = 0.002
HALF = math.sqrt(0.5)
LIMIT = '<axis xyz="1 0 0"/><limit effort="900" velocity="5" lower="-2" upper="2"/>'
ROBOT = robot(
    link('root'), link('cart'), link('bob', center='0 0.1 -0.3'), link('plate'), link('bird'),
    joint('slide', 'prismatic', 'root', 'cart', LIMIT),
    joint('ball', 'spherical', 'cart', 'bob', '<origin xyz="0 0 -0.2" rpy="0.3 0 0.2"/>'),
    joint('table', 'planar', 'root', 'plate', '<axis xyz="0 0.6 0.8"/>'),
    joint('bird', 'floating', 'plate', 'bird', '<origin xyz="0 0 1"/>'))
TARGETS = {
    'bird': ((0.2, -0.1, 0.3), (0.0, HALF, 0.0, HALF)),
    'ball': ((0.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5)),
    'table': ((0.3, -0.2, 0.0), (0.0, 0.0, HALF, HALF))}


def goal():
    """Return where all joints are to be after 0.8 s, the slide after 0.5 s."""
    point = MultiDOFJointTrajectoryPoint()
    point.time_from_start.nanosec = 800_000_000
    for (x, y, z), (a, b, c, d) in TARGETS.values():
        point.transforms.append(Transform(translation=Vector3(x=x, y=y, z=z),
                                          rotation=Quaternion(x=a, y=b, z=c, w=d)))
    one = JointTrajectoryPoint(positions=[0.4])
    one.time_from_start.nanosec = 500_000_000
    return (JointTrajectory(joint_names=['slide'], points=[one]),
            MultiDOFJointTrajectory(joint_names=list(TARGETS), points=[point]))


def test_every_kind_of_joint_follows_a_goal_through_messages():
    """The plant is known by its messages alone, and hears efforts in an order of its own."""
    model = mbd_ros.load(ROBOT)
    commands = EffortCommands(model, ['table', 'slide', 'bird', 'ball'])
    drives = commands.driven([])
    states, others = JointStateWriter(model), MultiDOFStates(model)
    reader = JointStateReader(model)
    q, v = neutral(model), np.zeros(model.nv)
    tracker = Tracker(mbd_ros.compile(model), Task(actuated=drives), q, v)
    names, path = read_goal(model, drives, *goal(), Reference(q, v, v, 0))
    tracker.follow_joints(path, 0.0, q, v, joints=names)
    stepper = Stepper(model, q, v)
    worst = 0.0
    for k in range(700):
        now = k * 2_000_000
        place, rates = neutral(model), np.zeros(model.nv)
        place = others.put(others.write(now, stepper.q, stepper.v), now, place, rates)
        measured = reader.read(states.write(now, stepper.q, stepper.v, None),
                               others=(place, rates))
        step = tracker.step(k * PERIOD, measured.q, measured.v)
        assert not step.efforts.saturated
        worst = max(worst, float(np.abs(step.efforts.error).max()))
        stepper.advance(commands.read(commands.write(step.efforts.effort, now)), PERIOD)
    # Held efforts miss what accelerations change by within 1 ms, up to 500 rad/s^3.
    assert worst < 500.0 * 0.5 * PERIOD / 225.0
    shown = feedback_of(0, model, measured, step)
    for joint_, desired in zip(curved_joints(model), shown.multi_dof_desired.transforms):
        name = model.joint_names[joint_.number]
        error = joint_error(model, joint_, (step.nominal.q, step.nominal.v),
                            (measured.q, measured.v))
        # 0.6 s at rest: (1 + 15 * 0.6) e^(-15 * 0.6) = 1.2e-3 of what was missing.
        assert max(map(np.linalg.norm, (error.shift, error.turn))) < 2e-3 * worst * 3.0
        (x, y, z), turn = TARGETS[name]
        there, rotation = desired.translation, desired.rotation
        # Eliminated to 1e-12 in each step.
        np.testing.assert_allclose((there.x, there.y, there.z), (x, y, z), rtol=0, atol=1e-11)
        found = (rotation.x, rotation.y, rotation.z, rotation.w)
        assert abs(np.dot(found, turn)) > 1.0 - 1e-11
