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

"""Links from finite-element matrices, against closed forms and the beams of annotations."""

from beam_elements import beam_matrices
import numpy as np
import pytest
import scipy

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.model.flexible.finite_elements import checked, reduced

OUTER, INNER, LENGTH = 0.025, 0.022, 0.8
AREA, SECOND = (np.pi * (OUTER ** 2 - INNER ** 2), 0.25 * np.pi * (OUTER ** 4 - INNER ** 4))
E, G, RHO = 70e9, 26e9, 2700.0
TUBE = {'density': RHO * AREA, 'axial': E * AREA, 'bending': (E * SECOND, E * SECOND),
        'torsion': 2.0 * G * SECOND, 'turning': 2.0 * RHO * SECOND}
TIP = {'tip': [20]}


@pytest.fixture(scope='module')
def tube():
    """Return the upper arm of urdf/flexible_arm.urdf in 20 elements."""
    return beam_matrices(LENGTH, 20, **TUBE)


def test_frequencies_of_a_clamped_tube(tube):
    found = reduced('tube', checked(*tube, [0], TIP), 6)
    rate = np.sqrt(E * SECOND / (RHO * AREA)) / (2.0 * np.pi * LENGTH ** 2)
    bends = rate * np.array([1.87510407, 4.69409113, 7.85475744]) ** 2
    expected = np.sort([*bends, *bends, 0.25 * np.sqrt(G / RHO) / LENGTH])[:6]
    # Bending of 20 cubic elements: 1e-5; torsion of linear ones: (pi / 2 N)^2 / 24 = 3e-4.
    np.testing.assert_allclose(found.frequencies, expected, rtol=3e-4)
    np.testing.assert_allclose(found.frequencies[:4], expected[:4], rtol=1e-5)
    # Points that turn about x turn about y and z, too, half as much each: the rotary inertia that
    # Euler-Bernoulli elements leave out, 0.1, 0.7 and 1.6 % of the pairs; lumping has the rest.
    np.testing.assert_allclose(found.of_points, expected, rtol=0.025)
    assert found.inertia.mass == pytest.approx(RHO * AREA * LENGTH, rel=1e-12)
    np.testing.assert_allclose(found.inertia.center, [0.5 * LENGTH, 0.0, 0.0], atol=1e-12)


def test_torsion_turns_its_mass_points(tube):
    points, mass, stiffness = tube
    soft = stiffness.copy()
    along = np.arange(3, len(soft), 6)
    soft[np.ix_(along, along)] *= 1e-4
    found = reduced('tube', checked(points, mass, soft, [0], TIP), 1)
    expected = 0.25 * np.sqrt(1e-4 * G / RHO) / LENGTH
    assert found.frequencies[0] == pytest.approx(expected, rel=1e-3)   # linear elements: h^2 / 24
    # Lumped moments of inertia: by as much too low.
    assert found.of_points[0] == pytest.approx(expected, rel=1e-3)


def test_static_shapes_are_exact(tube):
    found = reduced('tube', checked(*tube, [0], TIP), 8, boundary='craig_bampton')
    body = found.body
    (tip,) = (point for point in body.points if point.joint)
    stiffness = np.array(body.stiffness).reshape(8, 8)
    shape, turn = (np.array(one).reshape(3, 8) for one in (tip.shape, tip.rotation))
    for force, bent, turned in (
            ((0.0, 1.0, 0.0), (0.0, LENGTH / 3.0, 0.0), (0.0, 0.0, 0.5)),
            ((0.0, 0.0, 1.0), (0.0, 0.0, LENGTH / 3.0), (0.0, -0.5, 0.0))):
        a = np.linalg.solve(stiffness, shape.T @ force)
        scale = LENGTH ** 2 / (E * SECOND)   # F L^3 / 3 E I and F L^2 / 2 E I
        # The solution of a matrix with the condition 1e9.
        np.testing.assert_allclose(shape @ a, np.array(bent) * scale, atol=1e-7 * scale)
        np.testing.assert_allclose(turn @ a, np.array(turned) * scale, atol=1e-7 * scale)


