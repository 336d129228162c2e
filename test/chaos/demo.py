"""A launched robot that is disturbed, and what has to hold after every disturbance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import math
import os
from pathlib import Path
import shutil
import signal
from typing import Any

from geometry_msgs.msg import Pose, Quaternion
from graphs import Graph
from mbd_msgs.msg import ControllerState
from mbd_msgs.srv import MassMatrix
from processes import launcher, PATIENCE, Running, starting
from score import Score
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectoryPoint
import yaml

ROOT = Path(__file__).resolve().parents[2]
ARM = 'three_link_arm'
JOINTS = ['joint1', 'joint2', 'joint3']
EFFORT_LIMIT = 200.0       # N m, of every joint in urdf/three_link_arm.urdf
TOLERANCE = 1e-3           # m; the undisturbed arm stays within 1e-5 m
RECOVERY = 10.0            # s of simulated time; two turns of a joint at approach_speed 1.5 rad/s
SETTLED = 0.2              # s of simulated time that it has to go on tracking
TROUBLE = ('Traceback', 'internal error', 'Segmentation fault', 'core dumped')
NODES = ('robot_state_publisher', 'dynamics_server', 'controller', 'simulator')


class Efforts:
    """Every effort command that is sent, and what is wrong with any."""

    def __init__(self, graph: Graph, limit: float = EFFORT_LIMIT) -> None:
        self.count = 0
        self.wrong: list[str] = []
        self._limit = limit
        graph.node.create_subscription(
            Float64MultiArray, 'effort_controller/commands', self._hear, 100)

    def _hear(self, message: Float64MultiArray) -> None:
        self.count += 1
        if not all(math.isfinite(one) and abs(one) <= self._limit for one in message.data):
            self.wrong.append(f'efforts {list(message.data)} beyond {self._limit} N m')


class Sound:
    """
    What has to hold of a robot that is controlled, whatever disturbs it.

    Parameters
    ----------
    graph : Graph
        Listens.

    Attributes
    ----------
    all : list of Running
        What was started.

    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.all: list[Running] = []
        self.states = graph.hear(ControllerState, 'controller/state', 100)
        self.efforts = Efforts(graph)

    def said(self, text: str) -> int:
        """Return how often any node has said something."""
        return sum(running.output.count(text) for running in self.all)

    def wait_for_more(self, text: str, before: int) -> None:
        """Wait until any node has said something more often than before."""
        self.graph.wait_until(lambda: self.said(text) > before, f'somebody says {text!r}')

    def wait_for_mode(self, mode: int) -> ControllerState:
        """Wait until the controller is in a mode from now on; return that state."""
        seen = len(self.states)
        return self.graph.wait_until(
            lambda: next((one for one in self.states[seen:] if one.mode == mode), None),
            f'mode {mode} of the controller; the last is '
            f'{self.states[-1].mode if self.states else None}')

    def tracks_again(self, within: float = RECOVERY) -> float:
        """
        Wait until the tool is on its path from now on.

        Parameters
        ----------
        within : float, optional
            Simulated time of unbroken tracking after which it has to be there [s].

        Returns
        -------
        float
            How long it took [s of simulated time].

        """
        progress = Progress(self.states)
        took = self.graph.wait_until(progress.recovered, 'the robot is on its path again')
        assert took <= within, f'the robot was on its path after {took:.2f} s, allowed {within} s'
        return took

    def check(self) -> None:
        """Assert that no log tells of an error of a program, and that all efforts are sound."""
        for running in self.all:
            assert_quiet(running)
        wrong, self.efforts.wrong = self.efforts.wrong, []
        assert not wrong, f'{len(wrong)} commands, such as {wrong[0]}'


