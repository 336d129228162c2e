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

"""Ctrl-C and SIGTERM end a node at once and quietly, whatever it is at."""

import importlib
import os
from pathlib import Path
import random
import signal
import subprocess
import sys

from interrupts import COLD_STARTS, interrupt, LONGEST, UP
import pytest

from mbd_ros.nodes import executables

pytestmark = pytest.mark.nodes

START = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)   # as in a terminal
def interrupt():
    os.kill(os.getpid(), signal.{told})
"""
AMID_IMPORTING = """
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            interrupt()
sys.meta_path.insert(0, Finder())
"""
AMID_STARTING = """
import rclpy
init = rclpy.init
def interrupted(*arguments, **named):
    {before}
    init(*arguments, **named)
    {after}
rclpy.init = interrupted
"""
PATIENCE = 120.0   # s: nothing here takes a second of processor time beside importing


@pytest.mark.parametrize('amid', [
    pytest.param(AMID_IMPORTING.format(module='numpy'), id='importing numpy'),
    pytest.param(AMID_IMPORTING.format(module='rclpy'), id='importing rclpy'),
    pytest.param(AMID_IMPORTING.format(module='mbd_ros.nodes.simulating.simulation_loop'),
                 id='importing ours'),
    pytest.param(AMID_STARTING.format(before='interrupt()', after=''), id='before init'),
    pytest.param(AMID_STARTING.format(before='', after='interrupt()'), id='after init')])
@pytest.mark.parametrize('told', ['SIGINT', 'SIGTERM'])
def test_a_node_that_is_told_to_end_does_so_quietly(amid, told):
    script = (f'{START.format(told=told)}{amid}\n'
              'from mbd_ros.nodes.executables import simulator\nsimulator()\n')
    ended = subprocess.run([sys.executable, '-c', script], timeout=PATIENCE, capture_output=True,
                           text=True)
    assert (ended.returncode, ended.stderr) == (0, '')


def test_a_node_run_as_a_module_ends_quietly_amid_its_imports(tmp_path):
    (tmp_path / 'sitecustomize.py').write_text(
        START.format(told='SIGINT') + 'import sys\n' + AMID_IMPORTING.format(module='numpy'))
    ended = subprocess.run(
        [sys.executable, '-m', 'mbd_ros.nodes.simulator'], timeout=PATIENCE, capture_output=True,
        text=True, env={**os.environ, 'PYTHONPATH': os.pathsep.join([
            str(tmp_path), *filter(None, [os.environ.get('PYTHONPATH')])])})
    assert (ended.returncode, ended.stderr) == (0, '')


@pytest.mark.parametrize('node', [
    'composed', 'controller', 'dynamics_server', 'gait', 'module_manager', 'simulator', 'viewer'])
def test_every_executable_runs_its_node(node, monkeypatch):
    module, ran = importlib.import_module(f'mbd_ros.nodes.{node}'), []
    monkeypatch.setattr(module, 'main', lambda: ran.append(node))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        getattr(executables, node)()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ran == [node]


def test_every_launch_file_is_interrupted():
    folder = Path(__file__).resolve().parents[2] / 'launch'
    assert {file for file, *_ in COLD_STARTS.values()} == {
        path.name for path in folder.glob('*.py')}


@pytest.mark.parametrize('name', COLD_STARTS)
def test_ctrl_c_ends_a_cold_start_within_a_second(name, launch, tmp_path):
    # Four moments for each launch: make chaos ARGS=interrupts.
    delay = random.Random(name).uniform(UP, LONGEST)
    launched = launch(*COLD_STARTS[name], environment={'MBD_ROS_CACHE': str(tmp_path / 'cache')})
    assert interrupt(launched, delay).wrong() == []


@pytest.mark.parametrize('told', ['SIGINT', 'SIGTERM'])
def test_a_compilation_that_nobody_can_stop_does_not_hold_the_end(told):
    script = f"""
import os, signal, threading, time
import rclpy.node
from mbd_ros.nodes.every_node.run import run
class Busy(rclpy.node.Node):
    num_threads = 1
    def __init__(self):
        super().__init__('busy')
    def start(self, ended):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.{told})).start()
        time.sleep(600.0)   # as in a compiler: it does not come back at a signal
    def close(self):
        pass
run(Busy)
"""
    ended = subprocess.run([sys.executable, '-c', script], timeout=PATIENCE, capture_output=True,
                           text=True)
    assert (ended.returncode, ended.stderr) == (0, '')


def test_a_crash_in_c_says_where_its_thread_was():
    script = """
import os, signal
import rclpy.node
from mbd_ros.nodes.every_node.run import run
class Broken(rclpy.node.Node):
    num_threads = 1
    def __init__(self):
        super().__init__('broken')
    def start(self, ended):
        signal.raise_signal(signal.SIGSEGV)   # in this thread
    def close(self):
        pass
run(Broken)
"""
    ended = subprocess.run([sys.executable, '-c', script], timeout=PATIENCE, capture_output=True,
                           text=True)
    assert ended.returncode == -signal.SIGSEGV
    assert 'Segmentation fault' in ended.stderr
    assert 'in start' in ended.stderr


def test_a_missing_client_library_is_named_in_one_line():
    script = ('import sys; sys.modules["rclpy"] = None\n'   # as if it were not installed
              'from mbd_ros.nodes.executables import simulator\nsimulator()\n')
    ended = subprocess.run([sys.executable, '-c', script], timeout=PATIENCE, capture_output=True,
                           text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith("mbd_ros: there is no module 'rclpy': nodes need a ROS 2 ")
    assert ended.stderr.count('\n') == 1
