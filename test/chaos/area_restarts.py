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

"""Nodes stopped, killed and started anew; the others live, say so, and recover."""

from __future__ import annotations

from collections.abc import Callable
import signal
import time
from typing import Any
import urllib.request

from demo import Demo, NODES, stage
from graphs import Graph
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import MassMatrix, MoveModule
from processes import launcher, PATIENCE, Running
from score import Score
from sensor_msgs.msg import JointState
from sound import answers, ask, question

LOST = ControllerState.MODE_LOST
TIMED_OUT = 'no effort command for'   # of the simulator
LEASE = 12.0   # s: DDS takes a participant that is silent for 10 s for gone


def run(score: Score) -> None:
    """Disturb the demo and a robot of modules."""
    with stage(score) as (start, graph):
        viewer = () if score.short else ('viewer',)
        demo = Demo(start, graph, score, f'viewer:={str(bool(viewer)).lower()}', 'port:=8480')
        nodes = (*NODES, *viewer)
        with score.trial('the demo tracks', first=True):
            demo.tracks_again()
            demo.sound(nodes=nodes)
        for turn in range(score.cases(1, 3)):
            order = list(nodes)
            score.rng.shuffle(order)
            for name in order:
                pause = LEASE if turn == 1 else 0.0
                with score.trial(f'{name} stops {"for longer than a lease " * bool(pause)}'
                                 f'and goes on, turn {turn}'):
                    stop(demo, name, nodes, pause)
                with score.trial(f'{name} is killed and started anew, turn {turn}'):
                    kill(demo, name, nodes)
    if not score.short:
        with stage(score) as (start, graph):
            modules(score, start, graph)


def stop(demo: Demo, name: str, nodes: tuple[str, ...], pause: float) -> None:
    """Stop a node, see that the others live, let it go on, and see that the robot tracks."""
    timed_out, pending = demo.said(TIMED_OUT), None
    demo.tell(name, signal.SIGSTOP)
    try:
        if name == 'simulator':
            demo.wait_for_mode(LOST)
        elif name == 'controller':
            demo.wait_for_more(TIMED_OUT, timed_out)
        else:
            demo.tracks_again()
        if name == 'dynamics_server':
            pending = pend(demo)
        else:
            answers(demo.graph)
        time.sleep(pause)
    finally:
        demo.tell(name, signal.SIGCONT)
    if pending is not None and not pause:
        demo.graph.wait_until(pending.done, 'the request of before is answered')
        assert pending.result().success
    demo.tracks_again()
    demo.sound(nodes=nodes)


def pend(demo: Demo) -> Any:
    """Send a request and return the future of its answer."""
    client = demo.graph.node.create_client(MassMatrix, 'dynamics_server/mass_matrix')
    assert client.wait_for_service(PATIENCE)
    return client.call_async(question())


def kill(demo: Demo, name: str, nodes: tuple[str, ...]) -> None:
    """Kill a node, see what the others say, start it anew, and see that the robot tracks."""
    timed_out = demo.said(TIMED_OUT)
    command = demo.kill(name)
    if name == 'simulator':
        demo.wait_for_mode(LOST)
    elif name == 'controller':
        demo.wait_for_more(TIMED_OUT, timed_out)
    else:
        demo.tracks_again()
    demo.sound(nodes=tuple(one for one in nodes if one != name))
    running = demo.restart(command)
    if name in ('dynamics_server', 'robot_state_publisher'):
        running.wait_for('three_link_arm')
    demo.tracks_again()
    if name == 'viewer':
        address = running.wait_for(r'http://[\w.:]+').group()
        with urllib.request.urlopen(address, timeout=PATIENCE) as page:
            assert page.status == 200
    demo.sound(nodes=nodes)


def modules(score: Score, start: Callable[..., Running], graph: Graph) -> None:
    """Kill the manager of a robot of modules: the robot moves on, and a new one takes over."""
    demo = Launched(launcher(start)('modules.launch.py', 'viewer:=false'), start, graph)
    states = graph.hear(JointState, 'joint_states')
    with score.trial('the robot of modules is there', first=True):
        for name in ('simulator', 'dynamics_server'):
            demo.running.wait_for(rf"\[{name}\]: robot 'nine_modules', generation 1")
        graph.wait_until(lambda: states, 'joint states')
    for turn in range(4):
        with score.trial(f'module_manager is killed and started anew, turn {turn}'):
            assert move(graph, 's2' if turn % 2 else 's5').success
            command = demo.kill('module_manager')
            answers(graph, states[-1].name, floating=True)
            count = len(states)
            graph.wait_until(lambda count=count: len(states) > count + 10, 'the simulator goes on')
            demo.restart(command).wait_for("robot 'nine_modules'")
            for parent in ('s2', 's5'):
                answer = move(graph, parent)
                assert answer.success, answer.message
                agree(graph, states, answer.model_generation)


class Launched(Demo):
    """Another launch file."""

    def __init__(self, running: Running, start: Callable[..., Running], graph: Graph) -> None:
        self.running, self.start, self.graph = running, start, graph
        self.all = [running]


def agree(graph: Graph, states: list[JointState], generation: int) -> None:
    """Assert that the server comes to use the robot of a generation."""
    answer = None
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = graph.call(MassMatrix, 'dynamics_server/mass_matrix',
                            question(states[-1].name, floating=True))
        if answer.success and answer.model_generation == generation:
            return
    raise AssertionError(f'manager has generation {generation}, the server {answer}')


def move(graph: Graph, parent: str) -> MoveModule.Response:
    """Move module s6."""
    return ask(graph, MoveModule, 'module_manager/move_module', MoveModule.Request(
        module='s6', parent=parent, parent_port='front'))
