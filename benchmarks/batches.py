"""
Forward dynamics of many states in one call, on one thread and on two.

MuJoCo has no batch of forward dynamics alone: a step of ``rollout`` integrates as well, with its
constraints switched off. Ours checks that all numbers are finite; Pinocchio's does not.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os

import mujoco
from mujoco.rollout import Rollout
import numpy as np
import pinocchio as pin

from benchmarks.robots import Case, cases
from benchmarks.timing import interleaved
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
        for threads in range(1, min(2, os.cpu_count() or 1) + 1):
            times = interleaved(_calls(case, count, threads), rounds=11, fewest=1)
            figures = ' | '.join(f'{1e3 * timing.median / count:.3g}' for timing in times.values())
            ours = times.pop('mbd_ros')
            low, middle, high = times.pop('loop').ratio_to(ours)
            others = ' | '.join(f'**{peer.ratio_to(ours)[1]:.1f}**' for peer in times.values())
            yield (f'| {case.name}, {count} | {threads} | {figures} | **{middle:.1f}** '
                   f'({low:.1f}-{high:.1f}) | {others} |')


def _calls(case: Case, count: int, threads: int) -> dict[str, Candidate]:
    model, peer, rng = case.model, case.peer, np.random.default_rng(0)
    q = np.array([random_configuration(model, rng) for _ in range(count)])
    v, tau = rng.normal(size=(2, count, model.nv))
    dyn = mbd_ros.compile(model, executor=Threads(threads) if threads > 1 else None)
    data, pool = peer.createData(), pin.ModelPool(peer, threads)
    columns = [np.asfortranarray(array.T) for array in (q, v, tau)]
    result = np.zeros((model.nv, count), order='F')

    def loop() -> None:
        for state in zip(q, v, tau):
            pin.aba(peer, data, *state)

    pin.abaInParallel(threads, pool, *columns, result)
    # 1e-6: some of the robots' links weigh grams, which the largest accelerations carry on.
    np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), result.T, rtol=1e-6, atol=1e-6)
    return {'mbd_ros': (dyn.forward_dynamics, (q, v, tau)), 'loop': (loop, ()),
            'abaInParallel': (pin.abaInParallel, (threads, pool, *columns, result)),
            'rollout': _rollout(case, q, v, tau, threads)}


def _rollout(case: Case, q: np.ndarray, v: np.ndarray, tau: np.ndarray, threads: int
             ) -> Candidate:
    """Return one step of MuJoCo from each state: forward dynamics and an explicit Euler step."""
    model, _ = case.mujoco()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # joint limits, dry friction
    workers = [mujoco.MjData(model) for _ in range(threads)]
    positions = q.copy()
    for first, kind in zip(case.model.q_offsets, case.model.joint_types):
        if kind is JointType.FLOATING:
            positions[:, first + 3:first + 7] = q[:, [first + 6, first + 3, first + 4, first + 5]]
    states = np.hstack([np.zeros((len(q), 1)), positions, v])
    rollout = Rollout(nthread=0 if threads == 1 else threads)
    return lambda: rollout.rollout(
        model, workers, states, tau[:, None, :], nstep=1,
        control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)), ()
