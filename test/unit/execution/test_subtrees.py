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

"""One state on several threads: the same answer, whoever is there to help."""

from concurrent.futures import ThreadPoolExecutor
import ctypes
import os
import subprocess
import sys
import threading
import time

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.execution import Threads
from mbd_ros.execution.ir.machine_code import address_ir, MachineCode
from mbd_ros.execution.ir.workers_ir import CLAIMED, IDLE, LOST
from mbd_ros.execution.threads.partition import SMALLEST_TREE
from mbd_ros.execution.threads.workers import native, workers

TWO, THREE = (Threads(count, within_state=True) for count in (2, 3))
FUNCTIONS = (mbd_ros.forward_dynamics, mbd_ros.inverse_dynamics)


def branched(count, length, seed):
    parents = [i for k in range(count)
               for i in (0, *(1 + k * length + j for j in range(length - 1)))]
    kinds = np.random.default_rng(seed).choice(['revolute', 'prismatic'], size=len(parents))
    return urdf(parents, list(kinds), seed)


def check(model, executor, seed=0):
    q, v, third = random_state(model, seed)
    for function in FUNCTIONS:
        found = function(model, q, v, third, executor=executor)
        expected = function(model, q, v, third, executor='rolled')
        # The same operations in another order of sums: some roundings of the largest entry.
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=1e-11 * max(1.0, np.abs(expected).max()))
        for _ in range(3):
            np.testing.assert_array_equal(
                found, function(model, q, v, third, executor=executor))


@pytest.mark.parametrize('executor', [TWO, THREE])
def test_branches(executor):
    for floating in (False, True):
        model = mbd_ros.load(branched(3, 20, 1), floating_base=floating)
        assert executor.kernel(FORWARD_DYNAMICS, model).name == (
            f'rolled, {executor.count} threads')
        check(model, executor)
    assert executor.name == f'{executor.count} threads, compiled'


@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**16), count=st.integers(SMALLEST_TREE + 8, 200))
def test_random_trees(seed, count):
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(max(0, i - 20), i + 1)) for i in range(count)]
    kinds = list(rng.choice(['revolute', 'prismatic'], size=count))
    check(mbd_ros.load(urdf(parents, kinds, seed)), THREE if seed % 2 else TWO, seed)


def test_small_trees_and_chains_run_as_ever():
    for text in (branched(2, 3, 1), chain(60, 1)):
        model = mbd_ros.load(text)
        assert 'threads' not in TWO.kernel(FORWARD_DYNAMICS, model).name


def test_many_callers_at_once():
    model = mbd_ros.load(branched(2, 30, 4))
    states = [random_state(model, seed) for seed in range(4)]
    expected = [mbd_ros.forward_dynamics(model, *state, executor=TWO) for state in states]

    def call(k):
        for _ in range(200):
            found = mbd_ros.forward_dynamics(model, *states[k], executor=TWO)
            np.testing.assert_array_equal(found, expected[k])

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(call, k) for k in range(4)]:
            done.result()


def test_a_state_that_is_not_finite():
    model = mbd_ros.load(branched(2, 30, 4))
    q, v, tau = random_state(model, 1)
    v[40] = np.nan
    with pytest.raises(mbd_ros.MbdError, match=r'v .*joint'):
        mbd_ros.forward_dynamics(model, q, v, tau, executor=TWO)


def test_a_batch_is_shared_by_rows():
    model = mbd_ros.load(branched(2, 30, 4))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 5, model.nv))
    np.testing.assert_allclose(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=TWO),
        mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled'), rtol=1e-9)


def worker_words():
    (address,) = workers(1)
    return address, (ctypes.c_int64 * 16).from_address(address)


def test_a_caller_without_a_worker_does_all_itself():
    model = mbd_ros.load(branched(2, 30, 5))
    state = random_state(model, 1)
    expected = mbd_ros.forward_dynamics(model, *state, executor=TWO)
    address, words = worker_words()
    claim = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(native().address('claim'))
    wait_until(lambda: claim(address) or claim(address))  # one that sleeps is had the second time
    try:
        np.testing.assert_array_equal(
            mbd_ros.forward_dynamics(model, *state, executor=TWO), expected)
        assert words[0] == CLAIMED
    finally:
        words[0] = IDLE


def test_a_task_that_is_late_is_given_up_and_its_thread_comes_back():
    """The task sleeps for 50 ms; the caller, whose own part took no time, waits for 20 us."""
    address, words = worker_words()
    code = MachineCode('\n'.join([
        'declare i32 @usleep(i32)', 'declare ptr @malloc(i64)',
        'define void @slow(ptr %job) {', '  call i32 @usleep(i32 50000)', '  ret void', '}',
        'define i64 @run(ptr %w) {', address_ir('%claim', 0), address_ir('%post', 1),
        address_ir('%finish', 2), address_ir('%now', 3), '  %c = call i1 %claim(ptr %w)',
        '  br i1 %c, label %go, label %no', 'no:', '  ret i64 2', 'go:',
        '  %job = call ptr @malloc(i64 64)',
        '  call void %post(ptr %w, ptr @slow, ptr %job)', '  call i32 @usleep(i32 20000)',
        '  %u = call i64 %now()', '  %done = call i1 %finish(ptr %w, i64 %u)',
        '  %r = zext i1 %done to i64', '  ret i64 %r', '}']), addresses=[
            native().address(name) for name in ('claim', 'post', 'finish', 'now')])
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address('run'))
    outcome = 2

    def late():   # not where the thread takes more than 20 ms to begin, or is not there yet
        nonlocal outcome
        outcome = run(address)
        if outcome == 2:
            outcome = run(address)   # a thread that sleeps is had the second time
        words[0] = IDLE if outcome == 1 else words[0]
        return outcome == 0

    wait_until(late)
    assert words[0] in (LOST, IDLE)
    wait_until(lambda: words[0] == IDLE)


def test_a_child_of_a_fork_and_the_end_of_a_process():
    """The child has no threads and still answers; both end at once, with work posted or not."""
    text = f"""
import os, sys
sys.path[:0] = {[path for path in sys.path if path]!r}
import numpy as np
from robots import random_state
from test_subtrees import branched, TWO
import mbd_ros
model = mbd_ros.load(branched(2, 30, 5))
call = mbd_ros.compile(model, executor=TWO).forward_dynamics
state = random_state(model, 1)
expected = [call(*state) for _ in range(50)][-1]
child = os.fork()
same = all(np.array_equal(call(*state), expected) for _ in range(50))
if child == 0:
    again = mbd_ros.forward_dynamics(model, *state, executor=TWO)
    os._exit(0 if same and np.array_equal(again, expected) else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not same)
"""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(
        [os.path.dirname(__file__), *filter(None, sys.path)])}
    finished = subprocess.run([sys.executable, '-c', text], env=environment, timeout=300)
    assert finished.returncode == 0


def test_threads_are_named_daemons():
    worker_words()
    found = [one for one in threading.enumerate() if one.name == 'mbd_ros worker']
    assert found and all(one.daemon for one in found)


def wait_until(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end, 'it did not come to that in a minute'
        time.sleep(0.005)
