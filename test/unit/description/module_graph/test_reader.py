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

"""Documents of modules: what is read, and every mistake refused with its line and names."""

from pathlib import Path
import time

from modules import ARM, CUBE, docked, document
import pytest

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.modules import (
    read_module_graph, read_module_graph_file, write_module_graph)
from mbd_ros.description.urdf.visuals import read_visuals
from mbd_ros.description.xml.packages import find_package
from mbd_ros.errors import DescriptionError

ROOT = Path(__file__).resolve().parents[4]
TWO = document('a: cube, b: cube', docked('a.front', 'b.start'))


def refusal(text):
    with pytest.raises(DescriptionError) as caught:
        read_module_graph(text, 'robot.yaml')
    return str(caught.value)


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('module_graph: 1', 'module_graph: 2', '1: module_graph of the description is '
     "'2', the version of the form; allowed: 1"),
    ('module_graph: 1\n', '', "1: the description has no 'module_graph', which must be given"),
    ('name: robot', 'name: my robot', "2: name of the description is 'my robot'; allowed: "
     'letters, digits, _ and -, not a digit or - first, at most 100'),
    ('name: robot', 'nam: robot', "2: the description has the unknown key 'nam'; allowed: "
     "module_graph, name, types, instances, connections, base; did you mean 'name'?"),
    ('mass: 2', 'mas: 2', "6: body 'hull' has the unknown key 'mas'; allowed: mass, center, "
     'inertia, visuals, fluid, contact, flexible, thrusters, '
     "gravity_compensation; did you mean 'mass'?"),
    ('mass: 2', 'mass: heavy', "6: mass of body 'hull' is 'heavy'; allowed: a finite number"),
    ('mass: 2', 'mass: .inf', "6: mass of body 'hull' is '.inf'; allowed: a finite number"),
    ('mass: 2', 'mass: 90 deg', "6: mass of body 'hull' is '90 deg'; allowed: a finite number"),
    ('mass: 2', 'mass: -2', "6: link 'cube/hull' has the mass -2 kg; allowed: 0 or more"),
    ('center: [0.1, 0, 0]', 'center: [0.1, 0]', "6: center of body 'hull' has 2 entries; allowed: "
     '3 numbers'),
    ('center: [0.1, 0, 0]', 'center: 0.1', "6: center of body 'hull' is a scalar; allowed: a "
     'list'),
    ('[0.02, 0.03, 0.04]', '[1, 2, 3, 4]', "6: inertia of body 'hull' has 4 entries; allowed: "
     'ixx, iyy, izz, or ixx, ixy, ixz, iyy, iyz, izz'),
    ('continuous, axis', 'contineous, axis', "9: type of joint of port 'swing' is 'contineous'; "
     'allowed: revolute, continuous, prismatic, planar, spherical, fixed; did you mean '
     "'continuous'?"),
    ('type: continuous}', 'type: revolute}', "8: joint of port 'start' of type revolute has no "
     "'limits'; allowed: limits, or the type 'continuous' for joints that turn without end"),
    ('[0.6, 0, 0.8]', '[0, 0, 0]', "9: axis of joint of port 'swing' has the length 0; allowed: a "
     'vector that is not zero'),
    ('angles: [0, 90 deg]', 'angles: []', "12: angles of port 'left' is empty; allowed: one angle "
     'or more, or no angles for any'),
    ('front: {position', 'front: {body: hul, position', "11: body of port 'front' is 'hul', "
     "which does not exist; allowed: hull; did you mean 'hull'?"),
    ('b: cube', 'b: cub', "15: instance 'b' is of the type 'cub', which does not exist; allowed: "
     "cube; did you mean 'cube'?"),
    ('b: cube', 'a: cube', "15: 'a' is given twice, first in line 15"),
    ('b: cube', '2b: cube', "15: the name of instance '2b' of instances of the description is not "
     'allowed; allowed: letters, digits, _ and -, not a digit or - first, at most 100'),
    ('a.front', 'front', "17: parent of entry 1 of connections of the description is 'front'; "
     'allowed: MODULE.PORT'),
    ('angle: 0', 'angle: right', '17: angle of entry 1 of connections of the description is '
     "'right'; allowed: a finite number, in rad, or in degrees as in 90 deg"),
    ('angle: 0', 'angle: 0, closes_loop: maybe', '17: closes_loop of entry 1 of connections of '
     "the description is 'maybe'; allowed: true, false"),
    ('motion: fixed', 'motion: fixd', "18: motion of base of the description is 'fixd'; allowed: "
     "fixed, floating; did you mean 'fixed'?"),
    ('[0, 0, 180 deg]', '[0, 0, 0, 2]', "8: orientation of port 'start' has the length 2; "
     'allowed: a unit quaternion x y z w'),
    ('name: robot', 'name: *robot', "2: the alias '*robot' is not allowed; write the value out"),
    ('name: robot', 'name: !!python/name:os.system x', '2: the tag '
     "'tag:yaml.org,2002:python/name:os.system' is not allowed"),
    ('name: robot', 'name: [robot', '3: this is not well-formed YAML: did not find expected '
     "',' or ']'"),
    ('name: robot', '---\nname: robot', '2: a second document begins; allowed: one'),
    ('name: robot', 'name: ' + '[' * 40 + ']' * 40, '2: this is nested deeper than 16 levels'),
    ('name: robot', '? [a]\n: b', '2: a list is no key; allowed: names'),
])
def test_mistakes_in_the_form(old, new, message):
    text = TWO.replace(old, new, 1)
    assert text != TWO
    assert refusal(text) == f'robot.yaml:{message}'


