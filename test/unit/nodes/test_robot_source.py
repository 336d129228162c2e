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

"""Where nodes have their robot from: numbers of robots, refusals, and copies that come late."""

import re
import threading
from types import SimpleNamespace

from described import joint, link, robot
import pytest

from mbd_ros.errors import DescriptionError, InvalidValueError, NoModelError
from mbd_ros.execution.ir.machine_code import Compiled
from mbd_ros.nodes.every_node import robot_source
from mbd_ros.nodes.every_node.fluid_and_ground import gravity_of
from mbd_ros.nodes.every_node.health import ERROR, WARNING
from mbd_ros.nodes.every_node.robot_source import RobotSource

PARTS = (link('a'), link('b'), joint('hinge', 'continuous', 'a', 'b'))


def description(generation=0, mass=1.0):
    attributes = '' if not generation else (
        f' xmlns:mbd="urn:mbd_ros" mbd:generation="{generation}"')
    return robot(PARTS[0], link('b', mass), PARTS[2], attributes=attributes)


@pytest.fixture
def source():
    """Return a source without a graph: what it was told, what it said, and how to tell it."""
    said, told, ears = [], [], []
    pauses = []

    def error(text, throttle_duration_sec):
        said.append(text)
        pauses.append(throttle_duration_sec)
    logger = SimpleNamespace(info=said.append, warning=said.append, error=error)
    node = SimpleNamespace(
        get_logger=lambda: logger,
        create_subscription=lambda kind, topic, callback, *_, **__: ears.append(callback))
    one = RobotSource(node, '', told.append)

    def hear(text):
        ears[0](SimpleNamespace(data=text))
    return SimpleNamespace(it=one, said=said, told=told, hear=hear, pauses=pauses)


def test_robots_are_numbered_by_their_description_or_counted(source):
    with pytest.raises(NoModelError, match='nothing has come on the topic robot_description'):
        source.it.require()
    source.hear(description())
    assert source.it.generation == 1
    source.hear(description(mass=2.0))
    assert source.it.generation == 2
    source.hear(description(generation=17))
    assert source.it.generation == source.told[-1].model.generation == 17
    source.hear(description(generation=17))   # the same text is not taken again
    assert len(source.told) == 3
    source.hear(description())   # without a number every robot may come back
    source.hear(description(mass=2.0))
    assert (source.it.generation, len(source.told)) == (5, 5)


def test_another_text_of_the_same_robot_is_no_other_robot(source):
    """As of a robot_state_publisher that is started anew: its text has other comments."""
    text = description()
    source.hear(text)
    for other in (text.replace('<joint', '<!-- a comment -->\n\n<joint', 1), f'{text}\n',
                  text.replace('mass value="1.0"', 'mass value="1"')):
        source.hear(other)
    source.hear('<robot/>')   # refused: the old one stays, and may be said again
    assert source.it.problem
    source.hear(text)
    assert (len(source.told), source.it.generation, source.it.problem) == (1, 1, '')
    source.hear(description(mass=2.0))
    source.hear(description(generation=3, mass=2.0))   # a number of its own is a new robot
    assert [one.model.generation for one in source.told] == [1, 2, 3]
    source.it.take(description(mass=2.0))   # a service has its answer
    assert source.it.generation == 4


def test_a_late_copy_of_a_robot_that_was_replaced_is_passed_over(source, monkeypatch):
    """What a service has replaced may still be on its way on the topic."""
    source.hear(description(1))
    source.it.take(description(2))
    source.it.take(description(3))
    source.hear(description(2))
    assert source.it.generation == 3
    source.hear(description(3))
    assert [one.model.generation for one in source.told] == [1, 2, 3]
    source.hear(description(1, mass=4.0))   # another robot with a small number: a new beginning
    assert source.it.generation == 1
    monkeypatch.setattr('mbd_ros.nodes.every_node.robot_source.LATE', 0.0)
    source.hear(description(2))   # much later it is meant
    assert source.it.generation == 2


def test_what_is_refused_leaves_the_robot_and_says_why(source):
    source.hear(description(4))
    source.hear('<robot name="x"/>')
    assert source.it.generation == 4
    assert source.it.problem == '<string>: the robot has no <link>'
    assert source.said[-1] == ('robot description refused: <string>: the robot has no <link>; '
                               "'r' stays in use")
    assert source.pauses == [1.0]   # the least time to the next line [s]
    with pytest.raises(DescriptionError, match=r'mbd:generation="x" of <robot>; allowed: a whole'):
        source.it.take(description(5).replace('"5"', '"x"'))

    def refuse(robot):
        raise InvalidValueError('joints', ['q'], 'others')

    with pytest.raises(InvalidValueError):
        source.it.take(description(6), refuse)
    assert (source.it.generation, len(source.told)) == (4, 1)
    source.hear(description(6))
    assert (source.it.generation, source.it.problem) == (6, '')


@pytest.mark.parametrize(('slow', 'compiled'), [(False, 1), (True, 1), (True, 0)])
def test_compiling_that_takes_long_is_said(slow, compiled, monkeypatch):
    """And a start that takes long on a busy machine, with all code in the cache, is not."""
    said, shown, ready, looks = [], [], threading.Event(), []

    def say(text):
        said.append(text)
        ready.set()

    def compilations():
        looks.append(len(looks))
        if not compiled and len(looks) > 3:   # at the start, and after SLOW, and again
            ready.set()
        much = compiled * (len(looks) > 1)
        return Compiled(much, 1000 * much, 0.5 * much)
    node = SimpleNamespace(
        NAME='simulator', say_how_it_is=shown.append,
        get_logger=lambda: SimpleNamespace(info=say), create_subscription=lambda *_, **__: None,
        context=SimpleNamespace(ok=lambda: True))
    # The work waits for the line, an hour at most; or the line would come after an hour.
    monkeypatch.setattr(robot_source, 'SLOW', 0.01 if slow else 3600.0)
    monkeypatch.setattr(robot_source, 'compilations', compilations)
    source = RobotSource(node, '', lambda robot: slow and ready.wait(3600.0))
    source.take(description())
    words = re.compile(r'compiling, about \d+ s, once on this machine; mbd_ros cache warm')
    assert [bool(words.search(text)) for text in said] == (
        [True, False] if slow and compiled else [False])
    assert [one.message for one in shown[:1]] == ['compiling'] * (slow and compiled)


def test_gravity_is_that_of_the_description_unless_a_parameter_gives_one(source):
    source.hear(robot(*PARTS, attributes=' xmlns:mbd="urn:mbd_ros" mbd:gravity="0 0 -1.62"'))
    taken = source.it.require()
    assert taken.dynamics.gravity.tolist() == [0.0, 0.0, -1.62]
    for given, expected in (([], [0.0, 0.0, -1.62]), ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])):
        assert gravity_of(SimpleNamespace(gravity=given), taken.model) == expected


def test_a_start_is_no_error_and_a_refused_description_is(source):
    assert source.it.without_robot({}).level == WARNING
    source.hear('<robot name="r"/>')
    found = source.it.without_robot({'a': 1})
    assert (found.level, dict(found.values)) == (ERROR, {'a': 1})
    assert found.message.startswith('no robot: ')
