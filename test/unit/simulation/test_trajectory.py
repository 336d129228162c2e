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

"""A run is saved with its robot, read again, and drawn."""

import copy
import csv
from pathlib import Path
import pickle
import sys

import numpy as np
import pytest
from robots import random_state

import mbd_ros
from mbd_ros.errors import DescriptionError, InvalidValueError, MbdError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'


def run_of(name: str, **options):
    """Return a short run of a shipped robot."""
    model = mbd_ros.load(URDF / name, **options)
    q, v, _ = random_state(model, 1)
    if model.loops:
        q, v = mbd_ros.close_loops(model, mbd_ros.neutral(model) + 0.3, np.zeros(model.nv))
    return mbd_ros.simulate(model, q, 0.1 * v, 0.02, **(
        {} if model.elastic is None else {'rtol': 1e-4, 'atol': 1e-6}))


@pytest.mark.parametrize(('name', 'options'), [
    ('puma560.urdf', {}), ('four_bar.urdf', {}), ('space_robot.urdf.xacro', {
        'floating_base': True}), ('flexible_arm.urdf', {})])
def test_what_is_read_is_what_was_saved(name, options, tmp_path):
    run = run_of(name, **options)
    run.save(tmp_path / 'run.npz')
    back = mbd_ros.load_trajectory(tmp_path / 'run.npz')
    for one, other in zip(run[:10], back[:10]):   # the arrays; numbers are kept to the last bit
        assert (one is None and other is None) or np.array_equal(one, other)
    for parts in (back.parts, back.energy.parts, pickle.loads(pickle.dumps(run.energy)).parts):
        assert list(parts) == list(run.parts)
        assert all(np.array_equal(parts[name], part) for name, part in run.parts.items())
    assert back.model.joint_names == run.model.joint_names
    # URDF has roll, pitch and yaw for rotations: some rounding of each.
    np.testing.assert_allclose(mbd_ros.mass_matrix(back.model, run.q[-1]),
                               mbd_ros.mass_matrix(run.model, run.q[-1]), rtol=1e-9, atol=1e-12)


def test_a_changed_robot_is_saved_as_it_moved(tmp_path):
    model = mbd_ros.lock(mbd_ros.load(URDF / 'puma560.urdf'), {'joint6': 0.3})
    model = mbd_ros.with_payload(model, 'tool', 3.0)
    mbd_ros.simulate(model, np.zeros(5), np.zeros(5), 0.01).save(tmp_path / 'run.npz')
    back = mbd_ros.load_trajectory(tmp_path / 'run.npz').model
    assert back.joint_names == model.joint_names
    np.testing.assert_allclose(back.masses, model.masses, rtol=1e-12)   # written in full


def test_a_table(tmp_path):
    run = run_of('space_robot.urdf.xacro', floating_base=True)
    run.save(tmp_path / 'run.csv')
    with (tmp_path / 'run.csv').open() as file:
        head, *rows = csv.reader(file)
    assert head[:4] == ['time', 'q floating_base.0', 'q floating_base.1', 'q floating_base.2']
    assert head[-5:] == ['energy', 'kinetic', 'potential', 'efforts', 'balance']
    assert len(head) == 6 + run.model.nq + run.model.nv
    expected = np.column_stack([run.time, run.q, run.v, run.energy, *run.parts.values(),
                                run.balance])
    assert np.array_equal(np.array(rows, float), expected)


