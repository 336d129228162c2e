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


"""Whatever a description holds, reading it takes bounded time and memory."""

import io
import os
from pathlib import Path
import time
import zipfile

from described import bare, joint, link, robot
import pytest

from mbd_ros.cli.command import main
from mbd_ros.description.records import budget
from mbd_ros.description.records.mesh_file import (
    drawn_mesh, MAX_BYTES, MAX_INSTANCES, MAX_UNPACKED)
from mbd_ros.description.records.report import MOST_FINDINGS
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import find_package
from mbd_ros.description.xml.roots import Roots
from mbd_ros.errors import DescriptionError
from mbd_ros.model import load, load_text

FOREVER = 5.0
"""Seconds of computing; each of these takes less than 2, and took minutes or had no end."""
HASH = (1 << 61) - 1
"""Whole numbers that differ by this have one hash."""


@pytest.fixture(autouse=True)
def in_time():
    """Fail where a test computes for long."""
    before = time.thread_time()
    yield
    assert time.thread_time() - before < FOREVER


def many(count, inside):
    """Return a robot of one link with elements that nobody knows."""
    return robot(f'<link name="a">{"".join(map(inside, range(count)))}</link>')


@pytest.mark.parametrize('text', [
    many(12_000, lambda k: f'<inertia{k}/>'),
    many(12_000, lambda k: '<visual mass="1"><geometry><box size="1 1 1"/></geometry></visual>'),
    '<mujoco><worldbody><body>' + ''.join(f'<geomm{k}/>' for k in range(12_000))
    + '</body></worldbody></mujoco>',
    '<sdf version="1.9"><model name="m"><link name="l">'
    + ''.join(f'<inertiaal{k}/>' for k in range(12_000)) + '</link></model></sdf>'],
    ids=['elements', 'attributes', 'MJCF', 'SDFormat'])
def test_findings_without_number(text):
    findings = load_text(text).findings
    assert len(findings) in (MOST_FINDINGS + 1, MOST_FINDINGS + 2)   # SDFormat remarks the root
    assert any('those from here on are left out' in one.message for one in findings)


def test_names_are_compared_within_the_budget(monkeypatch):
    """The first have a hint, and none later; all others are said all the same."""
    monkeypatch.setattr(budget, 'HINT_CHARACTERS', 10_000)
    findings = load_text(many(900, lambda k: f'<inertia{k}/>')).findings
    hints = [bool('did you mean' in one.message) for one in findings]
    assert hints[0] and not hints[-1] and len(hints) == 900
    assert hints == sorted(hints, reverse=True)


@pytest.mark.parametrize('coupled', [False, True])
def test_mimics_by_the_thousand(coupled):
    """Each looks its leader up; listing all of them for each took a time of their square."""
    text = robot(bare('l'), *(link(f'l{k}') + joint(
        f'j{k}', 'continuous', 'l', f'l{k}', '<mimic joint="j0"/>' if k else '')
        for k in range(2000)))
    if coupled:   # as equations they all meet at one link
        with pytest.raises(DescriptionError, match='one too many: 201 constraint equations'):
            load_text(text, mimic=True)
    else:
        assert not load_text(text).loops


def test_massless_links_by_the_thousand():
    text = robot(*map(bare, (f'l{k}' for k in range(2001))), *(
        joint(f'j{k}', 'continuous', 'l0', f'l{k + 1}', '<axis xyz="0 0 1"/><kp/>')
        for k in range(2000)))
    with pytest.raises(Exception, match="joint 'j0'"):
        load_text(text)


@pytest.mark.parametrize('made', [
    'python.set([k * {P} for k in range(9000)])', 'dict([(k * {P}, 1) for k in range(9000)])',
    'python.set([(k * {P}, 0) for k in range(9000)])',
    '[a | b for a in [python.set([k * {P} for k in range(90)])] for b in [python.set([k * {P} '
    'for k in range(90, 180)])]]'], ids=['set', 'dict', 'tuples', 'union'])
def test_crafted_keys(tmp_path, made):
    path = tmp_path / 'r.xacro'
    path.write_text('<robot name="r" xmlns:xacro="http://wiki.ros.org/wiki/xacro">'
                    f'<link name="${{len({made.format(P=HASH)})}}"/></robot>')
    with pytest.raises(DescriptionError, match='more than 100 keys with one hash'):
        load(path)


