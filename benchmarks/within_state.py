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

"""Parallel work within one state: subtrees and segments in lanes, subtrees on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.closed_loops import GRAVITY, regular, ring
from benchmarks.hand_over import hand_over
from benchmarks.robots import cases
from benchmarks.timing import busy_core, interleaved, Timing
import mbd_ros
from mbd_ros import Compiled, Lanes, Threads
from mbd_ros.dynamics.algorithms.forward_dynamics import FORWARD_DYNAMICS
from mbd_ros.execution.executors.compiled import compiled_kernel
from mbd_ros.execution.program.kernel import Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.rolled.bundles import rolled_bundles_of, SMALLEST
from mbd_ros.execution.threads.partition import Part, Partition
from mbd_ros.execution.unrolled.code import bundles_of
from mbd_ros.model import Model

FEWEST_IN_LANES = 2 * SMALLEST + 1
"""Links of a ring from which on loops over bodies take its halves in lanes."""
State = tuple[np.ndarray, np.ndarray, np.ndarray]
Candidates = dict[str, tuple[Callable[..., object], tuple[object, ...]]]


def lanes() -> Iterator[str]:
    """Yield a table: subtrees of equal shape in lanes against scalar code."""
    yield ('| robot | call | scalar [us] | lanes [us] | what ran '
           '| scalar / lanes: median (min-max) |')
    yield '|---|---|---|---|---|---|'
    for case in cases():
        state = (case.q, case.v, case.third)
        one, many = (mbd_ros.compile(case.model, executor=executor)
                     for executor in (Compiled('unrolled'), Lanes()))
        for call, name in (('forward dynamics (ABA)', 'forward_dynamics'),
                           ('inverse dynamics (RNEA)', 'inverse_dynamics')):
            times = interleaved({'scalar': (getattr(one, name), state),
                                 'lanes': (getattr(many, name), state)})
            ran = Lanes().kernel(FORWARD_DYNAMICS, case.model).name
            yield (f'| {case.name} | {call} | {times["scalar"].median:.3g} | '
                   f'{times["lanes"].median:.3g} | {ran} | '
                   f'{_ratio(times["scalar"], times["lanes"])} |')


def chains() -> Iterator[str]:
    """
    Yield a table: forward dynamics of long chains, body by body and by segments in lanes.

    Pinocchio runs up to 100 bodies: it takes gigabytes to read a chain of 1000.
    """
    yield ('| bodies | Pinocchio [ns/body] | body by body [ns/body] | segments in lanes [ns/body] '
           '| Pinocchio / segments | body by body / segments: median (min-max) | difference |')
    yield '|---|---|---|---|---|---|---|'
    for count in (100, 1000, 10_000):
        text, state = chain(count)
        model = mbd_ros.load(text)
        one, many = (mbd_ros.compile(model, executor=executor).forward_dynamics
                     for executor in (Compiled('rolled'), Lanes()))
        expected = one(*state)
        difference = np.abs(many(*state) - expected).max() / np.abs(expected).max()
        candidates: Candidates = {'one': (one, state), 'many': (many, state)}
        if count <= 100:
            peer = pin.buildModelFromXML(text)
            angles = np.ravel(np.column_stack([np.cos(state[0]), np.sin(state[0])]))
            candidates['pin'] = (pin.aba, (peer, peer.createData(), angles, *state[1:]))
        times = interleaved(candidates, fewest=5)
        figures = ' | '.join(f'{times[name].median / count * 1e3:.0f}' if name in times else '-'
                             for name in ('pin', 'one', 'many'))
        peers = f'{times["pin"].ratio_to(times["many"])[1]:.1f}' if 'pin' in times else '-'
        yield (f'| {count} | {figures} | {peers} | {_ratio(times["one"], times["many"])} '
               f'| {difference:.0e} |')


def threads() -> Iterator[str]:
    """Yield a table: one state of a tree with two branches, on two threads."""
    yield ('| bodies | one thread [us] | two threads [us] | one / two: median (min-max) '
           '| the same with one core kept busy | total time of all calls, one / two | best call |')
    yield '|---|---|---|---|---|---|---|'
    for length in (25, 50, 125, 500):
        model, state = branches(length)
        one, two = (mbd_ros.compile(model, executor=executor).forward_dynamics
                    for executor in (Compiled('rolled'), Threads(2, within_state=True)))
        candidates: Candidates = {
            'one': (one, state), 'two': (two, state)}
        times = interleaved(candidates)
        with busy_core():
            busy = interleaved(candidates, rounds=25)
        total = sum(busy['one'].rounds) / sum(busy['two'].rounds)
        best = min(times['one'].rounds) / min(times['two'].rounds)
        yield (f'| {model.nb} | {times["one"].median:.3g} | {times["two"].median:.3g} | '
               f'{_ratio(times["one"], times["two"])} | {_ratio(busy["one"], busy["two"])} | '
               f'{total:.2f} | {best:.2f} |')


def halves() -> Iterator[str]:
    """
    Yield a table: the two halves of a ring in lanes and on two threads, each against one lane.

    Straight-line code folds what a planar ring leaves; so do loops over bodies with the constants
    folded that all links share; loops that serve all robots fold nothing.
    """
    yield ('| links | code | one lane [us] | 2 lanes [us] | 2 threads [us] '
           '| one / 2 lanes: median (min-max) | best call '
           '| one / 2 threads: median (min-max) | best call |')
    yield '|---|---|---|---|---|---|---|---|---|'
    for size in (11, 13, 15, 21, 51, 151, 251):
        model, q = mbd_ros.load(ring(size)), regular(size)
        state = (q, np.zeros(model.nv), np.zeros(model.nv))
        for code in ('unrolled', 'folded', 'rolled'):
            ways = ('one', 'lanes') if code == 'unrolled' else ('one', 'lanes', 'threads')
            if size < FEWEST_IN_LANES and code != 'unrolled':
                ways = ('one', 'threads')
            times = interleaved({
                name: (mbd_ros.compile(model, gravity=GRAVITY, executor=_Halves(
                    code, name)).forward_dynamics, state) for name in ways})
            one = times['one']
            figures = ' | '.join(f'{times[name].median:.3g}' if name in times else '-'
                                 for name in ('one', 'lanes', 'threads'))
            ratios = ' | '.join(
                f'{_ratio(one, times[name])} | {min(one.rounds) / min(times[name].rounds):.2f}'
                if name in times else '- | -' for name in ('lanes', 'threads'))
            yield f'| {size} | {code} | {figures} | {ratios} |'
    least, middle = np.percentile(hand_over(), (0, 50))
    yield ''
    yield ('An empty task goes to a thread that looks for work, and back, in '
           f'{middle:.2f} us (least {least:.2f}); a call hands over three times.')


@dataclass(frozen=True)
class _Halves:
    """The halves one after the other, in two lanes or on two threads, by one kind of code."""

    code: str
    way: str

    @property
    def name(self) -> str:
        return f'{self.code}, {self.way}'

    def kernel(self, program: Program, model: Model) -> Kernel:
        folded = self.code == 'folded'
        way: Any = None
        if self.way == 'lanes':
            way = (bundles_of(program, model, 2) if self.code == 'unrolled'
                   else rolled_bundles_of(program, model, 2, folded))
        elif self.way == 'threads':  # however few bodies there are
            half = model.nb // 2
            way = Partition((), (Part(0, half, -1, 0), Part(half, model.nb, -1, 1)), folded)
        return compiled_kernel(program, model, self.code != 'unrolled', way, folded=folded)


def chain(count: int) -> tuple[str, State]:
    """Return a chain whose axes change direction, and a state."""
    links = ['<robot name="chain"><link name="l0"/>']
    for i in range(1, count + 1):
        axis = ('1 0 0', '0 1 0', '0 0 1')[i % 3]
        links.append(
            f'<link name="l{i}">{_INERTIA}</link><joint name="j{i}" type="continuous">'
            f'<origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/><parent link="l{i - 1}"/>'
            f'<child link="l{i}"/><axis xyz="{axis}"/></joint>')
    return ''.join([*links, '</robot>']), _state(count)


def branches(length: int) -> tuple[Model, State]:
    """Return a body with two chains on it, and a state."""
    links = [f'<robot name="y"><link name="l0">{_INERTIA}</link>']
    for i in range(1, 2 * length + 1):
        parent = 0 if i % length == 1 else i - 1
        links.append(
            f'<link name="l{i}">{_INERTIA}</link><joint name="j{i:05d}" type="continuous">'
            f'<origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/><parent link="l{parent}"/>'
            f'<child link="l{i}"/><axis xyz="0 0 1"/></joint>')
    return mbd_ros.load(''.join([*links, '</robot>'])), _state(2 * length)


_INERTIA = ('<inertial><origin xyz="0.05 0.01 0"/><mass value="0.3"/><inertia ixx="0.001" ixy="0" '
            'ixz="0" iyy="0.002" iyz="0" izz="0.002"/></inertial>')


def _state(count: int) -> State:
    rng = np.random.default_rng(0)
    return (rng.uniform(-1.0, 1.0, count), 0.3 * rng.normal(size=count),
            0.1 * rng.normal(size=count))


def _ratio(slow: Timing, fast: Timing) -> str:
    low, middle, high = slow.ratio_to(fast)
    return f'**{middle:.2f}** ({low:.2f}-{high:.2f})'
