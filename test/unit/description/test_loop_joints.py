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

"""Joints that close loops, in every dialect, there and back."""

from described import bare, joint, link, robot
from lxml import etree
import numpy as np
import pytest

from mbd_ros.description import read
from mbd_ros.description.records.mechanism import LoopJoint, Mechanism, Pose, SpringDamper
from mbd_ros.description.records.poses import matrix_of, pose_of
from mbd_ros.description.write.loops import loop_element, spring_element
from mbd_ros.description.write.loops_yaml import loops_yaml
from mbd_ros.errors import DescriptionError, InvalidValueError, UnsupportedError
from mbd_ros.model import load

DRAKE = ' xmlns:drake="http://drake.mit.edu"'
LINKS = (link('a'), link('b'), link('c'), joint('i', 'continuous', 'a', 'b', '<axis xyz="0 0 1"/>'
         '<origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/>'),
         joint('j', 'continuous', 'a', 'c', '<axis xyz="0 0 1"/><origin xyz="0 1 0"/>'))
DRIVEN = '<transmission name="t"><joint name="j"/></transmission>'
END1, END2 = pose_of((0.1, 0.2, 0.3), (0.4, -1.2, 0.7)), pose_of((0.0, 1.0, 0.0), (3.0, 0.5, -2.0))

# Angles there and back through sine and cosine: a few roundings of numbers of order 1.
TOLERANCE = 1e-14


def chain(*parts: str) -> Mechanism:
    """Read a chain with loop elements from line 7 on."""
    return read(robot(*LINKS, *parts, attributes=DRAKE + ' xmlns:mbd="urn:mbd_ros"'))


def only(*parts: str) -> LoopJoint:
    """Return the one loop joint of such a chain."""
    (loop,) = chain(*parts).loop_joints
    return loop


def error(*parts: str, kind: type[Exception] = DescriptionError) -> str:
    """Return the message with which such a chain is refused."""
    with pytest.raises(kind) as caught:
        chain(*parts)
    return str(caught.value)


def same(one: Pose, other: Pose) -> bool:
    """Return whether two poses agree."""
    return np.allclose(matrix_of(one), matrix_of(other), rtol=0.0, atol=TOLERANCE)


def test_loop_joint():
    loop = only('<loop_joint name="cut" type="universal"><link1 link="b" xyz="1 2 3" '
                'rpy="0 0 1.5707963267948966"/><link2 link="c"/></loop_joint>')
    assert loop == LoopJoint('cut', 'universal', 'b', 'c', Pose(
        ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), (1.0, 2.0, 3.0)),
        source=('<string>', 7))


def test_loop_joint_as_isaac_sim_documents_it():
    loop = only('<loop_joint name="cut" type="spherical"><link1 link="b" xyz="1 0 0" rpy="0 0 0"/>'
                '<link1 link="c" xyz="0 1 0" rpy="0 0 0"/></loop_joint>')
    assert (loop.link1, loop.link2, loop.frame2.translation) == ('b', 'c', (0.0, 1.0, 0.0))


def test_constraint_of_urdfdom():
    loop = only('<constraint name="c" type="revolute"><parent link="b"/><parent_origin '
                'xyz="1 0 0"/><parent_axis xyz="0 2 0"/><child link="c"/></constraint>')
    assert (loop.kind, loop.link1, loop.link2) == ('revolute', 'b', 'c')
    assert loop.frame1.translation == (1.0, 0.0, 0.0)
    assert np.array(loop.frame1.rotation)[:, 2].tolist() == [0.0, 1.0, 0.0]
    assert np.array(loop.frame2.rotation)[:, 2].tolist() == [0.0, 1.0, 0.0]


def test_axes_of_a_constraint_that_needs_none_are_remarked():
    found = chain('<constraint name="c" type="fixed"><parent link="b"/><parent_axis xyz="0 2 0"/>'
                  '<child link="c"/></constraint>').findings
    assert [finding.message for finding in found if 'constraint' in finding.message] == [
        "constraint 'c': <parent_axis> has no meaning for a fixed joint and is not used"]


@pytest.mark.parametrize(('axis', 'said'), [
    ('0 2 0', ["constraint 'c': <parent_axis> has the length 2; it is scaled to 1"]),
    ('0 1 0', [])])
