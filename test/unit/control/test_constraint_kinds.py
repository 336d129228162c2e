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

"""Every kind of constraint: phi, phi_dot, A and b belong together, and are what they say."""

import math
from pathlib import Path

from constraint_checks import assert_consistent
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    ConstrainedMotion, constraints_from_data, FunctionConstraint, OnSurface, TracedConstraint,
    TracedVelocityConstraint)
from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.constraints.constraint_stack import Stack
from mbd_ros.control.references.orientations import rotation_of, rotation_vector, turned
from mbd_ros.errors import (
    InvalidValueError, MbdError, ShapeError, UnknownNameError, UnsupportedError)
from mbd_ros.spatial import cosine, larger, sine, Vector3

FLOATING = Path(__file__).parents[2] / 'data' / 'ladder' / '08_floating_arms.urdf'
SPLINE = {'kind': 'spline', 'points': [[0.5, 0, 0.6], [0.6, 0.2, 0.7], [0.4, 0.3, 0.5]],
          'duration': 1.5}
TURN = {'start': [0.1, 0.7, 0, 0.7], 'end': [0, 1, 0.3, 0.2], 'duration': 1.0}
KINDS = {
    'tool_position': {'link': 'tool', 'path': SPLINE, 'axes': 'zx', 'point': [0.1, 0.2, -0.1]},
    'tool_orientation': {'link': 'tool', 'orientation': TURN},
    'tool_pose': {'link': 'tool', 'path': SPLINE, 'orientation': [0.0, 1.0, 0.2, 0.1],
                  'point': [0.0, 0.0, 0.2]},
    'tool_direction': {'link': 'tool', 'axis': [0, 0.1, 1], 'direction': [0, 0.3, -1]},
    'on_surface': {'link': 'tool', 'point': [0.1, 0.0, 0.05], 'surfaces': [
        {'kind': 'plane', 'point': [0, 0, 0.4], 'normal': [0, 1, 2]},
        {'kind': 'sphere', 'center': [0.1, 0, 0.3], 'radius': 0.5},
        {'kind': 'cylinder', 'point': [0, 0, 0.1], 'axis': [1, 0, 1], 'radius': 0.3}]},
    'joint_path': {'joints': ['joint3', 'joint1'], 'times': [0, 0.5, 1],
                   'positions': [[0, 1], [0.2, 0.5], [1, 0]]},
    'joint_coupling': {'coefficients': {'joint2': 1.0, 'joint3': 2.0}, 'value': 0.3},
    'joint_speed': {'coefficients': {'joint4': 1.0, 'joint6': -1.0}, 'value': 0.1},
    'no_sideslip': {'link': 'tool', 'axis': [0.2, 1, 0]},
}


def made(dyn, kind):
    """Return the constraint of a kind."""
    rng = np.random.default_rng(1)
    parts = constraints_from_data(dyn, [{'kind': kind, **KINDS[kind]}])
    return Stack(parts, rng.uniform(-1, 1, dyn.model.nq), np.zeros(dyn.model.nv))


@pytest.mark.parametrize('kind', KINDS)
def test_derivatives_of_every_kind(puma, kind):
    assert_consistent(puma.model, made(puma, kind))


@pytest.mark.parametrize('kind', ['tool_pose', 'no_sideslip', 'joint_path'])
def test_derivatives_of_an_approach(puma, kind):
    """It starts with no violation, rate or acceleration error, and ends as the constraint."""
    constraint = made(puma, kind)
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, 6))
    approach = Approach(constraint, q, v, 0.2, 0.7, a)
    assert_consistent(puma.model, approach)
    if constraint.violation(q, 0.2) is not None:
        assert np.abs(approach.violation(q, 0.2)).max() < 1e-15
    assert np.abs(approach.violation_rate(q, v, 0.2)).max() < 1e-14
    assert np.abs(approach.matrix(q, v, 0.2) @ a - approach.right_side(q, v, 0.2)).max() < 1e-13
    for t in (0.9, 2.0):
        np.testing.assert_allclose(approach.violation_rate(q, v, t),
                                   constraint.violation_rate(q, v, t), rtol=0, atol=1e-15)