class Demo(Sound):
    """
    ``track.launch.py`` with the three-link arm, with what it says and sends.

    Parameters
    ----------
    start : callable
        Starts a command: of ``processes.starting``.
    graph : Graph
        Listens.
    score : Score
        Of the area.
    *arguments : str
        Further launch arguments.

    """

    def __init__(self, start: Callable[..., Running], graph: Graph, score: Score,
                 *arguments: str) -> None:
        super().__init__(graph)
        self.start = start
        self.running = launcher(start)(
            'track.launch.py', 'rviz:=false', f'config:={patient_config(score.folder)}',
            *(() if any('viewer:=' in one for one in arguments) else ('viewer:=false',)),
            *arguments)
        self.all.append(self.running)

    def process_of(self, name: str) -> int:
        """Return the process id of a node."""
        for running in reversed(self.all):
            for number, command in running.processes().items():
                if f'__node:={name} ' in command and 'ros2 launch' not in command:
                    return number
        raise AssertionError(f'{name} does not run')

    def tell(self, name: str, number: int) -> None:
        """Send a signal to a node."""
        os.kill(self.process_of(name), number)

    def kill(self, name: str) -> list[str]:
        """Kill a node and return its command."""
        process = self.process_of(name)
        command = [self._kept(word) for word in
                   Path(f'/proc/{process}/cmdline').read_text().split('\0')[:-1]]
        os.kill(process, signal.SIGKILL)
        self.graph.wait_until(
            lambda: all(process not in one.processes() for one in self.all), f'{name} is gone')
        return command

    def _kept(self, word: str) -> str:
        """Return a word of a command; parameter files, which end with the launch, are copied."""
        if 'launch_params' not in word or not Path(word).is_file():
            return word
        return shutil.copy(word, self.running.log.parent / Path(word).name)

    def restart(self, command: list[str]) -> Running:
        """Start a node that was killed anew."""
        running = self.start(*command)
        self.all.append(running)
        return running

    def sound(self, *, nodes: tuple[str, ...] = NODES) -> None:
        """Assert what has to hold at any time: nodes, logs, efforts, services."""
        for name in nodes:
            self.process_of(name)
        self.check()
        if 'dynamics_server' in nodes:
            answers(self.graph)


class Progress:
    """How far states that come from now on have got with coming back to the path."""

    def __init__(self, states: list[ControllerState]) -> None:
        self._states = states
        self._next = len(states)
        self._begin = self._last = math.inf

    def recovered(self) -> float | None:
        """Return the time of unbroken tracking before the tool was on its path, None before."""
        for state in self._states[self._next:]:
            self._next += 1
            now = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
            if state.mode != ControllerState.MODE_TRACKING or now < self._last:
                self._begin = math.inf
            if state.mode == ControllerState.MODE_TRACKING:
                self._begin = min(self._begin, now)
                if state.tool_error < TOLERANCE and now - self._begin > SETTLED:
                    return now - self._begin
            self._last = now
        return None


def patient_config(folder: Path) -> Path:
    """Return a parameter file of the arm with which a busy machine loses no message."""
    settings = yaml.safe_load((ROOT / 'config' / f'{ARM}.yaml').read_text())
    settings['controller']['ros__parameters']['state_timeout'] = 2.0
    settings['simulator']['ros__parameters']['lockstep_timeout'] = 4.0
    file = folder / f'{ARM}.yaml'
    file.write_text(yaml.safe_dump(settings))
    return file


def assert_quiet(running: Running) -> None:
    """Assert that a log tells of no error of the program itself."""
    for line in running.output.splitlines():
        assert not any(one in line for one in TROUBLE), f'{running.log}: {line}'


def answers(graph: Graph, joints: Sequence[str] = JOINTS, *, floating: bool = False) -> Any:
    """Assert that the services answer, and return the answer."""
    answer = graph.call(MassMatrix, 'dynamics_server/mass_matrix', question(joints, floating))
    assert answer.success, answer.message
    return answer


def question(joints: Sequence[str] = JOINTS, floating: bool = False) -> MassMatrix.Request:
    """Return a request that every robot with these joints can answer."""
    return MassMatrix.Request(
        joint_names=list(joints),
        points=[JointTrajectoryPoint(positions=[0.1] * len(joints))],
        base_poses=[Pose(orientation=Quaternion(w=1.0))] if floating else [])


@contextmanager
def stage(score: Score) -> Iterator[tuple[Callable[..., Running], Graph]]:
    """Give what starts commands and a node that listens; end both, and check that they ended."""
    folder = score.folder / f'stage{len(list(score.folder.glob("stage*")))}'
    folder.mkdir()
    graph = Graph()
    try:
        for start in starting(folder):
            begun: list[Running] = []

            def begin(*command: Any, begun: list[Running] = begun, start: Any = start,
                      **more: Any) -> Running:
                running = start(*command, **more)
                begun.append(running)
                return running

            yield begin, graph
            for running in reversed(begun):
                with score.trial(f'Ctrl-C ends {Path(running.log).name} quietly, nothing is left'):
                    end(running, graph)
    finally:
        graph.close()


def end(running: Running, graph: Graph) -> None:
    """Press Ctrl-C and assert that everything ends quietly and completely."""
    if running.up:
        running.interrupt(PATIENCE)
    graph.wait_until(lambda: not running.processes(), 'no process is left')
    assert_quiet(running)
    assert 'escalating' not in running.output, 'a process did not end at Ctrl-C'
