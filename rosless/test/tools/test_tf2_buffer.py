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

"""Look-ups in a buffer of transforms against products of 4 x 4 matrices."""

import math
import threading
import time

from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import PointStamped
from geometry_msgs.msg import TransformStamped
import numpy as np
import pytest
from rclpy.duration import Duration
from rclpy.time import Time
import tf2_geometry_msgs  # noqa: F401  registers messages with the buffers
import tf2_ros
import yaml

EXACT = 1e-12  # chains of at most six products of numbers near one in double precision


def matrix(translation, quaternion):
    """Homogeneous matrix of a displacement, from the textbook formula for (x, y, z, w)."""
    x, y, z, w = quaternion
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    result[:3, 3] = translation
    return result


def message(parent, child, seconds, translation=(0.0, 0.0, 0.0), quaternion=(0., 0., 0., 1.)):
    result = TransformStamped()
    result.header.frame_id = parent
    result.child_frame_id = child
    stamp = round(seconds * 1e9)
    result.header.stamp = TimeMessage(sec=stamp // 10**9, nanosec=stamp % 10**9)
    t, q = result.transform.translation, result.transform.rotation
    t.x, t.y, t.z = map(float, translation)
    q.x, q.y, q.z, q.w = map(float, quaternion)
    return result


def as_matrix(found):
    t, q = found.transform.translation, found.transform.rotation
    return matrix((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


def at(seconds):
    return Time(nanoseconds=round(seconds * 1e9))


LATEST = Time()


@pytest.fixture
def tree():
    """Return a random tree of eight frames, the last two of them static, and their places."""
    rng = np.random.default_rng(7)
    buffer = tf2_ros.Buffer()
    parents = {'b': 'a', 'c': 'b', 'd': 'c', 'e': 'b', 'f': 'e', 'g': 'd', 'h': 'a'}
    world = {'a': np.eye(4)}
    for child, parent in parents.items():
        translation = rng.normal(size=3)
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        add = buffer.set_transform_static if child in 'gh' else buffer.set_transform
        assert add(message(parent, child, 1.0, translation, quaternion))
        world[child] = world[parent] @ matrix(translation, quaternion)
    return buffer, world


def test_every_pair_of_frames(tree):
    buffer, world = tree
    for target, X_WT in world.items():
        for source, X_WS in world.items():
            found = buffer.lookup_transform(target, source, LATEST)
            assert (found.header.frame_id, found.child_frame_id) == (target, source)
            expected = np.linalg.inv(X_WT) @ X_WS
            np.testing.assert_allclose(as_matrix(found), expected, atol=EXACT)


def test_stamp_of_the_answer(tree):
    buffer, _ = tree
    buffer.set_transform(message('a', 'b', 3.0))
    assert buffer.lookup_transform('a', 'b', LATEST).header.stamp.sec == 3
    # Latest time at which all of the way is known: c is known until 1 s only.
    assert buffer.lookup_transform('a', 'c', LATEST).header.stamp.sec == 1
    assert buffer.lookup_transform('a', 'h', LATEST).header.stamp == TimeMessage()


def test_interpolation():
    """Halfway and a third between two places: straight line, constant rate about one axis."""
    buffer = tf2_ros.Buffer()
    angle = 2.0
    buffer.set_transform(message('a', 'b', 10.0, (0, 0, 0)))
    buffer.set_transform(message(
        'a', 'b', 13.0, (3, -6, 9), (0, math.sin(angle / 2), 0, math.cos(angle / 2))))
    for share in (0.0, 1 / 3, 0.5, 1.0):
        found = buffer.lookup_transform('a', 'b', at(10.0 + 3.0 * share))
        half = share * angle / 2
        expected = matrix((3 * share, -6 * share, 9 * share),
                          (0, math.sin(half), 0, math.cos(half)))
        # The stamp is rounded to 1 ns of 3 s.
        np.testing.assert_allclose(as_matrix(found), expected, atol=1e-8)


def test_interpolation_takes_the_short_way():
    buffer = tf2_ros.Buffer()
    buffer.set_transform(message('a', 'b', 1.0, quaternion=(0, 0, math.sin(.1), math.cos(.1))))
    buffer.set_transform(message('a', 'b', 2.0, quaternion=(0, 0, -math.sin(.2), -math.cos(.2))))
    q = buffer.lookup_transform('a', 'b', at(1.5)).transform.rotation
    assert abs(q.z * math.cos(.15) - q.w * math.sin(.15)) < EXACT


def test_a_frame_is_where_it_is_even_if_nobody_has_heard_of_it():
    """As in tf2, so that what is in the fixed frame of RViz is drawn before any transform came."""
    buffer = tf2_ros.Buffer()
    assert buffer.lookup_transform('x', 'x', at(1.5)).transform.rotation.w == 1.0
    assert buffer.can_transform('x', 'x', at(1.5))
    assert not buffer.can_transform_full('x', at(1.0), 'x', at(1.5), 'x')
    with pytest.raises(tf2_ros.LookupException, match='"x" passed to lookupTransform'):
        buffer.lookup_transform_full('x', at(1.0), 'x', at(1.5), 'x')


def test_order_of_arrival_does_not_matter():
    buffer = tf2_ros.Buffer()
    for seconds in (3.0, 1.0, 2.0):
        assert buffer.set_transform(message('a', 'b', seconds, (seconds, 0, 0)))
    assert buffer.lookup_transform('a', 'b', at(1.25)).transform.translation.x == \
        pytest.approx(1.25, abs=1e-9)  # stamps have 1 ns
    assert not buffer.set_transform(message('a', 'b', 2.0, (9, 0, 0)))


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    (('a', 'x', 0.0), tf2_ros.LookupException,
     '"x" passed to lookupTransform argument source_frame does not exist'),
    (('', 'a', 0.0), tf2_ros.InvalidArgumentException,
     'argument target_frame in tf2 frame_ids cannot be empty'),
    (('/a', 'b', 0.0), tf2_ros.InvalidArgumentException, "cannot start with a '/'"),
    (('a', 'lonely', 0.0), tf2_ros.ConnectivityException,
     "Could not find a connection between 'a' and 'lonely' because they are not part of the "
     'same tree'),
    (('a', 'b', 2.5), tf2_ros.ExtrapolationException,
     'Lookup would require extrapolation into the future.  Requested time 2.500000 but the '
     'latest data is at time 2.000000, when looking up transform from frame [b] to frame [a]'),
    (('a', 'b', 0.5), tf2_ros.ExtrapolationException,
     'extrapolation into the past.  Requested time 0.500000 but the earliest data is at time '
     '1.000000'),
    (('a', 'c', 1.5), tf2_ros.ExtrapolationException,
     'Lookup would require extrapolation at time 1.500000, but only time 1.000000 is in the '
     'buffer'),
])
def test_errors(arguments, error, text):
    buffer = tf2_ros.Buffer()
    for seconds in (1.0, 2.0):
        buffer.set_transform(message('a', 'b', seconds))
    buffer.set_transform(message('b', 'c', 1.0))
    buffer.set_transform(message('island', 'lonely', 1.0))
    target, source, seconds = arguments
    with pytest.raises(error) as raised:
        buffer.lookup_transform(target, source, at(seconds))
    assert text in str(raised.value)
    assert buffer.can_transform(target, source, at(seconds)) is False
    reason = buffer.can_transform(target, source, at(seconds), return_debug_tuple=True)[1]
    if issubclass(error, (tf2_ros.LookupException, tf2_ros.InvalidArgumentException)):
        assert reason.startswith('Invalid frame ID "')
    else:
        assert text in reason


@pytest.mark.parametrize(('parent', 'child', 'translation', 'quaternion'), [
    ('a', 'a', (0, 0, 0), (0, 0, 0, 1)),
    ('', 'b', (0, 0, 0), (0, 0, 0, 1)),
    ('a', 'b', (math.nan, 0, 0), (0, 0, 0, 1)),
    ('a', 'b', (0, 0, 0), (0, 0, 0, 0)),
    ('a', 'b', (0, 0, 0), (1, 0, 0, 1)),
])
def test_unusable_transforms_are_ignored(parent, child, translation, quaternion):
    buffer = tf2_ros.Buffer()
    assert not buffer.set_transform(message(parent, child, 1.0, translation, quaternion))
    assert buffer.all_frames_as_string() == ''


def test_old_samples_go(capfd):
    buffer = tf2_ros.Buffer(cache_time=Duration(seconds=5.0))
    for seconds in range(1, 21):
        buffer.set_transform(message('a', 'b', seconds))
    assert buffer.can_transform('a', 'b', at(15.0))
    assert not buffer.can_transform('a', 'b', at(14.0))
    capfd.readouterr()
    assert not buffer.set_transform(message('a', 'b', 14.0), 'me')
    assert capfd.readouterr().err.endswith(
        'TF_OLD_DATA ignoring data from the past for frame b (parent a) at time 14.000000 '
        'according to authority me\n')


def test_a_static_transform_holds_for_all_time_and_can_be_replaced():
    buffer = tf2_ros.Buffer()
    for x in (1.0, 2.0):
        buffer.set_transform_static(message('a', 'b', 5.0, (x, 0, 0)))
        for seconds in (0.0, 1.0, 1e6):
            found = buffer.lookup_transform('a', 'b', at(seconds))
            assert found.transform.translation.x == x
    buffer.clear()
    assert buffer.can_transform('a', 'b', LATEST)


def test_two_times_by_way_of_a_fixed_frame():
    """Where was the body a second ago, as seen from where it is now."""
    buffer = tf2_ros.Buffer()
    for seconds, x in ((1.0, 10.0), (2.0, 30.0)):
        buffer.set_transform(message('world', 'body', seconds, (x, 0, 0)))
    found = buffer.lookup_transform_full('body', at(2.0), 'body', at(1.0), 'world')
    assert found.transform.translation.x == pytest.approx(-20.0, abs=EXACT)


def test_a_loop_of_frames_is_an_error_and_no_hang():
    buffer = tf2_ros.Buffer()
    buffer.set_transform(message('a', 'b', 1.0))
    buffer.set_transform(message('b', 'a', 1.0))
    buffer.set_transform(message('c', 'd', 1.0))
    with pytest.raises(tf2_ros.TransformException):
        buffer.lookup_transform('d', 'a', at(1.0))


def test_waiting_for_a_transform():
    buffer = tf2_ros.Buffer()
    begin = time.monotonic()
    threading.Timer(0.2, lambda: buffer.set_transform(message('a', 'b', 1.0))).start()
    found = buffer.lookup_transform('a', 'b', LATEST, timeout=Duration(seconds=600.0))
    assert 0.19 < time.monotonic() - begin < 300.0  # it comes after 0.2 s; the limit is 600 s
    assert found.child_frame_id == 'b'
    begin = time.monotonic()
    assert not buffer.can_transform('a', 'x', LATEST, timeout=Duration(seconds=0.1))
    assert 0.09 < time.monotonic() - begin < 60.0


def test_future_of_a_transform():
    buffer = tf2_ros.Buffer()
    future = buffer.wait_for_transform_async('a', 'b', LATEST)
    assert not future.done()
    buffer.set_transform(message('a', 'b', 1.0))
    assert future.done()
    assert buffer.wait_for_transform_async('a', 'b', LATEST).done()


def test_future_has_the_transform_and_can_be_cancelled():
    buffer = tf2_ros.Buffer()
    future = buffer.wait_for_transform_async('a', 'b', LATEST)
    given_up = buffer.wait_for_transform_async('a', 'b', LATEST)
    full = buffer.wait_for_transform_full_async('a', at(1.0), 'b', at(1.0), 'a')
    given_up.cancel()
    buffer.set_transform(message('a', 'b', 1.0, (4, 0, 0)))
    assert future.result().transform.translation.x == 4.0
    assert full.result().transform.translation.x == 4.0
    assert not given_up.done() or given_up.cancelled()


@pytest.mark.parametrize(('target', 'source', 'reason'), [
    ('x', 'b', 'Invalid frame ID "x" passed to canTransform argument target_frame - frame does '
     'not exist'),
    ('a', '', 'Invalid frame ID "" passed to canTransform argument source_frame - in tf2 '
     'frame_ids cannot be empty'),
    ('a', '/b', 'Invalid frame ID "/b" passed to canTransform argument source_frame - in tf2 '
     "frame_ids cannot start with a '/'"),
])
def test_reasons_of_can_transform(target, source, reason):
    buffer = tf2_ros.Buffer()
    buffer.set_transform(message('a', 'b', 1.0))
    assert buffer.can_transform(target, source, LATEST, return_debug_tuple=True) == (False, reason)
    assert buffer.can_transform_full(target, LATEST, source, LATEST, 'a',
                                     return_debug_tuple=True) == (False, reason)


def test_frames_as_yaml():
    buffer = tf2_ros.Buffer()
    assert yaml.safe_load(buffer.all_frames_as_yaml()) == []
    for seconds in (1.0, 1.5, 2.0):
        buffer.set_transform(message('a', 'b', seconds), 'me')
    buffer.set_transform_static(message('b', 'c', 9.0), 'you')
    assert yaml.safe_load(buffer.all_frames_as_yaml()) == {
        'b': {'parent': 'a', 'broadcaster': 'me', 'rate': 3.0, 'most_recent_transform': 2.0,
              'oldest_transform': 1.0, 'buffer_length': 1.0},
        # One sample over no time counts as one in 0.1 ms.
        'c': {'parent': 'b', 'broadcaster': 'you', 'rate': 10000.0, 'most_recent_transform': 0.0,
              'oldest_transform': 0.0, 'buffer_length': 0.0}}


def test_conversion_of_the_result():
    class Other:
        pass

    buffer = tf2_ros.Buffer()
    buffer.set_transform(message('a', 'b', 1.0, (4, 0, 0)))
    point = tf2_ros.Stamped(PointStamped(), message('b', 'x', 1.0).header.stamp, 'b')
    moved = buffer.transform(point, 'a', new_type=PointStamped)
    assert moved.point.x == 4.0
    assert moved.header.frame_id == 'a'
    with pytest.raises(tf2_ros.TypeException, match=r'Other.* is not loaded or supported'):
        buffer.transform(point, 'a', new_type=Other)
    tf2_ros.ConvertRegistration().add_convert((PointStamped, Other), lambda found: found.point.x)
    assert buffer.transform(point, 'a', new_type=Other) == 4.0
    assert buffer.transform_full(point, 'a', at(1.0), 'a').point.x == 4.0


def test_absent_names_say_what_to_do():
    with pytest.raises(ImportError, match='transform_to_kdl is not available in rosless: it '):
        from tf2_geometry_msgs import transform_to_kdl  # noqa: F401


def test_registered_types_are_transformed():
    class Stamped:
        header = message('b', 'x', 1.0).header

    buffer = tf2_ros.Buffer()
    buffer.set_transform(message('a', 'b', 1.0, (4, 0, 0)))
    with pytest.raises(tf2_ros.TypeException, match='is not loaded or supported'):
        buffer.transform(Stamped(), 'a')
    tf2_ros.TransformRegistration().add(Stamped, lambda _, found: found.transform.translation.x)
    assert buffer.transform(Stamped(), 'a') == 4.0