def test_what_is_known_by_its_accelerations_only_is_approached_at_once(puma):
    """There is no violation to fade; beside others its rows come last and stay as they are."""
    q, v, a = np.random.default_rng(5).uniform(-1, 1, (3, 6))
    alone = FunctionConstraint(lambda q, v, t: np.eye(6)[:2], lambda q, v, t: np.array([t, v[1]]))
    approach = Approach(alone, q, v, 0.2, 0.7, a)
    assert approach.violation(q, 0.3) is None
    assert approach.violation_rate(q, v, 0.3) is None
    assert approach.fade(0.3).shape == (3, 0)
    np.testing.assert_array_equal(approach.right_side(q, v, 0.3), [0.3, v[1]])
    both = Stack([alone, made(puma, 'joint_coupling')], q, v)
    approach = Approach(both, q, v, 0.2, 0.7)
    assert approach.violation(q, 0.2) == pytest.approx([0.0], abs=1e-15)
    assert approach.violation_rate(q, v, 0.2) == pytest.approx([0.0], abs=1e-15)
    np.testing.assert_array_equal(approach.right_side(q, v, 0.3)[1:], [0.3, v[1]])


def test_a_stack_orders_its_rows_by_kind(puma):
    """Those with phi first, then those with a rate."""
    parts = [*constraints_from_data(puma, [{'kind': kind, **KINDS[kind]} for kind in (
        'joint_speed', 'tool_direction', 'no_sideslip', 'joint_coupling')])]
    q, v = np.linspace(0.1, 0.6, 6), np.linspace(-0.3, 0.3, 6)
    stack = Stack(parts, q, v)
    assert [type(part).__name__ for part in stack.parts] == [
        'ToolDirection', 'JointCoupling', 'JointSpeed', 'NoSideslip']
    assert stack.matrix(q, v, 0.0).shape == (5, 6)
    assert len(stack.violation(q, 0.0)) == 3
    assert len(stack.violation_rate(q, v, 0.0)) == 5
    bare = FunctionConstraint(lambda q, v, t: np.full((2, 6), 7.0), lambda q, v, t: np.zeros(2))
    rows = Stack([bare, *parts], q, v).matrix(q, v, 0.0)
    np.testing.assert_array_equal(rows, np.vstack([stack.matrix(q, v, 0.0), np.full((2, 6), 7.0)]))
    empty = Stack([], q, v)
    assert empty.matrix(q, v, 0.0).shape == (0, 6)
    assert empty.violation(q, 0.0) is None


def test_a_stack_of_mixtures(puma):
    """Rows of each kind stand together, whatever a part, or a stack in it, is a mixture of."""
    parts = constraints_from_data(puma, [{'kind': kind, **KINDS[kind]} for kind in (
        'tool_direction', 'no_sideslip', 'joint_coupling', 'joint_speed')])
    q, v = np.linspace(0.1, 0.6, 6), np.linspace(-0.3, 0.3, 6)
    inner = Stack(parts[:2], q, v)
    mixture = FunctionConstraint(   # the same, made by hand
        inner.matrix, inner.right_side, inner.violation, inner.violation_rate)
    plain = Stack(parts, q, v)
    for first in (inner, mixture):
        stack = Stack([first, *parts[2:]], q, v)
        assert_consistent(puma.model, stack)
        for name, arguments in (('matrix', (q, v, 0.3)), ('right_side', (q, v, 0.3)),
                                ('violation_rate', (q, v, 0.3)), ('violation', (q, 0.3))):
            found, expected = (getattr(each, name)(*arguments) for each in (stack, plain))
            np.testing.assert_allclose(np.sort(found, 0), np.sort(expected, 0), rtol=1e-15)
    assert [type(part).__name__ for part in Stack([inner, *parts[2:]], q, v).parts] == [
        type(part).__name__ for part in plain.parts]


def phi(q, t):
    """Return a function of everything a traced constraint may use."""
    return [q[0] * sine(q[1]) - cosine(t) / (2.0 + q[2] ** 2), 3 * q[3] - q[4] * t + 1]