def test_sets_of_equal_and_of_many_values(tmp_path):
    path = tmp_path / 'r.xacro'
    path.write_text('<robot name="r" xmlns:xacro="http://wiki.ros.org/wiki/xacro"><link name='
                    '"${len(python.set([0] * 500))}_${len(python.set(range(5000)))}"/></robot>')
    assert load(path).root == '1_5000'


@pytest.mark.parametrize('form', ['urdf', 'mjcf', 'sdf', 'yaml'])
def test_time_is_over_with_file_and_line(monkeypatch, tmp_path, form):
    """The clock is asked at every element; a first look finds nothing left."""
    monkeypatch.setattr(budget, 'SECONDS', -1.0)
    texts = {'urdf': robot(link('a')), 'sdf': '<sdf version="1.9"><model name="m"/></sdf>',
             'mjcf': '<mujoco><worldbody/></mujoco>', 'yaml': 'version: 1'}
    path = tmp_path / f'r.{form}'
    path.write_text(texts[form])
    with pytest.raises(DescriptionError, match='takes more than -1 s of computing') as caught:
        load(path)
    assert caught.value.file == str(path)


def test_memory_is_counted(monkeypatch):
    monkeypatch.setattr(budget, 'BYTES', 1 << 20)
    with pytest.raises(DescriptionError, match='takes more than 1 MiB'):
        load_text(many(5000, lambda k: f'<inertia{k}/>'))


def test_one_budget_for_all_that_is_read(monkeypatch):
    """What is read inside goes on with the budget that was begun outside, and ends with it."""
    monkeypatch.setattr(budget, 'ELEMENTS', 10)
    with budget.reading():
        load_text(robot(link('a')))   # robot, link, inertial and three in it
        with pytest.raises(DescriptionError, match='more than 10 elements'):
            load_text(robot(link('a')))
    load_text(robot(link('a')))


def collada(depth):
    """Return a file whose nodes stand for each other, so that there are 2^depth shapes."""
    nodes = '<node id="n0"><instance_geometry url="#g"/></node>' + ''.join(
        f'<node id="n{k}">{f"""<instance_node url="#n{k - 1}"/>""" * 2}</node>'
        for k in range(1, depth + 1))
    return ('<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
            f'<library_nodes>{nodes}</library_nodes></COLLADA>').encode()


def packed(text):
    """Return a 3MF file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as made:
        made.writestr('3D/3dmodel.model', text)
    return file.getvalue()


def components(depth):
    """Return a 3MF file, likewise."""
    parts = '<object id="0"><mesh/></object>' + ''.join(
        f'<object id="{k}"><components>{f"""<component objectid="{k - 1}"/>""" * 2}</components>'
        '</object>' for k in range(1, depth + 1))
    return packed('<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">'
                  f'<resources>{parts}</resources></model>')


@pytest.mark.parametrize(('name', 'data', 'said'), [
    ('a.dae', collada(40), f'more than {MAX_INSTANCES} shapes'),
    ('a.dae', collada(2).replace(b'"#n0"', b'"#n2"'), 'within itself'),
    ('a.dae', b'<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>', 'document type'),
    ('a.3mf', components(40), f'more than {MAX_INSTANCES} shapes'),
    ('a.3mf', packed('<model>' + ' ' * MAX_UNPACKED + '</model>'), 'allowed: 16777216'),
    ('a.3mf', b'no zip', 'zip'),
    ('a.ply', b'ply', 'cannot be read'),
    ('b.zip', b'', 'is no .stl')])
def test_meshes_that_grow(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DescriptionError, match=said):
        drawn_mesh(tmp_path / name, Path)


def test_a_mesh_with_its_material(tmp_path):
    """A material beside it is read; pipes, and files elsewhere, are not."""
    (tmp_path / 'm').mkdir()
    mesh = tmp_path / 'm' / 'a.obj'
    mesh.write_text('mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')
    (tmp_path / 'm' / 'a.mtl').write_text('newmtl red\nKd 1 0 0\n')
    roots = Roots(mesh, max_bytes=MAX_BYTES)
    assert drawn_mesh(mesh, roots.check).visual.material.diffuse.tolist() == [255, 0, 0, 255]
    (tmp_path / 'm' / 'a.mtl').unlink()
    os.mkfifo(tmp_path / 'm' / 'a.mtl')
    assert len(drawn_mesh(mesh, roots.check).faces) == 1


def test_a_long_name_of_a_mesh_is_no_finding_of_that_length():
    model = load_text(robot('<link name="a"><visual><geometry><mesh filename="package://x/'
                            f'{"y" * 5000}.stl"/></geometry></visual></link>'))
    _, remarks = read_visuals(model.mechanism, find_package=find_package)
    assert all(len(one) < 1000 for one in remarks) and len(remarks) == 1


@pytest.mark.parametrize('make', [os.mkfifo, lambda path: path.symlink_to('/dev/zero')],
                         ids=['pipe', 'device'])
@pytest.mark.parametrize('words', [
    'view PIPE.npz', 'view PIPE.mcap', 'view PIPE.db3', 'check PIPE.urdf', 'check PIPE.xacro',
    'info PIPE.yaml', 'convert PIPE.sdf', 'identify r.urdf PIPE.csv', 'identify r.urdf PIPE.npz',
    'identify r.urdf PIPE.mcap', 'flex r.urdf a PIPE.npz -o b.urdf'])
def test_pipes_and_devices_are_no_files(tmp_path, monkeypatch, capsys, words, make):
    """A pipe that nobody writes to would be waited for without end, a device be read so."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'r.urdf').write_text(robot(link('a')))
    make(tmp_path / next(word for word in words.split() if 'PIPE' in word))
    assert main(words.split()) == 1
    said = capsys.readouterr()
    assert 'regular file' in said.err + said.out or 'there is no file' in said.err + said.out