def test_an_axis_that_is_scaled_is_remarked(axis, said):
    found = chain(f'<constraint name="c" type="revolute"><parent link="b"/><parent_axis '
                  f'xyz="{axis}"/><child link="c"/></constraint>').findings
    assert [finding.message for finding in found if 'axis' in finding.message] == said


@pytest.mark.parametrize(('part', 'words'), [
    ('<constraint name="c" type="fixed"><child link="c"/></constraint>', 'has no <parent>'),
    ('<loop_joint name="c" type="fixed"><link1 link="b" xyz="0 0 0" rpy="0 0"/><link2 link="c"/>'
     '</loop_joint>', 'rpy="0 0" of <link1> has 2 words; allowed: 3 finite numbers')])
def test_what_is_missing_in_a_loop(part, words):
    assert words in error(part)


def test_an_empty_joint_of_gazebo_closes_no_loop():
    assert not chain('<gazebo><joint name="x"/></gazebo>').loop_joints


def test_a_universal_constraint_has_two_axes():
    loop = only('<constraint name="c" type="universal"><parent link="b"/><parent_axis '
                'xyz="0 0 1"/><child link="c"/><child_axis xyz="0.6 0.8 0"/></constraint>')
    np.testing.assert_allclose(np.array(loop.frame1.rotation)[:, 0], [0, 0, 1], atol=TOLERANCE)
    np.testing.assert_allclose(np.array(loop.frame2.rotation)[:, 1], [.6, .8, 0], atol=TOLERANCE)
    for frame in (loop.frame1, loop.frame2):
        assert abs(np.linalg.det(frame.rotation) - 1.0) < TOLERANCE


@pytest.mark.parametrize('prefix', [DRAKE, ''])
def test_drake(prefix):
    def tag(name, attributes=''):
        return f'<drake:{name} {attributes}/>'

    ends = ''.join((tag('X_body_A', 'name="b"'), tag('X_body_B', 'name="c"'),
                    tag('X_p_AP', 'value="1 2 3"'), tag('X_p_BQ', 'value="4 5 6"')))
    parts = [f'<drake:{name}>{(ends + more).replace("X", name)}</drake:{name}>' for name, more in (
        ('ball_constraint', ''),
        ('distance_constraint', tag('X_distance', 'value="0.7"')),
        ('linear_spring_damper', tag('X_free_length', 'value="7"') + tag(
            'X_stiffness', 'value="8"') + tag('X_damping', 'value="9"')))]
    mechanism = read(robot(*LINKS, *parts, attributes=prefix))
    ball, rod = mechanism.loop_joints
    assert (ball.name, ball.kind, ball.link1, ball.link2) == (
        'ball_constraint_1', 'spherical', 'b', 'c')
    assert (ball.frame1.translation, ball.frame2.translation) == ((1, 2, 3), (4, 5, 6))
    assert (rod.name, rod.kind, rod.distance) == ('distance_constraint_1', 'distance', 0.7)
    assert mechanism.springs == (SpringDamper(
        'linear_spring_damper_1', 'b', 'c', (1, 2, 3), (4, 5, 6), 8.0, 9.0, 7.0,
        mechanism.springs[0].source),)
    assert [f for f in mechanism.findings if f.severity == 'warning'] == []


def test_a_joint_for_gazebo():
    loop = only('<gazebo><joint name="g" type="revolute"><parent>b</parent><child>c</child>'
                '<pose>0 0 1 0 0 0</pose><axis><xyz expressed_in="__model__">1 0 0</xyz></axis>'
                '</joint></gazebo>')
    # At q = 0, c stands at (0, 1, 0), b at (0.5, 0, 0) and turned by 90 degrees about z.
    np.testing.assert_allclose(loop.frame1.translation, [1.0, 0.5, 1.0], atol=TOLERANCE)
    assert loop.frame2.translation == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(np.array(loop.frame1.rotation)[:, 2], [0, -1, 0], atol=TOLERANCE)
    np.testing.assert_allclose(np.array(loop.frame2.rotation)[:, 2], [1, 0, 0], atol=TOLERANCE)


def test_a_joint_named_by_a_gazebo_plugin_is_no_loop():
    plugin = '<gazebo><plugin><joint>j</joint></plugin></gazebo>'
    assert [f.severity for f in read(robot(bare('a'), plugin)).findings] == ['info']