def test_nodes_that_do_not_turn_carry_joints_by_patches():
    """A lattice of bars; the modes are those of the whole model, and a patch turns as it fits."""
    grid = np.stack(np.meshgrid(*(0.1 * np.arange(n) for n in (6, 2, 2)), indexing='ij'), -1)
    points = grid.reshape(-1, 3)
    count = len(points)
    mass, stiffness = 0.05 * np.eye(3 * count), np.zeros((3 * count, 3 * count))
    for i in range(count):
        for j in range(i):
            arm = points[i] - points[j]
            if np.linalg.norm(arm) < 0.18:
                unit = arm / np.linalg.norm(arm)
                entries = np.r_[3 * i:3 * i + 3, 3 * j:3 * j + 3]
                line = np.concatenate([unit, -unit])
                stiffness[np.ix_(entries, entries)] += 1e5 * np.outer(line, line)
    root, patch = np.flatnonzero(points[:, 0] == 0.0), np.flatnonzero(points[:, 0] > 0.45)
    model = checked(points, mass, stiffness, root, {'tool': patch})
    found = reduced('lattice', model, 5, damping_ratio=0.02)
    free = np.arange(3 * len(root), 3 * count)
    squares = scipy.linalg.eigvalsh(stiffness[np.ix_(free, free)], mass[np.ix_(free, free)])[:5]
    np.testing.assert_allclose(found.frequencies, np.sqrt(squares) / (2.0 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(found.of_points, found.frequencies, rtol=1e-9)   # no coupling
    damping = np.array(found.body.damping).reshape(5, 5)   # modes of mass 1: 2 zeta omega
    np.testing.assert_allclose(damping, np.diag(0.04 * np.sqrt(squares)), atol=1e-6)
    static = reduced('lattice', model, 6, boundary='craig_bampton')
    (tool,) = (point for point in static.body.points if point.joint)
    # The static shapes are the unit motions of the patch.
    np.testing.assert_allclose(np.vstack([np.reshape(tool.shape, (3, 6)),
                                          np.reshape(tool.rotation, (3, 6))]), np.eye(6),
                               atol=1e-12)


def test_an_imported_arm_is_that_of_beams(tube, tmp_path, capsys):
    points, mass, stiffness = tube
    matrices, out = tmp_path / 'tube.npz', tmp_path / 'arm.urdf'
    np.savez(matrices, points=points, mass=mass, stiffness=stiffness, root=[0],
             joint_elbow_mount=[20])
    assert main(['flex', 'urdf/flexible_arm.urdf', 'upper_arm', str(matrices), '-o', str(out),
                 '--modes', '5']) == 0
    printed = capsys.readouterr().out
    assert "link 'upper_arm': 0.956803 kg as described, 0.956803 kg of the matrices" in printed
    assert len(printed.splitlines()) == 2 + 5
    beams, imported = mbd_ros.load('urdf/flexible_arm.urdf'), mbd_ros.load(out)
    assert imported.elastic_names[:5] == tuple(f'upper_arm/mode_{k}' for k in range(1, 6))
    hertz = []
    for model in (beams, imported):
        q = np.concatenate([[0.0, -0.9, 1.2, 0.3], np.zeros(model.nq - 4)])
        hertz.append(mbd_ros.natural_frequencies(
            model, q, locked=model.joint_names).frequencies[:4])
    # The same two modes in each plane and one of torsion; masses lumped in 20 nodes: see above.
    np.testing.assert_allclose(hertz[1], hertz[0], rtol=8e-3)


def spinning(tube):
    """Return geometric stiffness of the tube for squares of the rate about z, (12, 6 k, 6 k)."""
    points, mass, _ = tube
    loads, ends = np.zeros((12, *mass.shape)), points[:, 0]
    nodes, weights = np.polynomial.legendre.leggauss(6)
    h = LENGTH / 20
    for element, left in enumerate(ends[:-1]):
        s = 0.5 * (nodes + 1.0)
        tension = 0.5 * RHO * AREA * (LENGTH ** 2 - (left + h * s) ** 2)
        slopes = np.array([6.0 * (s * s - s) / h, 1.0 - 4.0 * s + 3.0 * s * s,
                           6.0 * (s - s * s) / h, 3.0 * s * s - 2.0 * s])
        block = (slopes * tension * 0.5 * h * weights) @ slopes.T
        for entries, signs in (([1, 5, 7, 11], np.ones(4)),
                               ([2, 4, 8, 10], np.array([1.0, -1.0, 1.0, -1.0]))):
            places = np.ix_(*2 * [6 * element + np.array(entries)])
            loads[8][places] += signs[:, None] * block * signs
    return loads


def test_integrals_keep_the_mass_matrix_and_stiffen(tube, tmp_path, capsys):
    """The tube of 20 elements spins at its first frequency."""
    points, mass, stiffness = tube
    matrices, out = tmp_path / 'tube.npz', tmp_path / 'arm.urdf'
    arrays = {'points': points, 'mass': mass, 'stiffness': stiffness, 'root': [0],
              'joint_elbow_mount': [20], 'geometric_stiffness': spinning(tube)}
    np.savez_compressed(matrices, **arrays)
    command = ['flex', 'urdf/flexible_arm.urdf', 'upper_arm', str(matrices), '-o', str(out)]
    assert main([*command, '--modes', '8', '--modal', str(tmp_path / 'tube.yaml')]) == 0
    assert '21 nodes, by their integrals' in capsys.readouterr().out
    alone = tmp_path / 'alone.urdf'
    text = out.read_text()
    link = text[text.index('  <link name="upper_arm">'):text.index('  <link name="elbow">')]
    alone.write_text('<robot xmlns:mbd="urn:mbd_ros" name="tube"><link name="base"/>' + link
                     + '<link name="tip"/><joint name="elbow_mount" type="fixed"><parent '
                     'link="upper_arm"/><child link="tip"/></joint><joint name="hub" '
                     'type="continuous"><parent link="base"/><child link="upper_arm"/>'
                     '<axis xyz="0 0 1"/></joint></robot>')
    model = mbd_ros.load(alone)
    still = np.zeros(model.nv)
    hertz = mbd_ros.natural_frequencies(model, still, locked=['hub']).frequencies
    expected = reduced('tube', checked(*tube, [0], TIP), 8).frequencies
    # Two numbers of equations of the condition 1e4 (100 modes apart): 1e-16 of it and less.
    np.testing.assert_allclose(hertz, expected, rtol=1e-9)
    rate = 2.0 * np.pi * expected[0]
    spin = still.copy()
    spin[0] = rate
    tangent = mbd_ros.inverse_dynamics_derivatives(model, still, spin, still)
    squares = scipy.linalg.eigh(tangent.dq[1:, 1:], tangent.dqdd[1:, 1:], eigvals_only=True)
    # In the plane of the spin 1.0864 (docs/theory_flexible_links.md), out of it 1.0864^2 + 1. The
    # change of the moments of inertia is that of lumped nodes, which is too large by
    # h^2 / 12 (phi^2)' / int phi^2 = 2.3e-3 of the square, and 0.1 % for the turning of nodes.
    np.testing.assert_allclose(np.sqrt(squares[:2]) / rate, [1.0864, np.hypot(1.0864, 1.0)],
                               rtol=2e-3)
    assert main(command) == 1
    assert 'geometric stiffness with --modal FILE only' in capsys.readouterr().err


def test_what_is_wrong_is_said(tube):
    points, mass, stiffness = tube
    lame, loose = mass.copy(), stiffness.copy()
    lame[0, 6] += 1.0
    loose[:] = 0.0
    holed = mass.copy()
    holed[-6:] = holed[:, -6:] = 0.0
    cases = (
        ((points[:, :2], mass, stiffness, [0], TIP), ShapeError, 'one row for each node'),
        ((points, mass[:60, :60], stiffness, [0], TIP), ShapeError, 'k = 21 nodes'),
        ((points, mass, stiffness[0], [0], TIP), ShapeError, 'a matrix of real numbers'),
        ((points, mass * np.nan, stiffness, [0], TIP), NotFiniteError, 'mass'),
        ((points, lame, stiffness, [0], TIP), InvalidValueError, 'a symmetric matrix'),
        ((points, mass, stiffness, [21], TIP), InvalidValueError, 'from 0 to 20'),
        ((points, mass, stiffness, [], TIP), InvalidValueError, "nodes of 'root'"),
        ((points, mass, stiffness, [0.5], TIP), InvalidValueError, 'whole numbers'),
        ((points, mass, stiffness, [0, 20], TIP), InvalidValueError, 'none of the root'),
        ((points, mass[:63, :63], stiffness[:63, :63], [0], TIP), InvalidValueError,
         'three or more that are not in line'))
    for arguments, kind, words in cases:
        with pytest.raises(kind, match=words):
            checked(*arguments)
    for arguments, more, words in (
            ((mass, loose), {}, 'without stiffness it moves freely'),
            ((holed, stiffness), {}, 'every degree of freedom has mass'),
            ((mass, stiffness), {'modes': 0}, '1 to 100'),
            ((mass, stiffness), {'modes': 5, 'boundary': 'craig_bampton'}, '6 to 100'),
            ((mass, stiffness), {'boundary': 'loose'}, "'free' or 'craig_bampton'"),
            ((mass, stiffness), {'damping_ratio': 1.0}, 'less than 1')):
        with pytest.raises(InvalidValueError, match=words):
            reduced('tube', checked(points, *arguments, [0], TIP), **{'modes': 2, **more})


@pytest.mark.parametrize(('arrays', 'words'), [
    ({'points': None}, 'this is no file'), ({'joint_wrist': [20]}, "'joint_wrist'"),
    ({'joint_elbow_mount': None}, "array 'joint_elbow_mount' is missing"),
    ({'points': [['a', 'b', 'c']]}, 'a matrix of real numbers'),
    ({'root': 0}, "nodes of 'root'"), ({'joint_elbow_mount': 20}, "nodes of 'elbow_mount'")])
def test_files_that_hold_something_else(tube, tmp_path, capsys, arrays, words):
    whole = dict(zip(('points', 'mass', 'stiffness'), tube)) | {
        'root': [0], 'joint_elbow_mount': [20]} | arrays
    np.savez(tmp_path / 'm.npz', **{name: one for name, one in whole.items() if one is not None})
    assert main(['flex', 'urdf/flexible_arm.urdf', 'upper_arm', str(tmp_path / 'm.npz'), '-o',
                 str(tmp_path / 'o.urdf')]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / 'o.urdf').exists()


def test_words_of_the_command(tmp_path, capsys):
    for link, file, out, words in (
            ('upper', 'x.npz', 'o.urdf', "did you mean 'upper_arm'"),
            ('upper_arm', 'x.npz', 'o.urdf', 'there is no such file'),
            ('upper_arm', 'x.npz', 'o.sdf', 'other formats have no links that bend')):
        assert main(['flex', 'urdf/flexible_arm.urdf', link, str(tmp_path / file), '-o',
                     str(tmp_path / out)]) == 1
        assert words in capsys.readouterr().err
