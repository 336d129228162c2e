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

"""Links that are pushed in RViz, and the menu of the simulation, without a graph."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rcl_interfaces.msg import SetParametersResult
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback
from visualization_msgs.srv import GetInteractiveMarkers

import mbd_ros
from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.simulating.rviz_push_markers import MOST, RvizPushMarkers

ARM = mbd_ros.load(Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf')
LEFT = np.array([0.0, 0.1, 0.0])
Q = np.array([0.3, -0.4, 0.8])


class Desk:
    """Stands for the simulator and its loop; keeps what is asked of them."""

    def __init__(self, model):
        self.configuration = model, Q
        self.there = 1
        self.pushes, self.done, self.timers, self.updates = [], [], [], []
        self.answer = SetParametersResult(successful=True)
        self.settings = SimpleNamespace(world_frame='world', push_stiffness=200.0, step_time=0.05,
                                        real_time_factor=1.0)
        RvizPushMarkers(self, self.settings, lambda: self)

    def create_publisher(self, kind, topic, qos):
        sent = self.pushes if topic == '~/push' else self.updates
        return SimpleNamespace(publish=sent.append, get_subscription_count=lambda: 1)

    def create_subscription(self, kind, topic, callback, qos):
        self.feedback = callback

    def create_service(self, kind, name, callback):
        self.ask = callback

    def create_timer(self, period, callback, clock):
        self.timers.append(callback)

    def get_name(self):
        return 'simulator'

    def resolve_topic_name(self, name):
        return name.replace('~', '/simulator')

    def count_publishers(self, topic):
        assert topic == '/simulator/hands/feedback'
        return self.there

    def get_logger(self):
        return SimpleNamespace(warning=self.done.append)

    def set_parameters_atomically(self, parameters):
        self.done.append({one.name: one.value for one in parameters})
        return self.answer

    def pause(self, paused):
        self.done.append(('pause', paused))

    def move(self, duration):
        self.done.append(('move', duration))

    def reset(self):
        self.done.append('reset')

    def tick(self):
        for callback in self.timers:
            callback()

    def say(self, link, event, place=(0.0, 0.0, 0.0), **more):
        message = Feedback(marker_name=link, event_type=event, **more)
        message.header.frame_id = link   # markers move with their links
        message.pose.position.x, message.pose.position.y, message.pose.position.z = map(
            float, place)
        self.feedback(message)


@pytest.fixture
def desk():
    desk = Desk(ARM)
    desk.tick()
    return desk


def test_a_link_is_pushed_by_a_spring_from_where_it_is_grabbed_to_the_mouse(desk):
    left = mbd_ros.pose(ARM, Q, 'link3')[:3, :3].T @ LEFT
    desk.say('link3', Feedback.MOUSE_DOWN)
    desk.tick()
    assert np.allclose([desk.pushes[-1].wrench.force.x, desk.pushes[-1].wrench.force.z], 0.0)
    desk.say('link3', Feedback.POSE_UPDATE, left)
    desk.tick()
    push = desk.pushes[-1]
    assert push.link == 'link3'
    assert push.wrench.force.y == pytest.approx(20.0)   # 200 N/m over 0.1 m
    assert push.duration.nanosec > 0
    desk.say('link3', Feedback.MOUSE_UP, left)
    assert desk.pushes[-1].duration.nanosec == 0
    count = len(desk.pushes)
    desk.tick()
    assert len(desk.pushes) == count


def test_the_mouse_stays_in_the_world_while_the_link_moves(desk):
    """Markers are drawn in the frames of links, and RViz says nothing while the mouse is still."""
    desk.say('link3', Feedback.MOUSE_DOWN, mouse_point_valid=True)
    there = mbd_ros.pose(ARM, Q, 'link3')[:3, 3] + LEFT
    desk.say('link3', Feedback.POSE_UPDATE, mbd_ros.pose(ARM, Q, 'link3')[:3, :3].T @ LEFT)
    moved = Q + np.array([0.2, 0.1, -0.3])
    desk.configuration = ARM, moved
    desk.tick()
    force = desk.pushes[-1].wrench.force
    np.testing.assert_allclose(   # 200 N/m; 1e-9 N: rounding of places of some metres
        [force.x, force.y, force.z], 200.0 * (there - mbd_ros.pose(ARM, moved, 'link3')[:3, 3]),
        atol=1e-9)


def test_nothing_is_sent_while_links_move(desk):
    """Updates pile up in an RViz that draws less than ten pictures a second."""
    desk.tick()
    count = len(desk.updates)
    for turn in range(20):
        desk.configuration = ARM, Q + 0.1 * turn
        desk.tick()
    assert len(desk.updates) == count


def test_a_link_that_did_not_move_returns_to_where_it_is(desk):
    """Its copy in RViz was moved; poses that equal those sent last were not sent again."""
    desk.tick()
    desk.tick()
    count = len(desk.updates)
    desk.tick()
    assert len(desk.updates) == count
    desk.say('link3', Feedback.MOUSE_DOWN)
    desk.say('link3', Feedback.MOUSE_UP, LEFT)
    desk.tick()
    assert len(desk.updates) == count + 1
    back = next(one.pose.position for one in desk.updates[-1].poses if one.name == 'link3')
    np.testing.assert_allclose([back.x, back.y, back.z], np.zeros(3))
    desk.tick()
    assert len(desk.updates) == count + 1


def test_a_link_is_let_go_when_rviz_says_nothing_any_more(desk, monkeypatch):
    desk.say('link3', Feedback.MOUSE_DOWN)
    desk.tick()
    assert desk.pushes[-1].duration.nanosec > 0
    monkeypatch.setattr('mbd_ros.nodes.simulating.rviz_push_markers.FORGOTTEN', 0.0)
    desk.tick()   # it is there: the mouse stands still
    assert desk.pushes[-1].duration.nanosec > 0
    desk.there = 0
    desk.tick()
    desk.tick()
    assert [one.duration.nanosec for one in desk.pushes[2:]] == [0]


def test_a_link_is_not_held_forever(desk, monkeypatch):
    desk.say('link3', Feedback.MOUSE_DOWN)
    monkeypatch.setattr('mbd_ros.nodes.simulating.rviz_push_markers.LONGEST', 0.0)
    desk.tick()
    desk.tick()
    assert [one.duration.nanosec for one in desk.pushes] == [0]


def test_the_menu_does_what_the_page_does(desk):
    (update,) = desk.updates
    (menu,) = [one.menu_entries for one in update.markers if one.name == 'link3']
    numbers = {entry.title.partition(' (')[0]: entry.id for entry in menu}
    assert [entry.title for entry in menu if not entry.parent_id][:2] == [
        'Pause (simulator)', 'Go on (simulator)']   # in the order of the page, with their node

    def choose(title):
        desk.say('link3', Feedback.MENU_SELECT, menu_entry_id=numbers[title])
        return desk.done[-1]
    assert choose('Pause') == ('pause', True)
    assert choose('Go on') == ('pause', False)
    assert choose('Step') == ('move', 0.05)
    assert choose('Reset') == 'reset'
    assert choose('Slower') == {'real_time_factor': 0.5}
    assert choose('Faster') == {'real_time_factor': 2.0}
    assert choose('Real time') == {'real_time_factor': 1.0}
    assert choose('2 kg') == {'payload.link': 'link3', 'payload.mass': 2.0}
    assert choose('Moon') == {'gravity': [0.0, 0.0, -1.62]}
    desk.answer = SetParametersResult(successful=False, reason='a robot that bends')
    assert choose('1 kg') == 'not set from RViz: a robot that bends'
    for wrong in (0, numbers['Payload here'], 999):
        with pytest.raises(InvalidValueError, match='menu_entry_id'):
            desk.say('link3', Feedback.MENU_SELECT, menu_entry_id=wrong)


def test_rviz_is_not_answered_before_there_is_a_robot():
    """It asks where it sees the service; a node that compiles would not answer."""
    desk, robot = Desk(ARM), []
    desk.offered, desk.timers = [], []
    desk.create_service = lambda kind, name, callback: desk.offered.append((name, callback))
    RvizPushMarkers(desk, desk.settings, lambda: desk if robot else None)
    desk.tick()
    assert desk.offered == []
    robot.append(ARM)
    desk.tick()
    desk.tick()
    ((name, ask),) = desk.offered
    assert name == '~/hands/get_interactive_markers'
    answer = ask(None, GetInteractiveMarkers.Response())
    assert [one.name for one in answer.markers] == ['link1', 'link2', 'link3', 'tool']


def test_what_moves_is_offered_and_offered_anew_when_the_robot_is_another(desk):
    names = [one.name for one in desk.updates[-1].markers]
    assert names == ['link1', 'link2', 'link3', 'tool']
    assert all(one.header.frame_id == one.name for one in desk.updates[-1].markers)
    many = mbd_ros.load('<robot name="r"><link name="l0"/>' + ''.join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        f'ixz="0" iyz="0"/></inertial></link><joint name="j{k}" type="continuous"><parent '
        f'link="l{k - 1}"/><child link="l{k}"/><origin xyz="0 0 1"/></joint>'
        for k in range(1, MOST + 5)) + '</robot>')
    desk.configuration = many, np.zeros(many.nq)
    desk.tick()
    assert [one.name for one in desk.updates[-1].markers] == [
        f'l{k}' for k in range(1, MOST + 1)]
    assert desk.updates[-1].erases == names
