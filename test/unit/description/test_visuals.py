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

"""Shapes of robots: URDF visuals, their colours and frames, and rods where there are none."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.doctor.examination import examine
from mbd_ros.description.urdf.visuals import PALETTE, read_visuals
from mbd_ros.description.xml.packages import packages_of

ROOT = Path(__file__).resolve().parents[3]


def robot(visual, materials=''):
    """Return a robot of one moving link with a visual."""
    return mbd_ros.load(f"""<robot name="r">{materials}
<link name="base"/>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
{visual}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>
<origin xyz="0 0 2"/><axis xyz="0 0 1"/></joint></robot>""").mechanism


@pytest.mark.parametrize(('geometry', 'kind', 'size'), [
    ('<box size="1 2 3"/>', 'box', (1.0, 2.0, 3.0)),
    ('<sphere radius="0.5"/>', 'sphere', (0.5,)),
    ('<cylinder radius="0.1" length="2"/>', 'cylinder', (0.1, 2.0)),
    ('<capsule radius="0.1" length="2"/>', 'capsule', (0.1, 2.0)),
])
def test_primitives_keep_their_sizes(geometry, kind, size):
    (shape,), remarks = read_visuals(robot(f'<visual><geometry>{geometry}</geometry></visual>'))
    assert (shape.link, shape.kind, shape.size) == ('arm', kind, size)
    assert np.array_equal(shape.pose, np.eye(4))
    assert not remarks


def test_origins_turn_about_fixed_axes_and_then_shift():
    visual = ('<visual><origin xyz="1 2 3" rpy="1.5707963267948966 0 1.5707963267948966"/>'
              '<geometry><box size="1 1 1"/></geometry></visual>')
    (shape,), _ = read_visuals(robot(visual))
    # Roll takes y to z, yaw takes x to y: x -> y, y -> z, z -> x.
    assert np.allclose(shape.pose[:3, :3], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)
    assert shape.pose[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_colours_are_own_named_or_taken_in_turn():
    box = '<geometry><box size="1 1 1"/></geometry>'
    materials = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    shapes, _ = read_visuals(robot(
        f'<visual>{box}<material name="red"/></visual>'
        f'<visual>{box}<material name="x"><color rgba="0 0 1 1"/></material></visual>'
        f'<visual>{box}</visual>', materials))
    assert [shape.color for shape in shapes] == [
        (1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 1.0), PALETTE[1]]


def test_a_mesh_that_is_not_there_is_remarked_with_its_line():
    visual = ('<visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual>'
              '<visual><geometry><box size="1 1 1"/></geometry></visual>')
    shapes, remarks = read_visuals(robot(visual))
    assert [shape.kind for shape in shapes] == ['box']
    assert remarks == ("line 5: visual of link 'arm' is not shown: "
                       'no way to find package nowhere',)


def test_files_that_are_no_meshes_are_not_opened():
    visual = '<visual><geometry><mesh filename="file:///etc/passwd"/></geometry></visual>'
    _, (remark,) = read_visuals(dataclasses.replace(robot(visual), file='r.urdf'))
    assert "its mesh 'file:///etc/passwd' is no file of a known kind; known: .stl, .dae" in remark


def test_meshes_are_found_in_packages_and_beside_the_file(tmp_path):
    (tmp_path / 'arm.stl').write_text('solid')
    visual = ('<visual><geometry><mesh filename="package://here/arm.stl" scale="2 2 2"/>'
              '</geometry></visual>')
    (shape,), remarks = read_visuals(robot(visual), find_package=lambda name: str(tmp_path))
    assert (shape.kind, shape.file, shape.size) == (
        'mesh', tmp_path / 'arm.stl', (2.0, 2.0, 2.0))
    assert not remarks


def mesh(name, file='<string>', package=None):
    """Return what becomes of a mesh; the packages are the folder ``package``."""
    def find(name):
        if package is None or name != package.name:
            raise LookupError(f'no package {name}')
        return str(package)
    visual = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    mechanism = dataclasses.replace(robot(visual), file=file)
    shapes, remarks = read_visuals(mechanism, find_package=find)
    return [shape.file for shape in shapes if shape.kind == 'mesh'], remarks


def test_text_names_meshes_of_packages_only(tmp_path, monkeypatch):
    package = tmp_path / 'share' / 'arm'
    for path in (package / 'arm.stl', tmp_path / 'share' / 'secret.stl'):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('solid')
    monkeypatch.chdir(package)
    for name in ('package://arm/arm.stl', f'file://{package}/arm.stl', f'{package}/arm.stl'):
        assert mesh(name, package=package) == ([package / 'arm.stl'], ()), name
    secret = tmp_path / 'share' / 'secret.stl'
    ways = [f'package://arm/{rest}' for rest in (
        '../secret.stl', f'/{secret}', str(secret), 'x/../../secret.stl', './../secret.stl')]
    paths = [f'{secret}', 'arm.stl', './arm.stl', '../secret.stl', f'{package}/../secret.stl',
             f'/proc/self/root{secret}', f'/{secret}']
    for name in ways + paths + [f'file://{path}' for path in paths]:
        files, (remark,) = mesh(name, package=package)
        assert not files, name
        assert 'package://NAME/PATH' in remark, name


def test_a_file_names_meshes_beside_it_and_packages_keep_theirs(tmp_path):
    (tmp_path / 'arm').mkdir()
    (tmp_path / 'arm.stl').write_text('solid')
    file = str(tmp_path / 'arm.urdf')
    for name in ('arm.stl', f'file://{tmp_path}/arm.stl', f'{tmp_path}/arm.stl'):
        assert mesh(name, file) == ([tmp_path / 'arm.stl'], ())
    files, (remark,) = mesh('package://arm/../arm.stl', file, tmp_path / 'arm')
    assert not files
    assert 'leads out of the package' in remark


def test_a_robot_finds_its_own_package_and_those_that_were_given(tmp_path):
    """Whatever its folder is called; a robot that came as text has none of its own."""
    for folder, name in (('clone', 'arm_description'), ('elsewhere', 'tool')):
        (tmp_path / folder / 'urdf').mkdir(parents=True)
        (tmp_path / folder / 'a.stl').write_text('solid')
        (tmp_path / folder / 'package.xml').write_text(f'<package><name>{name}</name></package>')
    text = robot(''.join(
        f'<visual><geometry><mesh filename="package://{name}/a.stl"/></geometry></visual>'
        for name in ('arm_description', 'tool'))).text
    file = tmp_path / 'clone' / 'urdf' / 'r.urdf'
    file.write_text(text)
    own, given = tmp_path / 'clone' / 'a.stl', tmp_path / 'elsewhere' / 'a.stl'
    for packages, found in ((None, [own]), ({'tool': tmp_path / 'elsewhere'}, [own, given])):
        mechanism = mbd_ros.load(file, packages=packages).mechanism
        shapes, remarks = read_visuals(mechanism, find_package=packages_of(mechanism))
        assert [shape.file for shape in shapes] == found
        assert len(remarks) == 2 - len(found)
        missing = [one for one in examine(mechanism) if 'is not there' in one.message]
        assert len(missing) == 2 - len(found)
    mechanism = mbd_ros.load(text).mechanism
    assert len(read_visuals(mechanism, find_package=packages_of(mechanism))[1]) == 2


def test_a_robot_without_visuals_is_drawn_as_rods():
    shapes, remarks = read_visuals(robot(''))
    assert [(shape.link, shape.kind) for shape in shapes] == [
        ('base', 'cylinder'), ('arm', 'sphere')]
    rod = shapes[0]
    assert rod.size[1] == 2.0
    assert np.allclose(rod.pose @ [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 2.0, 1.0])
    assert not remarks


def test_the_last_link_of_such_a_robot_is_drawn_to_its_centre_of_mass():
    text = robot('').text.replace('<mass value="1"/>', '<origin xyz="0 0.5 0"/><mass value="1"/>')
    shapes, _ = read_visuals(mbd_ros.load(text).mechanism)
    assert [(shape.link, shape.kind) for shape in shapes] == [
        ('base', 'cylinder'), ('arm', 'sphere'), ('arm', 'cylinder')]
    assert np.allclose(shapes[2].pose @ [0.0, 0.0, 0.25, 1.0], [0.0, 0.5, 0.0, 1.0])


@pytest.mark.parametrize(('name', 'least'), [('three_link_arm', 10), ('puma560', 20)])
def test_shipped_robots_are_shown_whole(name, least):
    model = mbd_ros.load(ROOT / 'urdf' / f'{name}.urdf')
    shapes, remarks = read_visuals(model.mechanism)
    assert len(shapes) >= least
    assert not remarks
    assert {shape.link for shape in shapes} <= set(model.links)


def test_colours_of_the_palette_are_colours_and_differ():
    assert len(set(PALETTE)) == len(PALETTE)
    assert all(len(color) == 4 and min(color) >= 0.0 and max(color) <= 1.0 for color in PALETTE)
    assert all(color[3] == 1.0 for color in PALETTE)


def area(shape):
    """Return the surface of a shape [m^2]."""
    if shape.kind == 'box':
        x, y, z = shape.size
        return 2.0 * (x * y + y * z + x * z)
    radius, length = (*shape.size, 0.0)[:2]
    return 4.0 * np.pi * radius**2 if shape.kind == 'sphere' else (
        2.0 * np.pi * radius * (radius + length))


@pytest.mark.parametrize('file', sorted((ROOT / 'urdf').glob('*.urdf*')), ids=lambda one: one.name)
def test_links_look_alike_in_rviz_which_takes_the_first_colour(file):
    shapes, _ = read_visuals(mbd_ros.load(file).mechanism)
    for link in {shape.link for shape in shapes}:
        own = [shape for shape in shapes if shape.link == link]
        areas = {}
        for shape in own:
            areas[shape.color] = areas.get(shape.color, 0.0) + area(shape)
        # Light tubes with dark housings at their ends have about as much of both.
        assert areas[own[0].color] > 0.4 * max(areas.values()), link
