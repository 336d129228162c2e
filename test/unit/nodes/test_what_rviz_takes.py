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

"""Every path, marker and frame of every robot is one that RViz draws."""

from collections import deque
import math
from pathlib import Path
from types import SimpleNamespace

from geometry_msgs.msg import Point
import numpy as np
import pytest
from rviz_rules import check_markers, check_path, check_transforms
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray
import yaml

import mbd_ros
from mbd_ros.control.tasks.task import next_task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.states.link_transforms import fixed_transforms, simple_transforms
from mbd_ros.messages.states.transforms import joint_transforms
from mbd_ros.model.state import floating_base
from mbd_ros.nodes.controlling import controller_drawings
from mbd_ros.nodes.controlling.controller_drawings import ControllerDrawings
from mbd_ros.nodes.controlling.task_parameters import task_from_parameters
from mbd_ros.nodes.every_node.parameters import parameters_file, read_declarations
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).resolve().parents[3]
PERIOD = 0.002
ROBOTS = ('three_link_arm', 'puma560', 'panda', 'five_bar', 'delta', 'dual_arm', 'space_robot')
TOOLS = {'dual_arm': 2}


class Desk:
    """Stands for the node: keeps what is published, by topic."""

    def __init__(self):
        self.published = {}

    def get_parameter(self, name):
        assert name == 'world_frame'
        return SimpleNamespace(value='')

    def create_publisher(self, kind, topic, qos):
        messages = self.published[topic] = deque()
        return SimpleNamespace(publish=messages.append, get_subscription_count=lambda: 1)

    def create_timer(self, period, callback):
        self.draw = callback


def settings_of(robot):
    """Return the parameters of the controller with this robot, as the node has them."""
    settings = {'path': {}}
    for one in read_declarations(parameters_file('controller')):
        group, _, name = one.name.rpartition('.')
        (settings.setdefault(group, {}) if group else settings)[name] = one.default
    given = yaml.safe_load((ROOT / 'config' / f'{robot}.yaml').read_text())
    path = {**settings['path'], **given['/**/controller']['ros__parameters'].pop('path')}
    return {**settings, **given['/**/controller']['ros__parameters'], 'path': path}, \
        given['/**/simulator']['ros__parameters']


@pytest.fixture(params=ROBOTS)
def shown(request, monkeypatch):
    """Return a robot with its task, where it begins, and what draws it."""
    file = next((ROOT / 'urdf').glob(f'{request.param}.urdf*'))
    settings, simulator = settings_of(request.param)
    model = mbd_ros.load(file, floating_base=settings['floating_base'])
    commands = EffortCommands(model, settings['joints'])
    posture = (commands.configuration('posture', settings['posture'])
               if settings['posture'] else None)
    q = commands.configuration('', simulator.get('initial_positions', []))
    desk = Desk()
    monkeypatch.setattr(controller_drawings, 'run_in_thread', lambda work: work())
    return (request.param, Tracker(mbd_ros.compile(model), task_from_parameters(settings, posture),
                                   q, np.zeros(model.nv)),
            Stepper(model, q), desk, ControllerDrawings(desk))


def drive(tracker, stepper, drawings, begin, count):
    """Follow for some periods, as the node does, and return the time after them [s]."""
    for k in range(count):
        time = begin + k * PERIOD
        step = tracker.step(time, stepper.q, stepper.v)
        nanoseconds = round(1e9 * time)
        drawings.keep(tracker, nanoseconds, Measured(stepper.q, stepper.v, None), step,
                      tracker.tools(step, stepper.q))
        stepper.advance(step.efforts.effort, PERIOD)
    return begin + count * PERIOD


def drawn(desk):
    """Check all messages and return the markers of the last, by namespace and number."""
    markers = desk.published['~/markers']
    for message in markers:
        check_markers(message)
    for topic, messages in desk.published.items():
        if topic.endswith('_path'):
            for message in messages:
                check_path(message)
    return {(one.ns, one.id): one for one in markers[-1].markers if one.action == Marker.ADD}


def on_screen(desk):
    """Return the names of what RViz shows after all messages, in their order."""
    shown = set()
    for message in desk.published['~/markers']:
        for one in message.markers:
            if one.action == Marker.DELETEALL:
                shown.clear()
            elif one.action == Marker.ADD:
                shown.add((one.ns, one.id))
    return shown


