"""Processes and a graph to test nodes with; everything is bounded in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any
import uuid

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
import yaml

ROOT = Path(__file__).resolve().parents[2]
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get('PATH', os.defpath)])
NANOSECONDS = 1_000_000_000
PATIENCE = 120.0   # s: far above what any step takes, so that only a hang exceeds it


class Running:
    """
    A command with its output, in a process group of its own.

    Parameters
    ----------
    command : list of str
        The command.
    log : Path
        Where its output goes.

    """

    def __init__(self, command: list[str], log: Path) -> None:
        self.mark = uuid.uuid4().hex
        self.log = log
        with log.open('wb') as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, 'PATH': PATH, 'PYTHONUNBUFFERED': '1', 'MBD_TEST': self.mark})

    @property
    def output(self) -> str:
        """What the command has said."""
        return self.log.read_text(errors='replace')

    @property
    def up(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def wait_for(self, pattern: str, timeout: float = PATIENCE) -> re.Match[str]:
        """Wait until a pattern is in the output."""
        end = time.monotonic() + timeout
        while True:
            found = re.search(pattern, self.output)
            if found:
                return found
            assert time.monotonic() < end, f'no {pattern!r} within {timeout} s in:\n{self.output}'
            assert self.up, f'it ended with {self.process.returncode}:\n{self.output}'
            time.sleep(0.05)

    def processes(self) -> dict[int, str]:
        """Return the processes that the command has started and that live, with their names."""
        found = {}
        for entry in Path('/proc').iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                ours = f'MBD_TEST={self.mark}'.encode() in (entry / 'environ').read_bytes()
                if ours and ') Z ' not in (entry / 'stat').read_text():
                    found[int(entry.name)] = (entry / 'cmdline').read_text().replace('\0', ' ')
            except OSError:
                continue
        return found

    def interrupt(self, timeout: float = 60.0) -> float:
        """Press Ctrl-C, as a terminal does for the whole group; return how long the end took."""
        begin = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(timeout)
        return time.monotonic() - begin

    def close(self) -> None:
        """End everything, by force if need be."""
        try:
            if self.up:
                self.interrupt(30.0)
        except subprocess.TimeoutExpired:
            pass
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(10)


def starting(folder: Path) -> Iterator[Callable[..., Running]]:
    """Give a function that starts a command, and end what it has started."""
    running: list[Running] = []

    def begin(*command: Any) -> Running:
        one = Running([str(part) for part in command], folder / f'log{len(running)}.txt')
        running.append(one)
        return one

    yield begin
    for one in reversed(running):
        one.close()


def node_runner(start: Callable[..., Running]) -> Callable[..., Running]:
    """Return a function that starts one node with parameters."""
    def begin(name: str, parameters: dict[str, str], *more: str) -> Running:
        settings = [part for name_and_value in parameters.items()
                    for part in ('-p', ':='.join(name_and_value))]
        return start(sys.executable, '-m', f'mbd_ros.nodes.{name}', '--ros-args', *more, *settings)
    return begin


@pytest.fixture
def start(tmp_path) -> Iterator[Callable[..., Running]]:
    """Return a function that starts a command and ends it after the test."""
    yield from starting(tmp_path)


@pytest.fixture
def launch(start) -> Callable[..., Running]:
    """Return a function that starts ``ros2 launch mbd_ros FILE ARGUMENTS``."""
    ros2 = shutil.which('ros2', path=PATH)
    assert ros2 is not None, 'no ros2 command: make install provides it, or a ROS 2 installation'
    return lambda *arguments: start(ros2, 'launch', 'mbd_ros', *arguments)


@pytest.fixture
def run_node(start) -> Callable[..., Running]:
    """Return a function that starts one node with parameters."""
    return node_runner(start)


@pytest.fixture(scope='class')
def run_shared(tmp_path_factory) -> Iterator[Callable[..., Running]]:
    """Return the same for a node that all tests of a class use."""
    for start in starting(tmp_path_factory.mktemp('shared')):
        yield node_runner(start)


@pytest.fixture
def patient(tmp_path) -> Callable[[str], str]:
    """
    Return a function that gives the launch argument of a robot's configuration.

    With it nobody takes a message for lost because the machine had something else to do.

    """
    def argument(robot: str) -> str:
        settings = yaml.safe_load((ROOT / 'config' / f'{robot}.yaml').read_text())
        settings['controller']['ros__parameters']['state_timeout'] = 60.0
        settings['simulator']['ros__parameters']['lockstep_timeout'] = 60.0
        file = tmp_path / f'{robot}.yaml'
        file.write_text(yaml.safe_dump(settings))
        return f'config:={file}'
    return argument


class Graph:
    """A node of the test, spun in a thread, that remembers what it hears."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = Node(f'test_{uuid.uuid4().hex[:8]}', context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except rclpy.executors.ExternalShutdownException:
            pass

    def hear(self, kind: Any, topic: str, qos: Any = 10) -> list[Any]:
        """Return a list that grows by the messages on a topic."""
        heard: list[Any] = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def call(self, kind: Any, name: str, request: Any, timeout: float = PATIENCE) -> Any:
        """Call a service and return its answer."""
        client = self.node.create_client(kind, name)
        try:
            assert client.wait_for_service(timeout), f'no service {name} within {timeout} s'
            time.sleep(0.02)   # the server has to discover the client, too
            answered = threading.Event()
            future = client.call_async(request)
            future.add_done_callback(lambda _: answered.set())
            assert answered.wait(timeout), f'{name} does not answer within {timeout} s'
            return future.result()
        finally:
            self.node.destroy_client(client)

    def wait_until(
        self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE,
    ) -> Any:
        """Wait until a condition holds and return its value."""
        end = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            assert time.monotonic() < end, f'not within {timeout} s: {what}'
            time.sleep(0.02)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown(5.0)
        self._thread.join(5.0)
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """Return a node of the test."""
    one = Graph()
    yield one
    one.close()


@pytest.fixture(scope='class')
def shared_graph() -> Iterator[Graph]:
    """Return a node of all tests of a class."""
    one = Graph()
    yield one
    one.close()


@pytest.fixture(scope='session')
def urdf() -> Callable[[str], Path]:
    """Return a function that gives the file of a shipped robot."""
    return lambda name: ROOT / 'urdf' / f'{name}.urdf'


def seconds(stamp: Any) -> float:
    """Return a stamp in seconds, for times that begin near zero."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)