def test_derivatives_of_a_traced_function(puma):
    constraint = TracedConstraint(puma.model, phi)
    assert_consistent(puma.model, constraint)
    q = np.linspace(0.1, 0.6, 6)
    np.testing.assert_allclose(constraint.violation(q, 0.7), phi(q.tolist(), 0.7), rtol=1e-14)


def test_derivatives_of_a_traced_velocity_constraint(puma):
    """It need not be linear in v."""
    assert_consistent(puma.model, TracedVelocityConstraint(
        puma.model, lambda q, v, t: [v[0] * v[1] * cosine(q[2]) - v[3] * t]))


def test_a_traced_function_of_a_floating_base():
    """The height of the base and one component of its axis, by position and quaternion."""
    model = mbd_ros.load(FLOATING, floating_base=True)
    assert_consistent(model, TracedConstraint(
        model, lambda q, t: [q[2] - 0.5, 2 * (q[3] * q[5] + q[4] * q[6]), q[7] - q[8]]))


@pytest.mark.parametrize(('function', 'words'), [
    (lambda q, t: [q[0] if q[0] > 0 else q[1]], "'>' not supported"),
    (lambda q, t: [math.sin(q[0])], 'must be real number'),
    (lambda q, t: [], 'returns a sequence of scalars'),
    (lambda q, t: q[0], 'returning scalar.*returns a sequence of scalars'),
    (lambda q, t: [[q[0]]], r'returning \[\[scalar\]\].*returns a sequence of scalars'),
    (lambda q, t: [q[0] if q[1] == 0.3 else q[2]], '== and != are not known'),
    (lambda q, t: [q[0] if q[1] in (0.0, 1.0) else q[2]], '== and != are not known'),
    (lambda q, t: [q[0] or q[1]], 'its value is not known'),
    (lambda q, t: [larger(q[0], q[1])], r'\(larger\)'),
    (lambda q, t: [q[0] ** q[1]], 'unsupported operand'),
    (lambda q, t: [q[0] / 0], 'ZeroDivisionError'),
    (lambda q, t: [q[99]], 'IndexError'),
])
def test_functions_that_cannot_be_traced(puma, function, words):
    """What would silently take one branch, in particular."""
    with pytest.raises(InvalidValueError, match=f'constraint function is .*{words}'):
        TracedConstraint(puma.model, function)


def test_a_function_may_use_numpy(puma):
    """Its arrays, scalars of any type, and functions that can be differentiated."""
    rows = np.arange(1.0, 7.0).reshape(2, 3)
    half = np.float32(0.5)

    def numbers(q, t):
        q = np.array(q)
        return [*(rows @ q[:3] - half), np.sqrt(q[3] ** 2.0 + 1) - np.sin(t), q[4] ** 1.5 * +q[5],
                np.linalg.norm(q[:2]) + np.tan(q[5]) / np.int64(3), (q[0] * rows[0])[1],
                np.int8(1)]
    constraint = TracedConstraint(puma.model, numbers)
    q = np.linspace(0.1, 0.6, 6)
    np.testing.assert_allclose(constraint.violation(q, 0.7), numbers(q, 0.7), rtol=1e-14)
    assert_consistent(puma.model, TracedConstraint(
        puma.model, lambda q, t: numbers([x * x + 0.5 for x in q], t)))


def test_a_function_is_recorded_once(puma):
    """What its variables become afterwards changes neither it nor one made of it later."""
    aim = [0.1]

    def phi(q, t):
        return [q[0] + aim[0] * q[1] ** 2]

    def at_aim(x, t):
        return x.x + aim[0] * x.z * x.z
    q, v, motions = np.linspace(0.1, 0.6, 6), np.linspace(0.3, 0.2, 6), []
    for value in (0.1, 0.25):
        aim[0] = value
        for constraint in (TracedConstraint(puma.model, phi), OnSurface(puma, 'tool', [at_aim])):
            motions.append((constraint, constraint.violation(q, 0.0)))
    aim[0] = 9.0
    for constraint, violation in motions:
        np.testing.assert_array_equal(constraint.violation(q, 0.0), violation)
        solution = ConstrainedMotion(puma, constraint).solve(0.0, q, v).solution
        np.testing.assert_allclose(   # rounding of accelerations of some 100 rad/s^2
            constraint.matrix(q, v, 0.0) @ solution.accelerations,
            constraint.right_side(q, v, 0.0), rtol=0, atol=1e-11)