@pytest.mark.parametrize(('connections', 'message'), [
    ([docked('a.front', 'b.start'), docked('a.top', 'b.swing')],
     "18: a.top to b.swing: module 'b' has two parents, the first by the connection a.front to "
     "b.start; a ring that is meant is closed by a connection with 'closes_loop: true'"),
    ([docked('b.front', 'c.start'), docked('c.front', 'b.start')],
     "18: c.front to b.start: the modules 'b', 'c' carry each other in a cycle; a ring that is "
     "meant is closed by a connection with 'closes_loop: true'"),
    ([docked('a.front', 'b.start'), docked('b.front', 'a.start')],
     "18: b.front to a.start: module 'a' is the base, which no module carries; a ring that is "
     "meant is closed by a connection with 'closes_loop: true'"),
    ([docked('a.front', 'b.start'), docked('c.front', 'c.start')],
     '18: c.front to c.start: a module cannot be docked to itself'),
    ([docked('a.front', 'b.start'), docked('a.front', 'c.start')],
     "18: a.front to c.start: port 'front' of module 'a' is occupied by the connection a.front "
     'to b.start'),
    ([docked('a.front', 'b.start')],
     "15: module 'c' is docked to nothing that the base 'a' carries"),
    ([docked('a.front', 'b.start'), docked('a.left', 'c.start', '45 deg')],
     "18: a.left to c.start: the angle is 0.785398163 rad; allowed by port 'left': 0, "
     '1.57079633'),
    ([docked('a.start', 'b.start')],
     '17: a.start to b.start: both ports have a joint; allowed: one at most'),
    ([docked('a.frnt', 'b.start')],
     "17: there is no port of module 'a' named 'frnt'; known: start, swing, rigid, front, left, "
     "right, top; did you mean 'front'?"),
    ([docked('a.front', 'B.start')],
     "17: there is no module named 'B'; known: a, b, c"),
])
def test_dockings_that_break_a_rule(connections, message):
    text = document('a: cube, b: cube, c: cube', *connections)
    assert refusal(text) == f'robot.yaml:{message}'


@pytest.mark.parametrize(('inner', 'outer', 'message'), [
    ('gender: male', 'gender: male', 'the ports are male and male; allowed with male: female, '
     'any'),
    ('gender: male', 'gender: female', None),
    ('gender: any', 'gender: female', None),
    ('connector: big', 'connector: small', "the ports are of the makes 'big' and 'small'; "
     'allowed: of the same make'),
    ('connector: big', 'connector: big', None),
])
def test_ports_that_fit_and_that_do_not(inner, outer, message):
    types = CUBE.replace('front: {', f'front: {{{inner}, ')
    types = types.replace('rigid: {', f'rigid: {{{outer}, ')
    text = document('a: cube, b: cube', docked('a.front', 'b.rigid'), types=types)
    if message is None:
        assert read_module_graph(text, 'robot.yaml').connections
    else:
        assert refusal(text) == f'robot.yaml:17: a.front to b.rigid: {message}'


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('parent: lower, child: upper', 'parent: lower, child: lower',
     "joint 'elbow' of type 'arm' closes a ring of its bodies; allowed: a tree"),
    ('    ports:\n      foot', '      tip: {}\n    ports:\n      foot',
     'tip of joints'),
    ('      upper: {mass', '      third: {}\n      upper: {mass',
     "body 'third' of type 'arm' is connected to no other by a joint; allowed: one tree of all "
     'bodies'),
    ('foot: {body', 'elbow: {body', "port 'elbow' of type 'arm' has the name of a joint"),
    *(('type: continuous, axis: [1, 0, 0]', f'type: {kind}, {key}: {value}',
       f"{key} of joint of port 'hand' has no meaning for a {kind} joint")
      for kind, key, value in (('fixed', 'axis', '[1, 0, 0]'), ('fixed', 'dynamics', '{}'),
                               ('fixed', 'limits', '{}'), ('spherical', 'axis', '[1, 0, 0]'))),
])
def test_modules_that_are_no_tree(old, new, message):
    text = document('a: arm', types=ARM)
    assert old in text
    if 'tip' in new:
        message = "joint 'tip' has no 'parent', which must be given"
    assert message in refusal(text.replace(old, new))


