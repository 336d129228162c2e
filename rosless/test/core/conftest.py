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

"""Fixtures: a DDS domain of our own, contexts, nodes, and programs in other processes."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [str(ROOT / 'src'), str(ROOT / 'tools' / 'src')]
sys.path[:0] = [folder for folder in SOURCES if folder not in sys.path]

import pytest  # noqa: E402
import rosless  # noqa: E402, F401

# TEST_DOMAIN: reserved for this test run by whoever runs several on one machine.
os.environ['ROS_DOMAIN_ID'] = os.environ.get('TEST_DOMAIN') or str(1 + os.getpid() % 100)
for _name in ('CYCLONEDDS_URI', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'AMENT_PREFIX_PATH'):
    os.environ.pop(_name, None)
os.environ['ROS_LOG_DIR'] = tempfile.mkdtemp(prefix='rosless_log_')
atexit.register(shutil.rmtree, os.environ['ROS_LOG_DIR'], ignore_errors=True)


def wait_until(condition: Callable[[], Any], timeout: float = 60.0) -> bool:
    """Return whether the condition comes true in time [s]."""
    limit = time.monotonic() + timeout
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.005)
    return bool(condition())


def spin_until(executor: Any, condition: Callable[[], Any], timeout: float = 60.0) -> bool:
    """Spin until the condition comes true, at most a time [s]; return whether it did."""
    limit = time.monotonic() + timeout
    while not condition() and time.monotonic() < limit:
        executor.spin_once(timeout_sec=0.02)
    return bool(condition())


@pytest.fixture(name='spin_until')
def _spin_until() -> Callable[..., bool]:
    return spin_until


@pytest.fixture(name='wait_until')
def _wait_until() -> Callable[..., bool]:
    return wait_until


@pytest.fixture
def context() -> Iterator[Any]:
    """Yield an initialised context."""
    from rclpy.context import Context

    made = Context()
    made.init(args=[])
    yield made
    made.try_shutdown()


@pytest.fixture
def make_node(context: Any) -> Iterator[Callable[..., Any]]:
    """Yield a function that makes nodes in the context."""
    from rclpy.node import Node

    nodes = []

    def make(name: str = 'node', **kwargs: Any) -> Any:
        nodes.append(Node(name, context=context, **kwargs))
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()


@pytest.fixture
def executor(context: Any) -> Iterator[Any]:
    """Yield a single-threaded executor."""
    from rclpy.executors import SingleThreadedExecutor

    made = SingleThreadedExecutor(context=context)
    yield made
    made.shutdown(timeout_sec=60.0)


@pytest.fixture
def spinning(context: Any) -> Iterator[Callable[..., Any]]:
    """Yield a function that spins nodes on a pool of threads until the end of the test."""
    from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor

    started = []

    def start(*nodes: Any, num_threads: int = 2) -> Any:
        pool = MultiThreadedExecutor(num_threads, context=context)
        for node in nodes:
            pool.add_node(node)

        def run() -> None:
            try:
                pool.spin()
            except ExternalShutdownException:
                pass

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        started.append((pool, thread))
        return pool

    yield start
    for pool, thread in started:
        pool.shutdown(timeout_sec=60.0)
        thread.join(timeout=60.0)


class Program:
    """A Python program in another process."""

    def __init__(
        self, source: str, arguments: tuple[str, ...], environment: dict[str, str]
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-c', source, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(SOURCES), **environment},
        )

    def wait_for_line(self, timeout: float = 300.0) -> str:
        """Return the next line of its output; '' if none comes in time [s], and it is killed."""
        assert self.process.stdout is not None
        watch = threading.Timer(timeout, self.process.kill)
        watch.start()
        try:
            return self.process.stdout.readline().strip()
        finally:
            watch.cancel()

    def finish(self, timeout: float = 300.0) -> tuple[int, str, str]:
        """Wait for its end; return exit code, output and error output."""
        output, errors = self.process.communicate(timeout=timeout)
        return self.process.returncode, output, errors


@pytest.fixture
def run_program() -> Iterator[Callable[..., Program]]:
    """Yield a function that starts a program; it is killed at the end of the test."""
    programs = []

    def run(source: str, *arguments: str, **environment: str) -> Program:
        programs.append(Program(source, arguments, environment))
        return programs[-1]

    yield run
    for program in programs:
        if program.process.poll() is None:
            program.process.kill()
        program.process.communicate(timeout=60.0)


def outcome(future: Any, timeout: float = 60.0) -> Any:
    """Return the result of a future that another thread completes."""
    assert wait_until(future.done, timeout), 'nothing came'
    return future.result()


@pytest.fixture(name='outcome')
def _outcome() -> Callable[..., Any]:
    return outcome


class Gate:
    """An execution of a goal that goes on until it is told to end, or cancelled."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.running: list[Any] = []

    def __call__(self, goal_handle: Any) -> Any:
        """Execute a goal."""
        from example_interfaces.action import Fibonacci

        self.running.append(goal_handle)
        limit = time.monotonic() + 60.0
        while not self.open.is_set() and time.monotonic() < limit:
            if goal_handle.is_cancel_requested:
                goal_handle.canceled()
                return Fibonacci.Result(sequence=[-1])
            time.sleep(0.005)
        goal_handle.succeed()
        return Fibonacci.Result(sequence=[goal_handle.request.order])


@pytest.fixture
def gate() -> Gate:
    """Return an execute callback that holds goals."""
    return Gate()


@pytest.fixture
def pair(make_node: Callable[..., Any], spinning: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes an action server and a client, each on a node of its own."""
    from example_interfaces.action import Fibonacci
    from rclpy.action import ActionClient, ActionServer

    def make(execute: Any, num_threads: int = 4, **kwargs: Any) -> Any:
        server_node, client_node = make_node('server'), make_node('client')
        server = ActionServer(server_node, Fibonacci, 'fibonacci', execute, **kwargs)
        client = ActionClient(client_node, Fibonacci, 'fibonacci')
        spinning(server_node, client_node, num_threads=num_threads)
        assert client.wait_for_server(timeout_sec=60.0)
        return server, client

    return make