def test_a_surface_returns_one_scalar(puma):
    with pytest.raises(InvalidValueError, match='one that returns one scalar'):
        OnSurface(puma, 'tool', [lambda x, t: [x.x, x.y]])


def test_rotation_vectors_are_exact_at_every_angle():
    """Also near zero and near pi, where formulas through the trace lose half of their digits."""
    rng = np.random.default_rng(2)
    for angle in (0.0, 1e-9, 1e-4, 0.3, 2.0, math.pi - 1e-7, math.pi):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        vector, u = angle * axis, Vector3(*axis.tolist())
        found = rotation_vector(np.array([turned(Vector3(*e), u, angle) for e in np.eye(3)]).T)
        if angle == math.pi and found @ vector < 0:
            found = -found
        np.testing.assert_allclose(found, vector, rtol=0, atol=1e-15 * (1 + 10 * angle))


def test_the_length_of_an_orientation_error_is_the_geodesic_distance(puma):
    constraint = made(puma, 'tool_orientation')
    q = np.array([0.3, -0.7, 1.0, 0.2, 0.9, -0.4])
    R, R_d = puma.pose(q, 'tool')[:3, :3], rotation_of('', TURN['start'])
    angle = math.acos((np.trace(R @ R_d.T) - 1) / 2)
    assert np.linalg.norm(constraint.violation(q, 0.0)) == pytest.approx(angle, rel=1e-12)


@pytest.mark.parametrize(('data', 'error', 'words'), [
    ({'kind': 'tool_pos'}, UnknownNameError,
     "constraint 1 named 'tool_pos'; known: tool_position"),
    ({'kind': 'tool_position', 'link': 'tool'}, InvalidValueError, 'also with path'),
    ({'kind': 'tool_direction', 'link': 'tool', 'axis': [0, 0, 0], 'direction': [0, 0, 1]},
     InvalidValueError, 'axis is .*not zero'),
    ({'kind': 'joint_coupling', 'coefficients': {'joint9': 1}}, UnknownNameError, 'joint9'),
    ({'kind': 'joint_coupling', 'coefficients': {'joint1': 0}}, InvalidValueError, 'all of them'),
    ({'kind': 'joint_path', 'joints': ['joint1'], 'times': [0, 1], 'positions': [[0, 1], [1, 0]]},
     ShapeError, r'positions of a path of joints .*\(k, 1\): joint1'),
    ({'kind': 'joint_path', 'joints': ['joint1'], 'times': [0, 0], 'positions': [[0], [1]]},
     InvalidValueError, 'times that increase'),
    ({'kind': 'tool_orientation', 'link': 'tool', 'orientation': [0, 0, 0, 0]},
     InvalidValueError, 'quaternion that is not zero'),
    ({'kind': 'on_surface', 'link': 'tool', 'surfaces': [{'kind': 'cone'}]},
     UnknownNameError, 'kind of surface'),
    ({'kind': 'on_surface', 'link': 'tool', 'surfaces': []}, InvalidValueError, 'at least one'),
    ('tool_position', InvalidValueError,
     "entry 0 of constraints is 'tool_position'; allowed: a mapping"),
])
def test_data_that_describe_no_constraint(puma, data, error, words):
    with pytest.raises(error, match=words):
        constraints_from_data(puma, [data])


def test_a_floating_base_has_no_joint_path():
    model = mbd_ros.load(FLOATING, floating_base=True)
    with pytest.raises(UnsupportedError, match='coordinates of joint'):
        constraints_from_data(mbd_ros.compile(model), [
            {'kind': 'joint_coupling', 'coefficients': {model.joint_names[0]: 1}}])
    assert issubclass(UnsupportedError, MbdError)
