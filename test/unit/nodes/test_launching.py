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

"""What launch files make of their arguments."""

import os
from pathlib import Path
import runpy

from launch import LaunchContext
from launch.utilities import perform_substitutions
from launch_ros.actions import SetRemap
from lxml import etree
import numpy as np
import pytest
from rviz_camera import orbit, SIZE
from rviz_urdf import links_of
import yaml

from mbd_ros.description import read
from mbd_ros.description.records.reach import extent, zero_poses
from mbd_ros.description.urdf.mesh_names import with_absolute_meshes
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import find_package, packages_of
from mbd_ros.errors import DescriptionError, InvalidValueError
from mbd_ros.model import load_text
from mbd_ros.nodes import launching

LAUNCH = Path(__file__).resolve().parents[3] / 'launch'


@pytest.fixture(autouse=True)
def no_packages(monkeypatch):
    """Begin without ROS_PACKAGE_PATH, and end as before."""
    monkeypatch.setenv('ROS_PACKAGE_PATH', '')
    monkeypatch.setenv('MBD_ROS_MESH_FOLDERS', '')


@pytest.mark.parametrize('text', ['abc', '', '9', '2001', 'nan', 'inf'])
def test_what_is_no_number_within_its_bounds_is_named(text):
    with pytest.raises(InvalidValueError, match=(
            f"argument 'rate' is '{text}'; allowed: a number from 10 to 2000")):
        launching.number({'rate': text}, 'rate', 10.0, 2000.0)
    assert launching.number({'rate': '250'}, 'rate', 10.0, 2000.0) == 250.0


def test_robots_are_found_by_name_and_by_path(tmp_path):
    file = tmp_path / 'robot.urdf'
    with pytest.raises(InvalidValueError, match=r"argument 'description' is '.*robot.urdf'; "
                       r'allowed: the path of a file'):
        launching.robot_file({'description': str(file), 'robot': 'puma560'})
    file.write_text('<robot name="r"><link name="a"/></robot>')
    assert launching.robot_file({'description': str(file), 'robot': 'puma560'}) == file
    assert launching.robot_file({'description': '', 'robot': 'delta'}).name == 'delta.urdf.xacro'
    assert launching.robot_file({'description': '', 'robot': 'panda'}).name == 'panda.urdf'


@pytest.mark.parametrize(('given', 'frame'), [((), 'base'), (('world',), 'world')])
def test_rviz_shows_the_root_link_or_the_world(given, frame):
    value = {'rviz': 'true', 'viewer': 'true', **arguments(''), 'robot': 'four_bar',
             'frame_prefix': ''}
    (node,) = launching.rviz(value, *given)
    words = [perform_substitutions(LaunchContext(), part) for part in node.cmd[1:5]]
    assert words[0::2] == ['-d', '-f']
    assert words[1].endswith('/mbd_ros.rviz') and words[3] == frame
    assert not launching.rviz({**value, 'rviz': 'false'}, *given)
    assert not launching.rviz({**value, 'rviz': 'auto'}, *given)   # the page is there


def test_rviz_is_told_of_a_frame_prefix(tmp_path, monkeypatch):
    """Its property has no slash at the end, RViz adds one; the frame that it shows has."""
    file = tmp_path / 'r.urdf'
    file.write_text('<robot name="r"><link name="base"/></robot>')
    monkeypatch.setattr(launching.launch_config, 'log_dir', str(tmp_path))
    (node,) = launching.rviz({'rviz': 'true', 'viewer': 'true', 'robot': '', 'frame_prefix':
                              'a"b/', 'description': str(file), 'trusted': 'false'}, 'world')
    words = [perform_substitutions(LaunchContext(), part) for part in node.cmd[1:5]]
    assert words[3] == 'a"b/world'
    config, shipped = (yaml.safe_load(Path(file).read_text())['Visualization Manager']
                       for file in (words[1], launching.share('config', 'mbd_ros.rviz')))
    prefixes = [one.pop('TF Prefix') for one in config['Displays'] if 'TF Prefix' in one]
    assert prefixes == ['a"b']
    assert [one.pop('TF Prefix', None) for one in shipped['Displays']].count('') == 1
    assert config['Views']['Current'].pop('Target Frame') == 'a"b/base'
    assert config.pop('Views') != shipped.pop('Views')
    assert config == shipped


