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

"""``<modal file>`` and ``<integrals>``: there and back, geometric stiffness, hostile files."""

import os
import re

from flexible_robots import fixed, HEAD, point_mass, revolute, slender
import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.description import read
from mbd_ros.description.urdf.modal_file import read_modal_arrays
from mbd_ros.description.write.modal import modal_arrays, write_modal
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import DescriptionError, MbdError
from mbd_ros.model.flexible.attachment_segments import Seat
from mbd_ros.model.flexible.exported import by_integrals

ARM = 'urdf/flexible_arm.urdf'
BEAM = ('<origin xyz="0.1 0.02 0" rpy="0.3 -0.2 0.4"/><beam length="1" linear_density="0.5" '
        'bending_stiffness="20 30" torsional_stiffness="10" torsional_inertia="1e-3" '
        'modes="2 1 1" stiffening="kinetic"/>')


def arm(flexible):
    """Return a beam, or another link, with a heavy tip on a joint about a skew axis."""
    link = f'<link name="beam">{slender(1.3, 1.0, 0.05)}'
    link = re.sub('mass value="[^"]*"', 'mass value="3"', link)
    link = re.sub('ixx="[^"]*"', 'ixx="0.4"', re.sub('iyy="[^"]*"', 'iyy="0.7"', re.sub(
        'izz="[^"]*"', 'izz="0.8"', link)))
    return (f'{HEAD}<link name="base"/>{link}<mbd:flexible>{flexible}</mbd:flexible></link>'
            + point_mass('tip', 0.4) + fixed('mount', 'beam', 'tip', (1.0, 0.4, -0.2))
            + revolute('root', 'base', 'beam', (0.0, 0.0, 0.2), (0.6, 0.0, 0.8)) + '</robot>')


def exported():
    """Return the arrays of the beam."""
    mechanism = read(arm(BEAM))
    return modal_arrays(by_integrals(mechanism.flexibles[0], [Seat(mechanism.joints[0], True)]))


def named(folder, arrays, name='beam.npz', origin=True):
    """Return the path of the robot with a file of arrays."""
    if isinstance(arrays, dict):
        write_modal(str(folder / name), arrays)
    else:
        (folder / name).write_bytes(arrays)
    frame = re.match('<origin[^>]*>', BEAM)[0] if origin else ''
    (folder / 'arm.urdf').write_text(arm(f'{frame}<modal file="{name}"/>'))
    return folder / 'arm.urdf'


@pytest.mark.parametrize('name', ['beam.npz', 'beam.yaml'])
def test_a_beam_there_and_back(tmp_path, name):
    beam, given = mbd_ros.load(arm(BEAM)), mbd_ros.load(named(tmp_path, exported(), name))
    q, v, tau = 0.1 * np.random.default_rng(1).normal(size=(3, beam.nv))
    # Twenty coordinates at most are summed in the same order: equal but for some roundings.
    for function, arguments in (('forward_dynamics', (q, 20.0 * v, tau)), ('mass_matrix', (q,)),
                                ('inverse_dynamics', (q, 20.0 * v, tau))):
        np.testing.assert_allclose(*(getattr(mbd_ros, function)(model, *arguments)
                                     for model in (given, beam)), rtol=1e-12, atol=1e-12)
    assert not given.findings
    # What is passed on holds all of it, and so does the robot that is written.
    for text in (given.mechanism.text, urdf_text(given.mechanism)):
        again = mbd_ros.load(text)
        np.testing.assert_array_equal(mbd_ros.forward_dynamics(again, q, v, tau),
                                      mbd_ros.forward_dynamics(given, q, v, tau))
    places, drawn = (mbd_ros.bent_links(model, q)['beam'].points for model in (beam, given))
    np.testing.assert_allclose(drawn[:len(places)], places, atol=1e-12)   # then that of the mount


