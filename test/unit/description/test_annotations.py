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

"""Fluid, flexible links and contact: records, errors, there and back."""

from dataclasses import replace
from math import pi

from described import joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.records.mechanism import Beam, ContactBody, ModalPoint
from mbd_ros.description.urdf.beams import COUNTS
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import DescriptionError, UnsupportedError

BASE = link('a', mass=2.0)
JOINT = joint('j', 'continuous', 'a', 'b', '<axis xyz="0 0 1"/>')
FLUID = ('<mbd:fluid><origin xyz="0.15 0 0"/><volume value="0.00675"/><fluid_added_mass xx="2.43" '
         'yy="5.34" zz="5.34" yr="0.1" pp="0.007" qq="0.04" rr="0.04"/>'
         '<linear_drag force="1 2 3"/><quadratic_drag force="10.1 27 27" '
         'moment="0.0057 0.0238 0.0238"/></mbd:fluid>')
CONTACT = ('<mbd:contact><point xyz="0.1 0 -0.2"/><point xyz="0 0.3 0" radius="0.05"/>'
           '<stiffness value="2e4"/><damping value="1500"/>'
           '<friction value="0.6" slip_speed="0.02"/></mbd:contact>')
THRUSTERS = ('<mbd:thruster name="left"><origin xyz="0 0.2 0"/><axis xyz="1 0 0"/>'
             '<curve forward="0.02" reverse="0.015"/><time_constant value="0.1"/>'
             '<limit lower="-20" upper="40"/></mbd:thruster>'
             '<mbd:thruster name="up"><axis xyz="0 0 1"/></mbd:thruster>')
BEAM = ('<mbd:flexible><origin rpy="0 1 0"/><beam length="0.8" linear_density="0.5" '
        'bending_stiffness="300 310" torsional_stiffness="200" torsional_inertia="1e-4" '
        'modes="2 2 1" damping_ratio="0.01"/></mbd:flexible>')
MODAL = ('<mbd:flexible><point xyz="0.2 0 0" mass="0.5" shape="0 0  0.1 0.2  0 0.3"/>'
         '<point xyz="0.4 0 0" mass="0.5" shape="0 0  0.3 0.4  0 0.5"/><interface joint="j" '
         'xyz="0.5 0 0" shape="0 0  1 2  0 3" rotation="0 0  0 0.1  2 0"/>'
         '<stiffness values="100 1 1 200"/><damping values="1 0 0 2"/></mbd:flexible>')


def annotated(text: str) -> str:
    """Return a robot whose first link, in line 2, has an annotation."""
    return robot(BASE.replace('</link>', text + '</link>'), link('b'), JOINT,
                 attributes=' xmlns:mbd="urn:mbd_ros"')


def error(text: str) -> str:
    """Return the message with which an annotation is refused."""
    with pytest.raises(DescriptionError) as caught:
        read(annotated(text))
    return str(caught.value)