def test_a_second_joint_onto_a_link():
    loop = only(joint('k', 'revolute', 'b', 'c', '<origin xyz="1 0 0"/><axis xyz="0 1 0"/>'
                      '<limit lower="-1" upper="1"/>'))
    assert (loop.name, loop.kind, loop.link1, loop.link2) == ('k', 'revolute', 'b', 'c')
    assert loop.frame1.translation == (1.0, 0.0, 0.0)
    for frame in (loop.frame1, loop.frame2):
        assert np.array(frame.rotation)[:, 2].tolist() == [0.0, 1.0, 0.0]
    findings = chain(joint(
        'k', 'revolute', 'b', 'c', '<dynamics damping="2"/><axis xyz="0 1 0"/><limit lower="-1" '
        'upper="1" effort="0" velocity="1"/>'), DRIVEN).findings
    assert [finding.message for finding in findings if "'k'" in finding.message][-2:] == [
        "joint 'k' closes a loop: its damping and friction are not used",
        "joint 'k' closes a loop: it has no coordinate, and its limits are not used"]


def test_a_ring_without_a_root_is_cut_at_its_first_link():
    mechanism = read(robot(bare('tail'), *(bare(name) for name in 'abc'), *(
        joint(f'{one}{other}', 'continuous', one, other) for one, other in ('ab', 'bc', 'ca')),
        joint('out', 'fixed', 'c', 'tail', '')))
    assert mechanism.root == 'a'
    assert [item.name for item in mechanism.joints] == ['ab', 'bc', 'out']
    assert [item.name for item in mechanism.loop_joints] == ['ca']


def test_a_floating_joint_closes_no_loop():
    assert error(joint('k', 'floating', 'b', 'c', ''), kind=UnsupportedError) == (
        "<string>:7: joint 'k', which closes a loop, as a floating joint is not supported in this "
        'version; remove it: it leaves all motions free')


@pytest.mark.parametrize(('part', 'message'), [
    ('<loop_joint name="x" type="screw"><link1 link="b"/><link2 link="c"/></loop_joint>',
     "<string>:7: loop joint 'x' has the unknown type 'screw'; allowed: revolute, continuous, "
     'hinge, spherical, ball, universal, prismatic, fixed, planar, distance'),
    ('<loop_joint name="x" type="ball"><link1 link="b"/></loop_joint>',
     "<string>:7: loop joint 'x' has 1 of <link1> and <link2>; allowed: one each, or two times "
     '<link1>, as Isaac Sim documents it'),
    ('<loop_joint name="x" type="ball"><link1 link="b"/><link2 link="d"/></loop_joint>',
     "<string>:7: loop joint 'x': link 'd' does not exist"),
    ('<loop_joint name="x" type="ball"><link1 link="b"/><link2 link="b"/></loop_joint>',
     "<string>:7: loop joint 'x' connects link 'b' with itself; allowed: two links"),
    ('<loop_joint name="i" type="ball"><link1 link="b"/><link2 link="c"/></loop_joint>',
     "<string>:7: loop joint 'i' has the name of another joint or spring, in line 5; names must "
     'differ'),
    ('<loop_joint name="x" type="distance"><link1 link="b"/><link2 link="c"/></loop_joint>',
     "<string>:7: loop joint 'x' of type 'distance' has no attribute 'distance' [m]"),
    ('<loop_joint name="x" type="distance" distance="0"><link1 link="b"/><link2 link="c"/>'
     '</loop_joint>', "<string>:7: loop joint 'x': the distance is 0 m; allowed: more than 0, or "
     'a spherical joint'),
    ('<constraint name="x" type="universal"><parent link="b"/><child link="c"/></constraint>',
     "<string>:7: constraint 'x' of type 'universal' has not both <parent_axis> and "
     '<child_axis>'),
    ('<constraint name="x" type="prismatic"><parent link="b"/><child link="c"/><parent_axis '
     'xyz="1 0 0"/><child_axis xyz="0 1 0"/></constraint>',
     "<string>:7: constraint 'x' of type 'prismatic' has two different axes, which leaves open "
     'how its frames are turned; allowed: the same axis, each in the frame of its origin'),
    ('<mbd:spring_damper name="x" stiffness="-1"><link1 link="b"/><link2 link="c"/>'
     '</mbd:spring_damper>', "<string>:7: spring 'x': stiffness=-1 is negative"),
    ('<gazebo><joint name="x" type="revolute"><parent>b</parent></joint></gazebo>',
     "<string>:7: joint 'x' in <gazebo> has no <child>"),
    ('<gazebo><joint name="x" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 0'
     '</xyz></axis></joint></gazebo>',
     "<string>:7: joint 'x' in <gazebo>: the <axis> is zero; allowed: a unit vector"),
    ('<gazebo><joint name="x" type="ball"><parent>b</parent><child>cc</child></joint></gazebo>',
     "<string>:7: joint 'x' in <gazebo>: link 'cc' does not exist; did you mean 'c'?"),
    ('<gazebo><joint name="x" type="ball"><parent>b</parent><child>c</child><pose>1 2</pose>'
     '</joint></gazebo>', "<string>:7: joint 'x' in <gazebo>: <pose>1 2</pose> has 2 words; "
     'allowed: 6 finite numbers'),
])
def test_what_is_wrong(part, message):
    assert error(part) == message


