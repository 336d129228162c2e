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

"""Docking, undocking and moving give new graphs, or say which rule forbids it."""

import math

from hypothesis import given, settings, strategies as st
from modules import cubes, docked, document, PORTS, STARTS
import pytest

from mbd_ros.description.modules import attach, carried_by, detach, move, read_module_graph
from mbd_ros.description.modules.operations import free_ports
from mbd_ros.description.modules.rules import check_graph
from mbd_ros.errors import DockingError, InvalidValueError, MbdError, UnknownNameError


@pytest.fixture(scope='module')
def graph():
    return read_module_graph(document(
        'a: cube, b: cube, c: cube, d: cube', docked('a.front', 'b.start'),
        docked('b.front', 'c.start'), docked('a.top', 'd.start'),
        'parent: d.front, child: c.top, closes_loop: true'), 'robot.yaml')


def listed(graph):
    return [str(one) for one in graph.connections]


def test_attach_docks_a_further_module(graph):
    new = attach(graph, 'e', 'cube', port='swing', parent='c', parent_port='left', angle=0.0)
    assert list(new.instances) == ['a', 'b', 'c', 'd', 'e']
    assert listed(new) == [*listed(graph), 'c.left to e.swing']
    assert list(graph.instances) == ['a', 'b', 'c', 'd']   # the old one is as it was


def test_detach_takes_away_what_the_module_carries(graph):
    new = detach(graph, 'b')
    assert list(new.instances) == ['a', 'd']
    assert listed(new) == ['a.top to d.start']   # with the loop, one end of which is gone


def test_move_keeps_what_the_module_carries(graph):
    new = move(graph, 'b', parent='d', parent_port='left', angle=0.0)
    assert listed(new) == ['b.front to c.start', 'a.top to d.start', 'd.front to c.top',
                           'd.left to b.start']
    assert carried_by(new, 'd') == ['d', 'b', 'c']
    other = move(graph, 'b', parent='a', parent_port='right', port='swing')
    assert listed(other)[-1] == 'a.right to b.swing'


def test_ports_are_free_where_nothing_is_docked(graph):
    """Each end of a connection takes one, those of loops, too."""
    ports = [(name, port) for name in graph.instances for port in graph.types['cube'].ports]
    taken = {end for one in graph.connections for end in one.ends}
    assert len(taken) == 8
    assert free_ports(graph) == [one for one in ports if one not in taken]
    for module, port in free_ports(graph):
        if module not in carried_by(graph, 'b') and port in graph.types['cube'].ports:
            try:
                new = move(graph, 'b', parent=module, parent_port=port)
            except DockingError:   # the rules of a port say no
                continue
            assert (module, port) not in free_ports(new)


@pytest.mark.parametrize(('change', 'message'), [
    (lambda g: move(g, 'b', parent='c', parent_port='left'),
     "descendant: c.left to b.start: module 'b' carries 'c'; allowed: modules that it does not "
     'carry'),
    (lambda g: move(g, 'b', parent='b', parent_port='left'),
     'self-dock: b.left to b.start: a module cannot be docked to itself'),
    (lambda g: move(g, 'a', parent='c', parent_port='left'),
     "base: module 'a' is the base of the robot and cannot be moved"),
    (lambda g: detach(g, 'a'),
     "base: module 'a' is the base of the robot and cannot be undocked"),
    (lambda g: move(g, 'b', parent='d', parent_port='front'),
     "occupied port: d.front to b.start: port 'front' of module 'd' is occupied by the "
     'connection d.front to c.top'),
    (lambda g: move(g, 'b', parent='d', parent_port='left', angle=1.0),
     "incompatible ports: d.left to b.start: the angle is 1 rad; allowed by port 'left': 0, "
     '1.57079633'),
    (lambda g: move(g, 'b', parent='d', parent_port='start'),
     'incompatible ports: d.start to b.start: both ports have a joint; allowed: one at most'),
    (lambda g: attach(g, 'b', 'cube', port='start', parent='a', parent_port='left'),
     "name taken: there is a module 'b' already; move it, or give the new one another name"),
])
def test_rules_by_name(graph, change, message):
    with pytest.raises(DockingError) as caught:
        change(graph)
    assert str(caught.value) == message
    assert caught.value.rule == message.split(':')[0]


@pytest.mark.parametrize('angle', [math.nan, math.inf, -math.inf, 1e308])
def test_an_angle_is_a_number(graph, angle):
    with pytest.raises(InvalidValueError, match=r'angle of d.left to b.start is .*allowed: from'):
        move(graph, 'b', parent='d', parent_port='left', angle=angle)


@pytest.mark.parametrize(('change', 'message'), [
    (lambda g: detach(g, 'x'), "there is no module named 'x'; known: a, b, c, d"),
    (lambda g: move(g, 'b', parent='x', parent_port='front'),
     "there is no module named 'x'; known: a, b, c, d"),
    (lambda g: move(g, 'b', parent='d', parent_port='letf'),
     "there is no port of module 'd' named 'letf'; known: start, swing, rigid, front, left, "
     "right, top; did you mean 'left'?"),
    (lambda g: attach(g, 'e', 'cub', port='start', parent='a', parent_port='left'),
     "there is no type named 'cub'; known: cube; did you mean 'cube'?"),
])
def test_unknown_names(graph, change, message):
    with pytest.raises(UnknownNameError) as caught:
        change(graph)
    assert str(caught.value) == message


def test_names_that_no_document_could_hold(graph):
    with pytest.raises(InvalidValueError, match=r"module is 'e.1'; allowed: letters, digits"):
        attach(graph, 'e.1', 'cube', port='start', parent='a', parent_port='left')


@given(cubes(), st.data())
@settings(max_examples=30, deadline=None)
def test_what_comes_of_any_operation_is_a_sound_graph(text, data):
    graph = read_module_graph(text, 'robot.yaml')
    for step in range(4):
        names = list(graph.instances)
        module, parent = (data.draw(st.sampled_from(names)) for _ in range(2))
        place = {'parent': parent, 'parent_port': data.draw(st.sampled_from(PORTS)),
                 'port': data.draw(st.sampled_from(STARTS))}
        kind = data.draw(st.sampled_from(('attach', 'detach', 'move')))
        try:
            if kind == 'attach':
                graph = attach(graph, f'n{step}', 'cube', **place)
            elif kind == 'detach':
                graph = detach(graph, module)
            else:
                graph = move(graph, module, **place)
        except MbdError:
            continue
        check_graph(graph)
