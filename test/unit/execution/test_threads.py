"""Shares of a batch on threads give the same answer as one thread."""

import os

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Interpreted, Threads
from mbd_ros.execution.threads import SMALLEST_SHARE


@pytest.mark.parametrize('count', [1, 2, 3])
@pytest.mark.parametrize('rows', [1, SMALLEST_SHARE, 2 * SMALLEST_SHARE + 7, 5 * SMALLEST_SHARE])
def test_same_as_one_thread(count, rows):
    model = mbd_ros.load(chain(3, 1))
    q, v, tau = np.random.default_rng(0).normal(size=(3, rows, 3))
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=Threads(count)),
        mbd_ros.forward_dynamics(model, q, v, tau))


def test_name_and_composition():
    assert Threads(2, Interpreted()).name == '2 threads, interpreted'
    with pytest.raises(InvalidValueError, match='count is 0; allowed: at least one thread'):
        Threads(0)


def test_after_a_fork():
    model = mbd_ros.load(chain(3, 1))
    states = np.random.default_rng(0).normal(size=(3, 4 * SMALLEST_SHARE, 3))
    expected = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
    child = os.fork()
    if child == 0:
        found = mbd_ros.forward_dynamics(model, *states, executor=Threads(2))
        os._exit(0 if np.array_equal(found, expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
