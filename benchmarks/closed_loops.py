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

"""Closed loops: planar rings of links and parallel robots, against Pinocchio and MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
import math
from pathlib import Path
import time

import numpy as np

from benchmarks.loop_peers import mujoco_call, mujoco_hinges, pinocchio_calls
from benchmarks.timing import interleaved, Timing
import mbd_ros
from mbd_ros.dynamics.prepared.rank import dense_solution
from mbd_ros.execution.executors.compiled import compiled_kernel
from mbd_ros.execution.program.kernel import Kernel
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.rolled.bundles import rolled_bundles_of
from mbd_ros.execution.rolled.segments import segments_of
from mbd_ros.execution.rolled.tables import folds
from mbd_ros.model import Model, state

URDF = Path(__file__).resolve().parents[1] / 'urdf'
SIZES = ((15, None), (51, None), (101, None), (151, None), (251, None), (1001, None),
         (1001, 'unrolled'))
"""Links, and who runs the sweeps where it is not the default."""
LARGEST_PINOCCHIO = 251
GRAVITY = (0.0, -9.81, 0.0)
WEIGHT = (0.0, 0.0, -9.81)
ACROSS = 'rpy="-1.5707963267948966 0 0"'
"""Of the frames of a cut whose axis is y."""
PLATFORM = """<link name="base"><inertial><mass value="5"/>
  <inertia ixx=".25" ixy="0" ixz="0" iyy=".25" iyz="0" izz=".25"/></inertial></link>"""
MINUTE = 60.0
"""[s] of motion."""
PEERS = ('constraintDynamics', 'lcaba', 'mj_forward')
"""Two of Pinocchio, one of MuJoCo; without a time where they are not asked."""
HEADS = (f'this [us] | {" | ".join(PEERS)} | '
         f'{" | ".join(f"{peer} / this" for peer in PEERS)} |')


def ring(size: int, axes: tuple[str, ...] = ('0 0 1',)) -> str:
    """Return a ring of rods of 1 m and 1 kg, in a plane with one axis; one is the ground."""
    lines = ['<robot name="ring"><link name="base"/>']
    half = (size - 1) // 2
    for side in ('a', 'b'):
        for k in range(half):
            name, parent = f'{side}{k:04}', f'{side}{k - 1:04}' if k else 'base'
            x = 1.0 if side == 'b' or k else 0.0
            lines.append(
                f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
                f'<inertia ixx="1e-3" iyy="{1 / 12}" izz="{1 / 12}" ixy="0" ixz="0" iyz="0"/>'
                f'</inertial></link><joint name="j{name}" type="revolute">'
                f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{x} 0 0"/>'
                f'<axis xyz="{axes[k % len(axes)]}"/>'
                '<limit effort="1" velocity="1" lower="-9" upper="9"/>'
                '</joint>')
    return ''.join([*lines, '<loop_joint name="cut" type="revolute">'
                    f'<link1 link="a{half - 1:04}" xyz="1 0 0"/>'
                    f'<link2 link="b{half - 1:04}" xyz="1 0 0"/></loop_joint></robot>'])


def regular(size: int) -> np.ndarray:
    """Return the joint angles of the regular polygon below the base."""
    turn, half = 2.0 * math.pi / size, (size - 1) // 2
    return np.array([math.pi + turn] + [turn] * (half - 1) + [-turn] * half)


def rings() -> Iterator[str]:
    """Yield the table of rings."""
    yield f'| links | first call [s] | {HEADS}'
    yield '|---|---|---|---|---|---|---|---|---|'
    found: list[tuple[int, float]] = []
    for size, executor in SIZES:
        text, q = ring(size), regular(size)
        model = mbd_ros.load(text)
        zero = np.zeros(model.nv)
        begin = time.perf_counter()
        ours = mbd_ros.compile(model, gravity=GRAVITY, executor=executor).forward_dynamics
        ours(q, zero, zero)
        first = time.perf_counter() - begin
        peers = {'mj_forward': mujoco_hinges(model, q, GRAVITY)}
        if size <= LARGEST_PINOCCHIO:
            peers.update(pinocchio_calls(text, model, q, GRAVITY))
        times = interleaved({'this': (ours, (q, zero, zero)), **peers},
                            rounds=9 if size <= LARGEST_PINOCCHIO else 3, seconds=0.02, fewest=3)
        found.append((size, times['this'].median))
        yield row(f'{size}{f", {executor}" if executor else ""} | {first:.1f}', times)
    long = [one for one in found if 51 <= one[0] <= 251]
    slope = np.polyfit(np.log([n for n, _ in long]), np.log([t for _, t in long]), 1)[0]
    yield ''
    yield f'Growth from 51 to 251 links: time ~ n^{slope:.2f}.'


def leaning() -> Iterator[str]:
    """Yield a table: rings on a platform that floats, out of a plane of the world by an angle."""
    yield '| angle [rad] | recursion [us] | rank decided first [us] | ratio: median (min-max) |'
    yield '|---|---|---|---|'
    model = mbd_ros.load(ring(15, ('0 1 0',)).replace('<link name="base"/>', PLATFORM).replace(
        'xyz="1 0 0"/><link2', f'xyz="1 0 0" {ACROSS}/><link2').replace(
        'xyz="1 0 0"/></loop', f'xyz="1 0 0" {ACROSS}/></loop'), floating_base=True)
    dyn, rest = mbd_ros.compile(model), np.zeros(model.nv)
    for angle in (0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.3):
        turn = np.zeros(model.nv)
        turn[3:6] = angle * np.array([0.6, 0.0, 0.8])
        q = state.integrate(model, state.neutral(model), turn)
        q[7:] = regular(15)
        times = interleaved({
            'recursion': (dyn.forward_dynamics, (q, rest, rest)),
            'dense': (partial(dense_solution, dyn, 'accelerations'), (q, rest, rest)),
        }, seconds=0.02)
        least, middle, most = times['dense'].ratio_to(times['recursion'])
        yield (f'| {angle:.0e} | {times["recursion"].median:.2f} | {times["dense"].median:.0f} | '
               f'{middle:.0f} ({least:.0f}-{most:.0f}) |')


def segments() -> Iterator[str]:
    """Yield a table: rings whose chains are cut into segments in lanes, against one lane."""
    ways = ('one lane', '2 lanes', '4 segments', '8 segments')
    yield ('| ring | links | ' + ' | '.join(f'{way} [us]' for way in ways) + ' | '
           + ' | '.join(f'one / {way}: median (min-max)' for way in ways[1:]) + ' |')
    yield '|---|---|---|---|---|---|---|---|---|'
    for name, axes in (('in a plane', ('0 0 1',)), ('in space', ('0 0 1', '0 1 0', '1 0 0'))):
        for size in (15, 51, 151, 251, 1001):
            model = mbd_ros.load(ring(size, axes))
            state = (regular(size), np.zeros(model.nv), np.zeros(model.nv))
            times = interleaved({
                way: (mbd_ros.compile(model, gravity=GRAVITY, executor=_Cut(way)).forward_dynamics,
                      state) for way in ways}, seconds=0.02, fewest=5)
            one = times['one lane']
            ratios = [f'{middle:.2f} ({least:.2f}-{most:.2f})' for least, middle, most in (
                one.ratio_to(times[way]) for way in ways[1:])]
            yield (f'| {name} | {size} | '
                   + ' | '.join(f'{times[way].median:.3g}' for way in ways) + ' | '
                   + ' | '.join(ratios) + ' |')


@dataclass(frozen=True)
class _Cut:
    """Loops over bodies in one lane, by halves, or by four or eight segments if that pays."""

    name: str

    def kernel(self, program: Program, model: Model) -> Kernel:
        folded, way = folds(program, model), None
        if self.name == '2 lanes':
            way = rolled_bundles_of(program, model, 2, folded)
        elif self.name != 'one lane':
            way = segments_of(program, model, int(self.name[0]))
        return compiled_kernel(program, model, True, way, folded=folded)


def robots() -> Iterator[str]:
    """Yield the table of parallel robots."""
    yield f'| robot | {HEADS}'
    yield '|---|---|---|---|---|---|---|---|'
    for name in ('stewart', 'delta'):
        model = mbd_ros.load(URDF / f'{name}.urdf.xacro')
        q, zero = state.neutral(model), np.zeros(model.nv)
        times = interleaved({
            'this': (mbd_ros.compile(model).forward_dynamics, (q, zero, zero)),
            **pinocchio_calls(model.mechanism.text, model, q, WEIGHT),
            'mj_forward': mujoco_call(model, q, WEIGHT)}, rounds=9, seconds=0.02)
        yield row(name, times)


def minutes() -> Iterator[str]:
    """
    Yield a table: 60 s of a slider-crank that turns freely, with all that a run records.

    A run is what it is the second time, when all code is compiled.
    """
    yield ('| method | rtol | steps | time [s] | times as fast as the motion '
           '| largest energy balance [J] | largest phi | largest rate of phi |')
    yield '|---|---|---|---|---|---|---|---|'
    model = mbd_ros.load(URDF / 'slider_crank.urdf')
    q, v = state.neutral(model), np.zeros(model.nv)
    v[model.v_offsets[model.joint_index('crank_joint')]] = 6.0
    q, v = mbd_ros.close_loops(model, q, v, known=['crank_joint'])
    for method, rtol in (('dop853', 1e-6), ('dop853', 1e-8), ('dop853', 1e-10), ('bdf', 1e-5)):
        for _ in range(2):
            begin = time.perf_counter()
            run = mbd_ros.simulate(model, q, v, MINUTE, method=method, rtol=rtol)
            passed = time.perf_counter() - begin
        figures = [np.abs(values).max() for values in (
            run.balance, run.violation, run.violation_rate)]
        yield (f'| {method} | {rtol:.0e} | {len(run.time) - 1} | {passed:.2f} '
               f'| {MINUTE / passed:.0f} | '
               + ' | '.join(f'{figure:.1e}' for figure in figures) + ' |')


def row(name: str, times: dict[str, Timing]) -> str:
    """Return one line of a table."""
    this = times['this']
    medians = [f'{times[peer].median:.1f}' if peer in times else '-' for peer in PEERS]
    ratios = [f'{times[peer].ratio_to(this)[1]:.1f}' if peer in times else '-' for peer in PEERS]
    return f'| {name} | {this.median:.2f} | {" | ".join(medians + ratios)} |'
