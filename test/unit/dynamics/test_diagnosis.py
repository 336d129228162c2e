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

"""The doctor puts together what reader, model and suspicion say."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.dynamics.loops.diagnosis import check


def test_a_good_robot():
    diagnosis = check(robot(bare('base'), link('arm', moments=(0.01,) * 3),
                            joint('j', 'continuous', 'base', 'arm')))
    assert diagnosis.findings == ()
    assert diagnosis.worst is None
    assert diagnosis.model.joint_names == ('j',)


def test_findings_come_by_line():
    diagnosis = check(robot(
        bare('base'), link('arm', moments=(0.01, 0.01, 0.09)), '<wheel/>',
        joint('j', 'continuous', 'base', 'arm')))
    assert [(finding.line, finding.severity) for finding in diagnosis.findings] == [
        (3, 'warning'), (4, 'warning')]
    assert diagnosis.findings[0].remedy.startswith('take the moments from the CAD program')
    assert diagnosis.worst == 'warning'
    assert diagnosis.count('warning') == 2


def test_all_joints_that_move_nothing():
    """Loading stops at the first; the doctor goes on."""
    parts = [bare('base'), bare('a'), bare('b'), joint('i', 'continuous', 'base', 'a'),
             joint('j', 'prismatic', 'a', 'b')]
    diagnosis = check(robot(*parts))
    errors = [finding for finding in diagnosis.findings if finding.severity == 'error']
    assert [(error.line, error.message[:31]) for error in errors if error.line] == [
        (3, "joint 'i' moves no inertia: link"[:31]), (4, "joint 'j' moves no inertia: link"[:31])]
    assert diagnosis.worst == 'error'


@pytest.mark.parametrize(('parts', 'line', 'message'), [
    ((link('a'), link('b')), 3, "the links 'a', 'b' are no joint's child; allowed: one root "
                                'link, to which all others are connected'),
    ((link('a'), link('a')), 3, "link 'a' is defined twice, first in line 2; names must differ"),
])
def test_what_cannot_be_read(parts, line, message):
    diagnosis = check(robot(*parts))
    assert diagnosis.model is None
    (finding,) = diagnosis.findings
    assert finding == ('error', message, '<string>', line,
                       'nothing can be said of the rest before this is mended')


def test_a_file_that_is_not_there():
    diagnosis = check('no_such_robot.urdf')
    assert diagnosis.model is None
    assert str(diagnosis.findings[0]) == 'no_such_robot.urdf: error: there is no such file'


def pinned(length):
    """Return a four-bar with its links in a line at zero; it closes with a coupler of 1.2 m."""
    turning = '<origin xyz="{} 0 0"/><axis xyz="0 0 1"/>'.format
    rods = [link(name, moments=(0.01,) * 3) for name in ('crank', 'coupler', 'rocker')]
    return robot(
        bare('base'), *rods, joint('a', 'continuous', 'base', 'crank', turning(0)),
        joint('b', 'continuous', 'crank', 'coupler', turning(0.4)),
        joint('c', 'continuous', 'base', 'rocker', turning(1)),
        f'<loop_joint name="pin" type="revolute"><link1 link="coupler" xyz="{length} 0 0" '
        'rpy="0 0 0"/><link2 link="rocker" xyz="0.9 0 0" rpy="0 0 0"/></loop_joint>')


def test_loops_that_are_open_at_zero():
    (finding,) = check(pinned(1.2)).findings
    assert (finding.severity, finding.line) == ('info', 9)
    assert finding.message.startswith('the loops are open where all joints are at zero; they '
                                      'close after moving a joint by 1.')


def test_loops_that_close_elsewhere():
    """At zero the plane lies upside down, where no step helps."""
    (finding,) = check(robot(
        bare('base'), link('leaf', moments=(0.01,) * 3),
        joint('j', 'continuous', 'base', 'leaf', '<axis xyz="0 1 0"/>'),
        '<loop_joint name="lid" type="planar"><link1 link="leaf"/>'
        '<link2 link="base" rpy="3.141592653589793 0 0"/></loop_joint>')).findings
    assert finding[:4] == (
        'info', 'the loops are open where all joints are at zero; they cannot be closed from '
        'there, but from elsewhere', '<string>', 5)


def test_loops_that_cannot_close():
    (finding,) = check(pinned(5.2)).findings
    assert (finding.severity, finding.line) == ('error', 9)
    assert finding.message.startswith("loop joint 'pin' cannot be closed: 3.7 m are left")
    assert finding.message.endswith(', nor from 20 other begins')


GRAPH = """module_graph: 1
name: robot
types:
  cube:
    bodies:
      hull: {mass: 1, inertia: [0.01, 0.01, INERTIA]}
    ports: {out: {}, into: {joint: {type: continuous, dynamics: {friction: 1}}}}
