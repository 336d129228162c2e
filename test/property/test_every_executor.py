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

"""What holds for every executor, whatever it is handed and however it is called."""

import hashlib
import os
from pathlib import Path
import subprocess
import sys
import threading

import numpy as np
import pytest
from robots import model_of, random_state

import mbd_ros
from mbd_ros import Compiled, Interpreted, Threads
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError
from mbd_ros.execution import Auto, Lanes

MODEL = model_of([0, 1, 2, 1, 4, 1], ['floating', 'spherical', 'revolute', 'planar', 'prismatic',
                                      'revolute'], 9)
EXECUTORS = [Compiled(), Compiled('unrolled'), Compiled('rolled'), Lanes(2), Lanes(4), Lanes(8),
             Threads(1), Threads(2), Threads(3, Compiled('rolled')), Threads(2, Lanes(4)), Auto()]
FUNCTIONS = {'forward_dynamics': 3, 'inverse_dynamics': 3, 'mass_matrix': 1}
ROWS = 1100  # two shares and a rest that fills no vector


def name_of(executor):
    return executor.name.replace(', ', '+')


@pytest.fixture(scope='module', params=EXECUTORS, ids=name_of)
def dyn(request):
    return mbd_ros.compile(MODEL, executor=request.param)


@pytest.fixture(scope='module')
def reference():
    return mbd_ros.compile(MODEL, executor=Interpreted())


def states(count):
    return [np.array(part) for part in zip(*(random_state(MODEL, k) for k in range(count)))]


def close(found, expected):
    """Fused multiply-adds round differently; the condition of the mass matrix is below 1e4."""
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-11 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize('function', FUNCTIONS)
def test_one_state_few_and_many(dyn, reference, function):
    arguments = states(37)[:FUNCTIONS[function]]
    expected = getattr(reference, function)(*arguments)
    close(getattr(dyn, function)(*arguments), expected)
    for count in (1, 2, 3, 7):
        close(getattr(dyn, function)(*(part[:count] for part in arguments)), expected[:count])
    close(getattr(dyn, function)(*(part[0] for part in arguments)), expected[0])
    many = [np.resize(part, (ROWS, part.shape[1])) for part in arguments]
    found = getattr(dyn, function)(*many)
    close(found, np.resize(expected, found.shape))
    # The same bits again, and whatever the neighbours are.
    np.testing.assert_array_equal(getattr(dyn, function)(*many), found)
    np.testing.assert_array_equal(getattr(dyn, function)(*(part[5:60] for part in many)),
                                  found[5:60])


CHANGES = {
    'single precision': lambda x: x.astype(np.float32), 'lists': lambda x: x.tolist(),
    'columns': np.asfortranarray, 'every other': lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    'backwards': lambda x: x[..., ::-1].copy()[..., ::-1], 'big endian': lambda x: x.astype('>f8'),
    'unaligned': lambda x: np.frombuffer(b'x' + x.tobytes(), dtype=np.uint8)[1:].view(
        np.float64).reshape(x.shape)}


@pytest.mark.parametrize('change', CHANGES)
@pytest.mark.parametrize('count', [0, 9])
def test_any_layout_gets_the_same_answer(dyn, change, count):
    arguments = states(max(count, 1))
    if count == 0:
        arguments = [part[0] for part in arguments]
    if change == 'single precision':
        arguments = [part.astype(np.float32).astype(np.float64) for part in arguments]
    expected = dyn.forward_dynamics(*arguments)
    given = [CHANGES[change](part) for part in arguments]
    for part in given:
        if isinstance(part, np.ndarray):
            part.setflags(write=False)
    np.testing.assert_array_equal(dyn.forward_dynamics(*given), expected)