def test_a_fluid():
    mechanism = read(annotated(FLUID))
    (body,) = mechanism.fluids
    assert (body.link, body.frame.translation, body.volume) == ('a', (0.15, 0.0, 0.0), 0.00675)
    assert [body.added_mass[k][k] for k in range(6)] == [2.43, 5.34, 5.34, 0.007, 0.04, 0.04]
    assert body.added_mass[1][5] == body.added_mass[5][1] == 0.1
    assert body.linear_drag == (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    assert body.quadratic_drag == (10.1, 27.0, 27.0, 0.0057, 0.0238, 0.0238)
    assert mechanism.findings == ()


def test_contact():
    mechanism = read(annotated(CONTACT))
    (body,) = mechanism.contacts
    assert replace(body, source=None) == ContactBody(
        'a', ((0.1, 0.0, -0.2), (0.0, 0.3, 0.0)), (0.0, 0.05), 2e4, 1500.0, 0.6, 0.02, None)
    assert mechanism.findings == ()
    (least,) = read(annotated('<mbd:contact><point xyz="1 2 3"/><stiffness value="1"/>'
                              '</mbd:contact>')).contacts
    assert (least.damping, least.friction, least.slip_speed) == (0.0, 0.0, 0.01)


def test_contacts_that_differ():
    """Several elements of a link are all read, without a finding that says otherwise."""
    soft = '<mbd:contact><point xyz="0 0 0.4"/><stiffness value="50"/></mbd:contact>'
    mechanism = read(annotated(CONTACT + soft))
    assert [one.stiffness for one in mechanism.contacts] == [2e4, 50.0]
    assert not [one for one in mechanism.findings if 'contact' in one.message]


@pytest.mark.parametrize(('name', 'count'), COUNTS.items())
@pytest.mark.parametrize('number', ['1.1e20', '1e200'])
def test_numbers_of_a_beam_are_bounded(name, count, number):
    given = {'length': '0.8', 'linear_density': '0.5', 'bending_stiffness': '300 310',
             'torsional_stiffness': '200', 'torsional_inertia': '1e-4'}
    given[name] = ' '.join([number] * count)
    attributes = ' '.join(f'{key}="{value}"' for key, value in given.items())
    with pytest.raises(DescriptionError, match=rf"link 'a': .*: {name} of <beam> is .*; allowed: "
                                               r'up to 1e\+20$'):
        read(annotated(f'<mbd:flexible><beam {attributes} modes="1 1 1"/></mbd:flexible>'))


@pytest.mark.parametrize('section', ['circle 1e200', 'tube 1e200 1', 'rectangle 1 1e200'])
@pytest.mark.parametrize('material', ['7e10 2.6e10 2700', '1e300 1e300 1e300'])
def test_sections_of_a_beam_are_bounded(section, material):
    with pytest.raises(DescriptionError, match=r'allowed: .*up to 1e'):
        read(annotated(f'<mbd:flexible><beam length="1" section="{section}" '
                       f'material="{material}"/></mbd:flexible>'))


def test_a_beam():
    mechanism = read(annotated(BEAM))
    (body,) = mechanism.flexibles
    assert body.beam == Beam(0.8, 0.5, (300.0, 310.0), 200.0, 1e-4, (2, 2, 1), 0.01)
    assert mechanism.findings == ()


def test_one_mode_of_bending_along_y_and_z_unless_told_otherwise():
    (body,) = read(annotated(BEAM.replace('modes="2 2 1" ', ''))).flexibles
    assert body.beam == Beam(0.8, 0.5, (300.0, 310.0), 200.0, 1e-4, (1, 1, 0), 0.01)


def test_modes():
    (body,) = read(annotated(MODAL)).flexibles
    assert body.points[0] == ModalPoint((0.2, 0.0, 0.0), (0.0, 0.0, 0.1, 0.2, 0.0, 0.3), 0.5)
    assert body.points[2] == ModalPoint((0.5, 0.0, 0.0), (0.0, 0.0, 1.0, 2.0, 0.0, 3.0), 0.0,
                                        (0.0, 0.0, 0.0, 0.1, 2.0, 0.0), 'j')
    assert (body.stiffness, body.damping) == ((100.0, 1.0, 1.0, 200.0), (1.0, 0.0, 0.0, 2.0))


SECTION = ('<mbd:flexible><beam length="0.5" section="rectangle 0.02 0.01" '
           'material="70e9 26e9 2700" theory="timoshenko" taper="0.5" tip_mass="1" '
           'boundary="craig_bampton" stiffening="false" rayleigh="0 0.1" modes="2 2 1"/>'
           '</mbd:flexible>')


def test_a_section():
    (body,) = read(annotated(SECTION)).flexibles
    area, second = 2e-4, (0.01 * 0.02 ** 3 / 12, 0.02 * 0.01 ** 3 / 12)
    beam = body.beam
    assert beam.linear_density == pytest.approx(2700 * area)
    assert beam.bending_stiffness == pytest.approx([70e9 * one for one in second])
    assert beam.rotary_inertia == pytest.approx([2700 * one for one in second])
    assert beam.shear_stiffness == pytest.approx([26e9 * area * 5 / 6] * 2)
    # Roark's table of rectangles, sides 2 : 1: 0.229 a b^3.
    assert beam.torsional_stiffness == pytest.approx(26e9 * 0.229 * 0.02 * 0.01 ** 3, rel=2e-3)
    assert (beam.taper, beam.tip_mass, beam.boundary, beam.stiffening) == (
        0.5, 1.0, 'craig_bampton', 'false')


@pytest.mark.parametrize(('section', 'inner'), [('circle 0.02', 0.0), ('tube 0.02 0.015', 0.015)])
def test_a_round_section(section, inner):
    """Annuli: pi r^2, pi/4 r^4, pi/2 r^4; shear of a circle 6/7, of a thin tube 1/2 (Cowper)."""
    text = SECTION.replace('rectangle 0.02 0.01', section).replace('length="0.5"', 'length="0.1"')
    (body,) = read(annotated(text)).flexibles
    area, second = pi * (0.02 ** 2 - inner ** 2), pi / 4 * (0.02 ** 4 - inner ** 4)
    beam = body.beam
    assert beam.linear_density == pytest.approx(2700 * area)
    assert beam.bending_stiffness == pytest.approx([70e9 * second] * 2)
    assert beam.torsional_stiffness == pytest.approx(26e9 * 2 * second)
    assert beam.torsional_inertia == pytest.approx(2700 * 2 * second)
    m = (inner / 0.02) ** 2
    factor = 6 * (1 + m) ** 2 / (7 * (1 + m) ** 2 + 20 * m)
    assert beam.shear_stiffness == pytest.approx([26e9 * area * factor] * 2)


def test_rounding_of_modal_matrices():
    # Entry ij of a finite-element code carries rounding of sqrt(K_ii K_jj), here of 1e5.
    stiffness = [[0.0] * 5 for _ in range(5)]
    for k, value in enumerate((1e5, 1e5, 1e5, 1e2, 1e7)):
        stiffness[k][k] = value
    stiffness[0][1], stiffness[1][0] = 1e-10, -3e-10
    text = ('<mbd:flexible><point xyz="0.2 0 0" mass="0.5" shape="' + '0 ' * 14 + '1"/>'
            '<stiffness values="' + ' '.join(str(x) for row in stiffness for x in row)
            + '"/></mbd:flexible>')
    (body,) = read(annotated(text)).flexibles
    assert len(body.stiffness) == 25
    assert 'is not symmetric and positive' in error(text.replace('-3e-10', '1.0'))


@pytest.mark.parametrize('text', [
    FLUID, BEAM.replace(' rpy="0 1 0"', ' xyz="1 0 0"'), MODAL, SECTION, CONTACT, THRUSTERS])
def test_there_and_back(text):
    mechanism = read(annotated(text))
    again = read(urdf_text(mechanism))
    for records in ('fluids', 'flexibles', 'contacts', 'thrusters'):
        assert [replace(body, source=None) for body in getattr(again, records)] == [
            replace(body, source=None) for body in getattr(mechanism, records)]


@pytest.mark.parametrize(('write', 'form'), [(mjcf_text, 'MJCF'), (sdf_text, 'SDF')])
@pytest.mark.parametrize(('text', 'what'), [
    (FLUID, 'fluid around'), (BEAM, 'bending of'), (CONTACT, 'contact of'),
    (THRUSTERS, "thruster 'left' of")])
def test_formats_without_words(write, form, text, what):
    with pytest.raises(UnsupportedError) as caught:
        write(read(annotated(text)))
    assert str(caught.value).startswith(f"<string>:2: writing the {what} link 'a' as {form} is no")


def test_added_mass_of_sdformat():
    """About the link's origin, wherever the mass centre is: SDFormat 1.10."""
    entries = {'xx': 2.0, 'yy': 3.0, 'zz': 1.0, 'rr': 0.4, 'xy': 0.2, 'yr': 0.1}
    model = mbd_ros.load(
        '<sdf version="1.10"><model name="m"><link name="a"><inertial><pose>1 0 2 0.3 0 1</pose>'
        '<mass>1</mass><fluid_added_mass>' + ''.join(
            f'<{name}>{value}</{name}>' for name, value in entries.items())
        + '</fluid_added_mass></inertial></link></model></sdf>', floating_base=True)
    expected = np.zeros((6, 6))
    for name, value in entries.items():
        i, j = map('xyzpqr'.index, name)
        expected[i, j] = expected[j, i] = value
    q = mbd_ros.neutral(model)
    added = mbd_ros.mass_matrix(model, q) - mbd_ros.mass_matrix(model, q, fluid=None)
    np.testing.assert_allclose(added, expected, rtol=0.0, atol=1e-14)   # rounding of numbers to 6


def test_modes_without_damping():
    (body,) = read(annotated(MODAL.replace('<damping values="1 0 0 2"/>', ''))).flexibles
    assert body.damping == (0.0,) * 4


@pytest.mark.parametrize(('text', 'message'), [
    (FLUID.replace('pp="0.007"', 'pp="-1"'),
     "link 'a' has an added mass with the eigenvalue -1; allowed: 0 or more"),
    (FLUID.replace('value="0.00675"', 'value="-1"'),
     "link 'a': <mbd:fluid> has the volume -1; allowed: 0 or more"),
    (FLUID.replace('moment="0.0057', 'moment="-2'),
     "link 'a': <mbd:fluid> has the quadratic_drag -2; allowed: 0 or more"),
    (CONTACT.replace('"2e4"', '"0"'),
     "link 'a': <mbd:contact> has the stiffness 0; allowed: more than 0"),
    (CONTACT.replace('value="0.6"', 'value="-1"'),
     "link 'a': <mbd:contact> has the friction -1; allowed: 0 or more"),
    (CONTACT.replace('radius="0.05"', 'radius="-1"'),
     "link 'a': <mbd:contact> has the radius -1; allowed: 0 or more"),
    (CONTACT.replace('slip_speed="0.02"', 'slip_speed="0"'),
     "link 'a': <mbd:contact> has the slip_speed 0; allowed: more than 0"),
    (BEAM.replace('bending_stiffness="300', 'bending_stiffness="0'),
     "link 'a': <mbd:flexible>: bending_stiffness of <beam> is 0; allowed for its modes: more "
     'than 0'),
    (BEAM.replace('modes="2 2 1"', 'modes="2 2.5 1"'),
     "link 'a': <mbd:flexible>: modes of <beam> are 2 2.5 1; allowed: three whole numbers up to "
     '20, not all 0'),
    (BEAM.replace('linear_density="0.5"', 'linear_density="5"'),
     "link 'a': <mbd:flexible> weighs 4 kg, more than the <inertial> of its link; allowed: as "
     'much at most, since that is the whole link'),
    (BEAM.replace('damping_ratio="0.01"', 'theory="timoshenko"'),
     "link 'a': <mbd:flexible>: theory=\"timoshenko\" without shear stiffness of <beam>; allowed: "
     'a section with a material, or shear_stiffness="k*G*A along y, along z"'),
    (BEAM.replace('damping_ratio="0.01"', 'section="tube 0.01 0.02"'),
     "link 'a': <mbd:flexible>: section=\"tube 0.01 0.02\" of <beam>; allowed: \"circle r\", "
     '"tube outer inner" (radii) or "rectangle y z" (sides), up to 1e+20 [m]'),
    (BEAM.replace('damping_ratio="0.01"', 'boundary="welded"'),
     "link 'a': <mbd:flexible>: boundary=\"welded\" of <beam>; allowed: free or craig_bampton"),
    (BEAM.replace('damping_ratio="0.01"', 'stiffening="yes"'),
     "link 'a': <mbd:flexible>: stiffening=\"yes\" of <beam>; allowed: true or false or kinetic"),
    (BEAM.replace('damping_ratio="0.01"', 'rayleigh="-1 0"'),
     "link 'a': <mbd:flexible>: rayleigh of <beam> is -1; allowed: 0 or more"),
    (BEAM.replace('modes="2 2 1"', 'modes="1 2 1" boundary="craig_bampton"'),
     "link 'a': <mbd:flexible>: modes=\"1 2 1\" with boundary=\"craig_bampton\" of <beam>; "
     'allowed: none, or 2 or more of bending and 1 or more of torsion: its static shapes'),
    (MODAL.replace('joint="j"', 'joint="k"'),
     "link 'a': <mbd:flexible>: <interface> names the joint 'k', which does not sit on this link"),
    (MODAL.replace('values="100 1 1 200"', 'values="100 1 2 200"'),
     "link 'a': <mbd:flexible>: <stiffness> is not symmetric and positive; allowed: 2 x 2 numbers "
     'of such a matrix'),
    (MODAL.replace('shape="0 0  0.3', 'shape="0  0.3'),
     "link 'a': shape=\"0  0.3 0.4  0 0.5\" of <point> has 5 words; allowed: 6 finite numbers"),
    (MODAL.replace('<stiffness values="100 1 1 200"/>', ''),
     "link 'a': <mbd:flexible> has no <stiffness>"),
    ('<mbd:flexible/>', "link 'a': <mbd:flexible> has not either a <beam>, <point>s, <integrals> "
     'or <modal>'),
])
def test_errors(text, message):
    assert error(text) == f'<string>:2: {message}'


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('"up"', '"left"', 'the name of another thruster or joint; allowed: a name of its own'),
    ('"left"', '"j"', 'the name of another thruster or joint; allowed: a name of its own'),
    ('"1 0 0"', '"1 1 0"', 'an axis of the length 1.41421356; allowed: a unit vector'),
    ('reverse="0.015"', 'reverse="-1"', 'the curve 0.02, -1; allowed: thrust per square of the '
     'speed forwards and in reverse, both more than 0'),
    ('value="0.1"', 'value="-0.1"', 'the time constant -0.1; allowed: 0 or more'),
    ('lower="-20"', 'lower="20"', 'the limits 20 and 40; allowed: one below or at 0, the other '
     'above or at 0'),
])
def test_errors_of_thrusters(old, new, message):
    name = 'j' if new == '"j"' else 'left'
    assert error(THRUSTERS.replace(old, new)) == (
        f"<string>:2: thruster '{name}' of link 'a' has {message}")
