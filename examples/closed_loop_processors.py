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
Redo the run times of Malczyk and Fraczek: one processor, two processors, two nodes of a network.

``python examples/closed_loop_processors.py table`` prints their Table 1: the slider-crank for 1 to
60 s, with two longest steps, on one processor and with its two branches in two processes.
``rings`` prints how long 10 s of rings of n links take on one thread and on two, and writes their
Figure 4 as PNG, to docs/images; with ``OPENBLAS_NUM_THREADS=1``, so that linear algebra has one
thread in both. ``nodes`` prints how long one evaluation takes with both branches
in this process, in two processes that share memory, and in two that speak TCP, by MPI (mpi4py) and
by dask.distributed over the loopback interface. ``nodes`` needs what the tests need (extra
``test``).

The two branches of a loop are models of their own. Each tells what its tip does without the cut,
and what a unit of each multiplier changes; where they meet remains one equation for each row::

    (G_a + G_b) lambda = a_b - a_a - 2 alpha phi' - beta^2 phi,    G = A M^-1 A^T
"""

from __future__ import annotations

from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
import importlib
import math
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
from scipy.integrate import BDF

import mbd_ros
from mbd_ros import Compiled, Threads

ROOT = Path(__file__).resolve().parents[1]
ALPHA = 5.0
"""Of Baumgarte's stabilization, as beta [1/s]; the paper takes 1 to 20."""
DURATIONS, STEPS = (1, 5, 10, 20, 30, 40, 50, 60), (0.01, 0.001)
PRINTED = {0.01: ((0.058, 0.085), (0.368, 0.530), (0.792, 1.143), (1.594, 2.337), (2.412, 3.468),
                  (3.229, 4.691), (3.985, 5.756), (4.768, 6.951)),
           0.001: ((0.165, 0.240), (0.912, 1.342), (1.865, 2.714), (3.766, 5.435), (5.690, 8.192),
                   (7.572, 10.866), (9.370, 13.573), (11.180, 16.336))}
"""Table 1 of the paper: run times [s] of one and two processors, by step and duration."""
SIZES = (5, 15, 31, 51, 101, 151, 201, 251, 301)
"""Links of rings, the fixed one among them."""
DOWN = {'crank': (0.0, 0.0, -9.81), 'ring': (0.0, -9.81, 0.0)}

INERTIAL = ('<inertial><origin xyz="{}"/><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" '
            'ixy="0" ixz="0" iyz="0"/></inertial>')
ROD = INERTIAL.format('0.5 0 0', 1.0, 1e-3, 1 / 12, 1 / 12)
CRANK = ('crank', 'revolute', 'base', '0 0.1 0.12', '1 0 0',
         INERTIAL.format('0 0 0.04', 0.12, 1e-4, 1e-4, 1e-5))
SLIDER = (('slider', 'prismatic', 'base', '0 0 0', '1 0 0',
           INERTIAL.format('0 0 0', 2.0, 1e-4, 1e-4, 1e-4)),
          ('cross', 'revolute', 'slider', '0 0 0', '1 0 0', ''),
          ('rod', 'revolute', 'cross', '0 0 0', '0 1 0',
           INERTIAL.format('-0.15 0 0', 0.5, 4e-4, 4e-3, 4e-3)))


def links_of(kind, size, side):
    """Return the links of a branch, inmost first, and the point of the last that the cut holds."""
    if kind == 'crank':
        return ((CRANK,), '0 0 0.08') if side == 'a' else (SLIDER, '-0.3 0 0')
    half = (size - 1) // 2
    return tuple((f'{side}{k:05}', 'revolute', f'{side}{k - 1:05}' if k else 'base',
                  '1 0 0' if k or side == 'b' else '0 0 0', '0 0 1', ROD)
                 for k in range(half)), '1 0 0'


