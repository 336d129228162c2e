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

"""The command ``mbd_ros check``."""

import json

from described import bare, joint, link, robot
import pytest

from mbd_ros.cli.command import main

WRONG = robot(bare('base'), link('arm', moments=(0.01, 0.01, 0.09)),
              joint('j', 'revolute', 'base', 'arm',
                    '<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="2"/>'))


CORNERS = ['0 0 0', '1 0 0', '0 1 0', '0 0 1']
FACETS = ''.join(
    'facet normal 0 0 0\nouter loop\n' + ''.join(f'vertex {CORNERS[k]}\n' for k in corners)
    + 'endloop\nendfacet\n' for corners in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
"""Of a tetrahedron."""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_text(WRONG)
    return str(path)


def test_text(file, capsys):
    assert main(['check', file]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{file}:3: warning: link 'arm' has the principal moments")
    assert lines[1].startswith('    take the moments from the CAD program')
    assert lines[2] == (f"{file}:4: info: joint 'j': <limit> has no velocity; there is no limit "
                        'then')
    assert lines[3:] == [f'{file}: 0 errors, 1 warnings, 1 remarks']


def test_level(file, capsys):
    main(['check', file, '--level', 'warning'])
    assert ': info:' not in capsys.readouterr().out


@pytest.mark.parametrize(('severity', 'code'), [('error', 0), ('warning', 1), ('info', 1)])
def test_exit_code(file, severity, code):
    assert main(['check', file, '--fail-on', severity, '--level', 'error']) == code


def test_json(file, capsys):
    assert main(['check', '--json', file, file + '.bak']) == 1
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first['file'] == file
    assert first['readable'] is True
    assert [(finding['severity'], finding['line']) for finding in first['findings']] == [
        ('warning', 3), ('info', 4)]
    assert set(first['findings'][0]) == {'severity', 'message', 'file', 'line', 'remedy'}
    assert second['readable'] is False
    assert second['findings'][0]['message'].startswith('there is no such file')


def test_fix_writes_inertias_from_shapes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    robot = tmp_path / 'arm.urdf'
    robot.write_text('<robot name="r"><link name="base"/><link name="a"><collision><geometry>'
                     '<sphere radius="0.1"/></geometry></collision></link><joint name="j" '
                     'type="continuous"><parent link="base"/><child link="a"/></joint></robot>')
    main(['check', '--fix', str(robot)])
    assert "link 'a' has no <inertial>: 4.189 kg are those of its" in capsys.readouterr().out
    assert main(['check', 'arm_fixed.urdf']) == 0
    main(['check', '--fix', 'arm_fixed.urdf'])
    assert 'no link lacks an <inertial>' in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ['arm.urdf', 'arm_fixed.urdf']


def test_fix_knows_packages(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'elsewhere').mkdir()
    (tmp_path / 'elsewhere' / 'm.stl').write_text(f'solid\n{FACETS}endsolid\n')
    robot = tmp_path / 'arm.urdf'
    robot.write_text('<robot name="r"><link name="base"/><link name="a"><collision><geometry>'
                     '<mesh filename="package://p/m.stl"/></geometry></collision></link><joint '
                     'name="j" type="continuous"><parent link="base"/><child link="a"/></joint>'
                     '</robot>')
    main(['check', '--fix', str(robot), '--package', f'p={tmp_path}/elsewhere'])
    # a tetrahedron with edges of 1 m
    assert "link 'a' has no <inertial>: 166.7 kg are those of its" in capsys.readouterr().out


def test_what_was_remarked_before_an_error_is_printed(tmp_path, capsys):
    file = tmp_path / 'r.urdf'
    file.write_text(robot(bare('a'), bare('b'), '<springs/>'))
    assert main(['check', str(file)]) == 1
    shown = capsys.readouterr().out
    assert 'element <springs> is unknown' in shown
    assert "the links 'a', 'b' are no joint's child" in shown
    assert main(['info', str(file)]) == 1
    assert 'element <springs> is unknown' in capsys.readouterr().err


def test_joints_of_drake_are_named(tmp_path, capsys):
    file = tmp_path / 'r.urdf'
    file.write_text(robot(bare('a'), bare('b'), '<drake:joint name="s" type="screw"/>'))
    assert main(['check', str(file)]) == 1
    assert "<drake:joint> 's' of type 'screw' is not supported" in capsys.readouterr().out
