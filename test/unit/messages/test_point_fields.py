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

"""Fields of many messages as arrays and back, for every kind of message class."""

from array import array
import copy

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

from mbd_ros.errors import NotFiniteError, ShapeError
from mbd_ros.messages.dynamics.point_fields import copies_with, first_filled, PART, rows_of

JOINTS = ('a', 'b', 'c')


class Checked:
    """
    A message as rclpy generates them: slots behind properties, of which one is no field.

    Parameters
    ----------
    positions, effort : sequence of float
        The fields.

    """

    __slots__ = ('_check_fields', '_effort', '_positions')

    def __init__(self, positions=(), effort=()):
        self._check_fields = True
        self.positions, self.effort = positions, effort

    positions = property(lambda self: self._positions, lambda self, value: setattr(
        self, '_positions', array('d', value)))
    effort = property(lambda self: self._effort, lambda self, value: setattr(
        self, '_effort', array('d', value)))


class Open:
    """A message without slots, whose fields are lists."""

    def __init__(self, positions=(), effort=()):
        self.positions, self.effort = list(positions), list(effort)


@pytest.mark.parametrize('kind', [JointTrajectoryPoint, Checked, Open])
@pytest.mark.parametrize('count', [1, 3, PART, PART + 1, 2 * PART + 5])
def test_rows_go_into_messages_and_come_out(kind, count):
    rows = np.random.default_rng(count).normal(size=(count, 6))
    points = [kind(positions=row[:3].tolist(), effort=[]) for row in rows]
    assert np.array_equal(rows_of(points, 'positions', JOINTS, needed=True), rows[:, :3])
    assert not rows_of(points, 'effort', JOINTS, needed=False).any()
    before = copy.deepcopy(points[-1].effort)
    filled = copies_with(points, 'effort', rows[:, 3:])
    assert np.array_equal(rows_of(filled, 'effort', JOINTS, needed=True), rows[:, 3:])
    assert np.array_equal(rows_of(filled, 'positions', JOINTS, needed=True), rows[:, :3])
    assert {type(one) for one in filled} == {kind}
    assert first_filled(points, 'effort') is None   # the request is as it was
    assert points[-1].effort == before
    assert first_filled(filled, 'effort') == 0


def test_rows_of_different_lengths_are_found_wherever_they_are():
    points = [JointTrajectoryPoint(positions=[0.0] * 3) for _ in range(PART + 10)]
    points[PART + 3].velocities = [1.0, 2.0, 3.0]
    found = rows_of(points, 'velocities', JOINTS, needed=False)
    assert found[PART + 3].tolist() == [1.0, 2.0, 3.0]
    assert found.sum() == 6.0
    assert first_filled(points, 'velocities') == PART + 3
    points[PART + 5].positions = [1.0]
    with pytest.raises(ShapeError, match=rf'positions of point {PART + 5} has shape \(1,\)'):
        rows_of(points, 'positions', JOINTS, needed=True)
    points[PART + 3].velocities[1] = float('inf')
    with pytest.raises(NotFiniteError, match=rf"velocities of point {PART + 3} of joint 'b' is i"):
        rows_of(points, 'velocities', JOINTS, needed=False)


def test_messages_of_different_kinds_and_joints_of_none():
    mixed = [JointTrajectoryPoint(), Open()]
    filled = copies_with(mixed, 'effort', np.ones((2, 1)))
    assert [list(one.effort) for one in filled] == [[1.0]] * 2
    assert rows_of(mixed, 'effort', (), needed=True).shape == (2, 0)
    assert len(copies_with(mixed[:1], 'effort', np.ones((1, 0)))) == 1
