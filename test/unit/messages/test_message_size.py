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

"""Messages are measured before they are read: the count is that of what reading makes."""

from __future__ import annotations

from geometry_msgs.msg import Point, Vector3Stamped
from hypothesis import given, settings, strategies as st
from nav_msgs.msg import Path as Poses
import pytest
from rcl_interfaces.msg import ParameterEvent
from rclpy.serialization import serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty, Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory
from visualization_msgs.msg import MarkerArray

from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.message_size import (
    is_bounded, Limits, require_within, SMALL, TooLargeError)

KINDS = (JointTrajectory, MultiDOFJointTrajectory, JointState, String, Float64MultiArray,
         MarkerArray, ParameterEvent, Poses)


def filled(kind, draw, depth=0):
    """Return a message with anything in its sequences, and how many elements these have."""
    message, count = kind(), 0
    for name, text in kind.get_fields_and_field_types().items():
        value = getattr(message, name)
        inner = text.removeprefix('sequence<').removesuffix('>')
        if text == 'string':
            setattr(message, name, draw(st.text(max_size=9)))
        elif text == 'sequence<string>':
            texts = draw(st.lists(st.text(max_size=9), max_size=4))
            setattr(message, name, texts)
            count += len(texts)
        elif text == 'sequence<double>':
            setattr(message, name, draw(st.lists(st.floats(allow_nan=False), max_size=3)))
        elif text.startswith('sequence<') and '/' in inner and depth < 3:
            element = message_class(inner)
            made = [filled(element, draw, depth + 1) for _ in range(draw(st.integers(0, 2)))]
            setattr(message, name, [one for one, _ in made])
            count += len(made) + sum(more for _, more in made)
        elif '/' in text and not text.startswith('sequence<') and '[' not in text:
            part, more = filled(type(value), draw, depth)
            setattr(message, name, part)
            count += more
    return message, count


def message_class(name):
    """Return the class of a message type such as std_msgs/Header."""
    package, kind = name.split('/')
    return getattr(__import__(f'{package}.msg', fromlist=[kind]), kind)


@pytest.mark.parametrize('kind', KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_elements_are_counted_as_they_are_in_the_message(kind, data):
    """Zeros behind the message make it one that is not small; they are no part of it."""
    message, count = filled(kind, data.draw)
    octets = serialize_message(message) + bytes(SMALL)
    require_within(octets, kind, Limits(elements=count))
    if count:
        with pytest.raises(TooLargeError, match=f'more than {count - 1} strings and messages'):
            require_within(octets, kind, Limits(elements=count - 1))


@pytest.mark.parametrize('kind', KINDS)
@settings(max_examples=30, deadline=None)
@given(octets=st.binary(max_size=200))
def test_any_octets_are_measured_or_refused(kind, octets):
    for head in (b'', b'\0\1\0\0'):
        for tail in (b'', bytes(SMALL), b'\xff' * SMALL):
            try:
                require_within(head + octets + tail, kind)
            except MbdError:
                pass


def test_what_is_too_large_is_said():
    with pytest.raises(TooLargeError, match='a message with 101 octets; allowed: 100'):
        require_within(bytes(101), String, Limits(octets=100))
    with pytest.raises(MbdError, match=r'begin with 00000000; allowed: plain little-endian CDR'):
        require_within(bytes(SMALL + 1), String)
    two_million = b'\0\1\0\0' + bytes(16) + (2_000_000).to_bytes(4, 'little')
    with pytest.raises(TooLargeError, match='more than 20000 strings and messages in its sequ'):
        require_within(two_million + bytes(SMALL), JointTrajectory)


def test_what_has_no_sequence_is_bounded():
    assert all(is_bounded(kind) for kind in (Clock, Point, Empty))
    assert not any(is_bounded(kind) for kind in (*KINDS, Vector3Stamped))   # the name of a frame
