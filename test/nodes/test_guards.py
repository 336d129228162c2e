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

"""Every callback of every node has the guard, and no callback raises whatever it is given."""

import asyncio
import contextlib
import inspect

from control_msgs.action import FollowJointTrajectory
from mbd_msgs.srv import MassMatrix
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String

from mbd_ros.errors import InvalidValueError
from mbd_ros.nodes.composed import chosen, NODES
from mbd_ros.nodes.every_node import guard as guards, qos
from mbd_ros.nodes.every_node.guard import GuardedNode

pytestmark = pytest.mark.nodes

OF_ACTIONS = ('_goal_callback', '_handle_accepted_callback', '_cancel_callback',
              '_execute_callback')
LIBRARIES = ('rclpy', 'rosless', 'tf2_ros')
"""Where callbacks of the client library come from, which its own tests cover."""


class Nonsense:
    """What no client library hands over: of a goal handle it has but what a guard asks."""

    is_active = False


def callbacks(node):
    """Return all callbacks of a node that this package has given to the client library."""
    made = [entity.callback for kind in ('subscriptions', 'services', 'timers', 'guards')
            for entity in getattr(node, kind)]
    made += [getattr(server, name) for server in node.waitables for name in OF_ACTIONS
             if hasattr(server, name)]
    made += [callback for kind in ('pre_set', 'on_set', 'post_set')
             for callback in getattr(node, f'_{kind}_parameters_callbacks', ())]
    return [one for one in made if not str(inspect.unwrap(one).__module__).startswith(LIBRARIES)]


@pytest.fixture
def made(urdf, request):
    """Return a node, configured, in a context of its own that nobody spins."""
    graph = request.path.parents[2] / 'config' / 'modules' / 'nine_modules.yaml'
    parameters = {'robot_description': urdf('three_link_arm'), 'graph': graph, 'port': '8460',
                  'path.kind': 'none'}
    rclpy.init(args=['--ros-args', *(part for name, value in parameters.items()
                                     for part in ('-p', f'{name}:={value}'))])
    node = chosen([request.param])[0]()
    node.start()
    yield node
    node.close()
    node.destroy_node()
    rclpy.shutdown()


