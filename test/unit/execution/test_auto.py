"""Threads are chosen where the time they save exceeds that of handing over."""

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.recursive import FORWARD_DYNAMICS
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Auto, auto, choose, Compiled, forced, Interpreted, Threads
from mbd_ros.execution.cost_model import Costs
from mbd_ros.execution.threads import SMALLEST_SHARE


@pytest.fixture
def kernel(monkeypatch):
    """Return a kernel of a small arm, as on a machine with two processors."""
    monkeypatch.setattr(auto, 'processors', lambda: 2)
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
    assert choose('threads') == Threads(auto.processors())
    with pytest.raises(InvalidValueError, match="executor is 'gpu'; allowed: 'auto', 'compiled', "
                       "'unrolled', 'rolled', 'lanes', 'threads', 'threads_within_state', "
                       "'interpreted' or an executor"):
        choose('gpu')


@pytest.mark.parametrize('rows', [1, 100, 2 * SMALLEST_SHARE, 30_000])
def test_the_answer_does_not_depend_on_the_choice(kernel, rows):
    run(kernel, min(rows, 2))
    assert Auto.wait(60.0)  # until then another kernel may answer, with other last bits
    states, out = run(kernel, rows)
    expected = np.empty_like(out)
    Compiled().kernel(FORWARD_DYNAMICS, kernel.model).run(states, np.zeros(3), expected)
    np.testing.assert_array_equal(out, expected)


def test_large_batches_go_to_threads_and_small_ones_do_not(kernel, monkeypatch):
    monkeypatch.setattr(auto, 'costs', lambda: Costs(hand_over=20e-6, one=1.0, batch=1e-10))
    monkeypatch.setattr(auto, 'operations', lambda program, model: 500)
    # 50 ns * N / 2 saved against 10 * 20 us: from N = 8000 on.
    assert [kernel.threads(rows) for rows in (100, 7999, 8001, 10**6)] == [1, 1, 2, 2]
    assert kernel.how(10**6).endswith(' lanes, 2 threads')
    assert kernel.how(100).endswith(' lanes')


def test_kernels_are_kept(kernel):
    assert Auto().kernel(FORWARD_DYNAMICS, kernel.model) is kernel


def test_one_processor_has_no_choice(monkeypatch):
    monkeypatch.setattr(auto, 'processors', lambda: 1)
    kernel = Auto().kernel(FORWARD_DYNAMICS, mbd_ros.load(chain(3, 1)))
    run(kernel, 30_000)
    assert kernel.threads(10**9) == 1


@pytest.mark.parametrize(('executor', 'threads', 'expected'), [
    ('', 0, None), ('auto', 0, Auto()), ('rolled', 0, Compiled('rolled')),
    ('', 3, Threads(3)), ('auto', 1, Threads(1)), ('threads', 2, Threads(2)),
    ('rolled', 1, Compiled('rolled')), ('rolled', 2, Threads(2, Compiled('rolled'))),
])
def test_forced_executors(executor, threads, expected):
    assert forced(executor, threads) == expected
