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

"""Paths, texts, and what they are mistaken for."""

import difflib
from math import inf
import os
import subprocess
import sys

from described import bare, joint, link, robot
import pytest

from mbd_ros.description import Link, read, Source
from mbd_ros.description.xml.arrays import read_arrays
from mbd_ros.description.xml.xml_tree import MAX_BYTES
from mbd_ros.errors import DescriptionError, SingularMassError, UnknownNameError
from mbd_ros.model import load

TEXT = robot(bare('a'))


def test_path_and_text_give_the_same(tmp_path):
    path = tmp_path / 'robot.urdf'
    path.write_text(TEXT)
    assert read(path).root == read(str(path)).root == read(TEXT).root == 'a'
    assert read(TEXT).file == '<string>'


@pytest.mark.parametrize('before', ['\n  ', '\ufeff', '\n<?xml version="1.0"?>', '<!-- x -->'])
def test_what_may_stand_before_the_robot(before):
    assert read(before + TEXT).root == 'a'


def test_a_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / 'robot.urdf').write_text(TEXT)
    path = tmp_path / 'robto.urdf'
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: there is no such file; did you mean 'robot.urdf'?"


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / 'no' / 'robot.urdf'
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (f'{path}: there is no such file; there is no folder '
                                 f"'{tmp_path / 'no'}' either")


@pytest.mark.parametrize('path', ['/', '/dev/zero'])
def test_what_is_no_file(path):
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == f'{path}: the file cannot be read: it is not a regular file'


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / 'large.urdf'
    with path.open('wb') as file:
        file.truncate(10 * MAX_BYTES)  # takes no space on the disk
    with pytest.raises(DescriptionError) as caught:
        read(path)
    assert str(caught.value) == (
        f'{path}: the description is larger than {MAX_BYTES} bytes, which no robot is')


@pytest.mark.parametrize('path', ['a\0b', 'x' * 5000])
def test_what_cannot_be_a_path(path):
    with pytest.raises(DescriptionError, match=r'the file cannot be read|there is no such file'):
        read(path)


def test_a_module_graph(tmp_path):
    file = tmp_path / 'robot.yaml'
    file.write_text('module_graph: 1\nname: one\ntypes: {cube: {bodies: {hull: {}}}}\n'
                    'instances: {a: cube}\nbase: {module: a}\n')
    mechanism = read(file)
    assert (mechanism.name, mechanism.root, mechanism.file) == ('one', 'a/hull', str(file))
    assert read(mechanism.text).links == (Link('a/hull', None, Source('<string>', 2)),)


def test_the_readers_are_imported_only_when_needed():
    # yourdfpy brings trimesh with it, half a second that a node without a robot need not wait.
    code = ('import sys, mbd_ros.model; '
            'print([name for name in ("yourdfpy", "trimesh", "xacro") if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60,
                          check=True)
    assert done.stdout == '[]\n'


def test_other_versions_of_xml_and_hyphens_in_comments_are_taken_as_by_others(tmp_path):
    file = tmp_path / 'r.urdf'
    file.write_text('<?xml version="0.0" ?>\n<!-- a -- b -->' + TEXT)
    found = read(file)
    assert found.root == 'a'
    assert [finding.message for finding in found.findings] == [
        "XML of version '0.0' is read as 1.0",
        'a comment has two hyphens in it; it is skipped as other readers do']


def test_limits_may_be_infinite():
    text = robot(link('a'), link('b'), joint(
        'j', 'revolute', 'a', 'b', '<axis xyz="0 0 1"/><limit lower="-inf" upper="INF" '
        'effort="inf" velocity="2"/>'))
    limits = read(text).joints[0].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-inf, inf, inf, 2.0)
    with pytest.raises(DescriptionError, match="holds 'nan'"):
        read(text.replace('-inf', 'nan'))


@pytest.mark.parametrize(('kind', 'meant'), [('ball', 'spherical'), ('hinge', 'revolute')])
def test_types_of_other_formats_are_named(kind, meant):
    with pytest.raises(DescriptionError, match=f"did you mean '{meant}'"):
        read(robot(bare('a'), bare('b'), joint('j', kind, 'a', 'b', '')))


