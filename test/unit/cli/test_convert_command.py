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

"""The command ``mbd_ros convert``."""

import errno
from pathlib import Path

from described import bare, joint, link, robot
import pytest

from mbd_ros.cli.command import main
from mbd_ros.description.read import read

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PLANAR = robot(bare('base'), link('arm'), joint('j', 'planar', 'base', 'arm'))
RING = robot(
    bare('base'), link('a'), link('b'), joint('i', 'continuous', 'base', 'a'),
    joint('j', 'continuous', 'base', 'b'),
    '<loop_joint name="pin" type="spherical"><link1 link="a" xyz="0 0 1" rpy="0 0 0"/>'
    '<link2 link="b" xyz="0 0 1" rpy="0 0 0"/></loop_joint>', '<transmission name="t"/>')


def written(tmp_path, text):
    path = tmp_path / 'robot.urdf'
    path.write_text(text)
    return str(path)


def without_sources(mechanism):
    return [(one.name, one.kind, one.parent, one.child, one.origin, one.axis)
            for one in mechanism.joints], [(one.name, one.inertia and one.inertia.tensor)
                                           for one in mechanism.links]


def test_xacro_to_urdf(tmp_path, capsys):
    source, target = URDF / 'pendulum.urdf.xacro', tmp_path / 'pendulum.urdf'
    assert main(['convert', str(source), '-o', str(target)]) == 0
    assert without_sources(read(target)) == without_sources(read(source))
    assert target.read_text().count('<visual>') == read(source).text.count('<visual>') > 0
    assert target.read_text().count('<material name="brass">') == 1
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize(('dialect', 'tag'), [
    ('constraint', '<constraint name="pin"'), ('drake', '<drake:ball_constraint'),
    ('gazebo', '<joint name="pin" type="ball">')])
def test_dialects_of_loops(tmp_path, capsys, dialect, tag):
    source = written(tmp_path, RING)
    assert main(['convert', source, '--loops', dialect]) == 0
    text = capsys.readouterr().out
    assert tag in text
    assert '<loop_joint' not in text
    assert '<transmission name="t"/>' in text
    again = read(text)
    (pin,) = again.loop_joints
    assert (pin.name, pin.kind, {pin.link1, pin.link2}) == ('pin', 'spherical', {'a', 'b'})


def test_sdf(tmp_path):
    target = tmp_path / 'robot.sdf'
    assert main(['convert', written(tmp_path, RING), '-o', str(target)]) == 0
    text = target.read_text()
    assert '<joint name="pin" type="ball">' in text
    assert '<pose relative_to="base">0.0 0.0 0.0 0.0 0.0 0.0</pose>' in text


def test_side_file(tmp_path):
    source = written(tmp_path, RING)
    main(['convert', source, '-o', str(tmp_path / 'tree.loops.yaml')])
    (tmp_path / 'tree.urdf').write_text(RING.replace('<loop_joint', '<!--').replace(
        '</loop_joint>', '-->'))
    assert [loop.name for loop in read(tmp_path / 'tree.urdf').loop_joints] == ['pin']


@pytest.mark.parametrize(('arguments', 'message'), [
    (['--to', 'mjcf'], "{file}:4: writing the planar joint 'j' as MJCF is not supported in this "
                       'version; allowed: fixed, revolute, continuous, prismatic, spherical, '
                       'floating'),
    (['--to', 'sdf'], "{file}:4: writing the planar joint 'j' as SDF is not supported in this "
                      'version; allowed: revolute, continuous, prismatic, fixed, spherical, '
                      'the last without rotor inertia'),
    (['-o', 'robot.txt'], "--output is 'robot.txt'; allowed: a file named *.urdf, *.xml, *.mjcf, "
                          '*.sdf, *.yaml, or --to with one of urdf, mjcf, sdf, loops.yaml'),
    (['--to', 'sdf', '--loops', 'drake'],
     "--loops is 'drake'; allowed: with URDF only, not with sdf"),
    (['-o', '/no/such/folder/robot.urdf'],
     '/no/such/folder/robot.urdf cannot be written: No such file or directory'),
])
def test_what_cannot_be_written(tmp_path, capsys, arguments, message):
    source = written(tmp_path, PLANAR)
    assert main(['convert', source, *arguments]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == 'mbd_ros: ' + message.format(file=source)


def test_a_file_is_not_written_over_itself(tmp_path, capsys):
    source = written(tmp_path, RING)
    (tmp_path / 'link.urdf').symlink_to(source)
    for target in (source, f'{tmp_path}/link.urdf', f'{tmp_path}/../{tmp_path.name}/robot.urdf'):
        assert main(['convert', source, '-o', target]) == 1
        assert 'allowed: another file than the one to read' in capsys.readouterr().err
    assert Path(source).read_text() == RING


def test_what_fails_to_be_written_leaves_the_file_that_was_there(tmp_path, capsys, monkeypatch):
    source, target = written(tmp_path, RING), tmp_path / 'old.urdf'
    target.write_text('old')
    target.chmod(0o640)

    def full(self, new):
        raise OSError(errno.ENOSPC, 'No space left on device')
    with monkeypatch.context() as patched:
        patched.setattr(Path, 'replace', full)
        assert main(['convert', source, '-o', str(target)]) == 1
    assert 'old.urdf cannot be written: No space left' in capsys.readouterr().err
    assert target.read_text() == 'old'
    assert sorted(path.name for path in tmp_path.iterdir()) == ['old.urdf', 'robot.urdf']
    assert main(['convert', source, '-o', str(target)]) == 0
    assert '<loop_joint' in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640
    assert main(['convert', source, '-o', '/dev/null', '--to', 'urdf']) == 0
