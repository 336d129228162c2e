"""Ctrl-C and SIGTERM end a node at once and quietly, whatever it is at."""

import importlib
import os
import signal
import subprocess
import sys

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
    pytest.param(AMID_IMPORTING.format(module='mbd_ros.nodes.parts.simulation_loop'),
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
    'composed', 'controller', 'dynamics_server', 'module_manager', 'simulator', 'viewer'])
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