@pytest.mark.parametrize('tag', ['tendon_constraint', 'linear_bushing_rpy', 'weld_constraint'])
def test_other_tags_of_drake(tag):
    assert error(f'<drake:{tag}/>', kind=UnsupportedError) == (
        f'<string>:7: <drake:{tag}> is not supported in this version; allowed of Drake: '
        'ball_constraint, distance_constraint, linear_spring_damper; remove it to load the robot '
        'without it')


KINDS = ('revolute', 'spherical', 'universal', 'prismatic', 'fixed', 'planar', 'distance')
WORDS = {'loop_joint': KINDS, 'constraint': KINDS[:-1], 'drake': ('spherical', 'distance'),
         'joint': ('revolute', 'spherical', 'prismatic', 'fixed', 'planar')}


@pytest.mark.parametrize(('dialect', 'kind'), [
    (dialect, kind) for dialect, kinds in WORDS.items() for kind in kinds])
def test_there_and_back(dialect, kind):
    distance = 0.7 if kind == 'distance' else None
    end1, end2 = END1, END2
    if dialect == 'drake':
        end1, end2 = Pose(translation=END1.translation), Pose(translation=END2.translation)
    if dialect == 'joint':
        end2 = Pose(END2.rotation)
    loop = LoopJoint('cut', kind, 'b', 'c', end1, end2, distance)
    back = only(etree.tostring(loop_element(loop, dialect), encoding='unicode'), DRIVEN)
    assert (back.name, back.kind, back.link1, back.link2, back.distance) == (
        'cut', kind, 'b', 'c', distance)
    if dialect == 'joint' or dialect == 'constraint' and kind == 'universal':
        _assert_same_constraint(back, loop)
    else:
        assert same(back.frame1, end1)
        assert same(back.frame2, end2)


def _assert_same_constraint(one: LoopJoint, other: LoopJoint) -> None:
    """Compare what a joint of that kind says; frames may be turned about its axes."""
    ends = [[matrix_of(frame) for frame in (loop.frame1, loop.frame2)] for loop in (one, other)]
    axes = {'revolute': (2, 2), 'prismatic': (2, 2), 'planar': (2, 2), 'universal': (0, 1)}
    for k in range(2):
        np.testing.assert_allclose(ends[0][k][:3, 3], ends[1][k][:3, 3], atol=TOLERANCE)
        if one.kind in axes:
            axis = axes[one.kind][k]
            np.testing.assert_allclose(ends[0][k][:, axis], ends[1][k][:, axis], atol=TOLERANCE)
    if one.kind in ('prismatic', 'fixed'):
        relative = [pair[0][:3, :3] @ pair[1][:3, :3].T for pair in ends]
        np.testing.assert_allclose(*relative, atol=TOLERANCE)