@pytest.mark.parametrize('made', NODES, indirect=True)
def test_no_callback_of_a_node_raises(made):
    found = callbacks(made)
    assert len(found) >= 3   # or this test looks in the wrong places
    for callback in found:
        assert getattr(callback, 'guarded', False), f'{callback} was made without the guard'
        needed = [one for one in inspect.signature(callback).parameters.values()
                  if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
        result = callback(*(Nonsense() for _ in needed))
        if inspect.iscoroutine(result):
            with contextlib.suppress(StopIteration):
                result.send(None)   # as far as it comes without waiting
            result.close()
    assert made.guard.failed


@pytest.fixture
def bare():
    """Return a node with nothing in it."""
    rclpy.init()
    node = GuardedNode('bare')
    yield node
    node.destroy_node()
    rclpy.shutdown()


def said(node, monkeypatch):
    lines = []
    monkeypatch.setattr(type(node), 'get_logger', lambda self: type(
        'Logger', (), {'error': staticmethod(lines.append)}), raising=False)
    return lines


def test_profiles_of_others_that_do_not_fit_are_in_the_diagnostics(bare):
    other, executor = rclpy.create_node('other'), SingleThreadedExecutor()
    try:
        for node in (bare, other):
            executor.add_node(node)
        assert bare.guard.figures()['incompatible profiles'] == 'none'
        bare.create_subscription(String, 'heard', print, qos.LATCHED)
        bare.create_publisher(String, 'sent', qos.NEWEST)
        other.create_publisher(String, 'heard', qos.RELIABLE)   # which keeps nothing
        other.create_publisher(String, 'heard', qos.LATCHED)    # fits
        other.create_subscription(String, 'sent', print, qos.RELIABLE)
        for _ in range(600):   # 60 s at most; discovery takes some milliseconds
            executor.spin_once(timeout_sec=0.1)
            found = bare.guard.figures()['incompatible profiles']
            if ',' in found:
                break
        assert set(found.split(', ')) == {'1 on /heard (DURABILITY)', '1 on /sent (RELIABILITY)'}
    finally:
        other.destroy_node()
        executor.shutdown()


def test_what_a_callback_raises_is_counted_answered_and_said_once(bare, monkeypatch):
    lines, now = said(bare, monkeypatch), [100.0]
    monkeypatch.setattr(guards.time, 'monotonic', lambda: now[0])

    def answer(request, response):
        raise InvalidValueError('x', 3, '1 or 2') if request.joint_names else ZeroDivisionError

    async def later(request, response):
        return answer(request, response)
    for callback in (answer, later):
        service = bare.create_service(MassMatrix, callback.__name__, callback)

        def answered(service=service, **fields):
            result = service.callback(MassMatrix.Request(**fields), MassMatrix.Response())
            return asyncio.run(result) if inspect.iscoroutine(result) else result
        refused, failed = answered(joint_names=['a']), answered()
        assert (refused.success, refused.message) == (False, 'x is 3; allowed: 1 or 2')
        assert failed.message == 'internal error: ZeroDivisionError()'
        lines.clear()
        answered()
        assert not lines   # said once
        now[0] += guards.REPEATS
        answered()
        (line,) = lines    # and again after a while, with the traceback
        assert line.startswith(f'{callback.__name__}: internal error: ZeroDivisionError()\n')
        assert 'raise InvalidValueError' in line
    assert (bare.guard.refused, bare.guard.failed) == (2, 6)
    assert bare.guard.figures()['last error'] == 'later: internal error: ZeroDivisionError()'


@pytest.mark.parametrize('error', [KeyError, ValueError, InvalidValueError])
def test_what_is_said_is_bounded(bare, monkeypatch, error):
    """A message of a megabyte in an error stays out of the log and the diagnostics."""
    lines, text = said(bare, monkeypatch), 'a\n\x00' * 300_000

    def raising():
        raise error(*(text,) * (3 if error is InvalidValueError else 1))
    bare.guard.wrap('topic', raising)()
    assert 0 < len(lines[0]) < 10_000                         # with the traceback
    assert '\n' not in bare.guard.last and len(bare.guard.last) < 5000   # LONGEST_MESSAGE is 4000


def test_causes_are_said(bare, monkeypatch):
    """With where they were raised, and no more of them than can be read."""
    lines = said(bare, monkeypatch)

    def fail(depth):
        try:
            raise KeyError(f'cause {depth}') if depth == 20 else fail(depth + 1)
        except LookupError as error:
            raise IndexError(f'cause {depth}') from error
    bare.guard.wrap('topic', lambda: fail(18))()
    for kind, depth in (('IndexError', 19), ('IndexError', 20), ('KeyError', 20)):
        assert f"caused by {kind}('cause {depth}')" in lines[0]
    monkeypatch.setattr(guards, 'REPEATS', 0.0)
    bare.guard.wrap('topic', lambda: fail(0))()
    assert lines[1].count('caused by') == guards.MOST_CAUSES


def test_a_change_of_parameters_that_fails_is_refused(bare):
    bare.add_on_set_parameters_callback(lambda changes: changes[0].value / 0)
    (callback,) = callbacks(bare)
    result = callback([rclpy.parameter.Parameter('length', value=1.0)])
    assert not result.successful
    assert result.reason == "internal error: ZeroDivisionError('float division by zero')"


class Handle:
    """A goal that has been accepted."""

    is_active = True

    def execute(self, callback=None):
        self.result = callback(self)

    def abort(self):
        self.is_active = False


def test_a_goal_that_fails_has_a_result(bare, monkeypatch):
    def fail(handle):
        raise InvalidValueError('x', 3, '1 or 2')

    def result_of(error):
        return FollowJointTrajectory.Result(error_string=str(error))
    server = bare.create_action_server(
        FollowJointTrajectory, 'follow', fail, decide=fail, begin=fail, result_of=result_of,
        group=bare.default_callback_group)
    lines, now = said(bare, monkeypatch), [100.0]
    monkeypatch.setattr(guards.time, 'monotonic', lambda: now[0])
    for _ in range(10 * guards.BURST):
        now[0] += 0.5
        assert server._goal_callback(None) == rclpy.action.GoalResponse.REJECT
    # In 100 s as many as in five bursts.
    assert len(lines) == 5 * guards.BURST
    assert {line.partition(' (')[0] for line in lines} == {
        'follow rejected: x is 3; allowed: 1 or 2'}
    assert bare.guard.refused == 10 * guards.BURST
    begun, executed = Handle(), Handle()
    server._handle_accepted_callback(begun)
    for result, handle in ((begun.result, begun), (server._execute_callback(executed), executed)):
        assert result.error_string == 'x is 3; allowed: 1 or 2'
        assert not handle.is_active


def test_a_burst_of_one_cause_hides_no_other_cause_and_says_how_many_were_left_out(
        bare, monkeypatch):
    lines, now = said(bare, monkeypatch), [100.0]
    monkeypatch.setattr(guards.time, 'monotonic', lambda: now[0])

    def fail(name, value):
        raise InvalidValueError(name, value, 'numbers below 2')
    callback = bare.guard.wrap('goal', fail, burst=3)
    for value in range(10, 20):
        callback('x', value)
    assert len(lines) == 3
    callback('y', 5)   # for another reason
    assert lines[3:] == ['goal: y is 5; allowed: numbers below 2']
    now[0] += 100.0
    callback('x', 30)
    assert lines[4:] == [
        'goal: x is 30; allowed: numbers below 2 (7 more like it were not logged)']
    for value in range(40, 43):
        callback('x', value)
    bare.guard.catch_up()
    assert len(lines) == 7   # it may go on
    now[0] += guards.QUIET + 1.0
    bare.guard.catch_up()
    bare.guard.catch_up()
    assert lines[7:] == ['goal: x is 42; allowed: numbers below 2 (1 more like it was not logged)']
    for number in range(1000):   # names, too, come from outside
        callback(f'name{chr(97 + number % 26) * (1 + number // 26)}', 1)
    assert len(lines) < 8 + guards.MOST_REFUSED + 3
    assert len(bare.guard._said) <= guards.MOST_REFUSED + 1


def test_nothing_is_said_when_the_context_has_ended(bare):
    callback = bare.guard.wrap('late', lambda: 1 / 0)
    rclpy.shutdown()
    callback()
    assert not bare.guard.failed
    rclpy.init()
