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

"""Sweeps: what workers reduce is what one process computes, whatever happens on the way."""

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
import functools
import importlib
import multiprocessing
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from swept_states import deadly, nan_states, reduced, states

import mbd_ros
from mbd_ros.cli.command import main
from mbd_ros.cli.sweep import random_states
from mbd_ros.errors import InvalidValueError, MbdError, NotFiniteError, UnknownNameError

MODEL = mbd_ros.load(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')
SHARES = 40
SPAWN = multiprocessing.get_context('spawn')
COMBINE = {'sum': np.add, 'largest': np.maximum}
PUMA = str(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')


def swept(**options):
    """Return a sweep of forward dynamics."""
    return mbd_ros.sweep(MODEL, 'forward_dynamics', **{
        'states': states, 'shares': SHARES, 'reduce': reduced, 'combine': COMBINE, **options})


@pytest.fixture(scope='module')
def expected():
    """Return the totals, computed share by share without a sweep."""
    results = [mbd_ros.forward_dynamics(MODEL, **states(share)) for share in range(SHARES)]
    total = np.zeros(6)
    for result in results:
        total = total + result.sum(axis=0)
    return {'sum': total, 'largest': np.concatenate(results).max(axis=0)}


def same(totals, expected):
    """Bit by bit: shares are combined in their order, whoever computes them."""
    return set(totals) == set(expected) and all(
        np.array_equal(totals[name], expected[name]) for name in expected)


@pytest.mark.parametrize('pool', [
    None, lambda: ThreadPoolExecutor(3), functools.partial(ProcessPoolExecutor, 2, SPAWN)],
    ids=['here', 'threads', 'processes'])
def test_it_is_what_one_process_computes(pool, expected):
    done = []
    assert same(swept(pool=pool, progress=done.append), expected)
    assert done == [0, *[1] * SHARES]


def test_on_dask(expected):
    import distributed
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1,
                            dashboard_address=None) as client:
        assert same(swept(pool=client.get_executor()), expected)


class Remote:
    """A pool with nothing but ``submit``, as an adapter of another library."""

    def __init__(self, pool):
        self.submit = pool.submit


def test_a_pool_that_only_submits(expected):
    with ThreadPoolExecutor(2) as pool:
        assert same(swept(pool=Remote(pool)), expected)


def test_shares_of_lost_workers_are_computed_again(expected, tmp_path):
    make = functools.partial(ProcessPoolExecutor, 2, SPAWN)
    assert same(swept(pool=make, states=functools.partial(deadly, tmp_path)), expected)
    assert (tmp_path / 'died').exists()


def test_a_share_that_always_kills_its_worker_ends_the_sweep():
    pools = []

    def make():
        pools.append(ProcessPoolExecutor(1, SPAWN))
        return pools[-1]
    with pytest.raises(BrokenProcessPool):
        swept(pool=make, states=functools.partial(deadly, ''), shares=12)
    assert len(pools) == 3   # ATTEMPTS


def test_it_goes_on_from_a_checkpoint(expected, tmp_path):
    file, seen = tmp_path / 'sweep.npz', []

    def interrupted(count):
        seen.append(count)
        if len(seen) == 35:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        swept(checkpoint=file, progress=interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ['sweep.npz']
    done = []
    assert same(swept(checkpoint=file, progress=done.append), expected)
    assert done == [32] + [1] * 8   # the last checkpoint before the interruption
    assert same(swept(checkpoint=file), expected)   # nothing is left to do


@pytest.mark.parametrize('what', ['other shares', 'rubbish'])
def test_another_checkpoint_is_refused(what, tmp_path):
    file = tmp_path / 'sweep.npz'
    if what == 'rubbish':
        file.write_bytes(b'PK not a zip')
    else:
        swept(checkpoint=file, shares=3)
    with pytest.raises(InvalidValueError, match='a file that this sweep wrote'):
        swept(checkpoint=file, shares=4)


def endless(file):
    file.symlink_to('/dev/zero')


def changed(**values):
    """Return what puts other arrays into a checkpoint that the sweep wrote."""
    def change(file):
        swept(checkpoint=file, shares=2)
        with np.load(file) as before:
            arrays = {name: before[name] for name in before.files}
        file.unlink()
        np.savez(file, **{**arrays, **values})
    return change


HOSTILE = {
    'a pipe': os.mkfifo, 'an endless file': endless, 'a folder': os.mkdir,
    'no count': changed(done=np.array([1, 2])), 'a text': changed(done='x'),
    'less than none': changed(done=-5), 'more than all': changed(done=3),
    'a fraction': changed(done=0.5), 'an object': changed(done=np.array(None, dtype=object)),
    'other arrays': changed(extra=np.zeros(3))}


@pytest.mark.parametrize('what', HOSTILE)
def test_a_hostile_checkpoint_is_one_error(what, tmp_path):
    """And does not hang, or fill the memory."""
    file = tmp_path / 'sweep.npz'
    HOSTILE[what](file)
    with pytest.raises(InvalidValueError, match='a file that this sweep wrote'):
        swept(checkpoint=file, shares=2)


@pytest.mark.parametrize('place', ['no folder/sweep.npz', 'file/sweep.npz'])
def test_a_checkpoint_that_cannot_be_written_is_said_before_the_first_share(place, tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(MbdError, match=r'sweep\.npz cannot be written: No'):
        swept(states=nan_states, checkpoint=tmp_path / place)   # the first share would be refused


@pytest.mark.parametrize(('options', 'error', 'text'), [
    ({'states': lambda share: {}}, InvalidValueError, 'pickled'),
    ({'states': nan_states}, NotFiniteError, 'tau'),
    ({'shares': 0}, InvalidValueError, 'shares is 0'),
    ({'in_flight': 0}, InvalidValueError, 'in_flight is 0'),
    ({'combine': {'sum': np.add}}, UnknownNameError, 'result of reduce')])
def test_what_cannot_be_swept(options, error, text):
    with pytest.raises(error, match=text):
        swept(**options)
    with pytest.raises(UnknownNameError, match='function to sweep'):
        mbd_ros.sweep(MODEL, 'energy', states, 1, reduce=reduced, combine=COMBINE)


def test_the_command(tmp_path, capsys):
    file = str(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')
    words = ['sweep', file, 'inverse_dynamics', '--states', '5000', '--share', '1000',
             '--dissipation', '--checkpoint', str(tmp_path / 'sweep.npz')]
    assert main(words) == 0
    once = capsys.readouterr().out.splitlines()
    assert once[0].startswith('inverse_dynamics of 5000 states')
    assert [line.split()[0] for line in once[2:]] == list(MODEL.joint_names)
    least, mean, largest, rms = (np.array([float(line.split()[k]) for line in once[2:]])
                                 for k in range(1, 5))
    assert (least < mean).all() and (mean < largest).all() and (np.abs(mean) <= rms).all()
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[1:] == once[1:]
    assert main(['sweep', file, 'bias_forces', '--workers', '0']) == 1
    assert '--workers is 0' in capsys.readouterr().err


def test_the_benchmark_makes_as_many_states_as_it_says(monkeypatch):
    pytest.importorskip('pinocchio')   # which is measured beside ours
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))   # it is not installed
    share = importlib.import_module('benchmarks.sweep')._states(MODEL, 20, None, 2)
    assert [share[name].shape for name in ('q', 'v', 'qdd')] == [(20, 6)] * 3


def test_ctrl_c_ends_the_command_in_one_line_and_leaves_its_checkpoint(tmp_path):
    file, kept = Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf', tmp_path / 'a.npz'
    running = subprocess.Popen(
        [sys.executable, '-m', 'mbd_ros', 'sweep', str(file), 'bias_forces', '--states', '1e12',
         '--share', '1000', '--workers', '2', '--checkpoint', str(kept)],
        stderr=subprocess.PIPE, text=True, start_new_session=True)
    with running:
        while running.poll() is None and not kept.exists():
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)   # as a terminal does, the workers too
        said = running.communicate()[1]
    assert (running.returncode, said) == (130, 'mbd_ros: interrupted\n')
    assert np.load(kept)['done'] % 32 == 0


def anybody_of(session):
    """Return whether a process of a session is left."""
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return False
    return True


def test_kill_9_leaves_no_workers_and_the_same_command_goes_on(tmp_path, capsys):
    file, kept = Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf', tmp_path / 'a.npz'
    words = ['sweep', str(file), 'bias_forces', '--states', '1e6', '--share', '1000',
             '--checkpoint', str(kept)]
    running = subprocess.Popen([sys.executable, '-m', 'mbd_ros', *words, '--workers', '2'],
                               start_new_session=True, stdout=subprocess.DEVNULL)
    with running:
        while running.poll() is None and not kept.exists():
            time.sleep(0.01)
        running.kill()
    assert 0 < np.load(kept)['done'] < 1000
    until = time.monotonic() + 60.0
    while anybody_of(running.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not anybody_of(running.pid)
    assert main(words) == 0
    interrupted = capsys.readouterr().out.splitlines()[1:]
    assert main(words[:-2]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == interrupted


def test_the_command_takes_as_many_states_as_it_is_told(capsys):
    file = str(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')
    for count, share in (('7', '50000'), ('2500', '1000'), ('2000', '1000')):
        assert main(['sweep', file, 'bias_forces', '--states', count, '--share', share]) == 0
        assert capsys.readouterr().out.startswith(f'bias_forces of {count} states, ')


def test_the_command_takes_forces_on_links(capsys):
    model = mbd_ros.load(PUMA)
    words = ['sweep', PUMA, 'inverse_dynamics', '--states', '10', '--share', '10', '--dissipation']
    words += ['--force', 'tool', '1', '2', '-10', '--force', 'link2', '0', '3', '0']
    assert main(words) == 0
    given = random_states(model, 'inverse_dynamics', 10, 10, 0, {
        'dissipation': True,
        'external_forces': {'tool': [1.0, 2.0, -10.0, 0, 0, 0], 'link2': [0, 3.0, 0, 0, 0, 0]}}, 0)
    means = mbd_ros.inverse_dynamics(model, **given).mean(axis=0)
    shown = [float(line.split()[2]) for line in capsys.readouterr().out.splitlines()[2:]]
    np.testing.assert_allclose(shown, means, rtol=1e-4)   # five digits are printed


@pytest.mark.parametrize(('force', 'reason'), [
    (('nothing', '1', '2', '3'), "no link named 'nothing'"),
    (('tool', 'a', '2', '3'), 'the name of a link and three numbers'),
    (('tool', '1', '2', 'nan'), 'finite numbers'),
    (('tool', '1', '2', '3', '--force', 'tool', '0', '0', '0'), 'each link once')])
def test_the_command_refuses_forces_in_one_line(force, reason, capsys):
    assert main(['sweep', PUMA, 'bias_forces', '--states', '10', '--force', *force]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line


def test_the_command_refuses_loops_that_random_states_leave_open(capsys):
    file = str(Path(__file__).resolve().parents[3] / 'urdf' / 'four_bar.urdf')
    assert main(['sweep', file, 'inverse_dynamics']) == 1
    assert "'four_bar', whose closed loops they would leave open" in capsys.readouterr().err


def test_the_command_says_in_one_line_that_workers_end(capsys, monkeypatch):
    file = str(Path(__file__).resolve().parents[3] / 'urdf' / 'puma560.urdf')
    monkeypatch.setattr('mbd_ros.cli.sweep.ProcessPoolExecutor', lambda *_: Breaking(2))
    assert main(['sweep', file, 'bias_forces', '--workers', '2']) == 1
    assert 'workers ended again and again (broken)' in capsys.readouterr().err


class Breaking:
    """A pool that takes some shares and then breaks where they are submitted."""

    def __init__(self, takes):
        self._takes = takes

    def submit(self, *call):
        if not self._takes:
            raise BrokenProcessPool('broken')
        self._takes -= 1
        done = Future()
        done.set_result(call[0](*call[1:]))
        return done

    def shutdown(self, **_):
        """Do nothing."""


def test_a_pool_that_breaks_where_shares_are_submitted(expected):
    pools = iter([Breaking(5), Breaking(0), ThreadPoolExecutor(1)])
    assert same(swept(pool=lambda: next(pools)), expected)
    with pytest.raises(BrokenProcessPool):
        swept(pool=Breaking(3))
