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

"""The line of progress while a robot is compiled ahead of its launch."""

import subprocess
import sys
import time

from mbd_ros.cli import warm
from mbd_ros.cli.command import main


def test_a_dot_is_a_second(monkeypatch, capsys):
    """Also while nodes end that have nothing more to say."""
    popen = subprocess.Popen
    lingering = [sys.executable, '-c', 'import os, time; os.close(1); os.close(2); time.sleep(2)']
    monkeypatch.setattr(warm.subprocess, 'Popen', lambda _, **more: popen(lingering, **more))
    begin = time.monotonic()
    assert main(['cache', 'warm', 'three_link_arm']) == 0
    dots = capsys.readouterr().out.partition('ready')[0].count('.')
    assert 1 <= dots <= time.monotonic() - begin


def test_without_ros_one_line_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'std_msgs', None)   # as if it could not be found
    assert main(['cache', 'warm', 'three_link_arm']) == 1
    said = capsys.readouterr().err
    assert said.startswith("mbd_ros: there is no module 'std_msgs': nodes need a ROS 2 installat")
    assert said.count('\n') == 1
