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

"""Each form that an API has in some distribution of ROS 2, as docs/distributions.md lists them."""

from array import array
import inspect
from pathlib import Path
import re
import runpy
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from rclpy._rclpy_pybind11 import InvalidHandle, RCLError
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNodeMixin, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from mbd_ros.messages.dynamics import point_fields
from mbd_ros.messages.trajectories import trajectories
from mbd_ros.nodes.controlling import background_work
from mbd_ros.nodes.every_node import guard, parameters, qos, run
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.reconfiguring import link_frames

ROOT = Path(__file__).resolve().parents[3]
SUCCESS, ERROR = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.ERROR
PATIENCE = 60.0   # s, of what takes less than a millisecond


def test_every_row_has_its_test_and_every_test_its_row():
    page = (ROOT / 'docs' / 'distributions.md').read_text()
    named = re.findall(r'\| `(test_\w+)` \|$', page, re.MULTILINE)
    here = [name for name in globals() if name.startswith('test_')]
    assert dict.fromkeys(named) == dict.fromkeys(here[1:])


class Small(ManagedNode):
    """A node with a publisher, a subscription and a timer."""

    NAME = 'gait'   # whose parameters are few
    more = ()
    callback = staticmethod(lambda message: None)

    def configure(self):
        self.sent = self.create_publisher(String, 'sent', qos.RELIABLE)
        self.heard = self.create_subscription(String, 'heard', self.callback, qos.RELIABLE)
        self.timer = self.create_timer(1e6, lambda: None)

    @property
    def waitables(self):
        return [*super().waitables, *self.more]


@pytest.fixture
def small():
    """Return a node; the context ends with the test."""
    rclpy.init()
    node = Small()
    yield node
    rclpy.try_shutdown()
    node.destroy_node()


def raising(trigger, possible):
    """Return a transition that raises where it is not possible."""
    def made(self):
        outcome = trigger(self)   # rclpy itself may raise, or return ERROR
        if outcome == ERROR or not possible(self):
            raise RCLError('Transition is not registered')
        return outcome
    return made


def returning(trigger, possible):
    """Return a transition that returns ERROR where it is not possible."""
    def made(self):
        try:
            outcome = trigger(self)
        except RCLError:
            return ERROR
        return outcome if possible(self) else ERROR
    return made


TRANSITIONS = pytest.mark.parametrize('form', [raising, returning])


@TRANSITIONS
def test_a_transition_that_is_not_possible(small, form, monkeypatch):
    monkeypatch.setattr(Small, 'trigger_configure',
                        form(Small.trigger_configure, lambda node: True))
    assert small.trigger_configure() == SUCCESS   # so that the start cannot
    monkeypatch.setattr(run._Nodes, '_spin', lambda nodes: None)
    nodes = run._Nodes([lambda: small], threading.Event())
    nodes.run()
    assert nodes.code == 1


@TRANSITIONS
def test_the_end_amid_a_start(small, form, monkeypatch):
    monkeypatch.setattr(small, 'configure', rclpy.try_shutdown)
    monkeypatch.setattr(Small, 'trigger_configure', form(
        Small.trigger_configure, lambda node: node.context.ok()))
    with pytest.raises(ExternalShutdownException):
        small.start()


@pytest.mark.parametrize('destroy', [
    Node.destroy_publisher, lambda node, publisher: node.destroy_publisher(publisher)])
def test_lifecycle_publishers(small, destroy, monkeypatch):
    monkeypatch.setattr(LifecycleNodeMixin, 'destroy_lifecycle_publisher', destroy)
    small.start()
    sent = small.sent
    assert sent.is_activated
    assert small.trigger_deactivate() == SUCCESS and not sent.is_activated
    assert small.destroy_lifecycle_publisher(sent) and sent not in small.publishers
    assert small.trigger_cleanup() == SUCCESS


@pytest.mark.parametrize('kind', [
    type('Destroyed', (), {'destroy': lambda self: self.ends.append(True)}),
    type('Plain', (), {})])
def test_waitables(small, kind):
    waitable = kind()
    waitable.ends = []
    assert small.trigger_configure() == SUCCESS
    small.more = (waitable,)
    assert small.trigger_cleanup() == SUCCESS
    assert len(waitable.ends) == hasattr(kind, 'destroy')


def warned(**attributes):
    """Return what a node with such overrides is warned of, of which it knows ``rate``."""
    lines = []
    logger = SimpleNamespace(warning=lines.append)
    parameters._warn_of_unknown(SimpleNamespace(get_logger=lambda: logger, **attributes), ['rate'])
    return lines


