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

"""The equations of segments, run with floats, against the recursion that cuts nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tied_chains import tied_chains

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.execution.program.sweeps import Inward, World
from mbd_ros.execution.program.tree import joints_of, tree_of
from mbd_ros.execution.rolled.segments import Segments, segments_of
from mbd_ros.model import state
from mbd_ros.spatial import Vector3

pytestmark = pytest.mark.filterwarnings('ignore::mbd_ros.errors.LoopsOpenWarning')
RING = (('a', 'ground', 24), ('b', 'ground', 23))
MECHANISMS = {
    'ring': (RING, (('revolute', 'a23', 'b22'),)),
    'universal': (RING, (('universal', 'a23', 'b22'),)),
    'springs': (RING, (('spherical', 'a23', 'b22'),), (('a23', 'b22'), ('a23', 'ground'))),
    'with a tail': ((*RING, ('c', 'b22', 30)), (('spherical', 'a23', 'b22'),)),
    'on a body': ((('p', 'ground', 1), ('a', 'p0', 20), ('b', 'p0', 20)),
                  (('revolute', 'a19', 'b19'),)),
    'coupled': ((*RING, ('c', 'a23', 15), ('d', 'b22', 14)),
                (('spherical', 'a23', 'b22'), ('universal', 'c14', 'd13'))),
    'on a stem': ((('p', 'ground', 2), ('c', 'p1', 1), ('a', 'p1', 24), ('b', 'ground', 24)),
                  (('revolute', 'a23', 'b23'),)),
    'two loops at one body': ((*RING, ('c', 'ground', 20)),
                              (('spherical', 'a23', 'b22'), ('distance', 'a23', 'c19'))),
}


def accelerations(model, q, v, tau, way):
    """Return what segments of floats give, one after the other."""
    tree = tree_of(model)
    joints = joints_of(model, {'q': q.tolist(), 'v': v.tolist(), 'tau': tau.tolist()})
    world = World(Vector3(0.0, 0.0, -9.81))
    found = np.full(model.nv, np.nan)
    kept = {first + k: () for first in way.firsts for k in range(way.length)}

    def swept(sweep, handed):
        places = range(way.length)[::-1 if isinstance(sweep, Inward) else 1]
        for first, record in zip(way.firsts, handed):
            for i in (first + k for k in places):
                step = sweep.step(tree.bodies[i], joints[i], record, *kept[i])
                record = step.hand
                kept[i] = kept[i] if step.keep is None else (*kept[i], step.keep)
                found[tree.v_offsets[i]:tree.v_offsets[i] + len(step.out)] = step.out
            yield record

    between = closed_loop_dynamics(tree.slots).segments(tree, joints, world, way.firsts,
                                                        way.length)
    first, second, inward, last = between.sweeps
    surveyed = [*swept(first, [first.start(world)] * len(way.firsts))]
    assert [*swept(second, between.outward(surveyed))]
    handed, results = between.solve_between([*swept(inward, between.tie())])
    results |= between.rates([*swept(last, handed)])
    for entry, value in results.items():
        found[entry] = value
    return found


def motion(model, seed=0):
    rng = np.random.default_rng(seed)
    return (state.random_configuration(model, rng), rng.normal(size=model.nv),
            rng.normal(size=model.nv))


def check(model, way, tolerance):
    q, v, tau = motion(model)
    found = accelerations(model, q, v, tau, way)
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted')
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize('lanes', [4, 8])
@pytest.mark.parametrize('name', MECHANISMS)
def test_the_same_as_uncut(name, lanes):
    """At any state: rows need not hold for the equations to be the same."""
    model = tied_chains(*MECHANISMS[name])
    way = segments_of(closed_loop_dynamics(tree_of(model).slots), model, lanes)
    assert isinstance(way, Segments)
    # Each way rounds in its own order, by the condition of some forty joints in a row.
    check(model, way, 1e-9)


@pytest.mark.parametrize('first', [0, 1, 2, 3])
def test_all_types_of_joints(first):
    """Between segments: three free directions, two and one."""
    kinds = ('continuous', 'prismatic', 'spherical', 'planar')
    model = tied_chains((('a', 'ground', 21), ('b', 'ground', 21)),
                        (('universal', 'a20', 'b20'),), kinds=kinds)
    way = Segments((first, first + 8, 21 + first, 29 + first), 7, 4)
    check(model, way, 1e-9)


@pytest.mark.parametrize('armature', [0.0, 1e-9, 0.3])
def test_rotors(armature):
    """A joint between segments whose rotor has inertia is a row of that compliance."""
    model = tied_chains(*MECHANISMS['ring'], armature=armature)
    check(model, Segments((0, 12, 24, 36), 11, 4), 1e-10)


def test_rows_between_segments_are_never_taken_for_redundant():
    """Across the plane no joint moves: there they are small beside what light links do."""
    ring = tied_chains((('a', 'ground', 13), ('b', 'ground', 12)),
                       (('spherical', 'a12', 'b11'),), plane=True)
    scale = np.where(np.arange(ring.nb) % 12 == 11, 1.0, 1e-8)   # those between are heavy
    model = replace(ring, masses=scale * ring.masses,
                    inertias=scale[:, None, None] * ring.inertias)
    q, v, _ = motion(model)
    found = accelerations(model, q, v, 0.0 * v, Segments((0, 13), 11, 2))
    expected = mbd_ros.compile(model, executor='interpreted').forward_dynamics(q, v, 0.0 * v)
    # Both round by the ratio of masses: 1e-16 times 1e8, some hundred times over.
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-6 * np.abs(expected).max())
