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

"""Robots exchanged and modules moved while requests are in flight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
import threading
from typing import Any

from demo import Demo, ROOT, stage
from graphs import Graph
from mbd_msgs.srv import GetGraph, MassMatrix, MoveModule, SetGraph
from processes import launcher, PATIENCE, Running
from rclpy.qos import DurabilityPolicy, QoSProfile
from score import Score
from sensor_msgs.msg import JointState
from sound import answers, JOINTS, question, Sound
from std_msgs.msg import String

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
URDF = ROOT / 'urdf'
DEEP = '<a>' * 100_000
BOMB = '<!DOCTYPE a [<!ENTITY a "ha">{}]><robot name="&i;"/>'.format(''.join(
    f'<!ENTITY {b} "{f"&{a};" * 8}">' for a, b in zip('abcdefgh', 'bcdefghi')))


def run(score: Score) -> None:
    """Exchange the robot of the demo, then modules of a robot, under requests."""
    with stage(score) as (start, graph):
        demo = Demo(start, graph, score)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound()
        for turn in range(score.cases(1, 2)):
            descriptions(score, demo, turn)
    with stage(score) as (start, graph):
        modules(score, start, graph)


def descriptions(score: Score, demo: Demo, turn: int) -> None:
    """Publish other descriptions; after each the true one, and the demo goes on."""
    true = (URDF / 'three_link_arm.urdf').read_text()
    publisher = demo.graph.node.create_publisher(String, 'robot_description', LATCHED)
    demo.graph.wait_until(lambda: publisher.get_subscription_count() > 2, 'nodes listen')
    kinds = list(wrong_texts(true, score.folder).items())
    for name, text in score.rng.sample(kinds, score.cases(4, len(kinds))):
        with score.trial(f'robot_description is {name}, turn {turn}'):
            with under_requests(demo.graph) as asked:
                publisher.publish(String(data=text))
                asked(20)
                publisher.publish(String(data=true))
                asked(20)
            demo.graph.wait_until(lambda: demo.graph.call(
                MassMatrix, 'dynamics_server/mass_matrix', question()).success,
                'the server has the true robot again')
            assert not (score.folder / 'touched').exists(), 'a description ran code'
            demo.tracks_again()
            demo.sound()
    demo.graph.node.destroy_publisher(publisher)


def wrong_texts(true: str, folder: Path) -> dict[str, str]:
    """Return descriptions that are other robots, none, or attacks."""
    program = folder / 'program.xacro'
    touch = f"__import__('pathlib').Path({str(folder / 'touched')!r}).touch()"
    program.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="x">'
                       f'<xacro:property name="a" value="${{{touch}}}"/>'
                       '<link name="${a}"/></robot>')
    return {
        'another robot': (URDF / 'puma560.urdf').read_text(),
        'another robot with loops': (URDF / 'four_bar.urdf').read_text(),
        'another robot with a floating base': true.replace(
            '</robot>', '<link name="free"/><joint name="float" type="floating"><parent '
            'link="free"/><child link="base_link"/></joint></robot>'),
        'of 300 links': long(300), 'of 100,000 links': long(100_000),
        'the path of another robot': str(URDF / 'puma560.urdf'),
        'the path of a program': str(program), 'a program': program.read_text(),
        'a device': '/dev/zero', 'empty': '', 'no XML': 'robot: {name: x}', 'spaces': ' ' * 10**6,
        'cut': true[:len(true) // 2], 'without links': '<robot name="x"/>', 'deep': DEEP,
        'an XML bomb': BOMB, 'a file inclusion': '<!DOCTYPE r [<!ENTITY e SYSTEM '
        '"file:///etc/passwd">]><robot name="&e;"><link name="a"/></robot>',
        'weightless': true.replace('mass value="1"', 'mass value="0"'),
        'of infinite mass': true.replace('mass value="1"', 'mass value="inf"'),
        'of mass 1e308': true.replace('mass value="1"', 'mass value="1e308"'),
        'of other joints': true.replace('joint1', 'joint9'),
        'heavier': true.replace('mass value="1"', 'mass value="1.5"'),
        'of another base': true.replace('base_link', 'other_base'),
        'of generation 1e400': true.replace('<robot ', '<robot xmlns:mbd="https://mbd_ros" '
                                            f'mbd:generation="{"9" * 400}" ', 1),
    }


def long(count: int) -> str:
    """Return a chain of so many links."""
    return '<robot name="long"><link name="l0"/>' + ''.join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
        f'iyz="0" izz="1"/></inertial></link><joint name="j{k}" type="continuous"><parent '
        f'link="l{k - 1}"/><child link="l{k}"/></joint>' for k in range(1, count)) + '</robot>'


@contextmanager
def under_requests(graph: Graph, joints: Callable[[], list[str]] | None = None
                   ) -> Iterator[Callable[[int], None]]:
    """Ask the server without pause; give what waits for answers. None may stay away."""
    answered, end = [0], threading.Event()   # how many answers came
    client = graph.node.create_client(MassMatrix, 'dynamics_server/mass_matrix')
    assert client.wait_for_service(PATIENCE)

    def ask(_: Any = None) -> None:
        if _ is not None:
            answered[0] += 1
            assert _.result().success or _.result().message
        if not end.is_set():
            names = JOINTS if joints is None else joints()
            client.call_async(question(names, joints is not None)).add_done_callback(ask)

    def wait(more: int) -> None:
        enough = answered[0] + more
        graph.wait_until(lambda: answered[0] >= enough, 'requests are answered')

    for _ in range(3):
        ask()
    try:
        yield wait
    finally:
        end.set()


def modules(score: Score, start: Callable[..., Running], graph: Graph) -> None:
    """Move modules while the server is asked without pause."""
    sound = Sound(graph)
    running = launcher(start)('modules.launch.py', 'viewer:=false')
    sound.all.append(running)
    states = graph.hear(JointState, 'joint_states')
    with score.trial('the robot of modules is there', first=True):
        for name in ('simulator', 'dynamics_server'):
            running.wait_for(rf"\[{name}\]: robot 'nine_modules', generation 1")
        graph.wait_until(lambda: states, 'joint states')

    def call(kind: Any, name: str, **fields: Any) -> Any:
        return graph.call(kind, f'module_manager/{name}', kind.Request(**fields))

    first = call(GetGraph, 'get_graph').graph
    parents = cycle(['s2', 's5'])
    wrong = [{'module': 's6', 'parent': 's7'}, {'module': 'none', 'parent': 's1'},
             {'module': 's6', 'parent': 's2', 'largest_jump': [-1.0]},
             {'module': 's6', 'parent': 's2', 'angle': float('nan')},
             {'module': 'x' * 10_000, 'parent': '\n[ERROR]'}]
    with under_requests(graph, lambda: list(states[-1].name)) as asked:
        for turn in range(score.cases(4, 60)):
            with score.trial(f'a module is moved under requests, turn {turn}'):
                before = len(states)
                answer = call(MoveModule, 'move_module', module='s6', parent=next(parents),
                              parent_port='front')
                assert answer.success, answer.message
                refused = call(MoveModule, 'move_module', parent_port='front',
                               **score.rng.choice(wrong))
                assert not refused.success
                assert refused.message and refused.model_generation == answer.model_generation
                refused = call(SetGraph, 'set_graph', graph=score.rng.choice(
                    ['', '{' * 1000, '!!python/name:os.system', '/etc/passwd',
                     '&a [*a]', first[:len(first) // 2], 'module_graph: ' + '9' * 5000]))
                assert not refused.success and refused.message
                asked(5)
                graph.wait_until(lambda before=before: len(states) > before, 'the robot moves on')
                sound.check()
    with score.trial('manager and server agree in the end'):
        generation = call(MoveModule, 'move_module', module='s6', parent=next(parents),
                          parent_port='front').model_generation
        graph.wait_until(lambda: answers(graph, states[-1].name, floating=True)
                         .model_generation == generation, f'generation {generation}')