@pytest.mark.parametrize(('robot', 'frame', 'followed'), [
    ('three_link_arm', '', '<Fixed Frame>'), ('five_bar', '', '<Fixed Frame>'),
    ('panda', '', '<Fixed Frame>'), ('space_robot', 'world', 'a/base_link'),
    ('nine_modules', 'world', 'a/s0/hull')])
def test_the_camera_of_rviz_shows_the_whole_robot(tmp_path, monkeypatch, robot, frame, followed):
    """From far enough for all of it, near enough to see it; it follows what floats."""
    monkeypatch.setattr(launching.launch_config, 'log_dir', str(tmp_path))
    value = {'rviz': 'true', 'viewer': 'true', **arguments(''), 'robot': robot,
             'frame_prefix': 'a/'}
    launching.rviz(value, frame)
    manager = yaml.safe_load((tmp_path / 'mbd_ros.rviz').read_text())['Visualization Manager']
    view = manager['Views']['Current']
    middle, reach = extent(launching.robot_or_modules(value))
    assert view['Distance'] >= 1.39 * reach   # it seldom reaches out as far
    assert view['Target Frame'] == followed
    focus = np.array([view['Focal Point'][axis] for axis in 'XYZ'])
    assert np.linalg.norm(focus - middle) < max(reach, 0.2)   # of the shapes, not of the joints
    shipped = yaml.safe_load(launching.share('config', 'mbd_ros.rviz').read_text())
    displays = shipped['Visualization Manager']['Displays']
    assert [one['Name'] for one in manager['Displays']] == [one['Name'] for one in displays]


@pytest.mark.parametrize(('robot', 'frame'), [
    *((robot, '') for robot in (
        'three_link_arm', 'puma560', 'panda', 'dual_arm', 'five_bar', 'delta', 'flexible_arm',
        'four_bar', 'slider_crank', 'bricard', 'stewart')),
    *((robot, 'world') for robot in ('space_robot', 'nine_modules', 'quadruped', 'rov'))])
def test_every_robot_is_in_the_picture_of_rviz(robot, frame):
    """All of it, where its joints are at zero, and larger than a fifth of the picture."""
    value = {**arguments(''), 'robot': robot, 'frame_prefix': ''}
    mechanism = launching.robot_or_modules(value)
    view = yaml.safe_load(launching.rviz_config(value, frame)[0])[
        'Visualization Manager']['Views']['Current']
    poses = zero_poses(mechanism)
    camera = orbit(view, poses[view['Target Frame']][:3, 3] if frame else np.zeros(3))
    corners = np.concatenate([
        solid._replace(pose=poses[link] @ solid.pose).triangles().reshape(-1, 3)
        for link, solids in links_of(mechanism.text).items() for solid in solids])
    assert camera.shows(corners).all()
    assert max(np.ptp(camera.seen(corners)[0], axis=0) / SIZE) > 0.2


def test_how_large_a_robot_is():
    """A plane arm of three links, by hand; the branch that is longest."""
    joints = ''.join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="0 0 1.5707963267948966"/>{limit}</joint>' for
        name, kind, parent, child, xyz, limit in (
            ('two', 'continuous', 'b', 'c', '0.4 0 0', ''),
            ('one', 'fixed', 'a', 'b', '1 0 0', ''),
            ('short', 'fixed', 'a', 'd', '0 0 -0.5', '')))
    links = ''.join(f'<link name="{name}"/>' for name in 'abcd')
    middle, reach = extent(read(f'<robot name="r">{links}{joints}</robot>'))
    assert reach == pytest.approx(1.4)
    np.testing.assert_allclose(middle, [0.5, 0.2, -0.25], atol=1e-12)


@pytest.mark.parametrize(('given', 'seconds'), [({}, '20'), ({'sigterm_timeout': '3'}, '3')])
def test_nodes_get_time_to_end_on_a_busy_machine(monkeypatch, given, seconds):
    # Five seconds after Ctrl-C those that were still being loaded died by SIGTERM, as in a crash.
    nodes = []
    monkeypatch.setattr(launching, 'Node', lambda **settings: nodes.append(settings))
    value = {**arguments(''), 'robot': 'four_bar', 'frame_prefix': '', 'viewer': 'true',
             'rviz': 'false', 'autostart': 'true', 'port': '8080'}
    launching.state_publisher(value)
    launching.package_node(value, 'simulator')
    context = LaunchContext()
    context.launch_configurations.update(given)
    assert [perform_substitutions(context, [one['sigterm_timeout']]) for one in nodes] == [
        seconds, seconds]


