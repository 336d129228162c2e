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

"""What a browser sends is bounded; what it asks for is done once; what it gets is a file."""

import asyncio
from contextlib import nullcontext
import csv
import io
import math
from types import SimpleNamespace

from mbd_msgs.action import FollowPath
import numpy as np
import pytest
from rcl_interfaces.msg import Log, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger
import yaml

from mbd_ros.errors import MbdError
from mbd_ros.messages.diagnostics.diagnostics import diagnostics, READY_IN
from mbd_ros.nodes.every_node.guard import Guard
from mbd_ros.nodes.page.call_list import CallList, KEPT
from mbd_ros.nodes.page.camera import FollowingCamera, Photographer
from mbd_ros.nodes.page.live_plot import TIME
from mbd_ros.nodes.page.numbers_in import number, numbers
from mbd_ros.nodes.page.table_file import csv_of
from mbd_ros.nodes.viewing.calls import Calls
from mbd_ros.nodes.viewing.executor_queue import ExecutorQueue
from mbd_ros.nodes.viewing.path_dragging import PathDragging
from mbd_ros.nodes.viewing.starting import Starting
from mbd_ros.nodes.viewing.tracking import STARTING, Tracking
from mbd_ros.nodes.viewing.view import Shared


@pytest.mark.parametrize(('nodes', 'status'), [
    ([('viewer', '/left')], 'no controller'), ([('controller', '/')], 'no controller'),
    ([('controller', '/left')], STARTING)])
def test_a_controller_that_compiles_is_not_said_to_be_absent(nodes, status):
    panel = SimpleNamespace(add_plot=lambda *_, **__: None)
    node = SimpleNamespace(
        create_subscription=lambda kind, topic, *_, **__: SimpleNamespace(
            topic_name=f'/left/{topic}'),
        get_node_names_and_namespaces=lambda: nodes)
    page = SimpleNamespace(add=lambda part: None, panel=panel)
    assert Tracking(Shared(node, page, None, None, None, None)).status == status


def test_the_page_says_about_how_long_nodes_compile(monkeypatch):
    heard, clock = [], [0.0]
    node = SimpleNamespace(
        get_namespace=lambda: '/left',
        create_subscription=lambda kind, topic, callback, *_: heard.append(callback))
    monkeypatch.setattr('mbd_ros.nodes.viewing.starting.time.monotonic', lambda: clock[0])
    starting = Starting(Shared(node, None, None, None, None, None))

    def hear(name, values):
        heard[0](diagnostics(0, name, 0, 'compiling', values))
    assert starting.status == ''
    hear('/left/controller', {READY_IN: 12})
    hear('/right/simulator', {READY_IN: 3})   # of another robot
    assert starting.status == 'controller: compiling, about 12 s'
    hear('/left/simulator', {READY_IN: 2})
    assert starting.status == (
        'controller: compiling, about 12 s, simulator: compiling, about 2 s')
    hear('/left/controller', {})   # it is ready
    assert starting.status == 'simulator: compiling, about 2 s'
    clock[0] = 10.0   # it was killed
    assert starting.status == ''


@pytest.mark.parametrize('value', [
    math.nan, math.inf, -math.inf, 2.1, -0.1, 10**400, '1', None, True, [1.0], 1j])
def test_numbers_out_of_bounds_are_none(value):
    assert number(value, 0.0, 2.0) is None


def test_numbers_within_bounds():
    assert [number(value, 0.0, 2.0) for value in (0, 2.0, np.float32(0.5))] == [0.0, 2.0, 0.5]


@pytest.mark.parametrize('values', [
    (1.0, 2.0), (1.0, 2.0, math.nan), (1.0, 2.0, 1e4), 'abc', None, 5.0, (1.0, 2.0, '3'),
    np.full(3, np.inf)])
def test_vectors_that_are_none(values):
    assert numbers(values, 3, 1e3) is None


def test_vectors():
    assert numbers((1, 2.5, -1e3), 3, 1e3).tolist() == [1.0, 2.5, -1e3]


def test_a_control_has_one_wish_at_a_time():
    done, triggered = [], []
    node = SimpleNamespace(create_guard_condition=lambda run: SimpleNamespace(
        trigger=lambda: triggered.append(run)), require_active=lambda: None)
    queue = ExecutorQueue(node)
    for count in range(1000):
        queue.put('slider', lambda count=count: done.append(count))
    queue.put('button', lambda: done.append('button'))
    while triggered:
        triggered.pop()()
    assert done == [999, 'button']


def test_plots_as_a_table():
    plots = [SimpleNamespace(title='Efforts', unit='N m', names=('a', 'b'), across=TIME,
                             samples=[(0.0, (1.0, 2.0)), (0.1, (3.0, 4.0))]),
             SimpleNamespace(title='=Error', unit='m', names=('t',), across=TIME,
                             samples=[(0.1, (1e-17,))]),
             SimpleNamespace(title='Spectrum', unit='m', names=('t',), across='f [Hz]',
                             samples=[(0.1, (1.0,))]),
             SimpleNamespace(title='Empty', unit='m', names=('t',), across=TIME, samples=[])]
    rows = list(csv.reader(io.StringIO(csv_of(plots))))
    assert rows == [['time [s]', 'Efforts, a [N m]', 'Efforts, b [N m]', "'=Error, t [m]"],
                    ['0.0', '1.0', '2.0', ''], ['0.1', '3.0', '4.0', '1e-17']]


