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

"""What is done on the page for ``page_pictures.py``: a function for each launch file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import time
from typing import Any

from graphs import Graph
from mbd_msgs.msg import EnergyAudit, LinkWrench
from mbd_msgs.srv import GetGraph
import numpy as np
from page_pictures import Person, ROOT, rows_of, save, shell
from PIL import Image
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
import yaml

import mbd_ros

STILL = 1e-9        # [rad]: a robot whose time stands still is published with the same numbers
REACHED = 0.01      # [rad or m]: tracking is a hundred times better; a slider has 1 mrad
SHOWN = 8.0         # [s]: until software has drawn what is new in the scene
UP, LEFT = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])   # of the robot
HANDLE = 0.12       # [m]: amid an arrow of those by which targets are dragged


class Newest:
    """The newest message on a topic."""

    def __init__(self, graph: Graph, kind: Any, topic: str, *, latched: bool = False) -> None:
        self.message: Any = None
        durability = (DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE)
        graph.node.create_subscription(kind, topic, self._take,
                                       QoSProfile(depth=1, durability=durability))

    def _take(self, message: Any) -> None:
        self.message = message


class Robot:
    """The simulated robot as topics and services tell of it."""

    def __init__(self, graph: Graph, description: str) -> None:
        self._graph = graph
        self.model = mbd_ros.load(ROOT / 'urdf' / description)
        self._states = Newest(graph, JointState, 'joint_states')

    @property
    def state(self) -> JointState:
        """Return the newest joint state."""
        return self._graph.wait_until(lambda: self._states.message, 'a joint state')

    @property
    def q(self) -> np.ndarray:
        """Positions in the order of the model."""
        state = self.state
        found = dict(zip(state.name, state.position))
        return np.array([found[name] for name in self.model.joint_names])

    def effort(self, joint: str) -> float:
        """Return the effort of a joint."""
        state = self.state
        return float(state.effort[state.name.index(joint)])

    def point(self, link: str) -> np.ndarray:
        """Return where the origin of a link is [m]."""
        return np.array(mbd_ros.pose(self.model, self.q, link)[:3, 3])

    def moves(self) -> bool:
        """Return whether it moves."""
        before = self.q
        time.sleep(0.5)
        return bool(np.abs(self.q - before).max() > STILL)

    def parameter(self, node: str, name: str) -> Any:
        """Return a parameter of a node."""
        answer = self._graph.call(
            GetParameters, f'/{node}/get_parameters', GetParameters.Request(names=[name]))
        return parameter_value_to_python(answer.values[0])


def controls(person: Person, graph: Graph) -> None:
    """Use every control of a robot that is simulated and controlled."""
    robot = Robot(graph, 'puma560.urdf')
    task = Newest(graph, String, 'controller/desired_task', latched=True)
    person.browser.wait_for_text('tracking error', 120.0)
    person.turn_to('Control')
    simulation(person, robot)
    person.turn_to('Simulation')   # folded, and so is each folder after its picture
    path(person, robot, task)
    energy(person, graph)
    joint_goal(person, robot)
    target(person, robot, task)
    push(person, robot, graph)
    loads(person, robot)
    gains(person, robot)


def simulation(person: Person, robot: Robot) -> None:
    """Pause, step, reset, go slower and faster, and use a command that the page shows."""
    browser = person.browser
    browser.click('Pause')
    person.answered('simulator/pause', 'paused|done|still')
    person.wait(lambda: not robot.moves(), 'the robot rests')
    person.browser.wait_for_text('PAUSED', 60.0)
    person.picture('pause', 'Simulation', 'Calls')

    browser.fill('length of a step', '0.4')
    person.answered('step_time 0.4', 'set')
    before = robot.q
    browser.click('Step')
    person.answered('simulator/step', '.')
    person.wait(lambda: np.abs(robot.q - before).max() > REACHED, 'a step of the robot')
    person.wait(lambda: not robot.moves(), 'the robot rests after it')
    person.picture('step', 'Simulation', 'Calls')

    browser.click('Reset')
    settings = yaml.safe_load((ROOT / 'config' / 'puma560.yaml').read_text())
    begin = settings['/**/simulator']['ros__parameters']['initial_positions']
    person.wait(lambda: np.allclose(robot.q, begin, atol=STILL), 'the robot is where it began')
    person.answered('simulator/reset', '.')
    person.picture('reset', 'Simulation', 'Calls')

    browser.click('Go on')
    person.wait(robot.moves, 'the robot goes on')
    for button, factor in (('Slower', 0.5), ('Real time', 1.0), ('Faster', 2.0)):
        browser.click(button)
        person.answered(f'real_time_factor {factor}', 'set')
        assert robot.parameter('simulator', 'real_time_factor') == factor
    person.picture('pace', 'Simulation', 'Calls')
    browser.click('Real time')
    person.answered('real_time_factor 1.0', 'set')

    browser.click('Pause')
    person.answered('simulator/pause', 'paused|done|still')
    command = person.copied()
    person.picture('calls', 'Simulation', 'Calls')
    browser.click('Go on')
    person.wait(robot.moves, 'the robot goes on')
    print(command, '->', shell(command))
    person.wait(lambda: not robot.moves(), 'the robot rests by the copied command')
    browser.click('Go on')
    person.wait(robot.moves, 'the robot goes on')


def path(person: Person, robot: Robot, task: Newest) -> None:
    """Drag the path that is followed."""
    def center() -> np.ndarray:
        return np.array(yaml.safe_load(task.message.data)['path']['center'])

    person.turn_to('Path')
    person.check('drag the path')
    time.sleep(SHOWN)
    before = center()
    person.drag(before + HANDLE * UP, before + (HANDLE + 0.2) * UP)
    person.answered('controller/follow_path', 'accepted')
    person.wait(lambda: center()[2] > before[2] + 0.1, 'the path is higher')
    assert np.allclose(center()[:2], before[:2], atol=1e-3), center()
    person.wait(lambda: abs(robot.point('tool')[2] - center()[2]) < 0.1, 'the tool is there')
    time.sleep(8.0)   # once round
    person.picture('path', 'Path', 'Calls')
    person.check('drag the path')
    person.turn_to('Path')


def energy(person: Person, graph: Graph) -> None:
    """Look at the energy by parts."""
    audit = Newest(graph, EnergyAudit, 'simulator/energy')
    person.turn_to('Watch')
    person.turn_to('Energy by parts')
    graph.wait_until(lambda: audit.message, 'the energies')
    for name in audit.message.names[2:]:
        assert name in person.browser.text()
    assert abs(audit.message.balance) < 1e-6   # J, of some hundred
    person.picture('energy', 'Energy by parts', 'Energy by parts')
    person.turn_to('Energy by parts')
    person.turn_to('Control')


def joint_goal(person: Person, robot: Robot) -> None:
    """Move the joints where the sliders are."""
    person.turn_to('Joints', 1)
    wanted = {'joint1': 0.5, 'joint2': -1.2, 'joint3': 2.9}
    for name, value in wanted.items():
        person.type(name, str(value))
    person.browser.click('Move there')
    person.answered('controller/follow_joint_trajectory', '.')
    person.wait(lambda: all(
        abs(robot.q[robot.model.joint_names.index(name)] - value) < REACHED
        for name, value in wanted.items()), 'the joints are there')
    person.picture('joint_goal', 'Joints', 'Calls')
    person.turn_to('Joints', 1)
    person.turn_to('Joints')
    shown = [row.split('\t') for row in person.browser.text().splitlines()
             if row.startswith('joint') and '\t' in row]
    rows = {name: value for name, value, *_ in shown[1:]}
    for name, value in zip(robot.model.joint_names, robot.q):
        assert abs(float(rows[name]) - value) < REACHED, (rows, robot.q)
    person.picture('joints', first='position [rad]')
    person.turn_to('Control')


def target(person: Person, robot: Robot, task: Newest) -> None:
    """Drag the target at the tool."""
    person.turn_to('Target')
    person.check('drag the target')
    time.sleep(SHOWN)
    before = robot.point('tool')
    person.drag(before + HANDLE * LEFT, before + (HANDLE + 0.2) * LEFT)
    person.answered('controller/follow_path', '.')
    person.wait(lambda: 'line' in task.message.data, 'a line')   # empty before the goal
    end = np.array(yaml.safe_load(task.message.data)['path']['end'])
    assert end[1] > before[1] + 0.1, (before, end)
    person.wait(lambda: np.linalg.norm(robot.point('tool') - end) < REACHED, 'the tool is there')
    person.picture('target', 'Target', 'Calls')
    person.check('drag the target')
    person.turn_to('Target')


def push(person: Person, robot: Robot, graph: Graph) -> None:
    """Push a link with the mouse."""
    person.turn_to('Push')
    heard = graph.hear(LinkWrench, 'simulator/push')
    place, before = robot.point('link5'), robot.q
    shifted = [0.0]

    def look() -> None:
        shifted.append(float(np.abs(robot.q - before).max()))
        person.picture('push', 'Push', 'Calls')
    person.drag(place, place + np.array([0.1, 0.3, -0.2]), hold=look, shift=True)
    graph.wait_until(lambda: heard and not heard[-1].duration.nanosec, 'the push is over')
    pushes = [one for one in heard if one.duration.nanosec]
    print('pushed:', pushes[-1], 'shifted by', shifted, 'rad')
    assert max(shifted) > 1e-4   # ten times what the controller holds it to
    person.turn_to('Push')


def loads(person: Person, robot: Robot) -> None:
    """Hang a payload on the robot, tell the controller, and change gravity."""
    browser = person.browser
    person.turn_to('Payload and gravity')
    before = robot.effort('joint2')
    browser.fill('payload [kg]', '2.5')
    browser.click('Simulator')
    person.answered('payload.mass 2.5', 'set')
    assert robot.parameter('simulator', 'payload.mass') == 2.5
    browser.click('Controller')
    person.answered('controller/set_payload', '.')
    person.wait(lambda: abs(robot.effort('joint2') - before) > 3.0, 'it is carried')   # N m
    person.picture('payload', 'Payload and gravity', 'Calls')
    before = robot.effort('joint2')
    browser.fill('gravity', '-3.71', 2)
    for node in ('Simulator', 'Controller'):
        browser.click(node, 1)
        person.answered(f'{node.lower()} gravity', 'set')
        assert robot.parameter(node.lower(), 'gravity') == [0.0, 0.0, -3.71]
    person.wait(lambda: abs(robot.effort('joint2')) < 0.6 * abs(before), 'less is carried')
    person.picture('gravity', 'Payload and gravity', 'Calls')
    person.turn_to('Payload and gravity')


def gains(person: Person, robot: Robot) -> None:
    """Change a gain."""
    person.turn_to('Gains')
    person.browser.fill('bandwidth', '25')
    person.answered('bandwidth 25.0', 'set')
    assert robot.parameter('controller', 'bandwidth') == 25.0
    person.picture('gains', 'Gains', 'Calls')


def looks(person: Person, graph: Graph) -> None:
    """Look at links, the last minute and the log, and stop the robot."""
    robot = Robot(graph, 'puma560.urdf')
    person.browser.wait_for_text('tracking error', 120.0)
    person.turn_to('Show')
    switches = ('link frames', 'mass centres', 'inertia boxes')
    for switch in switches:
        person.check(switch)
    person.type('opacity of the robot', '0.4')
    time.sleep(SHOWN)
    person.picture('links', 'look from', 'inertia boxes')
    person.browser.click('Side')
    time.sleep(SHOWN)
    person.picture('side', 'look from', 'inertia boxes')
    person.browser.click('Corner')
    person.type('opacity of the robot', '1')
    for switch in switches:
        person.check(switch)

    person.turn_to('Watch')
    person.turn_to('The last minute')
    person.browser.fill('time [s]', '-6')
    person.browser.wait_for_text(' s ago', 60.0)
    time.sleep(SHOWN)
    person.picture('past', 'The last minute', 'The last minute')
    person.browser.click('Now')
    person.wait(lambda: ' s ago' not in person.browser.text(), 'the page shows what is')

    person.turn_to('Log')
    person.browser.wait_for_text('generation 1', 60.0)
    person.picture('log', first='from level')

    person.browser.click('Stop')
    person.turn_to('Control')
    person.answered('controller/joint_trajectory', 'sent')

    def way() -> float:
        before = robot.q
        time.sleep(0.5)
        return float(np.abs(robot.q - before).max())
    person.wait(lambda: way() < 1e-4, 'the robot rests')   # rad in half a second
    person.picture('stop', 'Calls')


def dock(person: Person, graph: Graph) -> None:
    """Dock a module elsewhere."""
    person.turn_to('Control')
    person.browser.wait_for_text('Dock there', 120.0)
    person.turn_to('Simulation')   # folded
    person.choose('module', 's8')
    person.choose('port', 's2.front')
    person.browser.click('Dock there')
    person.answered('module_manager/move_module', '.')
    graph_now = graph.call(GetGraph, '/module_manager/get_graph', GetGraph.Request())
    carriers = dict(zip(graph_now.modules, graph_now.inboard_modules))
    assert carriers['s8'] == 's2', (carriers, person.calls())
    time.sleep(SHOWN)
    person.picture('dock', 'Modules', 'Calls')


def downloads(person: Person, graph: Graph) -> None:
    """Download plots and a picture."""
    person.browser.wait_for_text('tracking error', 120.0)
    time.sleep(10.0)   # of the plots
    person.turn_to('Show')

    def loaded(button: str, name: str) -> Path:
        person.browser.click(button)
        file = person.downloads / name
        person.wait(lambda: file.exists() and file.stat().st_size, f'{name} is there')
        time.sleep(1.0)
        return file
    head, *rows = rows_of(loaded('Download plots (CSV)', 'mbd_ros.csv').read_text())
    print(head)
    assert len(rows) > 100 and all(len(row) == len(head) for row in rows)
    picture = Image.open(loaded('Download picture (PNG)', 'mbd_ros.png')).convert('RGB')
    assert picture.size == (1920, 1080)
    save(picture.resize((640, 360), Image.Resampling.LANCZOS), 'download_png')
    person.picture('download_csv', 'Download picture (PNG)', 'Clear traces and plots')


def loops(person: Person, graph: Graph) -> None:
    """Look at the table of the loops."""
    robot = Robot(graph, 'five_bar.urdf')
    person.browser.wait_for_text('mobility', 120.0)
    person.turn_to('Joints')
    wanted = {loop.name for loop in robot.model.loops}

    def gaps() -> dict[str, float]:
        rows = [line.split('\t') for line in person.browser.text().splitlines()]
        return {row[0]: float(row[1]) for row in rows if len(row) == 3 and row[0] in wanted}
    person.wait(lambda: gaps().keys() == wanted, 'all loops are listed')
    assert max(gaps().values()) < 1e-6, gaps()   # m: joints are computed from the measured ones
    person.picture('loops', first='position [rad]')


def follow(person: Person, graph: Graph) -> None:
    """Let the camera follow a robot that walks away."""
    walker = Newest(graph, TFMessage, '/tf')

    def place() -> np.ndarray:
        found = graph.wait_until(lambda: walker.message, 'a transform').transforms[0].transform
        return np.array([found.translation.x, found.translation.y])
    person.turn_to('Show')
    begin = place()
    person.wait(lambda: np.linalg.norm(place() - begin) > 1.0, 'it has walked a metre', 900.0)
    person.picture('follow', 'camera follows the robot', 'camera follows the robot')
    left, top, width, height = map(int, person.scene())
    middle = np.asarray(person.look().crop((
        left + width // 3, top + height // 3, left + 2 * width // 3, top + 2 * height // 3)))
    # The robot is orange and blue, all else is nearly grey.
    assert (np.ptp(middle.astype(int), axis=2) > 60).mean() > 0.03, 'it is not in the middle'


SIZES = ((1280, 720), (1920, 1080))


def sizes(person: Person, graph: Graph) -> None:
    """Look at every tab in a small window and in a large one."""
    person.browser.wait_for_text('tracking error', 120.0)
    small, large = SIZES
    person.resize(*small)
    time.sleep(SHOWN)
    person.whole_picture('size_1280')
    person.resize(*large)
    time.sleep(SHOWN)
    person.whole_picture('size_1920')


def every_tab(name: str) -> Callable[[Person, Graph], None]:
    """Return what looks at the tabs of another page, in both windows; for build/page alone."""
    def look(person: Person, graph: Graph) -> None:
        for size in SIZES:
            person.resize(*size)
            time.sleep(SHOWN)
            person.tabs(f'{name}_{size[0]}')
    return look


SCENES: dict[str, tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...], Callable[
    [Person, Graph], None]]] = {
    'controls': (('track.launch.py', 'robot:=puma560'), (3.2, -2.2, 1.9), (0.25, 0.0, 0.75),
                 controls),
    'downloads': (('track.launch.py', 'robot:=puma560'), (3.2, -2.2, 1.9), (0.25, 0.0, 0.75),
                  downloads),
    'looks': (('track.launch.py', 'robot:=puma560'), (3.2, -2.2, 1.9), (0.25, 0.0, 0.75), looks),
    'sizes': (('track.launch.py', 'robot:=puma560'), (3.2, -2.2, 1.9), (0.25, 0.0, 0.75), sizes),
    **{f'tabs_{name}': (words, (3.2, -2.2, 1.9), (0.25, 0.0, 0.75), every_tab(name))
       for name, words in {
           'modules': ('modules.launch.py',), 'quadruped': ('swim.launch.py', 'robot:=quadruped'),
           'flexible': ('flexible.launch.py',), 'four_bar': ('loops.launch.py',)}.items()},
    'dock': (('modules.launch.py',), (3.2, -2.6, 2.7), (0.6, 0.0, 0.9), dock),
    'loops': (('track.launch.py', 'robot:=five_bar'), (1.5, -1.2, 0.9), (0.0, 0.1, 0.2), loops),
    'follow': (('swim.launch.py', 'robot:=quadruped'), (5.4, -4.8, 3.2), (0.0, 0.0, 0.3), follow),
}
"""Launch file, place of the camera, what it looks at [m], and what is done, by name."""