def test_geometric_stiffness_is_that_of_products(tmp_path):
    """Loads of unit motions and of the tip, taken from products: the same linear equations."""
    arrays = exported()
    count = len(arrays['stiffness'])
    # Of a straight beam no product turns about its root: with some that do.
    arrays['couplings'][count:] += 0.02 * np.random.default_rng(3).normal(
        size=arrays['couplings'][count:].shape)
    beam = mbd_ros.load(named(tmp_path, arrays))
    j, k = arrays.pop('pairs').astype(int)

    def matrices(columns):
        result = np.zeros((len(columns), count, count))
        result[:, j, k] = result[:, k, j] = np.where(j == k, 2.0, 1.0) * columns
        return result

    s, n = arrays['first_moments'][:, count:], arrays['couplings'][count:]
    x, y, z = range(3)
    arrays['geometric_stiffness'] = matrices(np.vstack([
        s, n[:, y, z] - n[:, z, y], n[:, z, x] - n[:, x, z], n[:, x, y] - n[:, y, x],
        -n[:, x, x], -n[:, y, y], -n[:, z, z], *(-n[:, a, b] - n[:, b, a] for a, b in (
            (x, y), (x, z), (y, z)))]))
    arrays['geometric_stiffness_mount'] = -matrices(arrays['displacement_mount'][:, count:])
    for name in ('first_moments', 'displacement_mount', 'shapes'):
        arrays[name] = arrays[name][..., :count]
    for name in ('couplings', 'mass', 'second_couplings'):
        arrays[name] = arrays[name][:count]
    arrays['mass'] = arrays['mass'][:, :count]
    arrays['second_couplings'] = arrays['second_couplings'][:, :count]
    arrays.pop('second_stiffness', None)
    given = mbd_ros.load(named(tmp_path, arrays))
    plain = mbd_ros.load(named(tmp_path, {name: one for name, one in arrays.items()
                                          if not name.startswith('geometric')}))
    rest = np.zeros(count)
    q, v, qdd = (np.append(one, rest) for one in (0.3, 4.0, -5.0))
    found, expected, without = (mbd_ros.inverse_dynamics_derivatives(model, q, v, qdd)[0]
                                for model in (given, beam, plain))
    # The load moves with the rotation of its mount in both; roundings of sums of 10 N m.
    np.testing.assert_allclose(found, expected, atol=1e-11)
    assert np.abs(found - without).max() > 1.0


@pytest.fixture(scope='module')
def good():
    """Return arrays that are right."""
    return exported()


def changed(good, **arrays):
    """Return arrays with some others, or without these."""
    return {name: one for name, one in (good | arrays).items() if one is not None}


def refused(path):
    """Return the message with which a robot is refused."""
    with pytest.raises(MbdError) as caught:
        mbd_ros.load(path)
    return str(caught.value)


def test_symmetry_is_judged_by_the_diagonal(tmp_path, good):
    rough = np.diag([1e5, 1e7, 1e5, 1e5])
    rough[0, 1] = 1e-10
    mbd_ros.load(named(tmp_path, changed(good, stiffness=rough)))
    rough[0, 1] = 1e-2   # 1e-8 of sqrt(K_11 K_22)
    assert '<stiffness> is not symmetric' in refused(
        named(tmp_path, changed(good, stiffness=rough)))