@pytest.mark.parametrize(('attributes', 'count'), [
    ({'_parameter_overrides': {'rate': None, 'rat': None}}, 1), ({}, 0)])
def test_parameters_that_nobody_declared(attributes, count):
    lines = warned(**attributes)
    assert len(lines) == count and all("no parameter named 'rat'" in line for line in lines)


@pytest.mark.parametrize('more', [[], ['start_type_description_service']])
def test_parameters_of_the_library(more):
    names = ['use_sim_time', 'qos_overrides./joint_states.subscription.reliability', *more]
    assert not warned(_parameter_overrides=dict.fromkeys(names))


@pytest.mark.parametrize('more', [(), ('info',)])
def test_what_callbacks_take(small, more):
    seen, sent = [], String(data='one')
    handed = (serialize_message(sent), *more)   # nodes subscribe to octets
    one, two = (lambda message: seen.append((message,)),
                lambda message, info: seen.append((message, info)))
    small.callback = one if len(handed) == 1 else two
    small.start()
    given = inspect.signature(small.heard.callback)   # as rclpy asks, from Jazzy on
    given.bind(*handed)
    with pytest.raises(TypeError):
        given.bind(*handed[1:])
    small.heard.callback(*handed)
    assert seen == [(sent, *more)]
    assert not inspect.signature(small.timer.callback).parameters   # as rclpy asks, from Kilted on
    small.timer.callback()
    for file in (ROOT / 'mbd_ros' / 'nodes').rglob('*.py'):
        assert 'TimerInfo' not in file.read_text(), file


@pytest.mark.parametrize('resume_when_done', [False, True])
def test_what_is_awaited(resume_when_done):
    begin, done = threading.Event(), threading.Event()
    future = background_work.run_in_thread(lambda: begin.wait(PATIENCE) and 5)
    future.add_done_callback(lambda _: done.set())

    async def wait():
        return await future
    coroutine = wait()
    coroutine.send(None)
    if not resume_when_done:
        coroutine.send(None)   # the executor woke for something else
    begin.set()
    assert done.wait(PATIENCE)
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)
    assert ended.value.value == 5


@pytest.mark.parametrize('error', [None, ExternalShutdownException])
@pytest.mark.parametrize('count', [1, 2])
def test_the_end_of_spinning(error, count, monkeypatch):
    class Executor:
        def __init__(self, num_threads=1):
            assert num_threads == count

        def add_node(self, node):
            pass

        def spin(self):
            if error is not None:
                raise error
    monkeypatch.setattr(run, 'rclpy', SimpleNamespace(ok=lambda: True))
    monkeypatch.setattr(run, 'SingleThreadedExecutor' if count == 1 else 'MultiThreadedExecutor',
                        Executor)
    over = threading.Event()
    nodes = run._Nodes([lambda: SimpleNamespace(num_threads=count, start=lambda ended: None)],
                       over)
    nodes.run()
    assert (nodes.code, nodes.error, over.is_set()) == (0, None, True)


@pytest.mark.parametrize('errors', [[], [InvalidHandle], [InvalidHandle] * 3])
def test_what_is_destroyed_beside_the_wait_set(errors, monkeypatch):
    class Executor:
        def add_node(self, node):
            pass

        def spin(self):
            if errors:
                raise errors.pop()
    monkeypatch.setattr(run, 'SingleThreadedExecutor', Executor)
    monkeypatch.setattr(run, 'rclpy', SimpleNamespace(ok=lambda: True))
    nodes = run._Nodes([lambda: SimpleNamespace(num_threads=1, start=lambda ended: None)],
                       threading.Event())
    nodes.run()
    assert (nodes.code, nodes.error, errors) == (0, None, [])


def message_class(slots):
    """Return a class of messages with a field ``positions``, as rosidl generates them."""
    def begin(self, positions=()):
        if '_check_fields' in slots:
            self._check_fields = False
        self.positions = positions
    field = property(lambda self: self._positions,
                     lambda self, value: setattr(self, '_positions', array('d', value)))
    return type('Point', (), {'__slots__': slots, '__init__': begin, 'positions': field})


@pytest.mark.parametrize('kind', [
    message_class(('_positions',)), message_class(('_positions', '_check_fields')),
    type('Open', (SimpleNamespace,), {})])