def test_every_robot_is_drawn_at_its_start_on_its_way_and_when_it_holds(shown):
    robot, tracker, stepper, desk, drawings = shown
    tools = range(TOOLS.get(robot, 1))
    drawings.show_path(tracker, 0)
    (task,) = desk.published['~/desired_task']
    assert bool(task.data) == bool(tracker.task.path)
    time = drive(tracker, stepper, drawings, 0.0, 1)   # a trace of one point is no line
    desk.draw()
    kinds = ('trajectory', 'violation', 'error', 'constraint_force', 'numbers')
    assert drawn(desk).keys() == {(kind, number) for kind in kinds for number in tools}
    time = drive(tracker, stepper, drawings, time, 60)
    desk.draw()
    assert drawn(desk).keys() == {(kind, number) for kind in (*kinds, 'trace') for number in tools}
    if robot == 'dual_arm':
        assert len(desk.published['~/left_tool/desired_path'][-1].poses) > 100
    tracker.stop(time, stepper.q, stepper.v, 'the test says so')
    drive(tracker, stepper, drawings, time, 5)
    desk.draw()
    rest = {('trajectory', number) for number in tools} | {
        (kind, 0) for kind in kinds if kind != 'trajectory'}
    assert drawn(desk).keys() - {('trace', 0)} == rest   # one hand only, which is not led
    assert on_screen(desk) == drawn(desk).keys()   # nothing is left of the second

    model = tracker.dyn.model
    frames = [*fixed_transforms(model, 0), *simple_transforms(model, 0, stepper.q),
              *joint_transforms(model, 0, stepper.q, 'world')]
    check_transforms(frames)
    floats = floating_base(model) is not None
    assert {one.child_frame_id for one in frames} == set(model.links) - (
        set() if floats else {model.root})
    assert drawings.frame(model) == ('world' if floats else model.root)


def test_surfaces_are_solids_that_vanish_with_their_task():
    settings, simulator = settings_of('puma560')
    model = mbd_ros.load(ROOT / 'urdf' / 'puma560.urdf')
    q = np.array(simulator['initial_positions'])
    x, y, z = mbd_ros.pose(model, q, 'tool')[:3, 3].tolist()   # they meet where it is
    task = next_task(task_from_parameters(settings, q), {'constraints': [
        {'kind': 'on_surface', 'link': 'tool', 'surfaces': [
            {'kind': 'plane', 'point': [0.0, 0.0, z], 'normal': [0.0, 0.0, -1.0]},
            {'kind': 'cylinder', 'point': [0.0, 0.0, 0.0], 'axis': [0.0, 0.0, 1.0],
             'radius': math.hypot(x, y)}]}]})
    desk, stepper = Desk(), Stepper(model, q)
    drawings = ControllerDrawings(desk)
    tracker = Tracker(mbd_ros.compile(model), task, q, np.zeros(model.nv))
    time = drive(tracker, stepper, drawings, 0.0, 50)
    assert not tracker.problem
    desk.draw()
    assert {('manifold', 0), ('manifold', 1)} <= drawn(desk).keys()
    tracker.stop(time, stepper.q, stepper.v)
    drive(tracker, stepper, drawings, time, 1)
    desk.draw()
    assert not any(space == 'manifold' for space, _ in on_screen(desk))


@pytest.mark.parametrize(('change', 'why'), [
    ({'type': Marker.CUBE, 'points': []}, 'a solid without extent'),
    ({'points': [Point()] * 3}, 'an odd number of points'),
    ({'points': [Point(), Point(z=math.nan)]}, 'NaN'),
    ({'id': 0}, 'two markers of a name and number'),
    ({'colors': [ColorRGBA()]}, 'not one for each point'),
    ({'color': ColorRGBA()}, 'it cannot be seen'),
])
def test_the_rules_find_what_is_wrong(change, why):
    def line(number):
        one = Marker(ns='a', id=number, type=Marker.LINE_LIST, points=[Point(), Point(x=1.0)])
        one.header.frame_id = 'world'
        one.pose.orientation.w = one.scale.x = one.color.a = 1.0
        return one
    array = MarkerArray(markers=[line(0), line(1)])
    check_markers(array)
    for name, value in change.items():
        setattr(array.markers[1], name, value)
    with pytest.raises(AssertionError, match=why):
        check_markers(array)
