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

"""The command ``mbd_ros info``."""

from pathlib import Path

from described import bare, joint, link, robot
import pytest

from mbd_ros.cli.command import main
from mbd_ros.cli.info import subchains

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'

BRANCHED = """\
robot branched_tree
  7 links, 6 joints of which 6 move, 0 loops
  7 kg in all, 7 kg of it move
  6 configuration and 6 velocity coordinates
  subchain 1: 1 bodies, turn
  subchain 2: 2 bodies, a_right to right_wrist
  subchain 3: 1 bodies, neck
  subchain 4: 2 bodies, z_left to left_wrist

base
└─ turn (continuous) ─ trunk, 4 kg
   ├─ a_right (revolute, -114.6 to 114.6 deg) ─ right, 0.6 kg
   │  └─ right_wrist (revolute, -114.6 to 114.6 deg) ─ right_hand, 0.6 kg
   ├─ neck (revolute, -57.3 to 57.3 deg) ─ head, 0.6 kg
   └─ z_left (revolute, -114.6 to 114.6 deg) ─ left, 0.6 kg
      └─ left_wrist (prismatic, 0 to 0.2 m) ─ left_hand, 0.6 kg
"""


def test_a_tree(capsys):
    assert main(['info', str(LADDER / '06_branched_tree.urdf')]) == 0
    assert capsys.readouterr().out == BRANCHED


def test_floating_base(capsys):
    main(['info', str(LADDER / '01_pendulum.urdf'), '--floating-base'])
    assert '8 configuration and 7 velocity coordinates' in capsys.readouterr().out


def test_subchains_hold_each_body_once():
    chains = subchains((-1, 0, 1, 1, 3, -1, 5))
    assert chains == [[0, 1], [2], [3, 4], [5, 6]]
    assert subchains(()) == []


def test_what_cannot_be_read(capsys):
    assert main(['info', 'no_such_robot.urdf']) == 1
    assert capsys.readouterr().err == 'mbd_ros: no_such_robot.urdf: there is no such file\n'


def test_loops_and_mobility(tmp_path, capsys):
    path = tmp_path / 'parallelogram.urdf'
    turning = '<origin xyz="{} 0 0"/><axis xyz="0 1 0"/>'.format
    path.write_text(robot(
        bare('base'), *(link(name, center='0 0 0.5') for name in ('left', 'right', 'top')),
        joint('a', 'continuous', 'base', 'left', turning(0)),
        joint('b', 'continuous', 'base', 'right', turning(1)),
        joint('c', 'continuous', 'left', 'top', '<origin xyz="0 0 1"/><axis xyz="0 1 0"/>'),
        '<loop_joint name="pin" type="spherical"><link1 link="top" xyz="1 0 0" rpy="0 0 0"/>'
        '<link2 link="right" xyz="0 0 1" rpy="0 0 0"/></loop_joint>'))
    assert main(['info', str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        '', 'loop pin (spherical): top ─ right', '  cut pin: 3 rows, branches meet at base',
        '  mobility 1: 3 joint rates, 3 rows of which 2 are independent']


def test_arguments_of_xacro_are_words_after_the_file(tmp_path, capsys):
    file = tmp_path / 'r.urdf.xacro'
    file.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:arg name="type" default="none"/><link name="$(arg type)_$(arg b)"/>'
                    '</robot>')
    assert main(['info', str(file), 'b:=x']) == 0
    assert 'none_x' in capsys.readouterr().out
    assert main(['check', 'type:=ur5e', 'b:=y', str(file)]) == 1   # it has no mass
    assert main(['convert', str(file), 'type:=ur5e', 'b:=y']) == 0
    assert 'ur5e_y' in capsys.readouterr().out
    assert main(['info', str(file), '--show-args', 'b:=1']) == 0
    assert capsys.readouterr().out == 'type:=none  (default)\nb:=1\n'
    assert main(['info', str(file)]) == 1
    assert "'b:=VALUE' after the file" in capsys.readouterr().err
    assert main(['info', str(file), 'b:=1', 'b:=2']) == 1
    with pytest.raises(SystemExit):
        main(['cache', 'show', 'b:=1'])
