"""The loop of the simulator, driven without a graph."""

from pathlib import Path
import threading
import time

import numpy as np
import pytest

import mbd_ros
from mbd_ros.nodes.simulation_loop import SimulationLoop, Timing
from mbd_ros.simulation import Stepper

ROOT = Path(__file__).resolve().parents[3]
STEP = 1_000_000
START = np.array([0.5, -0.5, 1.0])


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf')


@pytest.fixture
def start(model):
    """Return a function that starts a loop and stops it after the test."""
    loops = []

    def begin(publish, *, lockstep=True, timeout=60.0, on_timeout='brake', factor=0.0):
        said = []
        loop = SimulationLoop(
            Stepper(model, START, step=1e-3),
            Timing(STEP, 2, factor, lockstep, timeout, on_timeout),
            publish=lambda *state: publish(loop, *state), warn=said.append)
        loops.append(loop)
        loop.start(0)
        return loop, said
    yield begin
    for loop in loops:
        loop.stop()


def wait_until(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_lockstep_gives_the_run_that_the_library_gives(model, start):
    trace, done = [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append((now, q, v))
        if len(trace) > 300:
            done.set()
        loop.command(np.array([0.1, -10.0, 1.0]) - v, now)

    start(answer)
    assert done.wait(60.0)
    moving = next(k for k, (_, _, v) in enumerate(trace) if v.any()) - 1
    stepper = Stepper(model, START, step=1e-3)
    for (now, q, v), (later, after, _) in zip(trace[moving:], trace[moving + 1:]):
        assert later == now + 2 * STEP
        assert np.array_equal(q, stepper.q)
        stepper.advance(np.array([0.1, -10.0, 1.0]) - v, 0.002)
        assert np.array_equal(after, stepper.q)   # bit by bit: nothing else enters


def test_before_the_first_command_the_brakes_hold(start):
    trace = []
    start(lambda loop, now, q, v, efforts: trace.append((now, q)), factor=1.0)
    wait_until(lambda: len(trace) > 20)
    assert all(np.array_equal(q, START) for _, q in trace)
    assert trace[10][0] == 20 * STEP   # time passes all the same


def test_an_unanswered_state_is_sent_again_and_then_given_up(start):
    trace, silent = [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append(now)
        if not silent.is_set():
            loop.command(np.array([0.0, -10.0, 0.0]), now)

    loop, said = start(answer, timeout=1.25)
    wait_until(lambda: loop.driven)
    silent.set()
    wait_until(lambda: said)
    assert said == ['no effort command for 1.25 s: the brakes hold the robot until commands '
                    'come again']
    assert loop.timeouts == 1
    assert loop.resent >= 2
    assert len(trace) > len(set(trace))   # the same stamp more than once
    silent.clear()
    wait_until(lambda: loop.driven)


def test_answers_to_other_states_are_not_taken(start):
    moved = []

    def answer(loop, now, q, v, efforts):
        moved.append((now, efforts.copy()))
        loop.command(np.array([99.0, 0.0, 0.0]), now - 2 * STEP)   # stale
        loop.command(np.array([0.0, -10.0, 0.0]), now)

    loop, _ = start(answer)
    wait_until(lambda: len(moved) > 50)
    loop.stop()
    assert not any(efforts[0] == 99.0 for _, efforts in moved[5:])


@pytest.mark.parametrize(('action', 'rests'), [('brake', True), ('zero', False), ('keep', False)])
def test_what_happens_without_commands(start, action, rests):
    trace, once = [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append((v, efforts.copy()))
        if not once.is_set():
            once.set()
            loop.command(np.array([5.0, -10.0, 0.0]), None)

    loop, _ = start(answer, lockstep=False, timeout=0.05, on_timeout=action, factor=1.0)
    wait_until(lambda: loop.timeouts)
    count = len(trace)
    wait_until(lambda: len(trace) > count + 5)
    loop.stop()
    assert (not trace[-1][0].any()) == rests


def test_a_motion_that_leaves_all_bounds_is_stopped_and_said(start):
    def answer(loop, now, q, v, efforts):
        loop.command(np.array([1e200, 1e200, 1e200]), now)

    loop, said = start(answer)
    wait_until(lambda: loop.failed)
    assert said[0].startswith('the simulation stops here, the brakes hold the robot: ')
