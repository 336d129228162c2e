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

"""Partial velocities of Kane's equations; the equations: ``test_array_formulations.py``."""

from modules import docked, document
import numpy as np
import pytest
from random_loops import random_loops
from robots import model_of, random_state

import mbd_ros
from mbd_ros.description.modules import assemble, read_module_graph
from mbd_ros.dynamics.algorithms.kane import Paths, reaches, ring_rows, times
from mbd_ros.model.build import build_model
from mbd_ros.model.state import integrate

BRANCHED = model_of([0, 1, 1, 0, 2, 3, 5], ['spherical', 'planar', 'prismatic', 'revolute',
                                            'floating', 'continuous', 'fixed'], 3)


def test_speeds_reach_the_bodies_on_their_paths():
    S = reaches(BRANCHED)
    for body in range(BRANCHED.nb):
        path, above = set(), body
        while above >= 0:
            path.add(above)
            above = BRANCHED.parents[above]
        joints = [j for j, kind in enumerate(BRANCHED.joint_types) for _ in range(kind.nv)]
        np.testing.assert_array_equal(S[body], [j in path for j in joints])


def test_partial_velocities_and_their_rates():
    """``V^r`` are the derivatives of velocities by speeds; their rates are those by time."""
    q, u, _ = random_state(BRANCHED, 4)
    h = 1e-6   # central differences: errors of h^2, and of 1e-16 / h by rounding
    before, now, after = (Paths(BRANCHED, integrate(BRANCHED, q, u * step)[None])
                          for step in (-h, 0.0, h))
    speeds = u[None]
    np.testing.assert_allclose(times(now.partial_velocities(now.o), speeds),
                               (after.o - before.o) / (2.0 * h), rtol=1e-7, atol=1e-7)
    V_rate, W_rate = now.rates(now.o, speeds)
    for found, partial in ((V_rate, lambda paths: paths.partial_velocities(paths.o)),
                           (W_rate, lambda paths: paths.partial_angular_velocities())):
        rate = (partial(after) - partial(before)) / (2.0 * h)
        np.testing.assert_allclose(found, rate, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize('cut', ['spherical', 'revolute', 'universal', 'prismatic', 'distance'])
def test_rows_of_a_cut_go_along_the_paths(cut):
    """Rows of the recursion, found independently, and its accelerations."""
    model, q, v = random_loops(2, 6, 1, cuts=(cut,))[:3]
    v = mbd_ros.close_loops(model, q, v)[1]   # else dependent rows contradict each other
    rows = mbd_ros.compile(model).loop_rows(q, v)
    A, rest = (part[0] for part in ring_rows(model, q[None], v[None]))
    # Sums of some ten products of order one.
    np.testing.assert_allclose(A, rows[:, 3:], atol=1e-12)
    np.testing.assert_allclose(rest, rows[:, 2], atol=1e-11 * max(1.0, np.abs(rows[:, 2]).max()))
    tau = np.random.default_rng(4).normal(size=model.nv)
    wanted, found = (mbd_ros.forward_dynamics(model, q, v, tau, formulation=name)
                     for name in ('closed_loop', 'kane'))
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize('motion', ['fixed', 'floating'])
def test_a_ring_of_modules_in_water(motion):
    """Four bars with fluid keys, the last docked to the first: three rows of five are implied."""
    bars = graph_of_bars(motion)
    model = build_model(assemble(read_module_graph(bars, 'ring.yaml')))
    assert len(model.loops) == 1 and len(model.fluids) >= 3
    rng = np.random.default_rng(1)
    q, v = mbd_ros.close_loops(model, mbd_ros.neutral(model), rng.normal(size=model.nv))
    tau, water = rng.normal(size=model.nv), mbd_ros.Fluid(1025.0, (0.2, 0.1, 0.0))
    wanted, found = (mbd_ros.forward_dynamics(model, q, v, tau, fluid=water, formulation=name)
                     for name in ('closed_loop', 'kane'))
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def graph_of_bars(motion):
    """Return a square of bars that swing in a plane."""
    bar = """\
  bar:
    bodies:
      rod: {mass: 1, center: [0.1, 0, 0], inertia: [0.001, 0.005, 0.005],
            fluid: {volume: 0.001, added_mass: [0.1, 1, 1, 0.001, 0.01, 0.01]}}
    ports:
      start: {orientation: [0, 0, 180 deg], joint: {type: continuous}}
      side: {position: [0.2, 0, 0], orientation: [0, 0, 90 deg]}
"""
    chain = [docked(f'{one}.side', f'{other}.start') for one, other in zip('abc', 'bcd')]
    return document('a: bar, b: bar, c: bar, d: bar', *chain,
                    'parent: d.side, child: a.start, closes_loop: true', motion=motion, types=bar)
