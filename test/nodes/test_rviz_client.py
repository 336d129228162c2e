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

"""The RViz of the tests notices what RViz would complain of."""

import math
import re

from geometry_msgs.msg import Point, PoseStamped, TransformStamped
from nav_msgs.msg import Path
import pytest
from rclpy.qos import QoSProfile
from rclpy.time import Time
from rviz_client import RvizClient
from std_msgs.msg import String
from visualization_msgs.msg import (
    InteractiveMarker, InteractiveMarkerPose, InteractiveMarkerUpdate, Marker, MarkerArray)

from mbd_ros.messages.states.drag_targets import drag_target

pytestmark = pytest.mark.nodes

MARKERS = 'Paths of all tools, error, violation, constraint force, manifold'
NOW = 100   # s, the only time of which it knows where the frame 'moving' is
NEWEST = Time()


@pytest.fixture
def rviz(graph):
    """Return one that nobody sends anything, in a world with two frames."""
    client = RvizClient(graph, 'world', ticked=['Desired path'])
    for name, add in (('still', client.buffer.set_transform_static),
                      ('moving', client.buffer.set_transform)):
        one = TransformStamped(child_frame_id=name)
        one.header.frame_id, one.header.stamp.sec = 'world', NOW
        one.transform.rotation.w = 1.0
        add(one, 'the test')
    return client


def line(frame='still', number=0, stamp=NOW):
    one = Marker(ns='trace', id=number, type=Marker.LINE_STRIP, points=[Point(), Point(x=1.0)])
    one.header.frame_id, one.header.stamp.sec = frame, stamp
    one.pose.orientation.w = one.scale.x = one.color.a = 1.0
    return one


def test_what_is_locked_to_its_frame_is_drawn_when_that_comes(rviz, graph):
    """Other markers are transformed once."""
    locked = changed(lambda one: setattr(one, 'frame_locked', True))
    later = TransformStamped(child_frame_id='later')
    later.header.frame_id, later.transform.rotation.w = 'world', 1.0
    locked.header.frame_id = 'later'
    rviz.displays[MARKERS].take(MarkerArray(markers=[locked, line('later', 1)]))
    assert f'{MARKERS}: trace/1' in rviz.problems
    rviz.buffer.set_transform_static(later, 'the test')
    graph.wait_until(lambda: (('trace', 0) in rviz.displays[MARKERS].shown), 'it is drawn')
    assert list(rviz.problems) == [f'{MARKERS}: trace/1']


def changed(change):
    one = line()
    change(one)
    return one


def test_what_is_right_is_drawn_and_no_problem(rviz):
    rviz.displays[MARKERS].take(MarkerArray(markers=[line(), line('moving', 1)]))
    assert not rviz.problems
    assert rviz.drawn()[MARKERS] == 2
    assert len(rviz.scene()[1]) == 2


@pytest.mark.parametrize(('markers', 'item', 'why'), [
    ([line('nowhere')], 'trace/0', '"nowhere" passed to lookupTransform .* does not exist'),
    ([line('moving', stamp=NOW - 60)], 'trace/0', 'Extrapolation'),
    ([line('moving', stamp=NOW + 1)], 'trace/0', 'Extrapolation'),
    ([line(), line()], 'Duplicate Marker Check', 'two markers of a name and number'),
    ([changed(lambda one: setattr(one.scale, 'x', 0.0))], 'Duplicate Marker Check',
     'a line without width'),
    ([changed(lambda one: setattr(one.pose.orientation, 'w', 0.0))], 'Duplicate Marker Check',
     'AssertionError'),
    ([changed(lambda one: setattr(one.points[0], 'y', math.inf))], 'Duplicate Marker Check',
     'NaN or infinite'),
])
def test_markers_that_cannot_be_drawn_are_problems(rviz, markers, item, why):
    rviz.displays[MARKERS].take(MarkerArray(markers=markers))
    found = rviz.problems
    assert f'{MARKERS}: {item}' in found
    assert re.search(why, str(found))


def test_paths_in_no_frame_and_without_a_length_are_problems(rviz):
    path = Path(poses=[PoseStamped(), PoseStamped()])
    rviz.displays['Desired path'].take(path)
    assert 'Desired path: Message' in rviz.problems


@pytest.mark.parametrize(('inside', 'why'), [
    ('<link name="a"><visual><geometry><mesh filename=""/></geometry></visual></link>',
     'an empty mesh path'),
    ('<link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>',
     r'could not load resource \[a.stl\]'),
    ('<link name="a"/><link name="b"/><joint name="j" type="spherical"><parent link="a"/>'
     '<child link="b"/></joint>', 'joint j is spherical'),
    ('<link name="a"/>', '"a" passed to lookupTransform'),
    ('<link name="a"/><link name="b"/>', 'not one root link'),
])
def test_robots_that_cannot_be_shown_are_problems(rviz, inside, why):
    robot = rviz.displays['Robot']
    robot.take(String(data=f'<robot name="r">{inside}</robot>'))
    robot.frame()
    assert re.search(why, str(rviz.problems))


def test_publishers_that_offer_less_than_is_asked_for_are_a_problem(rviz, graph):
    """One that keeps nothing for those who come later."""
    graph.node.create_publisher(String, 'robot_description', QoSProfile(depth=1))
    graph.wait_until(lambda: 'incompatible QoS' in rviz.problems.get('Robot: Topic', ''),
                     'it is noticed')


def test_a_fixed_frame_that_does_not_exist_is_a_problem(graph):
    assert 'Fixed Frame' in RvizClient(graph, 'nowhere').problems


def test_interactive_markers_that_fit_nothing_are_problems(rviz):
    display = rviz.displays['Targets to drag']
    display._number = 0
    display._update(InteractiveMarkerUpdate(
        seq_num=1, markers=[drag_target('still', 'tool', rviz.transform('still', NEWEST))]))
    assert not rviz.problems
    display._update(InteractiveMarkerUpdate(seq_num=3))
    assert 'update 3 after 1' in str(rviz.problems)
    display._update(InteractiveMarkerUpdate(
        seq_num=4, poses=[InteractiveMarkerPose(name='hand')],
        markers=[InteractiveMarker(name='empty')]))
    assert 'a pose of a marker that there is not' in str(rviz.problems)
    assert 'Marker empty.' in str(rviz.problems)