def test_copies_of_messages(kind):
    before = [kind(positions=array('d', [value])) for value in (1.0, 2.0)]
    after = point_fields.copies_with(before, 'positions', np.array([[3.0], [4.0]]))
    assert [list(one.positions) for one in before + after] == [[1.0], [2.0], [3.0], [4.0]]
    assert {type(one) for one in after} == {kind}
    for one in after:
        assert all(hasattr(one, slot) for slot in getattr(kind, '__slots__', ()))


class Newest:
    """A broadcaster whose every message is what was sent last."""

    def __init__(self, node):
        self.pub_tf = node.create_publisher()

    def sendTransform(self, transform):
        self.pub_tf.append(list(transform))


class Adding(Newest):
    """A broadcaster that keeps the first transform of each frame."""

    def __init__(self, node):
        super().__init__(node)
        self._sent = {}

    def sendTransform(self, transform):
        for one in transform:
            self._sent.setdefault(one.child_frame_id, one)
        super().sendTransform(self._sent.values())


@pytest.mark.parametrize('broadcaster', [Newest, Adding])
def test_static_frames_of_a_new_robot(broadcaster, monkeypatch):
    monkeypatch.setattr(link_frames, 'StaticTransformBroadcaster', broadcaster)
    monkeypatch.setattr(link_frames, 'TransformBroadcaster', lambda node: None)
    monkeypatch.setattr(link_frames, 'JointStateReader', lambda model: None)
    monkeypatch.setattr(link_frames, 'fixed_transforms', lambda model, nanoseconds: model)
    topics = []   # the messages of each publisher

    def create_publisher():
        topics.append([])
        return topics[-1]
    clock = SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=0))
    frames = link_frames.LinkFrames(SimpleNamespace(
        create_publisher=create_publisher, destroy_publisher=topics.remove,
        create_subscription=lambda *arguments, **options: None, get_clock=lambda: clock),
        10.0, None, '')
    first, second = ([SimpleNamespace(child_frame_id=name, pose=pose) for name in names]
                     for pose, names in enumerate((['tool', 'plate'], ['tool'])))
    frames.use(first)
    assert topics == [[first]]
    frames.use(second)
    assert topics == [[second]]


@pytest.mark.parametrize('older', [(), ('desired', 'actual')])
def test_the_state_that_trajectory_controllers_publish(older, monkeypatch):
    class State:
        __slots__ = ('error', 'feedback', 'header', 'joint_names', 'output', 'reference', *older)

        def __init__(self, joint_names):
            self.joint_names, self.header = joint_names, SimpleNamespace()
    monkeypatch.setattr(trajectories, 'JointTrajectoryControllerState', State)
    monkeypatch.setattr(trajectories, 'simple_joints', lambda model: ['a'])
    monkeypatch.setattr(trajectories, 'simple_entries', lambda model: (None, slice(None)))
    monkeypatch.setattr(trajectories, 'joint_points', lambda *given: ('wanted', 'found', 'off'))
    step = SimpleNamespace(efforts=SimpleNamespace(effort=np.array([3.0])))
    state = trajectories.standard_state(7, None, None, step)
    assert (state.reference, state.feedback, state.error) == ('wanted', 'found', 'off')
    assert list(state.output.effort) == [3.0]
    assert not any(hasattr(state, name) for name in older)


@pytest.mark.filterwarnings('ignore::DeprecationWarning')   # of the old name, by the new library
@pytest.mark.parametrize('missing', [(), ('rclpy.event_handler',)], ids=['newer', 'Humble'])
def test_where_the_events_of_profiles_are(missing, monkeypatch):
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    made = runpy.run_path(guard.__file__)
    for kind in ('Publisher', 'Subscription'):
        callbacks = made[f'{kind}EventCallbacks'](incompatible_qos=print)
        assert callbacks.incompatible_qos is print


def test_what_sequence_fields_take():
    """The setting of warnings in pyproject.toml has every other test look for sets, too."""
    state = JointState()
    if rclpy.__file__ and Path(rclpy.__file__).with_name('_rosless.py').exists():
        for mistake in ({'a', 'b'}, {'a': 1}.keys(), frozenset()):
            with pytest.raises(DeprecationWarning, match="for the sequence field 'name'"):
                state.name = mistake
    for fine in (['a', 'b'], ('a', 'b')):
        state.name = fine
        assert list(state.name) == ['a', 'b']   # Lyrical keeps a list, older ones what they got