def test_there_and_back_by_gazebo():
    """Frames in the parent follow from the pose at q = 0, so they are read first."""
    for kind in ('revolute', 'ball', 'universal', 'prismatic', 'fixed'):
        axes = '' if kind in ('ball', 'fixed') else '<axis><xyz>0.6 0 0.8</xyz></axis>'
        axes += '<axis2><xyz>0 1 0</xyz></axis2>' if kind == 'universal' else ''
        there = chain(f'<gazebo><joint name="g" type="{kind}"><parent>b</parent><child>c</child>'
                      f'<pose>1 2 3 0.4 0.5 0.6</pose>{axes}</joint></gazebo>')
        (loop,) = there.loop_joints
        back = only(etree.tostring(loop_element(loop, 'gazebo', there), encoding='unicode'))
        assert back.kind == loop.kind
        _assert_same_constraint(back, loop)


@pytest.mark.parametrize('dialect', ['mbd', 'drake'])
def test_a_spring_there_and_back(dialect):
    spring = SpringDamper('s', 'b', 'c', (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), 8.0, 0.9, 0.4)
    text = etree.tostring(spring_element(spring, dialect), encoding='unicode')
    assert text.startswith('<drake:' if dialect == 'drake' else '<mbd:')
    (back,) = chain(text).springs
    assert back == SpringDamper('s', 'b', 'c', (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), 8.0, 0.9, 0.4,
                                back.source)


def test_a_dialect_without_words():
    with pytest.raises(UnsupportedError, match="writing the planar loop joint 'p' as SDFormat"):
        loop_element(LoopJoint('p', 'planar', 'b', 'c'), 'gazebo', chain())
    with pytest.raises(UnsupportedError, match='while its frames differ with all joints at zero'):
        loop_element(LoopJoint('p', 'fixed', 'b', 'c'), 'gazebo', chain())
    with pytest.raises(InvalidValueError, match='mechanism is None; allowed: the robot, for '):
        loop_element(LoopJoint('p', 'fixed', 'b', 'c'), 'gazebo')
    with pytest.raises(InvalidValueError, match="dialect is 'yml'; allowed: 'loop_joint', "):
        loop_element(LoopJoint('p', 'planar', 'a', 'b'), 'yml')


def test_the_side_file(tmp_path):
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text(robot(*LINKS))
    loops = tuple(LoopJoint(kind, kind, 'b', 'c', END1, END2, 0.7 if kind == 'distance' else None)
                  for kind in KINDS)
    springs = (SpringDamper('s', 'b', 'c', (1.0, 2.0, 3.0), (0.1, 0.2, 0.3), 8.0, 0.9, 0.4),)
    beside = tmp_path / 'arm.loops.yaml'
    beside.write_text(loops_yaml(Mechanism('arm', 'a', (), (), loop_joints=loops,
                                           springs=springs)))
    back = read(path)
    again = read(back.text)  # what is passed on as robot_description closes the loops, too
    for mechanism in (back, again):
        assert [loop.kind for loop in mechanism.loop_joints] == list(KINDS)
        for loop, other in zip(mechanism.loop_joints, loops):
            assert same(loop.frame1, other.frame1)
            assert same(loop.frame2, other.frame2)
            assert loop.distance == other.distance
        assert mechanism.springs[0].length == 0.4
    assert back.loop_joints[0].source.file == str(beside)
    assert str(back.findings[0]) == (f'{beside}: info: 7 loop joints and 1 springs are read from '
                                     'this file beside the description')


