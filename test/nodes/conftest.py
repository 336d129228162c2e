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

"""Processes and a graph to test nodes with: those of test/support, as fixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphs import Graph
from processes import launcher, node_runner, Running, starting
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start(tmp_path) -> Iterator[Callable[..., Running]]:
    """Return a function that starts a command and ends it after the test."""
    yield from starting(tmp_path)


@pytest.fixture
def launch(start) -> Callable[..., Running]:
    """Return a function that starts ``ros2 launch mbd_ros FILE ARGUMENTS``."""
    return launcher(start)


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
        settings['/**/controller']['ros__parameters']['state_timeout'] = 60.0
        settings['/**/simulator']['ros__parameters']['lockstep_timeout'] = 60.0
        file = tmp_path / f'{robot}.yaml'
        file.write_text(yaml.safe_dump(settings))
        return f'config:={file}'
    return argument


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