def test_frames_keep_up_where_simulated_time_is_slow(monkeypatch):
    """robot_state_publisher hears the simulator's topic, and answers whatever the stamp is."""
    given = []
    monkeypatch.setattr(launching, 'Node', lambda **settings: given.append(settings))
    launching.state_publisher({**arguments(''), 'robot': 'four_bar', 'frame_prefix': ''})
    (settings,) = given
    assert settings['remappings'] == [('joint_states', 'simulator/joint_states')]
    assert {'ignore_timestamp': True}.items() <= settings['parameters'][-2].items()


@pytest.mark.parametrize(('prefix', 'remapped'), [('', 2), ('left/', 0)])
def test_transforms_are_in_the_namespace_unless_their_frames_have_a_prefix(prefix, remapped):
    (group,) = launching.in_namespace({'namespace': 'left', 'frame_prefix': prefix}, [])
    assert sum(isinstance(one, SetRemap) for one in group.get_sub_entities()) == remapped


@pytest.mark.parametrize('name', ['2left', 'a/2', 'a b', 'left/', 'a//b'])
def test_a_namespace_that_is_none_is_one_line(name):
    with pytest.raises(InvalidValueError, match=r"argument 'namespace' is .*allowed: letters"):
        launching.in_namespace({'namespace': name, 'frame_prefix': ''}, [])


def arguments(file, trusted='false'):
    """Return launch arguments that name a robot."""
    return {'description': str(file), 'robot': '', 'trusted': trusted}


XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${%s}"/></robot>'


@pytest.mark.parametrize('name', ['two words.urdf.xacro', 'a; touch b.xacro', "it's.xacro",
                                  '$(touch b).xacro', '--help.xacro', 'plain.urdf'])
def test_any_path_is_read(tmp_path, name):
    folder = tmp_path / 'a folder'
    folder.mkdir()
    file = folder / name
    file.write_text(XACRO % "'a' + 'b'" if name.endswith('xacro') else
                    '<robot name="r"><link name="ab"/></robot>')
    assert '<link name="ab"/>' in launching.robot(arguments(file)).text


def test_xacro_runs_code_only_if_trusted(tmp_path):
    file = tmp_path / 'robot.xacro'
    file.write_text(XACRO % "(lambda: 'ran')()")
    with pytest.raises(DescriptionError, match=r'robot.xacro:1: xacro cannot expand this: Lambda '
                       'is not allowed in an expression'):
        launching.description(arguments(file))
    assert '<link name="ran"/>' in launching.robot(arguments(file, trusted='true')).text


def test_arguments_of_xacro_in_a_launch(tmp_path):
    file = tmp_path / 'robot.xacro'
    file.write_text(XACRO.replace('${%s}', '$(arg kind)'))
    value = {**arguments(file), 'xacro_args': "kind:='ur 5e'"}
    assert '<link name="ur 5e"/>' in launching.robot(value).text
    with pytest.raises(InvalidValueError, match='words NAME:=VALUE'):
        launching.robot({**value, 'xacro_args': 'kind=a'})


def test_no_launch_file_starts_the_command_xacro():
    for file in (Path(__file__).parents[3] / 'launch').glob('*.py'):
        text = file.read_text()
        assert 'Command' not in text
        assert 'description' not in text or 'launching.DESCRIPTION' in text or (
            'launching.TRUSTED' in text) or file.name.startswith(('modules', 'swim'))


@pytest.mark.parametrize('text', ['0.1 0.2', '1 2 x', 'nan 0 0', '0 nan 0', '0 0 101', '0 0 inf'])
def test_currents_that_are_none(text):
    fluid = runpy.run_path(str(LAUNCH / 'swim.launch.py'))['fluid']
    value = {'robot': 'rov', 'water': 'true', 'axes': 'enu', 'current': '0.1 0.2 -0.3'}
    assert fluid(value) == {'fluid.vacuum': False, 'fluid.current': [0.1, 0.2, -0.3]}
    assert fluid({**value, 'axes': 'ned'})['fluid.current'] == [0.2, 0.1, 0.3]
    with pytest.raises(InvalidValueError, match=r"argument 'current' is .*; allowed: three"):
        fluid({**value, 'current': text})