def test_the_energy_by_parts():
    """Of the total, which is an array as before; what is computed from it has none."""
    run = run_of('puma560.urdf')
    assert run.energy.parts is run.parts
    np.testing.assert_array_equal(run.energy, run.parts['kinetic'] + run.parts['potential'])
    for other in (run.energy[:2], run.energy - run.energy[0], run.energy.copy()):
        assert isinstance(other, np.ndarray) and not getattr(other, 'parts', {})
    for number in (run.energy.max(), run.energy[0], np.ptp(run.energy), run.energy @ run.time):
        assert type(number) is np.float64
    for copied in (copy.copy(run).energy, copy.deepcopy(run).energy, copy.copy(run.energy)):
        assert [*copied.parts] == [*run.parts] and np.array_equal(copied, run.energy)
    lines = run.audit().splitlines()
    assert [line.split()[0] for line in lines] == [*run.parts, 'balance']
    assert f'{run.parts["potential"][0]:.6g} J at the start' in lines[1]
    assert f'{run.parts["efforts"][-1]:.6g} J put in' in lines[2]
    assert f'of {run.exchanged:.6g} J exchanged' in lines[-1]
    assert run._replace(parts={}).audit().startswith('no audit')


def test_what_was_exchanged():
    """There and back counts twice, and what the integrator made is no exchange."""
    none, work = np.zeros(3), np.array([0.0, 2.0, 1.0])
    run = mbd_ros.simulate(mbd_ros.load(URDF / 'puma560.urdf'), np.zeros(6), np.zeros(6), 2e-3)
    parts = {'kinetic': work, 'potential': work, 'efforts': work, 'drag': -work,
             'integrator': work}
    assert run._replace(parts=parts, balance=none).exchanged == 6.0


def test_a_plot_names_the_joints():
    pytest.importorskip('matplotlib').use('agg')
    run = run_of('four_bar.urdf')
    figure = run.plot()
    assert [axis.get_ylabel() for axis in figure.axes] == [
        'q [rad, m]', 'v [rad/s, m/s]', 'energy [J]', 'violation']
    shown = figure.axes[0].get_legend().get_texts()
    assert [text.get_text() for text in shown] == list(run.model.joint_names)
    assert np.array_equal(figure.axes[0].lines[1].get_ydata(), run.q[:, 1])


def test_without_matplotlib_one_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib.pyplot', None)
    with pytest.raises(UnsupportedError, match='pip install matplotlib'):
        run_of('four_bar.urdf').plot()


def test_other_files_are_refused(tmp_path):
    run = run_of('four_bar.urdf')
    with pytest.raises(InvalidValueError, match=r'\*\.npz, \*\.csv or \*\.mcap'):
        run.save(tmp_path / 'run.mat')
    with pytest.raises(MbdError, match='cannot be written'):
        run.save(tmp_path / 'no' / 'run.npz')
    with pytest.raises(DescriptionError, match=r'nothing\.npz: there is no such file'):
        mbd_ros.load_trajectory(tmp_path / 'nothing.npz')


class Hostile:
    """Ends the process when it is unpickled."""

    def __reduce__(self):
        return sys.exit, (7,)


@pytest.mark.parametrize('change', [
    {'q': np.zeros((3, 2))}, {'time': np.array([0.0, 0.0])}, {'time': None},
    {'v': np.array([['a', 'b', 'c']] * 2)}, {'energy': np.array([Hostile(), 1], object)},
    {'q': np.full((2, 3), np.nan)}, {'robot': 'urdf/four_bar.urdf'}, {'robot': '<robot/>'},
    {'q': np.zeros((2, 5))}],
    ids=['rows', 'times', 'missing', 'text', 'pickle', 'nan', 'path', 'empty', 'columns'])
def test_what_a_file_holds_is_checked(change, tmp_path):
    good = {'time': np.array([0.0, 1.0]), 'q': np.zeros((2, 3)), 'v': np.zeros((2, 3)),
            'energy': np.zeros(2), 'violation': np.zeros(2),
            'robot': (URDF / 'four_bar.urdf').read_text()}
    file = tmp_path / 'run.npz'
    np.savez(file, **good)
    assert mbd_ros.load_trajectory(file).model.nq == 3
    np.savez(file, **{name: value for name, value in {**good, **change}.items()
                      if value is not None})
    with pytest.raises(MbdError):
        mbd_ros.load_trajectory(file)
    file.write_bytes(pickle.dumps(good))
    with pytest.raises(DescriptionError, match='no saved trajectory'):
        mbd_ros.load_trajectory(file)
