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

"""The loop of the simulator, driven without a graph."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
import re
import threading
import time
from types import SimpleNamespace

from mbd_msgs.msg import LinkWrench
import numpy as np
import pytest

import mbd_ros
from mbd_ros import Ground
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.nodes.simulating.simulation_controls import SimulationControls
from mbd_ros.nodes.simulating.simulation_loop import SimulationLoop, Successor, Timing
from mbd_ros.simulation import Stepper
from mbd_ros.simulation.hardware import Drives, Hardware
from mbd_ros.simulation.pushes import Push

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

    def begin(publish, *, lockstep=True, timeout=60.0, on_timeout='brake', factor=0.0,
              robot=model, fastest=1e4, expected=lambda: False, drives=lambda: None,
              holds_at_first=True):
        said = []
        loop = SimulationLoop(
            Stepper(robot, START, step=1e-3, fastest=fastest),
            Timing(STEP, 2, factor, lockstep, timeout, on_timeout, holds_at_first),
            publish=lambda *state: publish(loop, *state), warn=said.append, expected=expected,
            drives=drives)
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


def test_drives_that_are_late_give_the_run_that_the_library_gives(model, start):
    """Commands act after their delay in simulated time, between states, too."""
    hardware = Hardware(command_delay=0.003, effort_resolution=0.25)
    drives, trace, done = Drives(hardware), [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append((now, q, v))
        if len(trace) > 100:
            done.set()
        loop.command(np.array([0.1, -10.0, 1.0]) - v, now)

    start(answer, drives=lambda: drives)
    assert done.wait(60.0)
    moving = next(k for k, (_, _, v) in enumerate(trace) if v.any()) - 1
    stepper, alike = Stepper(model, START, step=1e-3), Drives(hardware)
    for (_, _, v), (_, q_next, v_next) in pairwise(trace[moving:]):
        command = np.array([0.1, -10.0, 1.0]) - v
        for _ in range(2):
            stepper.advance(alike.act(stepper.time, command), 1e-3)
        assert np.array_equal(stepper.q, q_next)   # bit by bit
        assert np.array_equal(stepper.v, v_next)


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


@pytest.mark.parametrize('lockstep', [True, False])
def test_without_brakes_the_robot_falls_until_the_first_command(model, start, lockstep):
    """And a motion that is stopped is held all the same."""
    trace = []
    loop, _ = start(lambda loop, now, q, v, efforts: trace.append((now, q)), factor=1.0,
                    lockstep=lockstep, holds_at_first=False, fastest=0.5)
    wait_until(lambda: loop.stops)   # it fell faster than is allowed
    stepper = Stepper(model, START, step=1e-3)
    stepper.advance(np.zeros(3), 0.002)
    assert np.array_equal(trace[1][1], stepper.q)   # bit by bit
    seen = len(trace)
    wait_until(lambda: len(trace) > seen + 5)
    assert np.array_equal(trace[-1][1], trace[-3][1])


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


def test_time_stands_still_for_a_controller_that_is_late(start):
    """However late: a busy machine changes no answer. Without anybody the brakes act."""
    trace, silent, gone = [], threading.Event(), threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append(now)
        if not silent.is_set():
            loop.command(np.array([0.0, -10.0, 0.0]), now)

    loop, said = start(answer, timeout=0.15, expected=lambda: not gone.is_set())
    wait_until(lambda: loop.driven)
    silent.set()
    wait_until(lambda: loop.awaiting)
    count, now = len(trace), trace[-1]
    wait_until(lambda: len(trace) > count + 5)
    assert said == ['no effort command for 0.15 s: simulated time stands still until one comes, '
                    'or until the topic has no publisher']
    assert set(trace[count:]) == {now} and loop.driven and loop.timeouts == 0
    silent.clear()
    wait_until(lambda: trace[-1] > now)
    assert not loop.awaiting
    silent.set()
    wait_until(lambda: loop.awaiting)
    gone.set()
    wait_until(lambda: loop.timeouts)
    assert 'the brakes hold the robot' in said[-1] and not loop.awaiting


def test_a_wait_while_paused_is_no_controller_that_is_late(start):
    trace, silent = [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append(now)
        if not silent.is_set():
            loop.command(np.array([0.0, -10.0, 0.0]), now)

    loop, said = start(answer, timeout=0.15, expected=lambda: True)
    wait_until(lambda: loop.driven)
    loop.pause(True)
    silent.set()
    sent = len(trace)
    wait_until(lambda: len(trace) > sent + 10)   # more looks than there are in 0.15 s
    assert not said and not loop.awaiting
    loop.pause(False)
    wait_until(lambda: said)
    assert 'stands still' in said[0] and loop.awaiting


def test_answers_to_other_states_are_not_taken(start):
    moved = []

    def answer(loop, now, q, v, efforts):
        moved.append((now, efforts.copy()))
        loop.command(np.array([99.0, 0.0, 0.0]), now - 2 * STEP)   # stale, before the answer
        loop.command(np.array([0.0, -10.0, 0.0]), now)
        loop.command(np.array([98.0, 0.0, 0.0]), now - 2 * STEP)   # and after it

    loop, _ = start(answer)
    wait_until(lambda: len(moved) > 50)
    loop.stop()
    # The first commands find the robot held by its brakes, when any command releases them.
    assert {tuple(efforts) for _, efforts in moved[5:]} == {(0.0, -10.0, 0.0)}
    assert loop.resent == 0   # what is stale takes the place of no answer


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


def hostile(rng, limit):
    """Return efforts that no drive gives, or that a drive may give."""
    kind = rng.integers(5)
    sign = rng.choice([-1.0, 1.0], 3)
    if kind == 0:
        return sign * 10.0 ** rng.uniform(3.0, 308.0, 3)
    if kind == 1:
        return sign * np.finfo(float).max
    if kind == 2:
        return np.where(rng.random(3) < 0.5, 1e300, 0.0)
    if kind == 3:
        return sign * limit
    return rng.normal(size=3)


@pytest.mark.parametrize('lockstep', [True, False])
@pytest.mark.parametrize('limited', [True, False])
def test_efforts_that_no_drive_gives_do_not_stop_the_simulation(model, start, limited, lockstep):
    """Two senders, one of them hostile: within limits they act, without them they are dropped."""
    rng = np.random.default_rng(4)
    trace = []
    robot = model if limited else replace(model, effort_limits=np.full(3, np.inf))

    def answer(loop, now, q, v, efforts):
        trace.append((q, v, efforts.copy()))
        count = len(trace)
        loop.command(hostile(rng, 200.0) if 10 < count < 200 and count % 2 else -v, now)

    loop, said = start(answer, robot=robot, lockstep=lockstep, factor=0.0 if lockstep else 1.0,
                       fastest=1e4)
    wait_until(lambda: len(trace) > 300 and loop.driven)   # by the last sender, a good one
    loop.stop()
    for q, v, efforts in trace:
        assert np.isfinite((q, v, efforts)).all()
        assert np.abs(v).max() <= 1e4
        assert np.abs(efforts).max() <= (200.0 if limited else np.inf)
    assert loop.limited > 20 if limited else loop.stops > 20
    assert limited or said[0].startswith(
        'the brakes hold the robot where it was, until the next effort command: ')
    assert len(said) < 10   # a flood of them is counted, not said
    assert not np.array_equal(trace[-1][0], trace[-20][0])   # and the robot moves


def test_a_joint_that_becomes_too_fast_is_stopped_where_it_was(start):
    trace = []

    def answer(loop, now, q, v, efforts):
        trace.append((q, v))
        loop.command(np.full(3, 100.0) if len(trace) < 50 else np.zeros(3), now)

    loop, said = start(answer, fastest=0.5)
    wait_until(lambda: loop.stops)
    loop.stop()
    assert all(np.abs(v).max() <= 0.5 for _, v in trace)
    assert re.fullmatch(
        'the brakes hold the robot where it was, until the next effort command: .*'
        'a joint would be faster than 0.5 rad/s or m/s; allowed: .*', said[0])


@pytest.mark.parametrize(('lockstep', 'lag'), [(True, 0.5), (False, 0.05)])
def test_how_much_lag_is_made_up(model, lockstep, lag):
    loop = SimulationLoop(Stepper(model, START), Timing(STEP, 2, 1.0, lockstep, 1.0, 'brake'),
                          publish=lambda *_: None, warn=lambda _: None)
    assert loop._pace.largest_lag == lag


def held(loop, now, q, v, efforts):
    """Answer every state with the same efforts."""
    loop.command(np.array([0.0, 20.0, 0.0]), now)


def test_time_stands_still_while_paused_and_goes_on_by_steps(start):
    trace = []

    def answer(loop, now, q, v, efforts):
        trace.append((now, q))
        held(loop, now, q, v, efforts)
    loop, _ = start(answer)
    wait_until(lambda: len(trace) > 20)
    loop.pause(True)
    wait_until(lambda: len(trace) > 3 and trace[-1] == trace[-2] == trace[-3])
    now, place = trace[-1]
    assert loop.paused and loop.simulated == pytest.approx(now * 1e-9)
    loop.move(0.01)
    wait_until(lambda: trace[-1][0] == now + 10 * STEP and trace[-1] == trace[-2])
    assert not np.array_equal(trace[-1][1], place)
    loop.move(0.0)   # a published state at least
    wait_until(lambda: trace[-1][0] == now + 12 * STEP and trace[-1] == trace[-2])
    loop.pause(False)
    wait_until(lambda: trace[-1][0] > now + 40 * STEP)


def test_reset_begins_anew_and_time_goes_on(start):
    trace = []

    def answer(loop, now, q, v, efforts):
        trace.append((now, q, v))
        held(loop, now, q, v, efforts)
    loop, _ = start(answer)
    wait_until(lambda: trace and trace[-1][1][1] > START[1] + 0.1)
    loop.pause(True)
    loop.reset()
    wait_until(lambda: np.array_equal(trace[-1][1], START))
    assert not trace[-1][2].any()
    assert [now for now, _, _ in trace] == sorted(now for now, _, _ in trace)


@pytest.mark.parametrize('lockstep', [True, False])
def test_efforts_for_a_state_before_a_reset_do_not_act_after_it(start, model, lockstep):
    """They would throw the robot: here with 20 N m, from a state that others hold."""
    trace, late = [], threading.Event()
    throw, hold = np.array([0.0, 20.0, 0.0]), mbd_ros.gravity_forces(model, START)

    def answer(loop, now, q, v, efforts):
        trace.append((now, q))
        if not late.is_set():
            rests = np.abs(q - START).max() < 1e-6 and len(trace) > 100
            loop.command(hold if rests else throw, now)
    loop, _ = start(answer, lockstep=lockstep, factor=0.0 if lockstep else 1.0)
    wait_until(lambda: len(trace) > 200)
    if lockstep:   # the answer to the state before comes after the reset
        late.set()
        wait_until(lambda: len(trace) > 2 and trace[-1][0] == trace[-2][0])
    loop.reset()
    loop.command(throw, trace[-1][0])
    late.clear()
    wait_until(lambda: np.array_equal(trace[-1][1], START))
    begin = len(trace)
    wait_until(lambda: len(trace) > begin + 50)
    assert trace[-1][0] > trace[begin][0]
    assert np.abs(trace[-1][1] - START).max() < 1e-9   # 2 ms of 20 N m: 1e-4


def test_slower_and_faster(start):
    trace = []
    loop, _ = start(lambda loop, now, *_: trace.append((now, time.monotonic())), factor=0.1,
                    lockstep=False)
    wait_until(lambda: len(trace) > 5)
    (first, begin), (last, end) = trace[1], trace[5]
    assert (last - first) * 1e-9 <= 0.1 * (end - begin) + 0.002   # a period of jitter
    loop.change_pace(100.0)
    wait_until(lambda: trace[-1][0] > 500 * STEP)   # five seconds before


def test_a_push_acts_for_its_time(start, model):
    """Beside the accelerations of forward dynamics under the same force, from rest."""
    loop, _ = start(held)
    with pytest.raises(UnknownNameError, match='link'):
        loop.push(Push('nothing', *np.zeros((3, 3)), 1.0))
    stepper = Stepper(model, START, step=1e-3, gravity=(0.0, 0.0, 0.0))
    free = Stepper(model, START, step=1e-3, gravity=(0.0, 0.0, 0.0))
    force, point = np.array([3.0, -4.0, 2.0]), np.array([0.1, 0.2, -0.3])
    stepper.push(Push('tool', point, force, np.zeros(3), 0.002))
    stepper.advance(np.zeros(3), 0.002)
    pose = mbd_ros.pose(model, START, 'tool')
    wrench = np.append(force, np.cross(pose[:3, :3] @ point, force))
    vdot = mbd_ros.forward_dynamics(model, START, *np.zeros((2, 3)), gravity=(0.0, 0.0, 0.0),
                                    external_forces={'tool': wrench})
    assert stepper.v == pytest.approx(0.002 * vdot, rel=1e-3)   # of two steps of first order
    speed = stepper.v.copy()
    stepper.advance(np.zeros(3), 0.002)   # it is over
    free.set_state(free.q, speed)
    free.advance(np.zeros(3), 0.002)
    assert stepper.v == pytest.approx(free.v, rel=1e-3)


@pytest.mark.parametrize('change', [
    {'force': np.array([np.nan, 0.0, 0.0])}, {'force': np.array([1e7, 0.0, 0.0])},
    {'moment': np.array([0.0, np.inf, 0.0])}, {'point': np.array([0.0, 0.0, 1e4])},
    {'duration': -1.0}, {'duration': np.nan}, {'duration': 1e9}])
def test_pushes_are_bounded(model, change):
    push = Push('tool', *np.zeros((3, 3)), 1.0)._replace(**change)
    with pytest.raises(InvalidValueError, match=rf"{next(iter(change))} of the push on 'tool'"):
        push.check(model)


BALL = ('<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><mbd:contact>'
        '<point xyz="0 0 0" radius="0.1"/><stiffness value="{k}"/><damping value="10"/>'
        '<friction value="0.5"/></mbd:contact></link></robot>')


@pytest.mark.parametrize(('stiffness', 'expected'), [
    (2e3, []), (1e9, ['steps of 0.001 s are long for friction at landings'])])
def test_what_is_wrong_with_feet_is_said_once_for_each_robot(stiffness, expected):
    def ball(height):
        q = np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0])
        return Stepper(mbd_ros.load(BALL.format(k=stiffness), floating_base=True), q, step=1e-3,
                       ground=Ground())
    said, count = [], []
    loop = SimulationLoop(ball(0.2), Timing(STEP, 2, 1.0, False, 60.0, 'brake'),
                          publish=lambda *state: count.append(state), warn=said.append)
    loop.start(0)
    try:
        wait_until(lambda: len(count) > 3)
        loop.reset()
        loop.exchange(lambda q, v, efforts: Successor(
            ball(0.0), lambda *state: count.append(state), efforts))
        begun = len(count)
        wait_until(lambda: len(count) > begun + 3)
    finally:
        loop.stop()
    # Springs of 2 N/mm hold 10 J, five times what lifts 2 kg by 0.1 m.
    wanted = [*expected, *expected, "the contact of link 'a' begins 0.1 m below the ground"]
    heard = [line for line in said if 'behind real time' not in line]   # on a busy machine
    assert sorted(line[:20] for line in heard) == sorted(line[:20] for line in wanted)
    assert all(line.endswith('(logged once)') for line in heard)
    assert set(loop.concerns) == {'depth', *(['step'] if expected else [])}


@pytest.mark.parametrize('lockstep', [True, False])
def test_suspended_it_is_silent_and_held_and_goes_on_at_the_time_of_the_clock(start, lockstep):
    trace, silent = [], threading.Event()

    def answer(loop, now, q, v, efforts):
        trace.append((now, q, v))
        if not silent.is_set():
            loop.command(np.array([0.1, -10.0, 1.0]), now)
    loop, said = start(answer, lockstep=lockstep, factor=0.0 if lockstep else 1.0)
    wait_until(lambda: trace and trace[-1][2].any())
    silent.set()
    loop.suspend()
    time.sleep(0.05)   # far above one period of 2 ms: what is under way ends
    count = len(trace)
    time.sleep(0.1)    # 50 periods
    assert len(trace) == count and not loop.driven
    # Pushes end by its time; brakes and a suspension do not set it back.
    assert loop._stepper.time > 0.0
    later = trace[-1][0] + 3600 * 10**9
    loop.resume(later)
    wait_until(lambda: len(trace) > count + 5)
    assert trace[count][0] == later
    for _, q, v in trace[count:]:   # the brakes hold it: nobody commands
        assert not v.any() and np.array_equal(q, trace[-1][1])
    assert not said and not loop.timeouts   # on purpose


@pytest.mark.parametrize(('action', 'moves'), [('brake', False), ('zero', True)])
def test_a_push_that_moves_nothing_says_why(start, action, moves):
    """The brakes hold the robot before the first command, and where they are to, after it."""
    loop, _ = start(lambda *_: None, lockstep=False, timeout=0.05, on_timeout=action)
    heard = []
    node = SimpleNamespace(
        create_service=lambda *_: None, create_subscription=lambda *_, **__: None,
        get_logger=lambda: SimpleNamespace(warning=lambda text, **_: heard.append(text)))
    controls = SimulationControls(node, SimpleNamespace(), lambda: loop)
    push = LinkWrench(link='link1')
    push.duration.sec = 1
    controls._on_push(push)
    assert 'brakes hold the robot' in heard.pop()
    loop.command(np.zeros(3), 0)
    wait_until(lambda: loop.timeouts)   # no further commands
    controls._on_push(push)
    assert bool(heard) != moves
