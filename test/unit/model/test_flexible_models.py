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

"""Elastic coordinates of models: beams, modal data, and what is refused."""

import pickle

import flexible_robots
import numpy as np
import pytest

import mbd_ros
from mbd_ros.description.records.mechanism import Beam
from mbd_ros.errors import DescriptionError
from mbd_ros.model import load_text
from mbd_ros.model.flexible.beam_modes import bending_modes, stations, torsion_modes
from mbd_ros.model.flexible.modal_data import ModalData
from mbd_ros.model.flexible.shape_integrals import elastic_body

BEAM = 'bending_stiffness="29.2 29.2" modes="2 1 0"'


def frequencies(beam, mode):
    """Return the angular frequencies of modes of bending along y, with the tip mass."""
    x, weights = stations(beam)
    shapes = mode.displacement(x)
    size = 1.0 + (beam.taper - 1.0) * x / beam.length
    mass = shapes.T @ (weights[:, None] * beam.linear_density * size[:, None] ** 2 * shapes)
    tip = mode.displacement(np.array([beam.length]))
    mass += beam.tip_mass * tip.T @ tip
    return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, mode.stiffness)).real))


@pytest.mark.parametrize('count', [6, 20])
def test_clamped_free_beams(count):
    reference = flexible_robots.reference('single')['frequencies']
    beam = Beam(1.0, 0.54, (reference['model']['EI'], 0.0), modes=(count, 0, 0))
    found = frequencies(beam, bending_modes(beam, 0))
    # The reference has 12 digits of EI; one element of high order is exact to rounding.
    np.testing.assert_allclose(found[:6], reference['omega_closed_form'], rtol=1e-9)


def test_a_tip_mass():
    reference = flexible_robots.reference('single')['frequencies']
    tip = reference['with_tip_mass']
    beam = Beam(1.0, 0.54, (reference['model']['EI'], 0.0), modes=(4, 0, 0),
                tip_mass=tip['m_tip'])
    np.testing.assert_allclose(frequencies(beam, bending_modes(beam, 0)), tip['omega'], rtol=1e-9)


def test_cones():
    # Cones that are clamped at the wide end: omega L^2 sqrt(rho A / E I) of Downs, 1977; the one
    # with a sharp tip is Kirchhoff's, 8.719.
    for taper, expected, digits in ((0.1, 7.2049, 1e-5), (0.5, 4.6252, 2e-5), (1e-4, 8.719, 1e-3)):
        beam = Beam(1.0, 1.0, (1.0, 0.0), modes=(1, 0, 0), taper=taper)
        found = frequencies(beam, bending_modes(beam, 0))[0]
        assert found == pytest.approx(expected, rel=digits)


def test_timoshenko():
    # Huang, 1961, clamped-free: as slender beams are, bending goes over to Euler and Bernoulli;
    # a beam of endless bending stiffness shears like a rod: omega = pi / 2 sqrt(k G A / rho A).
    slender = Beam(1.0, 0.54, (29.2, 0.0), modes=(2, 0, 0))
    sheared = Beam(1.0, 0.54, (29.2, 0.0), modes=(2, 0, 0), shear_stiffness=(1e9, 0.0))
    np.testing.assert_allclose(frequencies(sheared, bending_modes(sheared, 0)),
                               frequencies(slender, bending_modes(slender, 0)), rtol=1e-5)
    block = Beam(1.0, 2.0, (1e12, 0.0), modes=(1, 0, 0), shear_stiffness=(50.0, 0.0))
    assert frequencies(block, bending_modes(block, 0))[0] == pytest.approx(
        0.5 * np.pi * 5.0, rel=1e-9)


def test_torsion():
    beam = Beam(2.0, 1.0, torsional_stiffness=8.0, torsional_inertia=0.5, modes=(0, 0, 2))
    mode = torsion_modes(beam)
    x = np.linspace(0.0, 2.0, 5)
    for k, wave in enumerate((0.25 * np.pi, 0.75 * np.pi)):
        shape = np.sin(wave * x)
        np.testing.assert_allclose(mode.rotation(x)[:, k], shape / shape[-1], atol=1e-12)
    # K = int G J theta'^2 = G J k^2 L / 2.
    np.testing.assert_allclose(np.diag(mode.stiffness),
                               [8.0 * (k * np.pi) ** 2 for k in (0.25, 0.75)], rtol=1e-12)


