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

"""After a rehearsal nothing is compiled when a goal comes, and what cannot be done is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import default_task
from mbd_ros.control.constraints.joint_constraints import joint_places
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.control.tasks.rehearsal import rehearse, rehearse_task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import MbdError
from mbd_ros.execution.ir.machine_code import MachineCode

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002


@pytest.mark.parametrize(('robot', 'joints'), [
    ('five_bar', ('left_drive', 'right_drive')), ('puma560', ())])
def test_a_trajectory_of_joints_finds_its_machine_code(robot, joints, monkeypatch):
    model = mbd_ros.load(ROOT / 'urdf' / f'{robot}.urdf')
    joints, task = joints or model.joint_names, default_task(robot)
    q, v = np.array(task.start_positions or [0.0] * model.nq), np.zeros(model.nv)
    # Of its own, so that no other test has made the code.
    dyn = mbd_ros.dynamics.PreparedDynamics(model)
    rehearse(Tracker(dyn, task, q, v), joints, q, v, PERIOD)
    tracker = Tracker(dyn, task, q, v)
    for k in range(3):
        tracker.step(k * PERIOD, q, v)

    def forbidden(*_, **__):
        raise AssertionError('compiled while the robot moves')
    monkeypatch.setattr(MachineCode, '__init__', forbidden)
    places, rates = joint_places(model, joints)
    reference = tracker.reference(q)
    path = trajectory([0.0, 2.0], [reference[0][places], reference[0][places] + 0.02],
                      first_velocity=reference[1][rates])
    check_joints(dyn, joints, path, 2.0, reference[0])
    tracker.follow_joints(path, 2 * PERIOD, q, v, joints=joints)
    tracker.step(3 * PERIOD, q, v)
    tracker.stop(3 * PERIOD, q, v)
    tracker.step(4 * PERIOD, q, v)


@pytest.mark.parametrize(('q', 'words'), [
    ([0.0, 0.0, 0.0], '^the approach cannot be followed 0.01 s after .* a singularity'),
    ([0.1, 0.2, 3.14], r"^the approach .* s after .*: velocity -3\d\..* of joint 'joint1' is b"),
    ([0.0, -1.57, 0.0], 'near a singularity'),
    ([0.1, 0.2, 3.1], ''), ([3.0, -2.0, 1.0], ''), ([0.785, -0.785, 1.571], '')])
def test_an_approach_is_slowed_or_refused_before_it_begins(q, words):
    """From the stretched arm the tool cannot move inwards, from the folded one hardly."""
    dyn = mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf'))
    task = replace(default_task('three_link_arm'), start='approach')
    q, rest = np.array(q), np.zeros(3)
    tracker = Tracker(dyn, replace(task, path={}, constraints=()), q, rest)
    if not words:
        unasked = tracker.apart().follow(task, 0.0, q, rest)
        duration = rehearse_task(tracker.apart(), task, q, rest)
        assert (duration > 1.2 * unasked) == (abs(q[0]) != 0.785)   # one was slow enough
        assert tracker.follow(task, 0.0, q, rest, approach=duration) == duration
        tracker.check_approach(duration)
        return
    with pytest.raises(MbdError, match=words):
        rehearse_task(tracker.apart(), task, q, rest)