def description(kind, size, sides):
    """Return the URDF of one branch with a link at its tip, or of both with the cut."""
    lines, tips = ['<robot name="loop"><link name="base"/>'], []
    for side in sides:
        links, tip = links_of(kind, size, side)
        for name, joint, parent, place, axis, inertial in links:
            limit = '<limit lower="-9" upper="9" effort="1e9" velocity="1e9"/>'
            lines.append(
                f'<link name="{name}">{inertial}</link><joint name="j{name}" type="'
                f'{"continuous" if joint == "revolute" else joint}"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{place}"/><axis xyz="{axis}"/>{limit}'
                '</joint>')
        tips.append((links[-1][0], tip))
    if len(sides) == 1:
        (last, tip), = tips
        lines.append(f'<link name="tip"/><joint name="jtip" type="fixed"><parent link="{last}"/>'
                     f'<child link="tip"/><origin xyz="{tip}"/></joint>')
    else:
        lines.append('<loop_joint name="cut" type="spherical">' + ''.join(
            f'<link{k} link="{last}" xyz="{tip}"/>' for k, (last, tip) in enumerate(tips, 1))
            + '</loop_joint>')
    return ''.join([*lines, '</robot>'])


def mechanism(kind, size=0):
    """Return the model of a loop, and its state: the crank level, or a regular polygon."""
    model = mbd_ros.load(description(kind, size, 'ab'))
    if kind == 'ring':
        half, turn = (size - 1) // 2, 2.0 * math.pi / size
        return model, np.array([math.pi + turn] + [turn] * (half - 1) + [-turn] * half)
    q = np.array([math.pi / 2, 0.27, -0.17, 0.42])
    return model, mbd_ros.close_loops(model, q, 0.0 * q, known=['jcrank'])[0]


class Branch:
    """One branch of a loop."""

    def __init__(self, kind, size, side):
        model = mbd_ros.load(description(kind, size, side))
        self._dyn = mbd_ros.compile(model, gravity=DOWN[kind])

    def response(self, q, v, tau):
        """Return vdot without the cut and per multiplier (n, 4), and of the tip x, x', a and G."""
        rows = self._dyn.jacobian(q, 'tip')[:3]
        efforts = np.vstack([tau, tau + rows])
        q4, v4 = (np.repeat(one[None], 4, axis=0) for one in (q, v))
        vdot = self._dyn.forward_dynamics(q4, v4, efforts)
        vdot[1:] -= vdot[0]
        motion = self._dyn.link_motion(q, v, 'tip', vdot[0])
        return vdot.T, (motion.pose[:3, 3], motion.velocity[:3], motion.acceleration[:3],
                        rows @ vdot[1:].T)


branch = cache(Branch)


def respond(name, *state):
    """Return the response of a branch by the name of it: what a worker does."""
    return branch(*name).response(*state)


def here(function, *arguments):
    """Return the result of a function as a pool does."""
    done = Future()
    done.set_result(function(*arguments))
    return done


def halves(kind, size=0, submit=here):
    """Return accelerations ``(q, v, tau)`` of a loop whose branches are given to a pool."""
    counts = [len(links_of(kind, size, side)[0]) for side in 'ab']

    def accelerations(q, v, tau):
        parts = [slice(0, counts[0]), slice(counts[0], sum(counts))]
        tasks = [submit(respond, (kind, size, side), q[part], v[part], tau[part])
                 for side, part in zip('ab', parts)]
        (free_a, a), (free_b, b) = (task.result() for task in tasks)
        gap, rate, apart = (one - other for one, other in zip(a[:3], b[:3]))
        forces = np.linalg.lstsq(a[3] + b[3], -apart - 2.0 * ALPHA * rate - ALPHA**2 * gap,
                                 rcond=1e-9)[0]   # across a planar ring there is no row
        return np.concatenate([free_a @ [1.0, *forces], free_b @ [1.0, *-forces]])

    return accelerations


class Run(NamedTuple):
    """Where a run ends; when it reached each duration [s of this machine], with how many calls."""

    state: np.ndarray
    passed: list[float]
    evaluations: list[int]