class Folder:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_calls_are_listed_as_text_the_newest_first():
    html = SimpleNamespace(content='')
    calls = CallList(SimpleNamespace(add_folder=lambda _: Folder(), add_html=lambda _: html))
    for count in range(2 * KEPT):
        calls.add(f'call {count} <b>', 'no answer yet')
    calls.answer(f'call {2 * KEPT - 1} <b>', '<script>')
    calls.answer('nothing', 'is passed over')
    assert html.content.index('call 9 &lt;b&gt;') < html.content.index('&lt;script&gt;') < (
        html.content.index('call 8'))
    assert 'call 4' not in html.content and '<script>' not in html.content
    calls.add('push', 'sent')
    calls.add('push', 'sent again')
    assert html.content.count('push') == 1 and 'call 6' in html.content


def test_a_camera_goes_where_the_robot_goes():
    camera = SimpleNamespace(position=np.array([3.0, 0.0, 1.0]), look_at=np.array([1.0, 0.0, 0.0]),
                             update_timestamp=1.0)
    blind = SimpleNamespace(position=np.zeros(3), update_timestamp=0.0)
    following = FollowingCamera(SimpleNamespace(get_clients=lambda: {
        0: SimpleNamespace(camera=camera, atomic=nullcontext),
        1: SimpleNamespace(camera=blind, atomic=nullcontext)}))

    def see(x, z, always):
        following.follow(np.array([x, 0.0, z]), always=always, leap=1.0)
        assert not blind.position.any()
        return camera.position.tolist(), camera.look_at.tolist()

    seen = [2.5, 0.0, 1.0], [0.5, 0.0, 0.0]
    assert see(0.5, 0.0, True) == seen
    assert see(0.5001, 0.0, True) == seen   # too near to be worth a message
    assert see(1.0, 0.0, False) == seen     # it walks away
    assert see(1.0, -2.0, False) == ([3.0, 0.0, -1.0], [1.0, 0.0, -2.0])   # it begins elsewhere
    camera.look_at = np.array([1.0, 0.0, 0.0])   # an answer from before
    assert see(1.1, -2.0, True) == ([3.1, 0.0, -1.0], [1.1, 0.0, -2.0])
    camera.position = np.array([1.1, 2.0, -1.0])   # its user turns it
    assert see(1.2, -2.0, True) == ([1.2, 2.0, -1.0], [1.2, 0.0, -2.0])


def test_one_picture_at_a_time():
    photographer = Photographer()
    seen = []

    def render(height, width, timeout):
        seen.append(photographer.take(None))   # another browser asks meanwhile
        return np.zeros((2, 3, 3), dtype=np.uint8)
    picture = photographer.take(SimpleNamespace(get_render=render))
    assert picture.startswith(b'\x89PNG') and seen == [None]


class Answering:
    """A node whose services all give the same answer."""

    def __init__(self, answer):
        self.answer, self.said = answer, []
        self.context = SimpleNamespace(ok=lambda: True)
        self.guard = Guard(self)

    def get_logger(self):
        return SimpleNamespace(error=self.said.append)

    def create_subscription(self, kind, topic, callback, *_):
        self.hear = callback

    def create_client(self, kind, name):
        return SimpleNamespace(service_is_ready=lambda: True, call_async=self.call)

    def resolve_service_name(self, name):
        return f'/{name}'

    def call(self, request):
        future = Future()
        if isinstance(self.answer, Exception):
            future.set_exception(self.answer)
        else:
            future.set_result(self.answer)
        return future


@pytest.mark.parametrize('answer', [
    None, RuntimeError('gone'), Trigger.Response(),
    *(SetParameters.Response(results=[SetParametersResult()] * count) for count in (0, 2, 1000)),
    *(GetParameters.Response(values=[ParameterValue(type=kind)] * count)
      for kind in (0, 3, 200) for count in (0, 1, 2))], ids=lambda answer: type(answer).__name__)
def test_no_answer_of_another_node_ends_the_viewer(answer):
    node = Answering(answer)
    shown = SimpleNamespace(add=lambda *_: None, answer=lambda command, text: str(text))
    calls, taken = Calls(node, shown), []
    for _ in range(3):
        calls.service(Trigger, 'reset', Trigger.Request(), taken.append)
        calls.set_parameter('simulator', 'step_time', 0.5)
        assert calls.get_parameters('simulator', ['real_time_factor'], taken.append)
    assert len(node.said) <= 3   # each kind of error is said once
    assert all(isinstance(one, dict) for one in taken)


class Rejecting:
    """A client of an action whose server rejects all goals."""

    def __init__(self, node, kind, name):
        self.answers = []

    def server_is_ready(self):
        return True

    def send_goal_async(self, goal):
        self.answers.append(Future())
        return self.answers[-1]


