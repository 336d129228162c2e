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

"""Robots with flexible links: calls, runs, and cost over the number of links."""

from __future__ import annotations

from collections.abc import Iterator
import time

import numpy as np

from benchmarks.timing import interleaved
import mbd_ros

ARM = 'urdf/flexible_arm.urdf'


def calls() -> Iterator[str]:
    """Yield a Markdown table: forward dynamics as machine code against a dense solve in NumPy."""
    model = mbd_ros.load(ARM)
    dyn, slow = (mbd_ros.compile(model, executor=name) for name in ('compiled', 'interpreted'))
    rng = np.random.default_rng(1)
    q, v, tau = 0.01 * rng.normal(size=(3, model.nv))

    def dense(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return np.linalg.solve(slow.mass_matrix(q), tau - slow.bias_forces(q, v))

    np.testing.assert_allclose(dyn.forward_dynamics(q, v, tau), dense(q, v, tau), rtol=1e-6)
    times = interleaved({
        'machine code': (dyn.forward_dynamics, (q, v, tau)),
        'recursion in NumPy': (slow.forward_dynamics, (q, v, tau)),
        'dense in NumPy': (dense, (q, v, tau))})
    yield '| way | one call [us] | times as long as machine code: median (min-max) |'
    yield '|---|---|---|'
    for name, one in times.items():
        low, middle, high = one.ratio_to(times['machine code'])
        yield f'| {name} | {one.median:.3g} | {middle:.3g} ({low:.3g}-{high:.3g}) |'


def runs() -> Iterator[str]:
    """Yield a Markdown table: robots let go from rest, simulated seconds per second."""
    arm, ring = mbd_ros.load(ARM), mbd_ros.load(chain(5, closed=True))
    posture = np.zeros(arm.nq)
    posture[:4] = 0.0, -0.9, 1.2, 0.3
    posture[4:] = mbd_ros.static_deflection(arm, posture)
    hexagon = np.zeros(ring.nq)
    hexagon[:5] = np.pi / 3.0 * np.array([2.0, -1.0, -1.0, -1.0, -1.0])
    yield '| robot | method | seconds simulated in a second, best of 5 | energy off by [J] |'
    yield '|---|---|---|---|'
    ways = {'midpoint, 1 ms': (1.0, {}), 'midpoint, 0.25 ms': (1.0, {'step': 2.5e-4}),
            'dop853, 1e-8': (0.1, {'method': 'dop853', 'rtol': 1e-8, 'atol': 1e-10})}
    for name, model, q, down, some, longest in (
            ('arm, 14 coordinates', arm, posture, (0.0, 0.0, -9.81), list(ways), 1.0),
            # Later the ring folds through a stretched posture, where rows nearly depend.
            ('closed ring of five beams, 15 coordinates', ring, hexagon, (0.0, -9.81, 0.0),
             list(ways)[:2], 0.5)):
        rest = np.zeros(model.nv)
        for way in some:
            best, run, options = np.inf, None, ways[way][1]
            span = min(ways[way][0], longest)
            for _ in range(5):
                begin = time.perf_counter()
                run = mbd_ros.simulate(model, q, rest, span, gravity=down, **options)
                best = min(best, time.perf_counter() - begin)
            assert run is not None
            yield f'| {name} | {way} | {span / best:.3g} | {np.abs(run.balance).max():.2g} |'


def chains() -> Iterator[str]:
    """Yield a Markdown table: forward dynamics of chains of beams, time for each link."""
    yield '| links | runs as | one call [ms] | for each link [us] |'
    yield '|---|---|---|---|'
    for count in (3, 10, 30, 100, 300, 1000):
        model = mbd_ros.load(chain(count))
        dyn, zero = mbd_ros.compile(model), np.zeros(model.nv)
        dyn.forward_dynamics(zero, zero, zero)
        best = np.inf
        for _ in range(5):
            begin = time.perf_counter()
            dyn.forward_dynamics(zero, zero, zero)
            best = min(best, time.perf_counter() - begin)
        yield (f'| {count} | {dyn.how("forward_dynamics")} | {1e3 * best:.3g} | '
               f'{1e6 * best / count:.3g} |')


def chain(count: int, closed: bool = False) -> str:
    """
    Return a chain of beams with two modes each, hinged one to the next, as URDF.

    If closed its end is hinged to the ground, 1 m beside its beginning.
    """
    parts = ['<robot name="chain" xmlns:mbd="urn:mbd_ros"><link name="base"/>']
    for k in range(count):
        parts.append(
            f'<link name="l{k}"><inertial><origin xyz="0.5 0 0"/><mass value="0.5"/><inertia '
            'ixx="1e-5" iyy="0.0416667" izz="0.0416667" ixy="0" ixz="0" iyz="0"/></inertial>'
            '<mbd:flexible><beam length="1" linear_density="0.5" bending_stiffness="100 100" '
            f'modes="2 0 0"/></mbd:flexible></link><joint name="j{k}" type="continuous"><origin '
            f'xyz="{1 if k else 0} 0 0"/><parent link="{f"l{k - 1}" if k else "base"}"/>'
            f'<child link="l{k}"/><axis xyz="0 0 1"/></joint>')
    if closed:
        parts.append(
            f'<link name="end"/><joint name="tip" type="fixed"><origin xyz="1 0 0"/><parent '
            f'link="l{count - 1}"/><child link="end"/></joint><loop_joint name="cut" type='
            '"spherical"><link1 link="end" xyz="0 0 0"/><link2 link="base" xyz="1 0 0"/>'
            '</loop_joint>')
    return ''.join(parts) + '</robot>'