def test_integers(dyn):
    v = np.arange(MODEL.nv)
    expected = dyn.inverse_dynamics(mbd_ros.model.state.neutral(MODEL), v.astype(float),
                                    v.astype(float))
    found = dyn.inverse_dynamics(mbd_ros.model.state.neutral(MODEL).astype(int), v, v.tolist())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('wrong', [
    lambda q: q[:-1], lambda q: q[None, None], lambda q: q.reshape(-1, 1), lambda q: q[:0]])
def test_wrong_shapes_are_refused(dyn, wrong):
    q, v, tau = (part[0] for part in states(1))
    allowed = r'\(18,\) for one state, \(N, 18\) for many'
    with pytest.raises(ShapeError, match=f'q has shape .*; allowed: {allowed}'):
        dyn.forward_dynamics(wrong(q), v, tau)


@pytest.mark.parametrize('wrong', [1j, 'x', None, {}])
def test_what_is_no_number_is_refused(dyn, wrong):
    q, v, tau = (part[0] for part in states(1))
    values = v.astype(object)
    values[3] = wrong
    with pytest.raises((InvalidValueError, ShapeError, NotFiniteError), match=r'^v'):
        dyn.forward_dynamics(q, values, tau)


def test_denormal_numbers_are_numbers(dyn, reference):
    """Not flushed to zero where they are all there is, and no reason for nonsense elsewhere."""
    q, v, tau = states(9)
    tiny = np.full_like(v, 5e-324)
    still = mbd_ros.compile(MODEL, gravity=(0, 0, 0), executor=dyn.executor)
    close(dyn.forward_dynamics(q, tiny, tiny), reference.forward_dynamics(q, 0 * v, 0 * tau))
    found = still.inverse_dynamics(q, 0 * v, np.full_like(v, 1e-310))
    assert (np.abs(found).max(axis=1) > 0.0).all()
    assert np.abs(found).max() < 1e-305


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('row', [0, 6, 12])
def test_what_is_not_finite_is_named(dyn, bad, row):
    q, v, tau = states(13)
    v[row, 4] = bad
    with pytest.raises(NotFiniteError, match=f"v of state {row}, joint 'joint001', entry 4 is"):
        dyn.forward_dynamics(q, v, tau)


def test_many_threads_at_once(dyn, reference):
    """Single states and batches of three functions from eight threads, on the same callables."""
    arguments = states(40)
    expected = {name: getattr(reference, name)(*arguments[:count])
                for name, count in FUNCTIONS.items()}
    begin, wrong = threading.Barrier(8), []

    def work(seed):
        rng = np.random.default_rng(seed)
        begin.wait()
        for _ in range(30):
            name = rng.choice(list(FUNCTIONS))
            rows = rng.permutation(40)[:rng.integers(1, 40)]
            if rng.random() < 0.5:
                rows = int(rows[0])
            given = [part[rows] for part in arguments[:FUNCTIONS[name]]]
            try:
                close(getattr(dyn, name)(*given), expected[name][rows])
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert not wrong


SCRIPT = """
import hashlib, sys
import numpy as np
sys.path.append(sys.argv[1])
from robots import chain, random_state
import mbd_ros
model = mbd_ros.load(chain(6, 5))
digest = hashlib.sha256()
states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(50)))]
for executor in ('compiled', 'rolled', 'threads'):
    for rows in (0, slice(0, 50)):
        digest.update(mbd_ros.forward_dynamics(model, *(part[rows] for part in states),
                                               executor=executor).tobytes())
print(digest.hexdigest())
"""


def test_the_same_bits_from_run_to_run_compiled_anew_and_read_from_disk(tmp_path):
    support = str(Path(__file__).resolve().parents[1] / 'support')
    found = {subprocess.run([sys.executable, '-c', SCRIPT, support], capture_output=True,
                            text=True, timeout=120, check=True,
                            env={**os.environ, 'MBD_ROS_CACHE': str(cache)}).stdout
             for cache in ('off', tmp_path, tmp_path)}
    assert len(found) == 1
    assert len(found.pop().strip()) == len(hashlib.sha256().hexdigest())