@pytest.mark.parametrize('log_first', [True, False])
def test_a_goal_that_is_rejected_is_shown_with_the_reason(monkeypatch, log_first):
    monkeypatch.setattr('mbd_ros.nodes.viewing.calls.ActionClient', Rejecting)
    shown, node = [], Answering(None)
    calls = Calls(node, SimpleNamespace(
        add=lambda command, text: None, answer=lambda command, text: shown.append(text)))
    calls.goal(FollowPath, 'controller/follow_path', FollowPath.Goal())
    (client,) = calls._actions.values()
    why = "~/follow_path rejected: position 2.8 rad of joint 'a' is beyond its limits"
    told = [lambda: client.answers[0].set_result(SimpleNamespace(accepted=False)),
            lambda: node.hear(Log(name='controller', msg=why))]
    for tell in reversed(told) if log_first else told:
        node.hear(Log(name='right.controller', msg='~/follow_path rejected: of another robot'))
        node.hear(Log(name='controller', msg='tracking'))
        tell()
    assert shown[-1] == why and not any('another' in text for text in shown)


class Control:
    """A checkbox, or arrows in the scene."""

    def __init__(self, value=False, position=None):
        self.value, self.position, self.there = value, position, True

    def on_update(self, act):
        self.act = act

    def remove(self):
        self.there = False


class Desk:
    """Stands for what a view uses: its node, the page, and calls, all at once."""

    def __init__(self):
        self.checkbox, self.arrows, self.goals, self.said = Control(), [], [], []
        self.shown_arrows = {}
        self.scene, self.size, self.control = self, 2.0, Folder()
        self.gui = self.server = self.panel = self.shown = self

    def add_folder(self, name, expand_by_default):
        return Folder()

    def add_checkbox(self, label, value, hint):
        return self.checkbox

    def add_transform_controls(self, name, *, position, **_):
        self.arrows.append(Control(position=position))
        return self.arrows[-1]

    def show_arrows(self, name, shown):
        self.shown_arrows[name] = shown

    def create_subscription(self, kind, topic, callback, *_, **__):
        assert (kind, topic) == (String, 'controller/desired_task')
        self.hear = callback

    def expect(self, actions):
        assert actions == [(FollowPath, 'controller/follow_path')]

    def goal(self, kind, name, goal):
        self.goals.append((name, yaml.safe_load(goal.task)))

    def put(self, control, wish):
        wish()

    def add(self, command, text):
        self.said.append(text)

    def tick(self, value):
        self.checkbox.value = value
        self.checkbox.act(None)

    def drag(self, position, phase='end'):
        asyncio.run(self.arrows[-1].act(SimpleNamespace(
            phase=phase, target=SimpleNamespace(position=position))))


@pytest.fixture
def desk():
    """Return what a view of the path is made of; its checkbox is not ticked."""
    desk = Desk()
    PathDragging(Shared(desk, desk, None, None, desk, desk))
    return desk


CIRCLE = ('{link: tool, path: {kind: circle, center: [1, 0, 1], radius: 0.2, normal: [0, 0, 1]}, '
          'axes: xz}')


def test_a_path_is_asked_for_where_its_arrows_are_let_go(desk):
    desk.hear(String(data=CIRCLE))
    assert not desk.arrows   # until they are asked for
    desk.tick(True)
    assert desk.shown_arrows == {'/path_target': True}
    (arrows,) = desk.arrows
    assert arrows.position.tolist() == [1.0, 0.0, 1.0]
    desk.drag((1.0, 0.5, 1.0), 'update')
    for nowhere in ((1.0, math.nan, 1.0), (1.0, 2e3, 1.0), (1.0, 2.0), None):
        desk.drag(nowhere)
    assert not desk.goals
    desk.drag((1.0, 0.5, 0.75))
    asked = {'link': 'tool', 'axes': 'xz', 'path': {
        'kind': 'circle', 'center': [1.0, 0.5, 0.75], 'radius': 0.2, 'normal': [0.0, 0.0, 1.0]}}
    assert desk.goals == [('controller/follow_path', asked)]
    desk.hear(String(data=yaml.safe_dump(asked)))   # the controller follows it
    assert not arrows.there
    assert desk.arrows[-1].there and desk.arrows[-1].position.tolist() == [1.0, 0.5, 0.75]
    desk.tick(False)
    assert not any(one.there for one in desk.arrows) and not desk.said
    assert desk.shown_arrows == {'/path_target': False}


def test_what_is_no_path_has_no_arrows(desk):
    desk.tick(True)
    desk.hear(String(data=CIRCLE))
    with pytest.raises(MbdError):   # which the guard of the node's callbacks logs
        desk.hear(String(data=CIRCLE.replace('circle', 'spiral')))
    desk.hear(String(data=''))
    assert len(desk.arrows) == 1 and not desk.arrows[0].there
    desk.drag((0.0, 0.0, 0.0))   # let go after it had gone
    assert not desk.goals
    assert desk.said == ['not shown: the controller follows none of its own'] * 3
