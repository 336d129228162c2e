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

"""
Forward dynamics of many states in one call, on one thread and on two.

MuJoCo has no batch of forward dynamics alone: a step of ``rollout`` integrates as well, with its
constraints switched off. Ours checks that all numbers are finite; Pinocchio's does not.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import os
import time

import mujoco
from mujoco.rollout import Rollout
import numpy as np
import pinocchio as pin

from benchmarks.robots import Case, cases
from benchmarks.timing import busy_core, interleaved
import mbd_ros
from mbd_ros.execution import Threads
from mbd_ros.model import JointType
from mbd_ros.model.state import random_configuration

STATES = (65536, 4096, 4096)
"""For each robot of ``benchmarks.robots``."""
Candidate = tuple[Callable[..., object], tuple[object, ...]]


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot, states | threads | mbd_ros [ns/state] | loop over pin.aba '
           '| pin.abaInParallel | mujoco.rollout, one step '
           '| loop / mbd_ros: median (min-max) | abaInParallel / mbd_ros | rollout / mbd_ros |')
    yield '|---|---|---|---|---|---|---|---|---|'
    for case, count in zip(cases(), STATES):
        for number in range(1, min(2, os.cpu_count() or 1) + 1):
            times = interleaved(_calls(case, count, number), rounds=11, fewest=1)
            figures = ' | '.join(f'{1e3 * timing.median / count:.3g}' for timing in times.values())
            ours = times.pop('mbd_ros')
            low, middle, high = times.pop('loop').ratio_to(ours)
            others = ' | '.join(f'**{peer.ratio_to(ours)[1]:.1f}**' for peer in times.values())
            yield (f'| {case.name}, {count} | {number} | {figures} | **{middle:.1f}** '
                   f'({low:.1f}-{high:.1f}) | {others} |')


def threads() -> Iterator[str]:
    """
    Yield a table: one thread against two, alone and with one core kept busy by another program.

    Every call counts, for beside another program single calls lose the processor for milliseconds.
    """
    yield ('| robot | states | one thread [ns/state] | two threads | one / two '
           '| the same with one core kept busy | total time of all calls, one / two |')
    yield '|---|---|---|---|---|---|---|'
    arm, quadruped, humanoid = cases()
    for case, count in ((arm, 65536), (arm, 4096), (arm, 1024), (quadruped, 4096),
                        (humanoid, 4096)):
        rng = np.random.default_rng(0)
        q = np.array([random_configuration(case.model, rng) for _ in range(count)])
        state = q, *rng.normal(size=(2, count, case.model.nv))
        calls = [mbd_ros.compile(case.model, executor=executor).forward_dynamics
                 for executor in (None, Threads(2))]
        alone = _every_call(calls, state)
        with busy_core():
            beside = _every_call(calls, state)
        one, two = (np.median(times) for times in alone)
        middle = np.median(beside[0]) / np.median(beside[1])
        total = np.mean(beside[0]) / np.mean(beside[1])
        yield (f'| {case.name} | {count} | {1e9 * one / count:.3g} | {1e9 * two / count:.3g} '
               f'| **{one / two:.2f}** | **{middle:.2f}** | {total:.2f} |')


def _every_call(calls: Sequence[Callable[..., object]], state: tuple[np.ndarray, ...]
                ) -> list[list[float]]:
    """Return the times [s] of all calls of each function in 40 turns of 50 ms."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call(*state)
    for _ in range(40):
        for call, noted in zip(calls, times):
            end = time.perf_counter() + 0.05
            while (begin := time.perf_counter()) < end:
                call(*state)
                noted.append(time.perf_counter() - begin)
    return times


def _calls(case: Case, count: int, number: int) -> dict[str, Candidate]:
    model, peer, rng = case.model, case.peer, np.random.default_rng(0)
    q = np.array([random_configuration(model, rng) for _ in range(count)])
    v, tau = rng.normal(size=(2, count, model.nv))
    dyn = mbd_ros.compile(model, executor=Threads(number) if number > 1 else None)
    data, pool = peer.createData(), pin.ModelPool(peer, number)
    columns = [np.asfortranarray(array.T) for array in (q, v, tau)]
    result = np.zeros((model.nv, count), order='F')

    def loop() -> None:
        for state in zip(q, v, tau):
            pin.aba(peer, data, *state)

    pin.abaInParallel(number, pool, *columns, result)
    # 1e-6: some of the robots' links weigh grams, which the largest accelerations carry on.
    np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), result.T, rtol=1e-6, atol=1e-6)
    return {'mbd_ros': (dyn.forward_dynamics, (q, v, tau)), 'loop': (loop, ()),
            'abaInParallel': (pin.abaInParallel, (number, pool, *columns, result)),
            'rollout': _rollout(case, q, v, tau, number)}


def _rollout(case: Case, q: np.ndarray, v: np.ndarray, tau: np.ndarray, number: int
             ) -> Candidate:
    """Return one step of MuJoCo from each state: forward dynamics and an explicit Euler step."""
    model, _ = case.mujoco()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # joint limits, dry friction
    workers = [mujoco.MjData(model) for _ in range(number)]
    positions = q.copy()
    for first, kind in zip(case.model.q_offsets, case.model.joint_types):
        if kind is JointType.FLOATING:
            positions[:, first + 3:first + 7] = q[:, [first + 6, first + 3, first + 4, first + 5]]
    states = np.hstack([np.zeros((len(q), 1)), positions, v])
    rollout = Rollout(nthread=0 if number == 1 else number)
    return lambda: rollout.rollout(
        model, workers, states, tau[:, None, :], nstep=1,
        control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)), ()
