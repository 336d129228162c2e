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

"""A recorded motion tells what the links weigh."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.simulation.bags import JointRecording, write_bag

ARM = Path(__file__).resolve().parents[3] / 'urdf' / 'three_link_arm.urdf'


@pytest.fixture(scope='module')
def truth():
    return mbd_ros.with_payload(mbd_ros.load(ARM), 'tool', 1.0)


def motion(truth, uneven=0.0):
    """Return time, q, v and efforts of a motion that excites the arm."""
    rng = np.random.default_rng(0)
    time = np.arange(1500) / 100 + uneven * rng.uniform(-1.0, 1.0, 1500)
    t, rates = time[:, None], rng.uniform(0.5, 3.0, (2, truth.nv))
    q = np.sin(t * rates[0]) + 0.5 * np.sin(t * rates[1])
    v = rates[0] * np.cos(t * rates[0]) + 0.5 * rates[1] * np.cos(t * rates[1])
    qdd = -rates[0]**2 * np.sin(t * rates[0]) - 0.5 * rates[1]**2 * np.sin(t * rates[1])
    return time, q, v, mbd_ros.inverse_dynamics(truth, q, v, qdd)


@pytest.mark.parametrize('uneven', [0.0, 0.001])
@pytest.mark.parametrize('name', ['run.mcap', 'run', 'run.npz'])
def test_a_load_that_is_not_in_the_description_is_found(truth, name, uneven, tmp_path, capsys):
    time, q, v, tau = motion(truth, uneven)
    if name.endswith('npz'):
        np.savez(tmp_path / name, time=time, q=q, v=v, tau=tau)
    else:
        write_bag(tmp_path / name, JointRecording(time, truth.joint_names, q, v, tau, ''))
    found = tmp_path / 'found.urdf'
    assert main(['identify', str(ARM), str(tmp_path / name), '-o', str(found)]) == 0
    captured = capsys.readouterr()
    assert '1500 states in ' in captured.out and 'rms residual' in captured.out
    model, other = mbd_ros.load(found), mbd_ros.load(ARM)
    _, q, v, tau = motion(truth)
    zero = np.zeros_like(v)
    errors = [np.abs(mbd_ros.inverse_dynamics(one, q, v, zero)
                     - mbd_ros.inverse_dynamics(truth, q, v, zero)).max()
              for one in (model, other)]
    # Velocities that are differentiated at 100 Hz, and interpolated where stamps are uneven, are
    # good for a hundredth of what the load makes.
    assert errors[0] < 0.02 * errors[1]


@pytest.mark.parametrize(('change', 'message'), [
    ({'tau': None}, 'time, q, v and tau'), ({'tau': np.zeros((3, 3))}, 'as many states'),
    ({'time': np.zeros(1500)}, '20 or more states')])
def test_what_is_no_recording(truth, change, message, tmp_path, capsys):
    arrays = dict(zip(('time', 'q', 'v', 'tau'), motion(truth))) | change
    np.savez(tmp_path / 'run.npz', **{
        name: value for name, value in arrays.items() if value is not None})
    assert main(['identify', str(ARM), str(tmp_path / 'run.npz')]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize('form', ['named', 'numbered', 'table', 'other names', 'joints named'])
def test_tables_with_names_of_columns(truth, form, tmp_path, capsys):
    time, q, v, tau = motion(truth, 0.001)
    names = [f'{kind}{joint}' for kind, joint in (
        (kind, k if form == 'numbered' else name)
        for kind in ('q_', 'velocity.', 'effort ') for k, name in enumerate(truth.joint_names))]
    data = np.column_stack((time, q, v, tau))
    path, words = tmp_path / 'run.csv', ()
    if form == 'table':
        path = tmp_path / 'run.npz'
        np.savez(path, data=data, columns=np.array(['time', *names]))
    elif form == 'joints named':   # in another order than the robot's
        path = tmp_path / 'run.npz'
        np.savez(path, time=time, position=q[:, ::-1], velocity=v[:, ::-1], effort=tau[:, ::-1],
                 name=np.array(truth.joint_names[::-1]))
    elif form == 'other names':
        path = tmp_path / 'run.npz'
        np.savez(path, times=time, winkel=q, velocities=v, torques=tau)
        words = ('--columns', 'q=winkel')
    else:
        np.savetxt(path, data, delimiter=',', header=','.join(['time', *names]), comments='')
    assert main(['identify', str(ARM), str(path), '--validate', str(path), *words]) == 0
    captured = capsys.readouterr().out
    assert '1500 states in 1' in captured and ' Hz (--cutoff)' in captured
    error = float(captured.split('relative error of ')[-1].split()[0])
    assert error < 1.0   # per cent: velocities are interpolated between uneven stamps


def test_a_table_without_efforts_and_folders_without_metadata(truth, tmp_path, capsys):
    time, q, v, tau = motion(truth)
    (tmp_path / 'run.csv').write_text('time,q_joint1\n0,1\n')
    assert main(['identify', str(ARM), str(tmp_path / 'run.csv')]) == 1
    assert "q of joint 'joint2'" in capsys.readouterr().err
    write_bag(tmp_path / 'run', JointRecording(time, truth.joint_names, q, v, tau, ''))
    (tmp_path / 'run' / 'metadata.yaml').unlink()
    assert main(['identify', str(ARM), str(tmp_path / 'run')]) == 0
    (file,) = (tmp_path / 'run').glob('*.db3')
    (tmp_path / 'run' / 'other.db3').write_bytes(file.read_bytes())
    assert main(['identify', str(ARM), str(tmp_path / 'run')]) == 1
    assert 'with 2 files' in capsys.readouterr().err


def test_bags_without_efforts_and_unknown_topics(truth, tmp_path, capsys):
    time, q, v, _ = motion(truth)
    write_bag(tmp_path / 'run', JointRecording(time, truth.joint_names, q, v, None, ''))
    for words, message in (((), 'joint states with efforts'), (
            ('--topic', '/others'), 'one of /joint_states')):
        assert main(['identify', str(ARM), str(tmp_path / 'run'), *words]) == 1
        assert message in capsys.readouterr().err
    assert main(['identify', str(ARM), str(tmp_path / 'run'), '-o', 'found.doc']) == 1
