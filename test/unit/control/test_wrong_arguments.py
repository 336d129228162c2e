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

"""What is no constraint, path or robot is refused where it is given, not in the first step."""

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Baumgarte, ConstrainedMotion, Ellipse, FunctionConstraint, JointCoupling, JointPath, OnSurface,
    plane, Stack, ToolOrientation, ToolPosition, TracedConstraint)
from mbd_ros.errors import InvalidValueError, ShapeError

CIRCLE = Ellipse([0.5, 0, 0.5], [0.1, 0, 0], [0, 0.1, 0])
REST = np.zeros(6)


def tool(dyn):
    """Return a constraint."""
    return ToolPosition(dyn, 'tool', CIRCLE)


@pytest.mark.parametrize(('make', 'words'), [
    (lambda dyn: ToolPosition(dyn.model, 'tool', CIRCLE),
     r"dyn is 'Model'; allowed: prepared dynamics, as mbd_ros.compile\(model\)"),
    (lambda dyn: ToolPosition(dyn, 'tool', [0.5, 0, 0.5]), r'path is \[0.5, 0, 0.5\].*Ellipse'),
    (lambda dyn: ToolOrientation(dyn, 'tool', [0, 0, 0, 1]), r'orientation is .*held\(quatern'),
    (lambda dyn: OnSurface(dyn, 'tool', plane([0, 0, 0], [0, 0, 1])), 'a sequence of functions'),
    (lambda dyn: TracedConstraint(dyn, lambda q, t: [q[0]]), 'model is .*as mbd_ros.load'),
    (lambda dyn: JointCoupling(dyn, {'joint1': 1}), 'model is .*as mbd_ros.load'),
    (lambda dyn: JointCoupling(dyn.model, {'joint1': 'a'}), "coefficient of 'joint1' is 'a'"),
    (lambda dyn: JointCoupling(dyn.model, ['joint1']), 'a number for each joint by name'),
    (lambda dyn: JointPath(dyn.model, ['joint1'], [0.0, 1.0]), 'path is .*trajectory'),
    (lambda dyn: Baumgarte(tool(dyn), alpha=-1.0), 'alpha is -1.0'),
    (lambda dyn: Baumgarte(CIRCLE), "constraint is 'Ellipse'"),
    (lambda dyn: ConstrainedMotion(dyn.model, tool(dyn)), "dyn is 'Model'"),
    (lambda dyn: ConstrainedMotion(dyn, CIRCLE), "constraint is 'Ellipse'.* or a list of them"),
    (lambda dyn: ConstrainedMotion(dyn, None), "constraint is 'NoneType'"),
    (lambda dyn: ConstrainedMotion(dyn, [tool(dyn), CIRCLE]), "parts of a stack is 'Ellipse'"),
    (lambda dyn: ConstrainedMotion(dyn, tool(dyn), elimination='mass'), 'a DirectElimination'),
    (lambda dyn: ConstrainedMotion(dyn, tool(dyn), actuation=['joint1']), r'an Actuation\(model'),
    (lambda dyn: ConstrainedMotion(dyn, tool(dyn), applied=[0.0] * 6), r'\(t, q, v, M\)'),
    (lambda dyn: mbd_ros.simulate(dyn.model, REST, REST, 0.1, motion=tool(dyn)),
     r"motion is 'ToolPosition'.*ConstrainedMotion\(dyn, constraint\)"),
])
def test_what_it_is_not(puma, make, words):
    with pytest.raises(InvalidValueError, match=words):
        make(puma)


def test_rows_of_a_user_have_the_columns_of_the_robot(puma):
    for rows in ([1, 0, 0, 0, 0, 0], [[1, 0]]):
        constraint = FunctionConstraint(lambda q, v, t, rows=rows: rows, lambda q, v, t: [0.0])
        with pytest.raises(ShapeError, match=r'A has shape .*\(m, 6\), as the function A'):
            ConstrainedMotion(puma, constraint).solve(0.0, REST, REST)


def test_a_motion_takes_several_constraints(puma):
    """A list is the stack of its constraints."""
    q, v = np.linspace(0.2, 0.9, 6), np.linspace(0.3, -0.2, 6)
    parts = [tool(puma), JointCoupling(puma.model, {'joint4': 1.0, 'joint6': -1.0})]
    listed, stacked = (ConstrainedMotion(puma, made).solve(0.3, q, v).solution
                       for made in (parts, Stack(parts, q, v)))
    assert listed.rank == 4
    np.testing.assert_array_equal(listed.accelerations, stacked.accelerations)


def test_a_projected_start(puma):
    """It is on the constraint, and says how far it went; what is out of reach is refused."""
    motion = ConstrainedMotion(puma, tool(puma))
    q = np.array([0.1, -0.6, 2.4, 0.2, 0.9, 0.3])
    start = motion.project(q, time=0.5)
    assert motion.violation(0.5, start.q) < 1e-13   # the tolerance of the elimination
    assert start.rate < 1e-12   # a sum of six rounded products
    assert start.moved >= np.linalg.norm(start.q - q) > 0.01   # the way is not shorter
    run = mbd_ros.simulate(puma.model, start.q, start.v, 0.02, step=0.01, motion=motion)
    assert run.violation[1:].max() < 1e-13
    with pytest.raises(InvalidValueError, match='elimination is stuck at a violation of'):
        ConstrainedMotion(puma, ToolPosition(puma, 'tool', Ellipse(
            [5, 0, 0], [0.1, 0, 0], [0, 0.1, 0]))).project(q)