@pytest.mark.parametrize(('text', 'message'), [
    ('[]', '1: the file is a list; allowed: a mapping with version, loop_joints, springs'),
    ('version: 2', "1: version of the file is '2'; allowed: 1"),
    ('loop_joints: []', "1: the file has no 'version', which must be given"),
    ('version: 1\nloop_joint: []', "2: the file has the unknown key 'loop_joint'; allowed: "
     "version, loop_joints, springs; did you mean 'loop_joints'?"),
    ('version: 1\nloop_joints:\n- name: x',
     "3: loop joint 'x' has no 'type', which must be given"),
    ('version: 1\nloop_joints:\n- name: ""', '3: name of entry 1 of loop_joints of the file is '
     'empty; allowed: a text'),
    ('version: 1\nsprings: 7', '2: springs of the file is a scalar; allowed: a list'),
    ('version: 1\nloop_joints:\n- {name: x, type: screw, link1: {link: a}, link2: {link: b}}',
     "3: type of loop joint 'x' is 'screw'; allowed: revolute, continuous, hinge, spherical, ball,"
     ' universal, prismatic, fixed, planar, distance'),
    ('version: 1\nloop_joints:\n- {name: x, type: ball, link1: {link: b, xyz: [1, .nan, 0]}, '
     'link2: {link: c}}', "3: entry 2 of xyz of link1 of loop joint 'x' is '.nan'; allowed: a "
     'finite number'),
    ('version: 1\nloop_joints:\n- {name: x, type: ball, distance: 1, link1: {link: b}, '
     'link2: {link: c}}', "3: distance of loop joint 'x' has no meaning for a spherical joint"),
    ('version: 1\nloop_joints:\n- {name: x, type: distance, distance: 0, link1: {link: b}, '
     'link2: {link: c}}', "3: distance of loop joint 'x' is 0 m; allowed: more than 0, or a "
     'spherical joint'),
    ('version: 1\nsprings:\n- {name: s, link1: {link: b}, link2: {link: c}, damping: -1}',
     "3: damping of spring 's' is -1; allowed: 0 or more"),
    ('a: &x [1]\nb: *x', "2: the alias '*x' is not allowed; write the value out"),
    ('[' * 60, '1: this is nested deeper than 16 levels'),
    ('version: 1\n? [a]\n: b', '2: a list is no key; allowed: names'),
    ('version: 1\n  x: 2', '2: this is not well-formed YAML: mapping values are not allowed in '
     'this context'),
])
def test_side_files_that_are_refused(tmp_path, text, message):
    (tmp_path / 'arm.urdf').write_text(robot(*LINKS))
    beside = tmp_path / 'arm.loops.yaml'
    beside.write_text(text)
    with pytest.raises(DescriptionError) as caught:
        read(tmp_path / 'arm.urdf')
    assert str(caught.value) == f'{beside}:{message}'


def test_models_hold_loops_and_springs():
    loop = ('<loop_joint name="cut" type="ball"><link1 link="b"/><link2 link="c"/></loop_joint>')
    spring = ('<mbd:spring_damper name="s"><link1 link="b"/><link2 link="c"/>'
              '</mbd:spring_damper>')
    model = load(robot(*LINKS, loop, spring, attributes=' xmlns:mbd="urn:mbd_ros"'))
    assert [item.name for item in model.loops] == ['cut']
    assert [item.name for item in model.springs] == ['s']


def test_joints_that_mimic_nothing():
    def messages(leader):
        inside = f'<axis xyz="0 0 1"/><mimic joint="{leader}"/>'
        follow = joint('j', 'continuous', 'a', 'b', inside)
        return [finding.message for finding in read(robot(link('a'), link('b'), follow)).findings]

    assert messages('k')[1:] == ["joint 'j' mimics 'k', which does not exist"]
    assert messages('j')[1:] == ["joint 'j' mimics itself"]


def axis_of(kind: str, axis: str) -> str:
    """Return a robot whose loop joint has an axis."""
    ends = '<link1 link="a"/><link2 link="b"/>'
    return (f'<robot name="r">{"".join(LINKS)}<loop_joint name="cut" type="{kind}">{axis}{ends}'
            '</loop_joint></robot>')


@pytest.mark.parametrize('kind', ['revolute', 'prismatic', 'planar'])
def test_the_axis_of_a_loop_joint_has_any_length(kind):
    found = read(axis_of(kind, '<axis xyz="3 0 4"/>'))
    for frame in (found.loop_joints[0].frame1, found.loop_joints[0].frame2):
        np.testing.assert_allclose(np.array(frame.rotation)[:, 2], [0.6, 0.0, 0.8], atol=1e-15)
    assert any('has the length 5' in finding.message for finding in found.findings)


def test_an_axis_that_has_no_meaning_is_remarked_or_refused():
    found = read(axis_of('spherical', '<axis xyz="0 1 0"/>'))
    assert any("loop joint 'cut': <axis> has no meaning for a spherical joint" in finding.message
               for finding in found.findings)
    with pytest.raises(DescriptionError, match='has an <axis>, and two axes'):
        read(axis_of('universal', '<axis xyz="0 1 0"/>'))
    with pytest.raises(DescriptionError, match='<axis> is zero'):
        read(axis_of('revolute', '<axis xyz="0 0 0"/>'))
