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

"""The recursion of closed loops from within: what it hands to the ground."""

from dataclasses import replace

from loop_models import case_model, cases
import numpy as np
import pytest
from transforms3d.euler import euler2mat

import mbd_ros
from mbd_ros.description.records.mechanism import Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.execution import choose
from mbd_ros.execution.program.sweeps import Outward, Program
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.unrolled.code import trace_program
from mbd_ros.model import build_model


def inverse_inertia_of_the_cut(model, q):
    """Return G (m, m) as the branches hand it to the ground."""
    found = []
    *inward, outward = closed_loop_dynamics(tree_of(model).slots).sweeps

    def catch(world, branch):
        found.append(branch.couplings)
        return outward.start(world, branch)

    program = Program('caught', ('q', 'v', 'tau'), (
        *inward, Outward(outward.step, catch, settles=True)))
    rest = np.zeros((1, model.nv))
    choose('interpreted').kernel(program, model).run([q[None], rest, rest], np.zeros(3),
                                                     np.empty((1, model.nv)))
    lower = np.zeros((len(found[0]),) * 2)
    for r, line in enumerate(found[0]):
        lower[r, :r + 1] = line
    return lower + np.tril(lower, -1).T


@pytest.mark.parametrize('name', ['fourbar_planar_revolute', 'bricard_cube_revolute_cut',
                                  'spatial10_universal', 'ngon15_random',
                                  'ngon51_rest_regular'])
def test_inverse_inertia_of_the_cut(name):
    """``A M^-1 A^T``, which the recursion sums up joint by joint, of planar loops in own axes."""
    model, q = case_model(name), np.array(cases()[name]['q'])
    dyn = mbd_ros.compile(model, executor='interpreted')
    A = dyn.own_loop_rows(q, np.zeros(model.nv))[:, VALUES:]
    expected = A @ np.linalg.solve(dyn.mass_matrix(q), A.T)
    np.testing.assert_allclose(inverse_inertia_of_the_cut(model, q), expected, rtol=0.0,
                               atol=1e-12 * np.abs(expected).max())


def test_the_work_grows_as_the_number_of_links():
    """Of a ring: each link as many operations as any other, however long the way to the cut."""
    counts = []
    for name in ('ngon51_rest_regular', 'ngon151_random', 'ngon251_rest_regular'):
        model = case_model(name)
        counts.append((model.nb, len(_needed(model))))
    (first, of_first), *others = counts
    for nb, count in others:
        assert np.log(count / of_first) / np.log(nb / first) < 1.05


def _needed(model):
    """Return the operations of forward dynamics."""
    trace, results = trace_program(closed_loop_dynamics(tree_of(model).slots), model)
    return trace.needed(results)


def turned(model, roll, pitch):
    """Return a robot whose ground is turned [rad]."""
    mechanism, R = model.mechanism, euler2mat(roll, pitch, 0.0)
    return build_model(replace(mechanism, joints=tuple(
        joint if joint.parent != mechanism.root else replace(joint, origin=Pose(
            matrix3(R @ np.array(joint.origin.rotation)),
            tuple((R @ np.array(joint.origin.translation)).tolist())))
        for joint in mechanism.joints)))


@pytest.mark.parametrize('executor', ['interpreted', 'rolled', 'compiled'])
@pytest.mark.parametrize('name', ['fourbar_planar_revolute', 'ngon15_random',
                                  'ngon51_rest_regular'])
def test_planar_loops_nearly_upright(name, executor):
    """The usual ``rpy="1.5708 0 0"``: the recursion decides, not the dense solve."""
    model, q = case_model(name, planar='revolute'), np.array(cases()[name]['q'])
    rest, tau = np.zeros((1, model.nv)), np.sin(np.arange(model.nv))[None]
    expected = mbd_ros.compile(model, gravity=(0.0, 0.0, 0.0)).forward_dynamics(q, rest[0], tau[0])
    for angles in ((1.5708, 0.0), (0.0, 1.5708), (1e-5, 0.0), (1.5708, 1e-5), (0.0, 3.1416)):
        tilted = turned(model, *angles)
        kernel = choose(executor).kernel(closed_loop_dynamics(tree_of(tilted).slots), tilted)
        found = np.empty((1, model.nv))
        assert kernel.run([q[None], rest, tau], np.zeros(3), found)
        # The same sums with other roundings; the reference's tolerance of accelerations.
        np.testing.assert_allclose(found[0], expected, rtol=0.0,
                                   atol=1e-9 * np.abs(expected).max())
