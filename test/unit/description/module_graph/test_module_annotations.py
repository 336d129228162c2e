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

"""Contact, bending, thrusters and springs of module types, and what parts bring of them."""

from dataclasses import replace

from modules import CUBE, docked, document
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.modules import assemble, read_module_graph, write_module_graph
from mbd_ros.description.records.mechanism import Beam, ContactBody, JointSpring, SpringDamper
from mbd_ros.description.records.thruster import ThrusterBody
from mbd_ros.errors import DescriptionError

HULL = '      hull: {mass: 2, center: [0.1, 0, 0], inertia: [0.02, 0.03, 0.04]}\n'
ALL = """\
      hull:
        mass: 2
        gravity_compensation: 0.5
        inertia: [0.02, 0.03, 0.04]
        contact: {points: [[0.2, 0, 0], [0, 0, 0.1]], radius: 0.01, stiffness: 2e4, damping: 15}
        flexible:
          position: [0.1, 0, 0]
          beam: {length: 0.3, linear_density: 0.5, bending_stiffness: [300, 310], modes: [2, 2, 0]}
        thrusters:
          jet: {position: [0, 0.1, 0], axis: [0, 0, 2], curve: [0.02, 0.01], time_constant: 0.1,
                limits: [-20, 30]}
      tail: {mass: 1, inertia: [0.01, 0.01, 0.01]}
    joints:
      hinge: {type: continuous, parent: hull, child: tail,
              springs: [{stiffness: [2, 0.5, 0.1], reference: [0.3], slack: 0.2}]}
    springs:
      band: {body1: hull, body2: tail, point1: [0.1, 0, 0], stiffness: 50, damping: 2,
             length: 0.1, slack: 0.4}
"""
TWO = document('a: cube, b: cube', docked('a.front', 'b.swing'), motion='floating',
               types=CUBE.replace(HULL, ALL))
INERTIAL = ('<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
            'izz="1"/></inertial>')
RECORDS = ('contacts', 'flexibles', 'thrusters', 'springs')


def plain(mechanism):
    """Return what is annotated, without the places where it was written."""
    along = [replace(one, source=None) for joint in mechanism.joints
             for one in joint.dynamics.springs]
    lifted = [link.gravity_compensation for link in mechanism.links if link.gravity_compensation]
    return {name: [replace(one, source=None) for one in getattr(mechanism, name)]
            for name in RECORDS} | {'along joints': along, 'lifted': lifted}


def test_every_module_has_what_its_type_has():
    found = plain(assemble(read_module_graph(TWO, 'two.yaml')))
    assert {name: len(records) for name, records in found.items()} == dict.fromkeys(
        (*RECORDS, 'along joints', 'lifted'), 2)
    assert found['along joints'][1] == JointSpring((2.0, 0.5, 0.1), (0.3,), 0.2, None)
    assert found['contacts'][1] == ContactBody(
        'b/hull', ((0.2, 0.0, 0.0), (0.0, 0.0, 0.1)), (0.01, 0.01), 2e4, 15.0, 0.0, 0.01, None)
    assert found['thrusters'][1] == ThrusterBody(
        'b/jet', 'b/hull', (0.0, 0.1, 0.0), (0.0, 0.0, 1.0), (0.02, 0.01), 0.1, -20.0, 30.0, None)
    assert found['springs'][1] == SpringDamper(
        'b/band', 'b/hull', 'b/tail', (0.1, 0.0, 0.0), (0.0, 0.0, 0.0), 50.0, 2.0, 0.1, None, 0.4)
    assert found['flexibles'][1].link == 'b/hull'
    assert found['flexibles'][1].beam == Beam(0.3, 0.5, (300.0, 310.0), modes=(2, 2, 0))


def test_there_and_back_as_yaml_and_as_urdf():
    graph = read_module_graph(TWO, 'two.yaml')
    mechanism = assemble(graph)
    again = assemble(read_module_graph(write_module_graph(graph), 'again.yaml'))
    assert plain(again) == plain(mechanism) == plain(read(mechanism.text))


def test_a_part_brings_its_own(tmp_path):
    (tmp_path / 'leg.urdf').write_text(
        f'<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="top">{INERTIAL}'
        f'<mbd:fluid><volume value="0.01"/></mbd:fluid></link><link name="foot">{INERTIAL}'
        '<mbd:contact><point xyz="0 0 -1"/><stiffness value="100"/></mbd:contact>'
        '<mbd:thruster name="jet"><axis xyz="1 0 0"/></mbd:thruster></link>'
        '<joint name="knee" type="continuous"><parent link="top"/><child link="foot"/>'
        '<axis xyz="0 0 1"/></joint><mbd:spring_damper name="band" stiffness="5">'
        '<link1 link="top"/><link2 link="foot" xyz="1 0 0"/></mbd:spring_damper></robot>')
    file = tmp_path / 'robot.yaml'
    file.write_text(document('a: leg', types='  leg:\n    part: leg.urdf\n', motion='floating'))
    model = mbd_ros.load(file)
    assert [one.name for one in (*model.fluids, *model.thrusters, *model.springs)] == [
        'a/top', 'a/jet', 'a/band']
    assert model.contacts[0].link == 'a/foot'
    np.testing.assert_array_equal(model.thrusters[0].wrench[:3], model.links['a/foot'].rotation[
        :, 0])


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('stiffness: 2e4', 'stiffness: 0', 'stiffness of contact of .* is 0; allowed: more than 0'),
    ('points: [[0.2, 0, 0], [0, 0, 0.1]]', 'points: []', 'points of .* is empty'),
    ('damping: 15', 'damping: -1', 'damping of contact of .* is -1; allowed: 0 or more'),
    ('length: 0.3, linear', 'length: -0.3, linear', 'length of <beam> is -0.3; allowed'),
    ('linear_density: 0.5', 'linear_density: 50', 'weighs 15 kg, more than the <inertial>'),
    ('modes: [2, 2, 0]', 'mods: [2, 2, 0]', "unknown key 'mods'"),
    ('curve: [0.02, 0.01]', 'curve: [0.02, 0]', 'has the curve 0.02, 0; allowed'),
    ('time_constant: 0.1', 'time_constant: -0.1', 'has the time constant -0.1; allowed: 0 or'),
    ('limits: [-20, 30]', 'limits: [20, 30]', 'has the limits 20 and 30; allowed: one below'),
    ('jet:', 'hinge:', 'has the name of another thruster or joint'),
    ('reference: [0.3], ', 'reference: [0, 1], ', 'reference of .* has 2 entries; allowed: 1'),
    ('slack: 0.2', 'slack: -1', 'slack of .* is -1; allowed: 0 or more'),
    ('type: continuous, parent', 'type: planar, parent', 'has no meaning for a planar joint'),
    ('body2: tail', 'body2: hull', "body2 of spring 'band' is 'hull', as body1"),
    ('body2: tail', 'body2: tial', "is 'tial'; allowed: hull, tail; did you mean 'tail'"),
])
def test_mistakes_are_refused(old, new, message):
    assert old in TWO
    with pytest.raises(DescriptionError, match=rf'two\.yaml:\d+: .*{message}'):
        read_module_graph(TWO.replace(old, new), 'two.yaml')
