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

"""What a robot needs is compiled ahead of its launch, or the log says what is going on."""

import pytest

from mbd_ros.cli.command import main

pytestmark = pytest.mark.nodes


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return a function that gives the names of the files that hold machine code."""
    folder = tmp_path / 'code'
    monkeypatch.setenv('MBD_ROS_CACHE', str(folder))
    return lambda: sorted(file.name for file in folder.glob('*'))


@pytest.mark.parametrize('robot', ['three_link_arm', 'space_robot'])
def test_a_launch_compiles_nothing_after_warming(robot, kept, launch, capsys):
    assert main(['cache', 'warm', robot]) == 0
    assert capsys.readouterr().out.startswith(f'{robot}: compiling ')
    before = kept()
    assert before
    launched = launch('track.launch.py', f'robot:={robot}', 'viewer:=false', 'rviz:=false')
    launched.wait_for('controller]: tracking')
    launched.interrupt()
    assert kept() == before


def test_a_robot_that_is_refused_or_unknown(kept, tmp_path, capsys):
    file = tmp_path / 'wrong.urdf'
    file.write_text('<robot name="wrong"/>')
    assert main(['cache', 'warm', str(file)]) == 1
    shown = capsys.readouterr()
    assert shown.out.endswith(' failed\n')
    assert 'robot description refused' in shown.err
    assert main(['cache', 'warm', 'nobody']) == 1
    assert "robot is 'nobody'; allowed: a file, or one of bricard, " in capsys.readouterr().err