def bdf(accelerations, q, durations, longest, tau=None, rtol=1e-4, clock=time.perf_counter):
    """
    Return the run of a loop from rest, by SciPy's method of variable order.

    Jacobians are differences, as the paper's. A shorter run is the begin of a longer one.
    """
    n = len(q)
    still, counts, calls = np.zeros(n), [], 0

    def rates(t, y):
        nonlocal calls
        calls += 1
        return np.concatenate([y[n:], accelerations(
            y[:n], y[n:], still if tau is None else tau(t))])

    begin, passed = clock(), []
    solver = BDF(rates, 0.0, np.concatenate([q, still]), durations[-1], max_step=longest,
                 rtol=rtol, atol=1e-2 * rtol)
    while solver.status == 'running':
        solver.step()
        for _ in range(sum(solver.t >= duration for duration in durations[len(passed):])):
            passed.append(clock() - begin)
            counts.append(calls)
    if solver.status == 'failed':
        raise RuntimeError(f'the run ends after {solver.t} s')
    return Run(solver.y, passed, counts)


def seconds(call, *arguments):
    """Return how long a call takes [s]."""
    begin = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - begin


def crank_torque(t):
    """Return 0.01 exp(-t) N m on the crank."""
    return np.array([0.01 * math.exp(-t), 0.0, 0.0, 0.0])


def table(durations=DURATIONS, steps=STEPS, most=10):
    """
    Yield Table 1, ours beside the printed one; branches apart up to some duration.

    Times are of the processor. On a busy machine the clock tells little of a run in two processes:
    its time is that on one, and for each evaluation what the least of some took longer.
    """
    yield ('| simulated [s] | longest step [s] | 2006: one, two [s] | two / one | here: the '
           'recursion on one [s] | branches on one, in two processes [s] | two / one |')
    yield '|---|---|---|---|---|---|---|'
    model, q = mechanism('crank')
    whole = mbd_ros.compile(model, gravity=DOWN['crank']).stabilized_dynamics(ALPHA, ALPHA)
    few = [duration for duration in durations if duration <= most]
    with ProcessPoolExecutor(2) as pool:
        least = evaluation_times([0], {'one': here, 'two': pool.submit}, 'crank')[0]
    longer = 1e-6 * (least['two'] - least['one'])
    ways = {whole: durations, halves('crank'): few}
    for longest in steps:
        for way in ways:
            bdf(way, q, [0.01], longest, crank_torque)   # compiles
        one, both = (bdf(way, q, reached, longest, crank_torque, clock=time.process_time)
                     for way, reached in ways.items())
        for k, (duration, printed) in enumerate(zip(durations, PRINTED[longest])):
            apart = '– | –'
            if k < len(few):
                two = both.passed[k] + longer * both.evaluations[k]
                apart = f'{both.passed[k]:.2f}, {two:.2f} | {two / both.passed[k]:.1f}'
            yield (f'| {duration} | {longest} | {printed[0]:.3f}, {printed[1]:.3f} | '
                   f'{printed[1] / printed[0]:.2f} | {one.passed[k]:.2f} | {apart} |')


def ring_runs(sizes=SIZES, duration=10.0, calls=200):
    """
    Yield for each size (size, [time on one thread, on two], evaluations, the share of these).

    Times [s] are of the processor; that on two threads is less by what the least of some
    evaluations, in turn, takes less there.
    """
    for size in sizes:
        model, q = mechanism('ring', size)
        ways = [mbd_ros.compile(model, gravity=DOWN['ring'], executor=executor).
                stabilized_dynamics(ALPHA, ALPHA) for executor in (
                    Compiled('rolled'), Threads(2, Compiled('rolled'), within_state=True))]
        still = np.zeros(len(q))
        for way in ways:
            bdf(way, q, [0.01], 0.01)   # compiles
        one, two = (min(times) for times in zip(*(
            [seconds(way, q, still, still) for way in ways] for _ in range(calls))))
        run = bdf(ways[0], q, [duration], 0.01, clock=time.process_time)
        (passed,), (count,) = run.passed, run.evaluations
        yield size, [passed, passed - count * (one - two)], count, count * one / passed