instances: {a: cube, b: cube}
connections:
  - {parent: a.out, child: b.PORT}
base: {module: a}
"""


@pytest.mark.parametrize(('name', 'text', 'expected'), [
    ('a.xml', '<mujoco><worldbody><body name="a"><joint/>\n<flexcomp name="f"/></body>'
     '</worldbody></mujoco>', (2, 'error', '<flexcomp> is not supported in this version')),
    ('b.xml', '<mujoco><worldbody>\n<body name="a"><joint/>\n<inertial pos="0 0 0" mass="1" '
     'diaginertia="0.01 0.01 0.09"/></body></worldbody></mujoco>',
     (3, 'warning', "link 'a' has the principal moments of inertia 0.01, 0.01 and 0.09")),
    ('c.sdf', '<sdf version="1.9"><model name="m">\n<link name="a"/>\n<include/></model></sdf>',
     (3, 'error', "<include> of '': it has no <uri>")),
    ('d.sdf', '<sdf version="1.9"><model name="m">\n<link name="a"/><link name="b"/>\n'
     '<joint name="j" type="spiral"><parent>a</parent>'
     '<child>b</child></joint></model></sdf>',
     (3, 'error', "joint 'j' has the unknown type 'spiral'")),
    ('e.yaml', GRAPH.replace('INERTIA', '0.09').replace('PORT', 'into'),
     (6, 'warning', "link 'cube/hull' has the principal moments of inertia 0.01, 0.01 and 0.09")),
    ('f.yaml', GRAPH.replace('INERTIA', '0.01').replace('PORT', 'inn'),
     (10, 'error', "there is no port of module 'b' named 'inn'; known: out, into")),
], ids=lambda value: value if str(value)[1:2] == '.' else '')
def test_other_formats(tmp_path, name, text, expected):
    """The gravest finding of a file in another format has its line, and says what to do."""
    path = tmp_path / name
    path.write_text(text)
    diagnosis = check(path)
    finding = next(one for one in diagnosis.findings if one.severity == diagnosis.worst)
    line, severity, message = expected
    assert (finding.file, finding.line, finding.severity) == (str(path), line, severity)
    assert finding.message.startswith(message)
    assert finding.remedy


@pytest.mark.parametrize(('gap', 'said'), [(0.0, False), (0.9e-6, False), (1.1e-6, True)])
def test_gaps_that_drawings_have_are_not_remarked(gap, said):
    """Zero is closed but for a slide by so much."""
    findings = check(robot(
        bare('base'), link('cart', moments=(0.01,) * 3),
        joint('slide', 'prismatic', 'base', 'cart',
              '<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'),
        '<loop_joint name="pin" type="fixed"><link1 link="cart"/>'
        f'<link2 link="base" xyz="{gap!r} 0 0"/></loop_joint>')).findings
    assert [finding.severity for finding in findings] == ['info'] * said


def test_of_one_line_the_gravest_comes_first():
    text = robot(bare('base'), link('a', moments=(0.01, 0.01, 0.09)),
                 joint('j', 'continuous', 'base', 'a'), bare('b'),
                 joint('k', 'continuous', 'a', 'b')).replace('\n', ' ')
    severities = [finding.severity for finding in check(text).findings]
    assert severities == sorted(severities, key=('error', 'warning', 'info').index)
    assert len(set(severities)) > 1
