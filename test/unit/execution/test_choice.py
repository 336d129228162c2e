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

"""The executor that chooses: threads for batches and large trees, else as the inner one runs."""

import ctypes

import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Auto, choose, Compiled, forced, Interpreted, Threads
from mbd_ros.execution.executors import choice
from mbd_ros.execution.ir.shares_ir import SMALLEST_SHARE
from mbd_ros.execution.ir.workers_ir import CLAIMED, DONE, LOST, RUNNING, SHORTEST_REST, WORDS
from mbd_ros.execution.threads.workers import native


@pytest.fixture
def kernel(monkeypatch):
    """Return a kernel of a small arm, as on a machine with two processors."""
    monkeypatch.setattr(choice, 'processors', lambda: 2)
    return Auto().kernel(FORWARD_DYNAMICS, mbd_ros.load(chain(3, 1)))


def run(kernel, rows):
    states = list(np.random.default_rng(0).normal(size=(3, rows, 3)))
    out = np.empty((rows, 3))
    assert kernel.run(states, np.zeros(3), out)
    return states, out


def test_names():
    assert choose('auto') == Auto()
    assert choose('auto').name == 'auto, compiled'
    assert Auto(Interpreted()).name == 'auto, interpreted'
    assert choose(None) == Compiled()
    assert choose('threads') == Threads(choice.processors())
    with pytest.raises(InvalidValueError, match="executor is 'gpu'; allowed: 'auto', 'compiled', "
                       "'unrolled', 'rolled', 'lanes', 'threads', 'threads_within_state', "
                       "'interpreted' or an executor"):
        choose('gpu')


@pytest.mark.parametrize('rows', [1, 100, 2 * SMALLEST_SHARE, 30_000])
def test_the_answer_does_not_depend_on_the_choice(kernel, rows):
    states, out = run(kernel, rows)
    expected = np.empty_like(out)
    Compiled().kernel(FORWARD_DYNAMICS, kernel.model).run(states, np.zeros(3), expected)
    np.testing.assert_array_equal(out, expected)


def test_batches_go_to_threads_from_two_shares_on(kernel):
    assert [kernel.how(rows).endswith(', 2 threads') for rows in (
        1, 2 * SMALLEST_SHARE - 1, 2 * SMALLEST_SHARE, 10**6)] == [False, False, True, True]


def test_batches_take_the_fast_entry(slow_calls):
    """As a choice made in Python did not, which was slower than every way that it chose from."""
    dyn = mbd_ros.compile(mbd_ros.load(chain(3, 1)), executor='auto')
    batch = list(np.random.default_rng(1).normal(size=(3, 4096, 3)))
    first = dyn.forward_dynamics(*batch)  # the ordinary way compiles
    slow_calls.clear()
    np.testing.assert_array_equal(dyn.forward_dynamics(*batch), first)
    assert not slow_calls


def test_one_processor_has_no_choice(monkeypatch):
    monkeypatch.setattr(choice, 'processors', lambda: 1)
    kernel = Auto().kernel(FORWARD_DYNAMICS, mbd_ros.load(chain(3, 1)))
    run(kernel, 30_000)
    assert not kernel.how(10**9).endswith('threads')


@pytest.mark.parametrize(('executor', 'threads', 'expected'), [
    ('', 0, None), ('auto', 0, Auto()), ('rolled', 0, Compiled('rolled')),
    ('', 3, Threads(3)), ('auto', 1, Threads(1)), ('threads', 2, Threads(2)),
    ('rolled', 1, Compiled('rolled')), ('rolled', 2, Threads(2, Compiled('rolled'))),
])
def test_forced_executors(executor, threads, expected):
    assert forced(executor, threads) == expected


@pytest.fixture
def two_branches():
    """Return a body with two chains of different joints, so that no lanes run them."""
    parents = [0, *range(1, 130), 1, *range(131, 261)]
    kinds = ['revolute'] * 130 + ['continuous', 'prismatic'] * 65 + ['revolute']
    return mbd_ros.load(urdf(parents, kinds, 1))


def test_large_trees_are_shared(two_branches, monkeypatch):
    monkeypatch.setattr(choice, 'processors', lambda: 2)
    q, v, tau = random_state(two_branches, 1)
    kernel = Auto().kernel(FORWARD_DYNAMICS, two_branches)
    assert kernel.how(1) == 'rolled, 2 threads'
    out = np.empty((1, two_branches.nv))
    assert kernel.run([q[None], v[None], tau[None]], np.array([0.0, 0.0, -9.81]), out)
    expected = mbd_ros.forward_dynamics(two_branches, q, v, tau, executor='rolled')
    # The same operations in another order of sums at the branch.
    np.testing.assert_allclose(out[0], expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())
    assert Auto(count=1).kernel(FORWARD_DYNAMICS, two_branches).how(1) == 'rolled'
    monkeypatch.setattr(choice, 'LARGE_TREE', two_branches.nb + 1)
    assert Auto().kernel(FORWARD_DYNAMICS, two_branches).how(1) == 'rolled'


def test_a_late_thread_is_left_alone_for_a_while():
    """Until word 8 callers do not claim it; after, they do."""
    worker = (ctypes.c_int64 * WORDS)()
    claim = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(native().address('claim'))
    now = ctypes.CFUNCTYPE(ctypes.c_int64)(native().address('now'))
    worker[8] = now() + 10**12
    assert not claim(ctypes.addressof(worker))
    worker[8] = now() - 1
    assert claim(ctypes.addressof(worker))
    assert (worker[0], worker[8]) == (CLAIMED, 0)


def test_a_task_that_is_late_is_given_up_and_the_rest_doubles():
    worker = (ctypes.c_int64 * WORDS)()
    finish = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64)(
        native().address('finish'))
    now = ctypes.CFUNCTYPE(ctypes.c_int64)(native().address('now'))
    for rest in (SHORTEST_REST, 2 * SHORTEST_REST):
        worker[0] = RUNNING   # as by a thread that has lost its processor
        before = now()
        assert not finish(ctypes.addressof(worker), before)
        assert worker[0] == LOST
        assert worker[9] == rest
        assert worker[8] >= before + rest
    worker[0] = DONE
    assert finish(ctypes.addressof(worker), now())
    assert worker[9] == 2 * SHORTEST_REST * 15 // 16