@pytest.mark.parametrize(('name', 'text'), [
    ('r.urdf', robot('<link name="a"><visual><geometry><mesh filename="package://x/a.stl"/>'
                     '</geometry></visual></link>')),
    ('r.xacro', '<robot name="r" xmlns:xacro="http://wiki.ros.org/wiki/xacro">'
                '<link name="$(find other)"/></robot>')])
def test_pipes_that_a_description_is_beside(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    os.mkfifo(tmp_path / 'package.xml')
    main(['check', str(tmp_path / name)])
    os.mkfifo(tmp_path / 'r.loops.yaml')
    assert main(['check', str(tmp_path / name)]) == 1


def test_who_reads_unhurriedly_rests_a_fourth_of_the_time(monkeypatch):
    """A long description is read in slices; one that is read as usual is not."""
    text = '<robot name="r"><link name="a"/>' + ''.join(
        f'<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="a"/>'
        f'<child link="l{k}"/></joint>' for k in range(500)) + '</robot>'
    rests = []
    monkeypatch.setattr(budget.time, 'sleep', rests.append)
    begin = time.thread_time()
    with budget.unhurriedly():
        load_text(text)
    took = time.thread_time() - begin
    assert len(rests) > 5
    # All but what comes after the last rest, and what does not look at the clock.
    assert 0.4 * budget.REST * took < sum(rests) <= budget.REST * took
    assert sorted(rests)[len(rests) // 2] < 5.0 * budget.REST * budget.SLICE
    rests.clear()
    load_text(text)
    assert not rests


def test_names_that_are_given_twice_end_before_the_tree_is_gone_through():
    """A link that hangs on itself has no end."""
    joints = '<joint name="s" pos="0 0 .1"/>' * 2
    with pytest.raises(DescriptionError, match="joint 's' is defined twice"):
        load('<mujoco><worldbody><body name="b">' + joints + '<geom size="1"/></body></worldbody>'
             '<tendon><fixed name="t"><joint joint="s" coef="1"/></fixed></tendon></mujoco>')


def test_springdampers_by_the_thousand():
    """Each takes the inverse of the mass matrix, whose time grows with the third power."""
    bodies = ''.join(f'<body name="b{k}"><joint name="j{k}" springdamper="1 1"/><geom size="1"/>'
                     '</body>' for k in range(1001))
    with pytest.raises(DescriptionError, match='springdamper in a robot of 1001 rates of joints'):
        load(f'<mujoco><worldbody>{bodies}</worldbody></mujoco>')
