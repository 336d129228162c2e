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

"""Launches as fixtures of pytest: launch_pytest, in a session of its own."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import launch, launch_pytest, pytest
from launch_pytest import tools

said = []


@pytest.fixture
def greeter():
    return launch.actions.ExecuteProcess(
        cmd=['echo', 'hello'], cached_output=True, output='screen')


@launch_pytest.fixture
def one(greeter):
    return launch.LaunchDescription([greeter, launch_pytest.actions.ReadyToTest()])


@launch_pytest.fixture(scope='module')
def many():
    return launch.LaunchDescription([launch.actions.ExecuteProcess(cmd=['sleep', '60'])])


@pytest.mark.launch(fixture=one)
def test_function(greeter, launch_context):
    tools.assert_output_sync(launch_context, greeter, lambda text: text == 'hello\\n', 30)


@pytest.mark.launch(fixture=one)
async def test_coroutine(greeter, launch_context):
    assert await tools.wait_for_exit(launch_context, greeter, 30)


@pytest.mark.launch(fixture=one)
def test_generator(launch_service):
    yield
    assert launch_service.event_loop is None


@pytest.mark.launch(fixture=many, shutdown=True)
def test_afterwards(launch_service):
    said.append('afterwards')
    assert launch_service.event_loop is None


@pytest.mark.launch(fixture=many)
async def test_in_two_parts():
    said.append('first')
    yield
    said.append('second')


def test_order():
    assert said == ['first', 'afterwards', 'second']


@pytest.mark.launch(fixture=many)
def test_yields_twice():
    yield
    yield


@pytest.mark.launch
def test_without_a_fixture():
    pass
"""


def test_functions_coroutines_and_generators(tmp_path):
    (tmp_path / 'test_it.py').write_text(PROGRAM)
    plugins = ['-p', 'no:cacheprovider', '-p', 'no:xdist']
    script = ('import pytest, sys, launch_pytest.plugin as plugin\n'
              'sys.exit(pytest.main(sys.argv[1:], plugins=[] if any(\n'
              '    point.name == "launch_pytest" for point in __import__("importlib.metadata")\n'
              '    .metadata.entry_points(group="pytest11")) else [plugin]))')
    done = subprocess.run(
        [sys.executable, '-c', script, '-rA', *plugins, str(tmp_path)], capture_output=True,
        text=True, cwd=tmp_path, timeout=300, check=False)
    assert '1 failed, 8 passed, 1 skipped' in done.stdout
    assert 'test_yields_twice[shutdown]' in done.stdout
    assert 'must stop iteration after yielding once' in done.stdout
    assert '"fixture" keyword argument is required' in done.stdout