def rings(folder):
    """Print the run times of rings and draw them."""
    from matplotlib import pyplot as plt   # here, as workers need no figure

    print('| links | 10 s on one thread [s] | on two [s] | one / two | evaluations | their share '
          'of the time |\n|---|---|---|---|---|---|')
    found = []
    for size, times, count, share in ring_runs():
        found.append((size, *times))
        print(f'| {size} | {times[0]:.3g} | {times[1]:.3g} | {times[0] / times[1]:.2f} | {count} '
              f'| {100.0 * share:.2g} % |', flush=True)
    sizes, one, two = np.array(found).T
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout='constrained')
    for name, values in (('one thread', one), ('two threads', two)):
        axes[0].plot(sizes, values, 'o-', label=name)
    axes[0].set(xlabel='links', ylabel='10 s of motion take [s]')
    axes[0].legend()
    axes[1].plot(sizes, one / two, 'o-')
    axes[1].set(xlabel='links', ylabel='one thread / two', ylim=(0.0, 2.0))
    figure.savefig(folder / 'closed_loop_run_times.png', dpi=100)


NODES = (15, 51, 251, 1001, 3001)


def evaluation_times(sizes, submits, kind='ring', rounds=5, calls=20):
    """Return by size the least times [us] of one evaluation, by each of ``submits`` in turn."""
    found = {}
    for size in sizes:
        _, q = mechanism(kind, size) if size < 1000 else (None, np.full(size - 1, 1e-3))
        zero = np.zeros(len(q))
        ways = {name: halves(kind, size, submit) for name, submit in submits.items()}
        times = {name: [] for name in ways}
        for _ in range(rounds):   # in turn, so that what else the machine does hits all alike
            for name, way in ways.items():
                for _ in range(3):
                    way(q, zero, zero)   # each worker has made each half
                times[name] += [1e6 * seconds(way, q, zero, zero) for _ in range(calls)]
        found[size] = {name: min(values) for name, values in times.items()}
    return found


def tell(name, found):
    """Print the times of a way beside those of one process."""
    for size, times in found.items():
        here_, there = times['one process'], times[name]
        print(f'| {name} | {size} | {here_:.0f} | {there:.0f} | {here_ / there:.2f} |', flush=True)


def ranks(name):
    """Print the times with two ranks of MPI as workers; called under mpiexec."""
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        tell(name, evaluation_times(NODES, {'one process': here, name: pool.submit}))


def nodes():
    """Print how long an evaluation takes with branches in two processes, by each way."""
    print('| branches | links | both in one process [us] | in two [us] | one / two |\n'
          '|---|---|---|---|---|')
    with ProcessPoolExecutor(2) as pool:
        tell('two processes', evaluation_times(
            NODES, {'one process': here, 'two processes': pool.submit}))
    own = Path(sys.executable).parent
    sockets = {'MPIR_CVAR_NOLOCAL': '1', 'MPIR_CVAR_CH4_NETMOD': 'ofi', 'FI_PROVIDER': 'tcp',
               'FI_TCP_IFACE': 'lo'}
    for name, settings in (('MPI, shared memory', {}), ('MPI, TCP', sockets)):
        subprocess.run([own / 'mpiexec', '-n', '3', sys.executable, '-m', 'mpi4py.futures',
                        __file__, 'ranks', name], env={**os.environ, **settings}, check=True)
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, host='127.0.0.1', protocol='tcp://',
                      dashboard_address=None) as cluster, Client(cluster) as client:
        client.upload_file(__file__)   # workers import it; they have no main program of ours
        function = importlib.import_module(Path(__file__).stem).respond
        pool = client.get_executor(pure=False)
        tell('dask, TCP', evaluation_times(NODES[:3], {
            'one process': here,
            'dask, TCP': lambda _, *arguments: pool.submit(function, *arguments)}))


def main() -> None:
    """Print and draw what is asked for."""
    what = sys.argv[1] if len(sys.argv) > 1 else ''
    if what == 'table':
        for line in table():
            print(line, flush=True)
    elif what == 'rings':
        rings(Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / 'docs' / 'images')
    elif what == 'nodes':
        nodes()
    elif what == 'ranks':
        ranks(sys.argv[2])
    else:
        sys.exit(f'usage: {sys.argv[0]} table | rings [FOLDER] | nodes')


if __name__ == '__main__':
    main()