def test_load_reads_module_graphs_and_names_their_file(tmp_path):
    file = tmp_path / 'robot.yaml'
    file.write_text(TWO)
    model = mbd_ros.load(file)
    assert (model.name, model.joint_names) == ('robot', ('b/start',))
    file.write_text(TWO.replace('b: cube', 'b: tube'))
    with pytest.raises(DescriptionError, match=rf"^{file}:15: instance 'b' is of the type 'tube'"):
        mbd_ros.load(file)
    file.write_bytes(b'module_graph: 1\nname: \xff')
    with pytest.raises(DescriptionError, match=r'robot.yaml:2: this is not UTF-8 text'):
        mbd_ros.load(file)
    with pytest.raises(DescriptionError, match=r"no such file; did you mean 'robot.yaml'\?"):
        mbd_ros.load(tmp_path / 'robt.yaml')


PART = """\
  leg:
    part: FILE
    ports:
      top: {body: base_link}
"""


def test_a_part_is_a_module(tmp_path):
    (tmp_path / 'parts').mkdir()
    part = tmp_path / 'parts' / 'arm.urdf'
    part.write_text((ROOT / 'urdf' / 'three_link_arm.urdf').read_text())
    file = tmp_path / 'robot.yaml'
    file.write_text(document('a: cube, b: leg', docked('a.front', 'b.top'),
                             types=CUBE + PART.replace('FILE', 'parts/arm.urdf')))
    model, alone = mbd_ros.load(file), mbd_ros.load(part)
    assert model.joint_names == tuple(f'b/{name}' for name in alone.joint_names)
    assert model.masses == pytest.approx(alone.masses)
    assert '<visual>' in model.mechanism.text
    graph = read_module_graph_file(file)
    again = read_module_graph(write_module_graph(graph), 'again', folder=str(tmp_path))
    assert again.types['leg'].part == 'parts/arm.urdf'


@pytest.mark.parametrize('gender', ['any', 'male', 'female'])
@pytest.mark.parametrize('connector', ['', 'big'])
def test_ports_are_written_as_they_are_read(gender, connector):
    words = f'position: [0.2, 0, 0], gender: {gender}' + (
        f', connector: {connector}' if connector else '')
    text = document('a: cube').replace('front: {position: [0.2, 0, 0]}', f'front: {{{words}}}')
    graph = read_module_graph(text, 'once')
    again = read_module_graph(write_module_graph(graph), 'again')
    for read_graph in (graph, again):
        port = read_graph.types['cube'].ports['front']
        assert (port.gender, port.connector) == (gender, connector)


def test_meshes_of_a_part_keep_their_package_names(tmp_path, monkeypatch):
    """The robot goes to other nodes as text, in which no path of a file is opened."""
    share = tmp_path / 'ros' / 'some_meshes'
    share.mkdir(parents=True)
    (share / 'package.xml').write_text('<package><name>some_meshes</name></package>')
    (share / 'a.stl').write_bytes(b'')
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'ros'))
    (tmp_path / 'arm.urdf').write_text(
        '<robot name="a"><link name="base_link"><visual><geometry>'
        '<mesh filename="package://some_meshes/a.stl"/></geometry></visual></link></robot>')
    file = tmp_path / 'robot.yaml'
    file.write_text(document('a: cube, b: leg', docked('a.front', 'b.top'),
                             types=CUBE + PART.replace('FILE', 'arm.urdf')))
    text = mbd_ros.load(file).mechanism.text
    assert 'filename="package://some_meshes/a.stl"' in text
    shapes, remarks = read_visuals(read(text), find_package=find_package)
    assert [shape.file for shape in shapes if shape.kind == 'mesh'] == [share / 'a.stl']
    assert not remarks