def test_nodes_find_meshes_in_the_package_of_a_description(tmp_path):
    """They get it as text; its package goes by ROS_PACKAGE_PATH, once."""
    (tmp_path / 'clone' / 'urdf').mkdir(parents=True)
    (tmp_path / 'clone' / 'package.xml').write_text('<package><name>arm</name></package>')
    file = tmp_path / 'clone' / 'urdf' / 'r.urdf'
    file.write_text('<robot name="r"><link name="a"/></robot>')
    for _ in range(2):
        launching.robot({'robot': '', 'trusted': 'false', 'description': str(file)})
    assert os.environ['ROS_PACKAGE_PATH'] == str(tmp_path / 'clone')
    assert find_package('arm') == str(tmp_path / 'clone')


MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
TRIANGLE = b'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n' \
    b'endloop\nendfacet\nendsolid a\n'


@pytest.mark.parametrize(('name', 'place'), [
    ('meshes/arm.stl', 'robot/urdf/meshes/arm.stl'), ('../meshes/arm.stl', 'robot/meshes/arm.stl'),
    ('./arm.stl', 'robot/urdf/arm.stl'), ('file://meshes/arm.stl', 'robot/urdf/meshes/arm.stl'),
    ('my meshes/50%25 ä.stl', 'robot/urdf/my meshes/50%25 ä.stl')])
@pytest.mark.parametrize('package', [False, True])
def test_meshes_beside_a_description_are_drawn_from_its_text(name, place, package, tmp_path):
    """Nodes get it as text, where a relative name means nothing; RViz wants a URL."""
    mesh = tmp_path / place
    mesh.parent.mkdir(parents=True, exist_ok=True)
    mesh.write_bytes(TRIANGLE)
    file = tmp_path / 'robot' / 'urdf' / 'r.urdf'
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'<robot name="r"><link name="a">{MESH.format(name)}</link></robot>')
    if package:
        (tmp_path / 'robot' / 'package.xml').write_text('<package><name>robot</name></package>')
    value = {'description': str(file), 'robot': '', 'trusted': 'false'}
    text = launching.description(value).evaluate(LaunchContext())
    url = etree.fromstring(text).find('.//mesh').get('filename')
    assert url.startswith('file:///') and url == mesh.as_uri()
    mechanism = load_text(text).mechanism
    ((shape,), remarks) = read_visuals(mechanism, find_package=packages_of(mechanism))
    assert (shape.kind, shape.file, remarks) == ('mesh', mesh, ())
    _, remarks = read_visuals(load_text(text.replace(
        mesh.as_uri(), f'{tmp_path.as_uri()}/robot/urdf/../../../etc/a.stl')).mechanism)
    assert 'is no file of a package' in remarks[0]


def test_meshes_that_are_elsewhere_or_nowhere_keep_their_names(tmp_path):
    names = ('package://p/a.stl', 'model://p/a.stl', '/a/b.stl', 'missing.stl', '',
             'https://a.b/c.stl', 'file:///a/b.stl', 'a' * 5000 + '.stl')
    file = tmp_path / 'r.urdf'
    file.write_text(f'<robot name="r"><link name="a">{"".join(map(MESH.format, names))}</link>'
                    '</robot>')
    assert with_absolute_meshes(read(file)) == file.read_text()
    assert with_absolute_meshes(load_text(file.read_text()).mechanism) == file.read_text()


def test_absolute_meshes_of_text_are_opened_in_the_folders_of_a_launch_only(tmp_path, monkeypatch):
    mesh = tmp_path / 'robot' / 'a.stl'
    mesh.parent.mkdir()
    mesh.write_bytes(TRIANGLE)
    text = f'<robot name="r"><link name="a">{MESH.format(mesh)}</link></robot>'
    mechanism = load_text(text).mechanism
    assert read_visuals(mechanism)[1]
    monkeypatch.setenv('MBD_ROS_MESH_FOLDERS', str(tmp_path / 'robots'))
    assert read_visuals(mechanism)[1]   # a name that begins alike is another folder
    monkeypatch.setenv('MBD_ROS_MESH_FOLDERS', f'{tmp_path / "other"}:{tmp_path / "robot"}')
    assert not read_visuals(mechanism)[1]