def messages(*parts):
    """Return the warnings about a robot of two links."""
    return [finding.message for finding in read(robot(link('a'), link('b'), *parts)).findings
            if finding.severity == 'warning']


def test_what_is_rarely_meant_is_remarked():
    assert messages(joint('j', 'fixed', 'a', 'b', '<origin rpy="90 0 0"/>')) == [
        'joint \'j\': rpy="90 0 0" of <origin> is more than a turn']
    assert messages(joint('j', 'fixed', 'a', 'b', '<origin rpy="6.2832 0 -3.15"/>')) == []
    gazebo = ('<gazebo reference="b"><gravity>false</gravity><mu1>0.2</mu1></gazebo>'
              '<gazebo reference="j"><springStiffness>3</springStiffness></gazebo>'
              '<gazebo reference="a"><gravity>true</gravity></gazebo>')
    assert messages(joint('j', 'fixed', 'a', 'b', ''), gazebo) == [
        "<gazebo reference='b'>: <gravity>false</gravity> is not used: gravity acts on the link "
        'all the same; <mbd:gravity_compensation value="1"/> in the link takes its weight off',
        "<gazebo reference='j'>: <springStiffness>3</springStiffness> is not used: the spring is "
        'not in the equations; <mbd:spring stiffness="3"/> in the joint is']


def test_a_ring_of_mimics_is_remarked():
    turns = [joint(f'j{i}', 'continuous', f'l{i}', f'l{i + 1}',
                   f'<axis xyz="0 0 1"/><mimic joint="j{(i + 1) % 3}"/>') for i in range(3)]
    text = robot(*(link(f'l{i}') for i in range(5)), *turns, joint(
        'j3', 'continuous', 'l3', 'l4', '<axis xyz="0 0 1"/><mimic joint="j0"/>'))
    assert [finding.message for finding in read(text).findings if 'circle' in finding.message] == [
        "the joints 'j0', 'j1', 'j2' mimic each other in a circle; coupled (mimic=True) they "
        'cannot move']


def test_long_names_are_not_compared(monkeypatch):
    """The time is that of difflib, which is asked about short names only, and seldom."""
    asked = []
    monkeypatch.setattr(difflib, 'get_close_matches',
                        lambda name, names, n: asked.append((name, *names)) or [])
    with pytest.raises(DescriptionError, match='does not exist'):
        read(robot(bare('a' * 80000), bare('x'), joint('j', 'fixed', 'b' * 80000, 'x', '')))
    read(robot(bare('l'), *(bare(f'l{i}') + joint(
        f'j{i}', 'continuous', 'l', f'l{i}', f'<axis xyz="0 0 1"/><mimic joint="q{i}"/>')
        for i in range(50))))
    assert max(len(name) for names in asked for name in names) <= 200   # LONGEST_VALUE
    assert len(asked) <= 1 + 50   # the parent of a joint, and the leaders


def test_joints_are_held_while_loading():
    text = robot(link('a'), bare('b'), joint('j', 'continuous', 'a', 'b', '<axis xyz="0 0 1"/>'))
    with pytest.raises(SingularMassError, match=r"locked=.'j': 0.0.*inertia='unchecked'"):
        load(text)
    assert load(text, locked={'j': 0.3}).nv == 0
    with pytest.raises(UnknownNameError):
        load(text, locked={'k': 0.3})


def test_pipes_are_no_runs(tmp_path):
    os.mkfifo(tmp_path / 'run.npz')
    with pytest.raises(DescriptionError, match='not a regular file'):
        read_arrays(tmp_path / 'run.npz', 'saved run')


def test_modes_of_all_beams_are_bounded():
    beam = ('<mbd:flexible xmlns:mbd="urn:mbd_ros"><beam length="1" linear_density="1" '
            'bending_stiffness="9 9" torsional_stiffness="9" torsional_inertia="1" '
            'modes="20 20 20"/></mbd:flexible>')
    links = [link(f'l{i}', 2.0).replace('</link>', f'{beam}</link>') for i in range(5)]
    joints = [joint(f'j{i}', 'fixed', f'l{i}', f'l{i + 1}', '') for i in range(4)]
    with pytest.raises(DescriptionError, match='have 300 modes together; allowed: 240'):
        read(robot(*links, *joints))
