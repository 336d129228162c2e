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

"""Sweeps that do not fit into memory: order, bounded memory, errors, progress."""

from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
import io
import multiprocessing
import tracemalloc

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import (
    InvalidValueError, NotFiniteError, UnknownNameError, UnsupportedError)


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(chain(3, 1))


@pytest.fixture(scope='module')
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def batches(count, rows=5):
    for seed in range(count):
        yield tuple(np.random.default_rng(seed).normal(size=(3, rows, 3)))


class Later:
    """A pool that computes a task when its result is asked for."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, *arguments):
        task = LateFuture(function, arguments)
        self.tasks.append(task)
        return task

    def open(self):
        return sum(task.state == 'submitted' for task in self.tasks)


class LateFuture(Future):

    def __init__(self, function, arguments):
        super().__init__()
        self.work, self.state = (function, arguments), 'submitted'

    def result(self, timeout=None):
        self.state = 'computed'
        function, arguments = self.work
        return function(*arguments)

    def cancel(self):
        self.state = 'cancelled'
        return True


def test_results_come_in_order(model, pool):
    found = list(mbd_ros.stream(model, 'inverse_dynamics', batches(20), pool=pool))
    assert len(found) == 20
    for result, batch in zip(found, batches(20)):
        np.testing.assert_array_equal(result, mbd_ros.inverse_dynamics(model, *batch))


def test_gravity_executor_and_links(model, pool):
    states = list(batches(3))
    found = mbd_ros.stream(model, 'forward_dynamics', states, pool=pool, gravity=(0, 0, 0),
                           executor='rolled')
    for result, batch in zip(found, states):
        np.testing.assert_array_equal(result, mbd_ros.forward_dynamics(
            model, *batch, gravity=(0, 0, 0), executor='rolled'))
    poses = mbd_ros.stream(model, 'pose', ((q, 'link002') for q, _, _ in states), pool=pool)
    for result, batch in zip(poses, states):
        np.testing.assert_array_equal(result, mbd_ros.pose(model, batch[0], 'link002'))


def test_forces_and_dissipation_are_those_of_every_batch(model, pool):
    keywords = {'external_forces': {'link002': [0.0, 1.0, -2.0, 0.3, 0.0, 0.0]},
                'dissipation': True}
    for result, batch in zip(mbd_ros.stream(
            model, 'inverse_dynamics', batches(3), pool=pool, **keywords), batches(3)):
        np.testing.assert_array_equal(result, mbd_ros.inverse_dynamics(model, *batch, **keywords))
        assert (result != mbd_ros.inverse_dynamics(model, *batch)).any()
    with pytest.raises(UnsupportedError, match=r'mass_matrix .* bias_forces, forward_dynamics'):
        mbd_ros.stream(model, 'mass_matrix', [], pool=pool, dissipation=True)


def test_processes(model):
    with ProcessPoolExecutor(2, multiprocessing.get_context('spawn')) as pool:
        found = list(mbd_ros.stream(model, 'mass_matrix', ([q] for q, _, _ in batches(6)),
                                    pool=pool, in_flight=3))
    for result, batch in zip(found, batches(6)):
        np.testing.assert_array_equal(result, mbd_ros.mass_matrix(model, batch[0]))


def test_no_more_in_flight_than_allowed(model):
    pool, taken = Later(), []

    def counted():
        for batch in batches(10):
            taken.append(batch)
            yield batch
    results = mbd_ros.stream(model, 'inverse_dynamics', counted(), pool=pool, in_flight=3)
    assert taken == []
    for k in range(1, 9):
        next(results)
        assert len(taken) == k + 2
        assert pool.open() == 2
    results.close()
    assert [task.state for task in pool.tasks[8:]] == ['cancelled'] * 2


def test_memory_is_bounded(model, pool):
    rows = 20_000  # a batch and its result take 1.9 MB, all together 190 MB

    def many():
        for _ in range(100):
            yield np.zeros((rows, 3)), np.zeros((rows, 3)), np.ones((rows, 3))
    list(mbd_ros.stream(model, 'inverse_dynamics', batches(1, 20), pool=pool))
    tracemalloc.start()
    try:
        total = sum(len(result) for result in mbd_ros.stream(
            model, 'inverse_dynamics', many(), pool=pool, in_flight=3))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total == 100 * rows
    assert peak < 6 * 1.92e6  # three in flight, one just yielded, one being made, intermediates


def test_progress(model, pool):
    import tqdm
    with tqdm.tqdm(total=35, disable=False, file=io.StringIO()) as bar:
        for _ in mbd_ros.stream(model, 'inverse_dynamics', batches(7), pool=pool,
                                progress=bar.update):
            pass
        assert bar.n == 35


def test_errors_come_at_once_or_with_their_batch(model, pool):
    with pytest.raises(UnknownNameError, match=r"there is no function to stream named 'forward_"
                       r"dynamic'; known: bias_forces,.*; did you mean 'forward_dynamics'\?"):
        mbd_ros.stream(model, 'forward_dynamic', [], pool=pool)
    with pytest.raises(InvalidValueError, match='in_flight is 0; allowed: at least one batch'):
        mbd_ros.stream(model, 'pose', [], pool=pool, in_flight=0)
    with pytest.raises(InvalidValueError, match='gravity is 3; allowed: three finite numbers'):
        mbd_ros.stream(model, 'pose', [], pool=pool, gravity=3)
    states = list(batches(3))
    states[1][2][4, 0] = np.nan
    results = mbd_ros.stream(model, 'inverse_dynamics', states, pool=pool)
    next(results)
    with pytest.raises(NotFiniteError, match="qdd of state 4, joint 'joint001' is nan"):
        next(results)
    assert list(mbd_ros.stream(model, 'pose', [], pool=pool)) == []


def test_an_error_in_another_process_is_the_same(model):
    states = [tuple(np.full((2, 3), np.inf) for _ in range(3))]
    with ProcessPoolExecutor(1, multiprocessing.get_context('fork')) as pool:
        with pytest.raises(NotFiniteError, match="q of state 0, joint 'joint001' is inf"):
            list(mbd_ros.stream(model, 'inverse_dynamics', states, pool=pool))
