"""Shares of a batch on threads give the same answer as one thread."""

from concurrent.futures import ThreadPoolExecutor
import os
import threading
import time

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Interpreted, Threads, threads
from mbd_ros.execution.threads import _pool, SMALLEST_SHARE, ThreadedKernel


@pytest.mark.parametrize('count', [1, 2, 3])
@pytest.mark.parametrize('rows', [
    1, SMALLEST_SHARE, 2 * SMALLEST_SHARE + 7, 5 * SMALLEST_SHARE, 20_000])
def test_same_as_one_thread(count, rows):
    model = mbd_ros.load(chain(3, 1))
    q, v, tau = np.random.default_rng(0).normal(size=(3, rows, 3))
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=Threads(count)),
        mbd_ros.forward_dynamics(model, q, v, tau))


class Slow:
    """
    A kernel that notes which rows each thread was given, and fails where it is told to.

    It begins when there are as many threads as are wanted, however long they take to come.

    """

    def __init__(self, fails=-1, wanted=1):
        self.rows, self.fails, self.wanted = [], fails, wanted
        self._complete = threading.Event()

    def run(self, arguments, gravity, out):
        self.rows.append((threading.current_thread().name, int(arguments[0][0, 0]), len(out)))
        if len({name for name, _, _ in self.rows}) >= self.wanted:
            self._complete.set()
        assert self._complete.wait(60.0)
        if self.fails in arguments[0]:
            raise ValueError('as told')
        time.sleep(0.002)
        return True


def run_slowly(kernel, rows, count=2):
    numbers = np.arange(float(rows))[:, None]
    return ThreadedKernel(kernel, count).run([numbers], np.zeros(3), np.empty((rows, 1)))


def test_every_row_is_in_one_share():
    kernel = Slow(wanted=2)
    assert run_slowly(kernel, 50_001)
    firsts, sizes = zip(*sorted(row[1:] for row in kernel.rows))
    assert sum(sizes) == 50_001
    np.testing.assert_array_equal(firsts, np.cumsum([0, *sizes[:-1]]))
    assert len({name for name, _, _ in kernel.rows}) == 2


def test_the_caller_does_the_work_of_threads_that_do_not_come(monkeypatch):
    monkeypatch.setattr(threads, 'processors', lambda: 2)
    release = threading.Event()
    blocked = _pool(1).submit(release.wait, 60.0)  # the only other thread is busy elsewhere
    try:
        kernel = Slow()
        assert run_slowly(kernel, 20_000)
        assert {name for name, _, _ in kernel.rows} == {threading.current_thread().name}
        assert not blocked.done()
    finally:
        release.set()
        blocked.result()


def test_the_caller_does_it_all_where_no_thread_is_to_be_had(monkeypatch):
    """At the end of the interpreter pools take nothing any more."""
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    monkeypatch.setattr(threads, '_pool', lambda _: closed)
    kernel = Slow()
    assert run_slowly(kernel, 20_000)
    assert sum(count for _, _, count in kernel.rows) == 20_000


@pytest.mark.parametrize('row', [0, 19_999])
def test_an_error_in_a_share_is_raised(row):
    with pytest.raises(ValueError, match='as told'):
        run_slowly(Slow(fails=row), 20_000)


def test_name_and_composition():
    assert Threads(2, Interpreted()).name == '2 threads, interpreted'
    with pytest.raises(InvalidValueError, match='count is 0; allowed: at least one thread'):
        Threads(0)


def test_one_thread_on_one_processor(monkeypatch):
    monkeypatch.setattr(threads, 'processors', lambda: 1)
    kernel = Slow()
    assert run_slowly(kernel, 20_000, count=1)
    assert {name for name, _, _ in kernel.rows} == {threading.current_thread().name}


def test_after_a_fork():
    model = mbd_ros.load(chain(3, 1))
    states = np.random.default_rng(0).normal(size=(3, 4 * SMALLEST_SHARE, 3))
    expected = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
    child = os.fork()
    if child == 0:
        found = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
        os._exit(0 if np.array_equal(found, expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