def test_the_number_of_modules_is_bounded():
    text = document('a: cube, b: cube', docked('a.front', 'b.rigid'))
    assert len(read_module_graph(text, 'x', most=2).instances) == 2
    with pytest.raises(DescriptionError, match=r'^x:\d+: instances .* has 2 entries; allowed: 1$'):
        read_module_graph(text, 'x', most=1)
    with pytest.raises(DescriptionError, match='characters; allowed: 4000 for 2 modules'):
        read_module_graph(text + '#' * 4000, 'x', most=2)


def test_a_long_cycle_is_refused_soon():
    """To look for a module in a list of all would take minutes."""
    count = 20_000
    text = document(', '.join(f'm{k}: cube' for k in range(count)), *(
        docked(f'm{k}.front', f'm{k % (count - 1) + 1}.rigid') for k in range(1, count)),
        base='m0')
    begin = time.thread_time()
    with pytest.raises(DescriptionError, match='carry each other in a cycle'):
        read_module_graph(text, 'x')
    assert time.thread_time() - begin < 60.0   # some 10 s


def test_a_xacro_part_is_expanded(tmp_path):
    file = tmp_path / 'robot.yaml'
    (tmp_path / 'pendulum.urdf.xacro').write_text(
        (ROOT / 'urdf' / 'pendulum.urdf.xacro').read_text())
    file.write_text(document('b: leg', base='b',
                             types=PART.replace('FILE', 'pendulum.urdf.xacro')
                             .replace('{body: base_link}', '{}')))
    alone = mbd_ros.load(ROOT / 'urdf' / 'pendulum.urdf.xacro')
    assert mbd_ros.load(file).masses == pytest.approx(alone.masses)


@pytest.mark.parametrize(('part', 'message'), [
    ('../arm.urdf', r"is '../arm.urdf'; allowed: files in the folder of the module graph and"),
    ('/etc/passwd', r'allowed: a file that ends with .urdf, .xacro'),
    ('/tmp/arm.urdf', r"is '/tmp/arm.urdf'; allowed: files in the folder"),
    ('link.urdf', r"is 'link.urdf'; allowed: files in the folder of the module graph and"),
    ('gone.urdf', r"is 'gone.urdf', which is no file"),
    ('package://no_such_package/arm.urdf', r'no_such_package'),
    ('package://mbd_ros/../../arm.urdf', r'mbd_ros'),
])
def test_parts_outside_the_allowed_folders_are_refused(tmp_path, part, message):
    inner = tmp_path / 'inner'
    inner.mkdir()
    (tmp_path / 'arm.urdf').write_text('<robot name="r"/>')
    (inner / 'link.urdf').symlink_to(tmp_path / 'arm.urdf')
    file = inner / 'robot.yaml'
    file.write_text(document('b: leg', base='b', types=PART.replace('FILE', part)))
    with pytest.raises(DescriptionError, match=message):
        mbd_ros.load(file)


def test_text_that_came_from_no_file_opens_none():
    text = document('b: leg', base='b', types=PART.replace('FILE', 'arm.urdf'))
    assert 'but this module graph came from no file' in refusal(text)


def test_a_graph_that_is_written_reads_back():
    text = document('a: cube, b: arm, c: cube', docked('a.left', 'b.foot', '90 deg'),
                    docked('b.hand', 'c.rigid'),
                    'parent: a.top, child: c.top, closes_loop: true', types=CUBE + ARM,
                    motion='floating')
    graph = read_module_graph(text, 'robot.yaml')
    again = read_module_graph(write_module_graph(graph), 'again')

    def facts(one):
        return ([(str(c), c.angle, c.closes_loop) for c in one.connections],
                {name: instance.type for name, instance in one.instances.items()},
                one.base.motion, one.name)

    assert facts(again) == facts(graph)
    assert write_module_graph(again) == write_module_graph(graph)
    for name, one in graph.types.items():
        for joint in one.joints.values():
            other = again.types[name].joints[joint.name]
            assert (other.limits.upper, other.dynamics) == (joint.limits.upper, joint.dynamics)
        for body in one.bodies.values():
            assert again.types[name].bodies[body.name].inertia.tensor == body.inertia.tensor