@pytest.mark.parametrize(('change', 'words'), [
    ({'mass': None}, "array 'mass' is missing"),
    ({'masses': np.eye(2)}, "array 'masses' is unknown; did you mean 'mass'?"),
    ({'position_elbow': np.zeros(3)}, "array 'position_elbow' is unknown"),
    ({'position_mount': None}, "array 'position_mount' is missing"),
    ({'mass': np.eye(3)}, "'mass' is of the shape (3, 3); allowed: (8, 8)"),
    ({'stiffness': np.full((4, 4), np.nan)}, "'stiffness' has an entry that is not finite"),
    ({'stiffness': np.array('soft')}, 'entries of the type <U4'),
    ({'stiffness': 1j * np.eye(4)}, 'of the type complex128'),
    ({'stiffness': -np.eye(4)}, '<stiffness> is not symmetric and positive'),
    ({'damping': -np.eye(4)}, '<damping> is not symmetric and positive'),
    ({'mass': np.diag([1.0, 1.0, 1.0, 0.0])}, 'mass of <integrals> is not symmetric and positive'),
    ({'mass': np.diag([1e21, 1.0, 1.0, 1.0])}, "array 'mass' has the entry 1e+21; allowed: up to"),
    ({'first_moments': np.full((3, 8), -1e21)}, "'first_moments' has the entry 1e+21"),
    ({'points': np.full((1, 3), 1e300), 'shapes': np.ones((1, 3, 8))}, "'points' has the entry"),
    ({'second_couplings': np.arange(144.0).reshape(4, 4, 3, 3)},
     'second_couplings of <integrals>, block 0, 0 is not the transpose'),
    ({'pairs': np.array([[0, 0, 0, 9], [0, 1, 2, 9]])}, 'numbers 0 to 3'),
    ({'pairs': np.array([[0, 0, 0, 0.5], [0, 1, 2, 3]])}, 'numbers 0 to 3'),
    ({'pairs': np.array([[0, 0, 0, 0], [0, 1, 1, 2]])}, 'no pair twice'),
    ({'shapes': None}, "only one of the arrays 'points' and 'shapes'"),
    ({'geometric_stiffness': np.zeros((12, 4, 4))}, "both 'pairs' and 'geometric_stiffness'"),
    ({'second_stiffness': -np.eye(4)}, 'second_stiffness of <integrals> is not symmetric'),
    ({'first_moments': np.full((3, 8), 50.0)}, 'the kinetic energy is negative'),
])
def test_arrays_that_are_refused(tmp_path, good, change, words):
    assert words in refused(named(tmp_path, changed(good, **change)))


def test_geometric_stiffness_that_is_not_symmetric(tmp_path, good):
    load = np.zeros((12, 4, 4))
    load[3, 0, 1] = 1.0
    arrays = {name: one for name, one in good.items() if name not in ('pairs', 'second_stiffness')}
    cut = {name: one[..., :4] for name, one in arrays.items() if name in (
        'first_moments', 'displacement_mount', 'shapes')}
    square = {name: arrays[name][:4, :4] for name in ('mass', 'second_couplings')}
    arrays |= cut | square | {'couplings': arrays['couplings'][:4], 'geometric_stiffness': load}
    assert "'geometric_stiffness' is off by 1 from symmetric" in refused(named(tmp_path, arrays))


def test_files_that_are_none(tmp_path, good):
    np.savez(tmp_path / 'p.npz', stiffness=np.array([{}], object), allow_pickle=True)
    pickled = (tmp_path / 'p.npz').read_bytes()
    for data, name, words in (
            (pickled, 'p.npz', 'this is no modal file: Object arrays cannot be loaded'),
            (b'PK\3\4 not a zip', 'a.npz', 'this is no modal file'),
            (b'- 1', 'a.yaml', 'allowed: a mapping of names'),
            (b'mass: [[1, 2], [3]]', 'a.yaml', "'mass' has rows of different lengths"),
            (b'mass: [[1, .nan]]', 'a.yaml', "holds '.nan'; allowed: 1 finite number"),
            (b'mass: {a: 1}', 'a.yaml', 'an entry is a mapping'),
            (b'mass: &a [1]\nstiffness: *a', 'a.yaml', 'alias'),
            (b'x', 'a.mat', 'allowed: *.npz or *.yaml')):
        assert words in refused(named(tmp_path, data, name))
    urdf = named(tmp_path, good)
    (tmp_path / 'beam.npz').unlink()
    assert 'there is no such file' in refused(urdf)
    os.mkfifo(tmp_path / 'beam.npz')
    assert 'not a regular file' in refused(urdf)
    assert 'no file is opened' in refused(urdf.read_text())
    both = arm('<modal file="a.npz"/><stiffness values="1"/>')
    assert 'has a <modal> and a <stiffness>' in refused(both)


def test_a_file_that_unpacks_to_too_much(tmp_path, good, monkeypatch):
    path = named(tmp_path, changed(good, points=np.zeros((10_000, 3)),
                                   shapes=np.zeros((10_000, 3, 8))))
    monkeypatch.setattr('mbd_ros.description.urdf.modal_file.MAX_BYTES', 10 ** 6)
    assert (tmp_path / 'beam.npz').stat().st_size < 10 ** 5
    assert 'it holds more than 1000000 bytes' in refused(path)


