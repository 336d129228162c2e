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

"""Messages that are read when a field is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from rcl_interfaces.srv import ListParameters
from rclpy.serialization import deserialize_message, serialize_message
from rosless.idl.codec import deserialize, serialize
from rosless.idl.errors import DeserializationError
from rosless.idl.octets import LARGE
from rosless.idl.unread import unread
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

MESSAGE = JointTrajectory(joint_names=['a', 'b'], points=[
    JointTrajectoryPoint(positions=[1.0, 2.0]), JointTrajectoryPoint(velocities=[3.0])])
OCTETS = bytes(serialize(MESSAGE))


def test_it_is_read_when_a_field_is_asked_for() -> None:
    message = unread(OCTETS, JointTrajectory)
    assert isinstance(message, JointTrajectory)
    assert message.octets_unread == len(OCTETS)
    assert message.joint_names == ['a', 'b']
    assert message.octets_unread == 0
    assert message == MESSAGE
    assert repr(message) == repr(MESSAGE)


@pytest.mark.parametrize('prefix', [b'', b'x' * 16])
@pytest.mark.parametrize('behind', [0, 8, 12])
def test_it_is_written_as_it_came(prefix: bytes, behind: int) -> None:
    """Also where what precedes it moves its numbers to other places."""
    offset = 4 + behind
    came = bytes(serialize(MESSAGE, b'y' * behind)) if behind % 8 == 0 else None
    if came is None:   # a message at a place where doubles are not aligned as in another
        came = b'\0\1\0\0' + b'y' * 16 + OCTETS[4:]
        offset = 20
    message = unread(came, JointTrajectory, offset)
    octets = bytes(serialize(message, prefix))
    assert message.octets_unread > 0
    assert deserialize(octets, JointTrajectory, 4 + len(prefix)) == MESSAGE


@pytest.mark.parametrize('count', [LARGE - 3, LARGE - 1, LARGE, LARGE + 2, 4 * LARGE + 1])
@pytest.mark.parametrize('behind', [0, 16])
def test_a_large_one_is_written_as_it_came(count: int, behind: int) -> None:
    """Its octets are copied while other threads run; they are those that were written."""
    message = String(data='x' * count)
    came = bytes(serialize(message, b'y' * behind))
    again = unread(came, String, 4 + behind)
    for prefix in (b'', b'z' * 16):
        octets = bytes(serialize(again, prefix))
        assert octets == bytes(serialize(message, prefix))
    assert again.octets_unread == len(came)
    assert serialize_message(again) == serialize_message(message)


def test_a_change_is_made_to_what_came() -> None:
    message = unread(OCTETS, JointTrajectory)
    message.joint_names = ['c']
    assert message.points == MESSAGE.points
    assert deserialize(bytes(serialize(message)), JointTrajectory).joint_names == ['c']


def test_what_is_wrong_is_raised_each_time() -> None:
    message = unread(OCTETS[:-9], JointTrajectory)
    for _ in range(2):
        with pytest.raises(DeserializationError):
            len(message.points)
        with pytest.raises(DeserializationError):
            message.points = []
    with pytest.raises(DeserializationError, match='too many'):
        len(unread(OCTETS, JointTrajectory, most=3).points)
    with pytest.raises(DeserializationError, match='encapsulation'):
        unread(b'\0\0' + OCTETS[2:], JointTrajectory)
    with pytest.raises(AttributeError):
        _ = unread(OCTETS, JointTrajectory).nothing


@pytest.mark.parametrize('count', [1, 10_000])
def test_large_answers_are_handed_on_unread(count: int) -> None:
    answer: Any = ListParameters.Response()
    answer.result.names = ['name'] * count
    octets = serialize_message(answer)
    again = deserialize_message(octets, ListParameters.Response)
    assert (getattr(again, 'octets_unread', 0) > 0) == (count > 1)
    assert serialize_message(again) == octets
    assert again == answer
