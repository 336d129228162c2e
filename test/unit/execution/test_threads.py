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

"""Shares of a batch on threads give the same answer as one thread."""

import ctypes
import os
import threading
import time

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Interpreted, Threads
from mbd_ros.execution.ir.shares_ir import BLOCK_BYTES, SMALLEST_SHARE
from mbd_ros.execution.ir.workers_ir import CLAIMED, IDLE
from mbd_ros.execution.program.kernel import Batches
from mbd_ros.execution.threads import shares
from mbd_ros.execution.threads.shares import share_rows
from mbd_ros.execution.threads.workers import left_behind, workers

LONG = 60.0  # s, which no machine needs: a test that waits so long has failed


@pytest.mark.parametrize('count', [1, 2, 3])
@pytest.mark.parametrize('rows', [
    1, SMALLEST_SHARE, 2 * SMALLEST_SHARE + 7, 5 * SMALLEST_SHARE, 20_000])
def test_same_as_one_thread(count, rows):
    model = mbd_ros.load(chain(3, 1))
    q, v, tau = np.random.default_rng(0).normal(size=(3, rows, 3))
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=Threads(count)),
        mbd_ros.forward_dynamics(model, q, v, tau))


class Doubled:
    """
    Rows in Python instead of machine code: gives twice what it is given, and notes who did what.

    It begins when there are as many threads as are wanted, however long they take to come;
    threads other than the first one wait until they are released if they are ``held``.

    """

    def __init__(self, wanted=1, held=False):
        self.rows, self.wanted, self.held = [], wanted, held
        self.complete, self.released, self.returned = (threading.Event() for _ in range(3))
        self.caller = threading.get_ident()
        self.function = ctypes.CFUNCTYPE(
            ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(
                self)

    def __call__(self, arrays, first, count, to):
        name = threading.get_ident()
        self.rows.append((name, first, count))
        if len({name for name, _, _ in self.rows}) >= self.wanted:
            self.complete.set()
        if not self.complete.wait(LONG):
            return 0
        if self.held and name != self.caller:
            self.released.wait(LONG)
        address = ctypes.c_int64.from_address(arrays).value + 8 * first
        given = np.ctypeslib.as_array((ctypes.c_double * count).from_address(address))
        np.ctypeslib.as_array((ctypes.c_double * count).from_address(to))[:] = 2.0 * given
        return int(np.isfinite(given).all())

    def run(self, numbers, count=2):
        """Return the result and whether all is said to be finite."""
        out = np.full((len(numbers), 1), -1.0)
        address = ctypes.cast(self.function, ctypes.c_void_p).value
        batches = Batches(self.function, address, 4, self)
        finite = share_rows(batches, [numbers[:, None].copy(), np.zeros(3)], out, count)
        return out[:, 0], finite

    def threads(self):
        """Return the threads that did something."""
        return {name for name, _, _ in self.rows}


@pytest.fixture
def idle():
    """Wait until no thread is at a batch of an earlier test; give the words of the first."""
    words = (ctypes.c_int64 * 1).from_address(workers(1)[0])
    end = time.monotonic() + LONG
    while words[0] != IDLE and time.monotonic() < end:
        time.sleep(0.001)
    assert words[0] == IDLE
    return words


@pytest.mark.parametrize('rows', [
    1, 3, 4, 4 * SMALLEST_SHARE, 4 * SMALLEST_SHARE + 1, 3 * BLOCK_BYTES + 3])
def test_every_row_is_in_one_block(idle, rows):
    numbers = np.arange(float(max(rows, 4)))  # 4 rows are the least
    shared = rows >= 2 * SMALLEST_SHARE
    kernel = Doubled(wanted=2 if shared else 1)
    out, finite = kernel.run(numbers)
    assert finite
    np.testing.assert_array_equal(out, 2.0 * numbers)
    firsts, counts = zip(*sorted({row[1:] for row in kernel.rows}))  # some twice: a late thread's
    last = len(numbers) - 4 if len(numbers) % counts[0] in (1, 2, 3) else None
    ends = np.cumsum(counts)
    np.testing.assert_array_equal(firsts[:-1], [0, *ends[:-1]][:-1])
    assert firsts[-1] == (([0, *ends[:-1]][-1]) if last is None else last)
    assert all(first % 4 == 0 for first in firsts[:-1])
    assert max(counts) <= BLOCK_BYTES // 8
    assert len(kernel.threads()) == (2 if shared else 1)


@pytest.mark.parametrize('row', [0, 7777, 19_999])
def test_a_number_that_is_not_finite_is_said(idle, row):
    numbers = np.ones(20_000)
    numbers[row] = np.nan
    out, finite = Doubled().run(numbers)
    assert not finite
    np.testing.assert_array_equal(out, 2.0 * numbers)


def test_the_caller_does_the_work_of_threads_that_do_not_come(idle):
    idle[0] = CLAIMED  # by another caller
    try:
        kernel = Doubled()
        out, _ = kernel.run(np.ones(20_000))
    finally:
        idle[0] = IDLE
    np.testing.assert_array_equal(out, 2.0)
    assert kernel.threads() == {threading.get_ident()}


def test_the_caller_does_it_all_where_no_thread_is_to_be_had(monkeypatch):
    """At the end of the interpreter threads cannot be started any more."""
    def refuse(_):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(shares, 'workers', refuse)
    kernel = Doubled()
    out, _ = kernel.run(np.ones(20_000))
    np.testing.assert_array_equal(out, 2.0)
    assert kernel.threads() == {threading.get_ident()}


def test_a_block_is_taken_from_a_thread_that_does_not_return(idle):
    """As one does that lost the processor; when it comes back the result is no longer its."""
    kernel = Doubled(wanted=2, held=True)
    out, finite = kernel.run(np.arange(20_000.0))
    assert finite
    assert left_behind()
    np.testing.assert_array_equal(out, 2.0 * np.arange(20_000.0))
    others = [row for row in kernel.rows if row[0] != kernel.caller]
    assert len(others) == 1
    assert (kernel.caller, *others[0][1:]) in kernel.rows  # done again here
    out[:] = -3.0
    again = Doubled()
    np.testing.assert_array_equal(again.run(np.ones(20_000))[0], 2.0)  # without that thread
    assert again.threads() == {threading.get_ident()}
    kernel.released.set()
    end = time.monotonic() + LONG
    while left_behind() and time.monotonic() < end:
        time.sleep(0.001)
    assert not left_behind()
    np.testing.assert_array_equal(out, -3.0)
    assert len([row for row in kernel.rows if row[0] != kernel.caller]) == 1
    np.testing.assert_array_equal(Doubled(wanted=2).run(np.ones(20_000))[0], 2.0)


def test_many_callers_at_once():
    model = mbd_ros.load(chain(3, 1))
    dyn = mbd_ros.compile(model, executor=Threads(3))
    rng, failures = np.random.default_rng(0), []
    states = [rng.normal(size=(3, rows, 3)) for rows in (1500, 5000, 9001, 20_000)]

    def ask(given):
        expected = mbd_ros.forward_dynamics(model, *given)
        if not all(np.array_equal(dyn.forward_dynamics(*given), expected) for _ in range(50)):
            failures.append(len(given[0]))

    callers = [threading.Thread(target=ask, args=(given,)) for given in states]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not failures


def test_name_and_composition():
    assert Threads(2, Interpreted()).name == '2 threads, interpreted'
    with pytest.raises(InvalidValueError, match='count is 0; allowed: at least one thread'):
        Threads(0)


def test_what_is_not_machine_code_stays_on_the_thread_of_the_caller():
    model = mbd_ros.load(chain(1, 1))
    dyn = mbd_ros.compile(model, executor=Threads(2, Interpreted()))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 2 * SMALLEST_SHARE, 1))
    np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), mbd_ros.forward_dynamics(
        model, q, v, tau), rtol=1e-12)  # two orders of operations, one body
    assert dyn.how('forward_dynamics', 2 * SMALLEST_SHARE) == 'interpreted'


def test_after_a_fork():
    model = mbd_ros.load(chain(3, 1))
    states = np.random.default_rng(0).normal(size=(3, 4 * SMALLEST_SHARE, 3))
    expected = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
    child = os.fork()
    if child == 0:
        found = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
        os._exit(0 if np.array_equal(found, expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
