"""Rolled code answers until unrolled code is ready; then the same callables run that."""

import numpy as np
import pytest
from robots import chain, random_state

import mbd_ros
from mbd_ros.execution.executors import background


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(chain(5, 3))


@pytest.fixture
def dyn(model, monkeypatch):
    """Return freshly prepared dynamics that stay as they are until somebody waits for more."""
    assert background.BACKGROUND.wait(300.0)  # what other tests have asked for
    monkeypatch.setattr(background, 'PATIENCE', 3600.0)
    mbd_ros.execution.executors.auto._kernel.cache_clear()
    return mbd_ros.dynamics.PreparedDynamics(model, executor='auto')


def same(found, expected):
    np.testing.assert_array_equal(found, expected)


def test_one_state(dyn, model):
    q, v, tau = random_state(model, 1)
    call = dyn.forward_dynamics
    same(call(q, v, tau), mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled'))
    assert dyn.how('forward_dynamics') == 'rolled'
    assert dyn.executor.wait(300.0)
    assert dyn.how('forward_dynamics') == 'unrolled'
    assert dyn.forward_dynamics is call
    same(call(q, v, tau), mbd_ros.forward_dynamics(model, q, v, tau))
    # The ordinary path, which lists take, runs the new code, too.
    same(call(q.tolist(), v, tau), mbd_ros.forward_dynamics(model, q, v, tau))


def test_batches_are_exchanged_apart_from_single_states(dyn, model):
    states = [np.array(part) for part in zip(*(random_state(model, k) for k in range(20)))]
    assert dyn.executor.wait(300.0) or dyn.forward_dynamics
    same(dyn.forward_dynamics(*states), mbd_ros.forward_dynamics(model, *states,
                                                                 executor='rolled'))
    assert dyn.how('forward_dynamics', 20).startswith('rolled, ')
    assert dyn.executor.wait(300.0)
    assert dyn.how('forward_dynamics', 20).startswith('unrolled, ')
    same(dyn.forward_dynamics(*states), mbd_ros.forward_dynamics(model, *states))


def test_derivatives(dyn, model):
    state = random_state(model, 2)
    rolled = mbd_ros.forward_dynamics_derivatives(model, *state, executor='rolled')
    for found, expected in zip(dyn.forward_dynamics_derivatives(*state), rolled):
        same(found, expected)
    assert dyn.executor.wait(300.0)
    for found, expected in zip(dyn.forward_dynamics_derivatives(*state),
                               mbd_ros.forward_dynamics_derivatives(model, *state)):
        same(found, expected)


def test_what_stays_rolled_is_not_compiled_again(model):
    long = mbd_ros.compile(mbd_ros.load(chain(60, 3)), executor='auto')
    assert long.how('forward_dynamics') == 'rolled'
    assert long.executor.wait(0.0)


def test_default_executors_do_not_change_what_they_run(model):
    assert mbd_ros.compile(model).how('forward_dynamics') == 'unrolled'
    assert mbd_ros.compile(model, executor='rolled').how('inverse_dynamics') == 'rolled'
    assert mbd_ros.compile(model, executor='interpreted').how('bias_forces') == 'interpreted'
