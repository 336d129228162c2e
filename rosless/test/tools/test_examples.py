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

"""The programs of the tutorials, as processes, from a package installed as colcon does it."""

import os
from pathlib import Path
import re
import signal
import subprocess
import sys

import pytest

SOURCE = Path(__file__).parents[2] / 'examples' / 'rosless_examples'
PACKAGE = 'rosless_examples'


@pytest.fixture(scope='module')
def installed(tmp_path_factory, environment):
    """Install the package below a prefix of its own; return the environment to use it."""
    prefix = str(tmp_path_factory.mktemp('install'))
    site = f'{prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages'
    os.makedirs(site)
    build = str(tmp_path_factory.mktemp('build'))
    subprocess.run(  # the call that colcon makes of an ament_python package
        [sys.executable, 'setup.py', '-q', 'egg_info', '--egg-base', build, 'build',
         '--build-base', build, 'install', '--prefix', prefix,
         '--single-version-externally-managed', '--record', f'{build}/record'],
        cwd=SOURCE, env={**environment, 'PYTHONPATH': site}, check=True, capture_output=True)
    return {'AMENT_PREFIX_PATH': prefix,
            'PYTHONPATH': os.pathsep.join([site, environment['PYTHONPATH']])}


@pytest.fixture
def example(ros2, installed):
    """Run a program of the package."""
    return lambda *words: ros2('run', PACKAGE, *words, env=installed)


def ended(process):
    """Interrupt a program as Ctrl-C does; it ends without a complaint."""
    process.signal(signal.SIGINT)
    status = process.finish()
    assert 'Traceback' not in process.text
    return status


def test_talker_and_listener(example):
    talker, listener = example('talker'), example('listener')
    listener.wait_for(r'\[INFO\] \[\d+\.\d{9}\] \[minimal_subscriber\]: I heard: "Hello World: '
                      r'(\d+)"$', count=2)
    talker.wait_for(r'\[minimal_publisher\]: Publishing: "Hello World: 0"$')
    assert ended(talker) == 0
    assert ended(listener) == 0


def test_service(example):
    server = example('add_two_ints_server')
    client = example('add_two_ints_client', '2', '3')
    assert client.finish() == 0
    assert 'Result of add_two_ints: for 2 + 3 = 5' in client.text
    server.wait_for('^a: 2 b: 3$')


def test_action_with_feedback_result_and_cancel(example):
    server = example('fibonacci_server')
    client = example('fibonacci_client', '5')
    assert client.finish() == 0
    assert "Result: array('i', [0, 1, 1, 2, 3, 5])" in client.text
    assert "Received feedback: array('i', [0, 1, 1])" in client.text
    refused = example('fibonacci_client', '0')
    refused.finish()
    assert 'Goal rejected :(' in refused.text
    canceller = example('fibonacci_canceller')
    assert canceller.finish() == 0
    assert 'Goal successfully canceled' in canceller.text
    assert 'Status is canceled: True' in canceller.text
    server.wait_for('Goal canceled')
    assert ended(server) == 0


def test_lifecycle_talker(example, ros2):
    talker = example('lifecycle_talker')

    def change(transition):
        for _ in range(20):   # a busy machine may need longer than the command waits for nodes
            command = ros2('lifecycle', 'set', '/lc_talker', transition)
            if command.finish() == 0 or command.text != 'Node not found':
                break
        assert command.finish() == 0, command.text
        assert command.text == 'Transitioning successful'

    change('configure')
    talker.wait_for('Messages are not published')
    echo = ros2('topic', 'echo', '/lifecycle_chatter', 'std_msgs/msg/String')
    change('activate')
    echo.wait_for(r'^data: .Lifecycle HelloWorld #\d+.$')
    for transition, said in (('deactivate', 'on_deactivate'), ('cleanup', 'on_cleanup'),
                             ('shutdown', 'on_shutdown')):
        change(transition)
        talker.wait_for(re.escape(said))
    ended(talker)


def test_parameters(example, ros2):
    node = example('parameters', '--ros-args', '-p', 'my_parameter:=earth', '-p', 'period:=0.1')
    node.wait_for('Hello earth!')
    node.wait_for('Hello world!')
    command = ros2('param', 'set', '/minimal_param_node', 'my_parameter', 'mars')
    assert command.finish() == 0
    node.wait_for('Hello mars!')
    command = ros2('param', 'set', '/minimal_param_node', 'my_parameter', '""')
    assert command.finish() == 1
    assert command.text == 'Setting parameter failed: nobody to greet'


def test_callback_groups(example):
    node = example('callback_groups')
    node.wait_for('Received response', count=2)
    assert node.text.index('Sending request') < node.text.index('Server processing request')
    assert ended(node) == 0


def test_frames(example):
    listener = example('frame_listener')
    listener.wait_for('Could not transform world to carrot1: "(world|carrot1)" passed to '
                      'lookupTransform argument (source|target)_frame does not exist')
    for name in ('static_frame', 'frame_broadcaster'):
        example(name)
    listener.wait_for(r'distance 2\.000, height 1\.000')


@pytest.mark.parametrize('name', ['talk.launch.py', 'talk.launch.xml', 'talk.launch.yaml'])
def test_launch_files(ros2, installed, gone, name):
    launched = ros2('launch', PACKAGE, name, 'topic:=/street', env=installed)
    launched.wait_for(r'\[hall.minimal_subscriber\]: I heard: "Hello World')
    launched.wait_for(r'\[minimal_param_node\]: Hello file!')
    listing = ros2('node', 'list')
    listing.finish()
    assert listing.lines == ['/hall/minimal_subscriber', '/hall/speaker', '/minimal_param_node']
    pids = launched.wait_for(r'process started with pid \[(\d+)\]', count=3)
    launched.signal(signal.SIGINT)
    assert launched.finish() == 0
    assert 'Traceback' not in launched.text
    gone(pids)


def test_events(ros2, installed):
    launched = ros2('launch', PACKAGE, 'events.launch.py', env=installed)
    assert launched.finish() == 0
    said = [line.partition('[launch.user]: ')[2] for line in launched.lines
            if '[launch.user]' in line]
    assert said[:3] == ['the beginning', 'begun', 'server started, asking']
    assert any('client says' in line and '2 + 3 = 5' in line for line in said)
    assert said[-2:] == ['client has ended', 'shut down: the sum is known']