@pytest.mark.parametrize(('sizes', 'words'), [
    ((250, 1), "the array 'stiffness' has 250 modes; allowed: 1 to 100"),
    ((99, 1), '99 modes with 4950 products, of geometric stiffness; allowed: 500 together'),
    ((30, 20_000), "'points' has 20000 points; allowed beside 30 modes and 465 products: up to"),
])
def test_sizes_are_refused_before_products_are_made(tmp_path, monkeypatch, sizes, words):
    """A file of some kB would take gigabytes, and minutes as text."""
    modes, points = sizes
    square = np.zeros((modes, modes), np.int8)   # small until it is made real numbers
    arrays = {'stiffness': square, 'mass': square, 'first_moments': square[:3],
              'couplings': np.zeros((modes, 3, 3), np.int8),
              'second_couplings': np.broadcast_to(np.int8(0), (modes, modes, 3, 3)),
              'geometric_stiffness': np.broadcast_to(np.int8(0), (12, modes, modes)),
              'points': np.zeros((points, 3), np.int8),
              'shapes': np.broadcast_to(np.int8(0), (points, 3, modes))}
    np.savez_compressed(tmp_path / 'beam.npz', **arrays)
    made = []
    monkeypatch.setattr('mbd_ros.description.urdf.modal_file.with_products', made.append)
    assert words in refused(named(tmp_path, (tmp_path / 'beam.npz').read_bytes()))
    assert not made


def test_numbers_of_the_description_are_bounded(tmp_path, good):
    text = mbd_ros.load(named(tmp_path, good)).mechanism.text
    for element, name in (('point', 'xyz'), ('point', 'shape'), ('interface', 'rotation')):
        large = re.sub(f'(<{element} [^>]*{name}=")[^ ]*', r'\g<1>1e21', text, count=1)
        assert f'<{element}> has the number 1e+21; allowed: up to 1e+20' in refused(large)
    large = re.sub('first_moments="[^ ]*', 'first_moments="1e21', text)
    assert 'first_moments of <integrals> has the entry 1e+21' in refused(large)
    large = re.sub('<integrals mass="[^ ]*', '<integrals mass="1e21', text)
    assert 'mass of <integrals> is not symmetric' in refused(large)


def test_points_beside_integrals_have_no_mass(tmp_path, good):
    text = mbd_ros.load(named(tmp_path, good)).mechanism.text
    assert '<point> has the mass 1; allowed: 0 beside <integrals>' in refused(
        text.replace('mass="0.0"', 'mass="1"', 1))
    without = re.sub('<(point|interface) [^>]*>', '', text)
    assert 'neither a <point> nor an <interface>' in refused(without)


def test_the_command(tmp_path, capsys):
    out, file = tmp_path / 'arm.urdf', tmp_path / 'upper.npz'
    assert main(['flex', ARM, 'upper_arm', '-o', str(out), '--modal', str(file)]) == 0
    assert 'by shape integrals' in capsys.readouterr().out
    assert '<modal file="upper.npz"/>' in out.read_text()
    assert set(read_modal_arrays(file, ['elbow_mount'])) >= {'mass', 'rotation_elbow_mount'}
    for arguments, words in (
            (['upper_arm', '-o', str(out)], 'or --modal FILE to write'),
            (['elbow', '-o', str(out), '--modal', str(file)], "no link that bends named 'elbow'"),
            (['upper_arm', '-o', str(out), '--modal', 'x.mat'], 'a file *.npz or *.yaml'),
            (['upper_arm', '-o', str(out), '--modal', ARM], 'another file than the one to read')):
        assert main(['flex', ARM, *arguments]) == 1
        assert words in capsys.readouterr().err


def test_a_description_error_names_the_file(tmp_path, good):
    path = named(tmp_path, changed(good, mass=None))
    with pytest.raises(DescriptionError) as caught:
        mbd_ros.load(path)
    assert caught.value.file == str(tmp_path / 'beam.npz')