def test_craig_bampton():
    beam = Beam(1.0, 0.54, (29.2, 0.0), modes=(5, 0, 0), boundary='craig_bampton')
    mode = bending_modes(beam, 0)
    end = np.array([1.0])
    np.testing.assert_allclose(mode.displacement(end)[0], [1, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(mode.rotation(end)[0], [0, 1, 0, 0, 0], atol=1e-10)
    # The static shapes hold a tip load exactly: 12 EI, -6 EI, 4 EI.
    np.testing.assert_allclose(mode.stiffness[:2, :2], 29.2 * np.array([[12, -6], [-6, 4]]),
                               rtol=1e-10)
    np.testing.assert_allclose(mode.stiffness[:2, 2:], 0.0, atol=1e-8)


def test_coordinates_follow_those_of_all_joints():
    text = flexible_robots.two_link_arm()
    model, rigid = mbd_ros.load(text), mbd_ros.load(text, flexible=False)
    assert (model.nq, model.nv, rigid.nv) == (6, 6, 2)
    assert model.joint_names == rigid.joint_names == ('joint1', 'joint2')
    assert rigid.elastic_names == () and rigid.elastic is None
    assert [str(finding) for finding in rigid.findings if 'mbd:flexible' in str(finding)] == [
        f"<string>:1: warning: link 'link{k}': <mbd:flexible> is not used: the link is rigid, as "
        'it was loaded' for k in (1, 2)]
    assert load_text(text).nv == 2 and load_text(text, flexible=True).nv == 6
    for field in ('masses', 'mass_centers', 'inertias', 'rotations', 'translations'):
        np.testing.assert_array_equal(getattr(model, field), getattr(rigid, field))
    again = pickle.loads(pickle.dumps(model))
    assert again.elastic_names == model.elastic_names
    np.testing.assert_array_equal(mbd_ros.mass_matrix(again, np.zeros(6)),
                                  mbd_ros.mass_matrix(model, np.zeros(6)))


def test_names_and_order():
    model = mbd_ros.load(flexible_robots.beam(
        'bending_stiffness="20 30" torsional_stiffness="1" torsional_inertia="1e-9" '
        'modes="1 2 1"').replace('ixx="0.0"', 'ixx="1e-8"'))
    assert model.elastic_names == ('beam/bend_y_1', 'beam/bend_z_1', 'beam/bend_z_2',
                                   'beam/twist_1')
    assert model.nb == 0 and model.nv == 4


def test_modal_damping():
    model = mbd_ros.load(flexible_robots.beam(BEAM + ' damping_ratio="0.02" rayleigh="0.3 1e-3"'))
    (body,) = model.elastic.bodies
    modal, stiffness = np.diag(body.mass)[:3], np.diag(body.stiffness)
    expected = 2 * 0.02 * np.sqrt(modal * stiffness) + 0.3 * modal + 1e-3 * stiffness
    np.testing.assert_allclose(body.damping, np.diag(expected), atol=1e-9 * expected.max())


@pytest.mark.parametrize(('text', 'message'), [
    (flexible_robots.beam(BEAM).replace('mass value="0.54"', 'mass value="0.6"').replace(
        'izz="0.0', 'izz="0.00'),
     r"link 'beam': <mbd:flexible> and the <inertial> of its link do not fit: with some motion "
     r'the kinetic energy is negative; allowed: an <inertial> that holds all of the mass that '
     r'bends, where it is'),
    (flexible_robots.four_joint_arm().replace('interface joint="joint3"',
                                              'interface joint="joint3" '
                                              ).replace('name="joint3"', 'name="jointX"'
                                                        ).replace('joint="joint3"',
                                                                  'joint="jointX"', 0),
     r"link 'link2': <mbd:flexible>: <interface> names the joint 'joint3', which does not sit on "
     r'this link'),
])
def test_modal_data_that_do_not_fit(text, message):
    with pytest.raises(DescriptionError, match=message):
        mbd_ros.load(text)
    if 'kinetic' in message:
        assert mbd_ros.load(text, flexible=False, inertia='unchecked').nv == 0


def test_shapes_that_are_dependent_or_not_clamped():
    points = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.1, 0.1]])
    masses = np.array([0.1, 0.2, 0.2, 0.1])

    def load(shapes):
        return mbd_ros.load(
            flexible_robots.HEAD + '<link name="base"/>' + flexible_robots.modal_link(
                'a', points, masses, shapes, np.eye(2), np.zeros((2, 2)))
            + flexible_robots.revolute('j', 'base', 'a', (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
            + '</robot>')

    shapes = np.zeros((4, 3, 2))
    shapes[1:, 1, 0], shapes[1:, 2, 1] = (0.3, 1.0, 0.3), (0.3, 1.0, 0.3)
    assert load(shapes).nv == 3
    twice = shapes.copy()
    twice[:, :, 1] = 2.0 * twice[:, :, 0]
    with pytest.raises(DescriptionError, match='modes that move no mass of their own; allowed: '
                       'shapes that are linearly independent'):
        load(twice)
    shapes[0, 1, 0] = 0.2
    with pytest.raises(DescriptionError, match='a shape that is not zero at its origin'):
        load(shapes)


@pytest.mark.parametrize(('displacement', 'rotation', 'clamped'), [
    (1e-13, 1e-13, True), (1e-3, 0.0, False), (0.0, 1e-3, False)])
def test_a_joint_at_the_root_does_not_move(displacement, rotation, clamped):
    """Rounding of what should vanish there is allowed, on nodes as well."""
    shapes = np.zeros((4, 3, 1))
    shapes[:, 1, 0] = 1e-14, 0.3, 1.0, 0.3
    root = np.zeros(3)
    text = (flexible_robots.HEAD + '<link name="base"/>' + flexible_robots.modal_link(
        'a', [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.1, 0.1]],
        [0.1, 0.2, 0.2, 0.1], shapes, [[9.0]], [[0.0]], 'k', root, displacement * np.ones(3),
        rotation * np.ones(3)) + flexible_robots.point_mass('load', 0.1)
        + flexible_robots.revolute('j', 'base', 'a', root, (0.0, 0.0, 1.0))
        + flexible_robots.fixed('k', 'a', 'load', root) + '</robot>')
    if clamped:
        assert mbd_ros.load(text).nv == 2
    else:
        with pytest.raises(DescriptionError, match='a shape that is not zero at its origin'):
            mbd_ros.load(text)


def test_a_joint_without_interface():
    text = flexible_robots.four_joint_arm()
    start = text.index('<interface joint="joint3"')
    cut = text[:start] + text[text.index('/>', start) + 2:]
    with pytest.raises(DescriptionError, match="link 'link2': <mbd:flexible> has no <interface> "
                       "for the joint 'joint3'; allowed: one for each joint"):
        mbd_ros.load(cut)
    assert mbd_ros.load(cut, flexible=False).nv == 4


def test_integrals_in_another_frame_are_those_of_moved_points():
    rng = np.random.default_rng(5)
    points, shapes, masses = rng.normal(size=(7, 3)), rng.normal(size=(7, 3, 2)), rng.random(7)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    shift = rng.normal(size=3)

    def body(points, shapes, rotation, translation):
        data = ModalData(('mode_1', 'mode_2'), points, masses, shapes, np.zeros((2, 0), np.intp),
                         np.eye(2), np.eye(2), np.zeros((0, 0)), 1.0, lambda *_: None)
        return elastic_body('link', 0, data, rotation, translation)

    moved = points @ turn.T + shift, np.einsum('xy,kyj->kxj', turn, shapes)
    found, expected = body(points, shapes, turn, shift), body(*moved, np.eye(3), np.zeros(3))
    for name in ('first_moments', 'couplings', 'second_couplings', 'rotations',
                 'rotation_changes', 'mass'):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-13)
    # Their definitions: C0 = sum m p x phi, C_j = sum m phi_j x phi.
    np.testing.assert_allclose(expected.rotations, np.einsum(
        'k,kxj->xj', masses, np.cross(moved[0][:, :, None], moved[1], axis=1)), atol=1e-13)
    np.testing.assert_allclose(expected.rotation_changes[0, :, 1], masses @ np.cross(
        moved[1][:, :, 0], moved[1][:, :, 1]), atol=1e-13)
