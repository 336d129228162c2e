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

"""Functions of time as machine code: values of all kinds, one form, nothing compiled for data."""

import copy
import ctypes
import math
from pathlib import Path
import pickle

from hypothesis import example, given, settings, strategies as st
import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicSpline, PPoly
from scipy.spatial.transform import Rotation

import mbd_ros
from mbd_ros.control import (
    Ellipse, JointCoupling, JointPath, Line, Lissajous, spline, ToolOrientation, ToolPosition,
    TracedConstraint, TracedPath, trajectory, Turn)
from mbd_ros.control.constraints.approach import Approach
from mbd_ros.control.constraints.constraint_stack import recorded_form, Stack
from mbd_ros.control.constraints.surfaces import OnSurface, plane
from mbd_ros.control.control_step.applied_forces import PostureSpring
from mbd_ros.control.references import time_code
from mbd_ros.control.references.orientations import held, OrientationPoint, rotation_of
from mbd_ros.control.references.paths import PathPoint
from mbd_ros.control.references.splines import PiecewisePolynomial, Repeated, Scaled
from mbd_ros.control.references.time_code import closed_form, time_code_of, TimeCode, unchanging
from mbd_ros.errors import InvalidValueError
from mbd_ros.spatial import cosine, sine

FLOATING = Path(__file__).parents[2] / 'data' / 'ladder' / '08_floating_arms.urdf'
RNG = np.random.default_rng(4)
CENTER, A, B, PHASE = RNG.uniform(-1, 1, (4, 3))
TURNS = np.array([1.0, 2.0, 3.0])
KNOTS = np.array([0.3, 0.7, 1.5, 1.6, 3.0])
POINTS = RNG.uniform(-1, 1, (5, 3))
FROM, TO = [0.1, 0.7, 0.0, 0.7], [0.0, 1.0, 0.3, 0.2]
TIMES = [-3.0, 0.0, 0.3, 0.31, 0.7, 1.0, 1.5, 1.55, 1.6, 2.3, 3.0, 3.1, 7.0, 250.0]


class Users:
    """A path or orientation of a user: there is no machine code for it."""

    def __init__(self, function):
        self.at = function.at


def quintic(t, begin, duration):
    """Return s and two rates by another way: the polynomial of its values at both ends."""
    s = BPoly.from_derivatives([begin, begin + duration], [[0, 0, 0], [1, 0, 0]])
    t = min(max(t, begin), begin + duration)
    return [float(s(t, k)) for k in range(3)]


def of_line(t):
    s, rate, second = quintic(t, 0.3, 2.0)
    return A + s * (B - A), rate * (B - A), second * (B - A)


def of_ellipse(t):
    w = 2 * math.pi / 1.7
    c, s = math.cos(w * t), math.sin(w * t)
    return CENTER + A * c + B * s, w * (B * c - A * s), -w * w * (A * c + B * s)


def of_lissajous(t):
    w = 2 * math.pi / 3.0 * TURNS
    s, c = np.sin(w * t + PHASE), np.cos(w * t + PHASE)
    return CENTER + A * s, w * A * c, -w * w * A * s


def of_joints(t):
    within = CubicSpline(KNOTS, POINTS, bc_type=((1, np.zeros(3)), (1, np.zeros(3))))
    moves = KNOTS[0] <= t <= KNOTS[-1]
    cut = min(max(t, KNOTS[0]), KNOTS[-1])
    return [within(cut, k) * (moves or not k) for k in range(3)]


def arc(points):
    return np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])


def of_spline(t):
    length = arc(POINTS)
    s, rate, second = (length[-1] * x for x in quintic(t, 0.3, 2.0))
    x, slope, curve = (CubicSpline(length, POINTS, bc_type='natural')(s, k) for k in range(3))
    return x, slope * rate, curve * rate * rate + slope * second


def of_closed_spline(t):
    points = np.vstack([POINTS, POINTS[:1]])
    length = arc(points)
    rate = length[-1] / 1.7
    path = CubicSpline(length, points, bc_type='periodic')
    return [path((t % 1.7) * rate, k) * rate**k for k in range(3)]


PATHS = {
    'ellipse': (Ellipse(CENTER, A, B, 1.7), of_ellipse),
    'line': (Line(A, B, 2.0, begin=0.3), of_line),
    'lissajous': (Lissajous(CENTER, A, TURNS, PHASE, 3.0), of_lissajous),
    'joints': (trajectory(KNOTS, POINTS), of_joints),
    'spline': (spline(POINTS, 2.0, begin=0.3), of_spline),
    'closed spline': (spline(POINTS, 1.7, closed=True), of_closed_spline),
}


def by_address(code, t):
    """Return what the function at the address writes, and nothing beyond its size."""
    result, time = np.full(code.size + 2, 7.0), np.array([t])
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.address)(
        time.ctypes.data, code.data.ctypes.data, result[1:].ctypes.data)
    assert result[0] == result[-1] == 7.0
    return result[1:-1]


@pytest.mark.parametrize('name', PATHS)
@pytest.mark.parametrize('t', TIMES)
def test_paths(name, t):
    """Position, velocity and acceleration are what SciPy and NumPy say."""
    path, expected = PATHS[name]
    values = np.array(expected(t))
    # Rounding of polynomials over chords of 1e-1 m, and of 250 s, in accelerations of 1e2 m/s^2.
    tolerance = 1e-12 * (1 + np.abs(values).max()) * (1 + abs(t))
    np.testing.assert_allclose(path.at(t), values, rtol=0, atol=tolerance)
    code = path.time_code()
    assert code.size == 9
    np.testing.assert_array_equal(by_address(code, t), np.concatenate(path.at(t)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-3, 10.0), min_size=1, max_size=40), st.integers(1, 7),
       st.floats(-20.0, 420.0), st.integers(0, 2**32 - 1))
@example([0.1], 1, 0.1, 0)
def test_tables_of_any_length(steps, n, t, seed):
    """Against SciPy's polynomials, also at the knots themselves."""
    times = np.concatenate([[0.0], np.cumsum(steps)])
    coefficients = np.random.default_rng(seed).uniform(-1, 1, (len(steps), 6, n))
    path = PiecewisePolynomial(times, coefficients)
    expected = PPoly(coefficients.transpose(1, 0, 2)[::-1], times)
    for time in (t, *times):
        cut = min(max(time, 0.0), times[-1])
        moves = 0.0 <= time <= times[-1]
        values = [expected(cut, k) * (moves or not k) for k in range(3)]
        # Sums of six products of up to 20 times 10^5, in another order.
        np.testing.assert_allclose(path.at(time), values, rtol=1e-12, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.floats(-1e6, 1e6))
@example(-1e-20)
@example(5.1)
def test_closed_paths_repeat_as_the_remainder_does(t):
    """The parameter is that of Python's exact remainder, also before zero."""
    line = PiecewisePolynomial([0.0, 2.0], np.eye(6)[1].reshape(1, 6, 1))
    found = Repeated(line, 2.0, 1.7).at(t)
    assert found.position[0] == (t % 1.7) * (2.0 / 1.7)
    assert found.velocity[0] == 2.0 / 1.7


@pytest.mark.parametrize('t', [-1.0, 0.3, 0.300001, 1.0, 2.2999, 2.3, 9.0])
def test_turns(t):
    """From one orientation to the other about one axis, with the quintic's rates."""
    turn = Turn(FROM, TO, 2.0, 0.3)
    first, last = (Rotation.from_quat(each) for each in (FROM, TO))
    way = (last * first.inv()).as_rotvec()
    s, rate, second = quintic(t, 0.3, 2.0)
    found = turn.at(t)
    expected = (Rotation.from_rotvec(s * way) * first).as_matrix()
    np.testing.assert_allclose(found.rotation, expected, rtol=0, atol=1e-15)   # rounding
    np.testing.assert_allclose(found.velocity, rate * way, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.acceleration, second * way, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(by_address(turn.time_code(), t), np.concatenate(
        (found.rotation.ravel(), found.velocity, found.acceleration)))


def test_what_is_held_does_not_turn():
    point = held(FROM).at(3.0)
    np.testing.assert_array_equal(point.rotation, rotation_of('', FROM))
    assert not point.velocity.any()
    assert not point.acceleration.any()


def test_rates_of_an_orientation_are_its_differences(puma):
    """``R_d^T`` with two rates, of our own class and of a user's."""
    turn, h = Turn(FROM, TO, 2.0, 0.3), 1e-4
    for orientation in (turn, Users(turn)):
        constraint = ToolOrientation(puma, 'tool', orientation)
        before, now, after = (constraint.reference(t)[0].reshape(3, 9)
                              for t in (1.0 - h, 1.0, 1.0 + h))
        # h^2 / 6 times third derivatives of up to 1e2 rad/s^3.
        np.testing.assert_allclose((after[:2] - before[:2]) / (2 * h), now[1:], atol=1e-6)
    assert constraint.time_codes() is None


@pytest.mark.parametrize('t', [-1.0, 0.2, 0.5, 0.8999, 0.9, 4.0])
def test_an_approach_fades(puma, t):
    """By the quintic with the values at both ends; exactly from there, and to zero."""
    path = Line([0.5, 0, 0.6], [0.6, 0.2, 0.7], 1.5)
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 6))
    constraint = ToolPosition(puma, 'tool', path)
    approach = Approach(constraint, q, v, 0.2, 0.7, a)
    start = [constraint.violation(q, 0.2), constraint.violation_rate(q, v, 0.2),
             constraint.matrix(q, v, 0.2) @ a - constraint.right_side(q, v, 0.2)]
    expected = BPoly.from_derivatives([0.2, 0.9], [start, np.zeros((3, 3))])
    cut = min(max(t, 0.2), 0.9)
    # Rounding in second rates of 1e2 m/s^2.
    np.testing.assert_allclose(approach.fade(t), [expected(cut, k) for k in range(3)],
                               rtol=0, atol=1e-11)
    np.testing.assert_array_equal(by_address(approach.fade_code(), t), approach.fade(t).ravel())
    assert t < 0.9 or not approach.fade(t).any()
    np.testing.assert_allclose(approach.fade(0.2), start, rtol=0, atol=1e-14)


@pytest.mark.parametrize('t', [-1.0, 0.3, 1.1, 2.3, 5.0])
def test_springs_are_led(puma, t):
    """To the posture from where the robot was; another lead is another code."""
    rng = np.random.default_rng(5)
    q, posture = rng.uniform(-1, 1, (2, 6))
    spring = PostureSpring(puma, posture)
    first = spring.target_code()
    np.testing.assert_array_equal(spring.target(t)[0], posture)
    assert not spring.target(t)[1].any()
    spring.lead(q, 0.3, 2.0)
    assert spring.target_code() is not first
    assert spring.target_code() is spring.target_code()
    s, rate, _ = quintic(t, 0.3, 2.0)
    target, speed = spring.target(t)
    # Rounding of terms 10, 15 and 6 times a way of up to 2, whose sum is that way.
    np.testing.assert_allclose(target, q + s * (posture - q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(speed, rate * (posture - q), rtol=0, atol=1e-14)
    assert t < 2.3 or target.tolist() == posture.tolist()
    code = by_address(spring.target_code(), t).reshape(3, 2, 6)
    np.testing.assert_allclose(code[:2, 0], (target, speed), rtol=0, atol=1e-14)
    np.testing.assert_allclose(code[0, 1], 20.0**0.5, rtol=1e-15)   # a power, and a root
    assert not code[1:, 1].any()


def test_springs_of_a_floating_robot_have_no_code():
    dyn = mbd_ros.compile(mbd_ros.load(FLOATING, floating_base=True))
    assert PostureSpring(dyn, mbd_ros.model.state.neutral(dyn.model)).target_code() is None


def constraints(dyn):
    """Return one constraint of each kind of reference."""
    joints = list(dyn.model.joint_names[:3])
    return [ToolPosition(dyn, 'tool', PATHS['ellipse'][0]),
            ToolPosition(dyn, 'tool', PATHS['closed spline'][0], axes='zx'),
            ToolOrientation(dyn, 'tool', Turn(FROM, TO, 2.0, 0.3)),
            ToolOrientation(dyn, 'tool', held(FROM)),
            OnSurface(dyn, 'tool', [plane([0, 0, 0.4], [0, 1, 2])]),
            JointPath(dyn.model, joints, PATHS['joints'][0]),
            JointCoupling(dyn.model, {joints[0]: 1.0}, 0.3),
            TracedConstraint(dyn.model, lambda q, t: [q[1] - 0.3 * sine(2.0 * t)])]


@pytest.mark.parametrize('t', [-1.0, 0.7, 1.2, 30.0])
def test_codes_of_constraints_are_their_references(puma, t):
    """One behind the other, of each and of all."""
    parts = constraints(puma)
    whole = recorded_form(Stack(parts, np.zeros(6), np.zeros(6)))
    for constraint in (*parts, whole):
        values = constraint.reference(t)
        assert tuple(map(len, values)) == constraint.reference_sizes
        np.testing.assert_array_equal(
            np.concatenate([by_address(code, t) for code in constraint.time_codes()]),
            np.concatenate(values))


def test_what_does_not_change_has_no_codes(puma):
    """And what a user's class says none that is known."""
    assert constraint_kinds(puma, 'tool_direction').time_codes() == ()
    users = JointPath(puma.model, puma.model.joint_names[:3], Users(PATHS['joints'][0]))
    assert users.time_codes() is None
    both = recorded_form(Stack([users, *constraints(puma)], np.zeros(6), np.zeros(6)))
    assert both.time_codes() is None
    values = users.reference(0.8)
    np.testing.assert_array_equal(values[0], np.concatenate(PATHS['joints'][0].at(0.8)))


def constraint_kinds(dyn, kind):
    data = {'kind': kind, 'link': 'tool', 'axis': [0, 0, 1], 'direction': [0, 0, -1]}
    constraint, = mbd_ros.control.constraints_from_data(dyn, [data])
    return constraint


def test_a_users_path_may_have_machine_code(puma):
    """It is taken in place of Python."""
    class Path:
        def at(self, time):
            raise AssertionError('asked in Python')

        def time_code(self):
            return unchanging(np.arange(9.0))
    constraint = ToolPosition(puma, 'tool', Path())
    assert constraint.reference(0.3)[0].tolist() == list(range(9))
    scaled = Scaled(PiecewisePolynomial([0.0, 1.0], np.arange(6.0).reshape(1, 6, 1)), 1.0, 1.0)
    x, rate, second = quintic(0.4, 0.0, 1.0)
    inner = np.polynomial.Polynomial(np.arange(6.0))
    # Rounding of numbers of 1e2.
    np.testing.assert_allclose(scaled.at(0.4).acceleration, inner.deriv(2)(x) * rate**2
                               + inner.deriv()(x) * second, rtol=0, atol=1e-12)
    assert time_code_of(Users(Path())) is None


def test_a_function_of_time_is_a_path():
    """The derivatives follow; equal functions are one piece of machine code."""
    w, r = 2 * math.pi / 1.7, 0.4

    def screw():
        return TracedPath(lambda t: [r * cosine(w * t), r * sine(w * t), 0.3 * t])
    path = screw()
    for t in TIMES:
        c, s = math.cos(w * t), math.sin(w * t)
        # Rounding of angles of up to 1e3 rad.
        np.testing.assert_allclose(path.at(t), [
            [r * c, r * s, 0.3 * t], [-r * w * s, r * w * c, 0.3],
            [-r * w * w * c, -r * w * w * s, 0.0]], rtol=0, atol=1e-11)
        np.testing.assert_array_equal(by_address(path.time_code(), t), np.concatenate(path.at(t)))
    assert screw().time_code().address == path.time_code().address
    assert TracedPath(lambda t: [0.3, t]).at(2.0).velocity.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(('function', 'text'), [
    (lambda t: [t if t else 0.0], 'its value is not known while the function is recorded'),
    (lambda t: [], "'<lambda>, returning []'; allowed: one that returns a sequence of scalars"),
])
def test_functions_that_are_no_paths(function, text):
    with pytest.raises(InvalidValueError) as caught:
        TracedPath(function)
    assert str(caught.value).startswith('function of a path is ')
    assert text in str(caught.value)


def test_other_data_of_a_kind_compile_nothing(puma, monkeypatch):
    """All goals of a kind share one address."""
    first = [code for part in constraints(puma) for code in part.time_codes()]

    def forbidden(*_, **__):
        raise AssertionError('something is compiled')
    monkeypatch.setattr(mbd_ros.execution.ir.machine_code.MachineCode, '__init__', forbidden)
    turned = Turn(TO, FROM, 1.0)
    others = [
        (0, Ellipse(A, B, CENTER, 4.0)), (1, spline(np.random.default_rng(1).uniform(
            -1, 1, (30, 3)), 3.0, closed=True)), (5, trajectory([0, 1], np.ones((2, 3))))]
    for k, path in others:
        assert path.time_code().address == first[k].address
        assert path.at(0.7).position.shape == (3,)
    assert ToolOrientation(puma, 'tool', turned).time_codes()[0].address == first[2].address
    assert Line(A, B, 1.0).time_code().address == PATHS['line'][0].time_code().address


def test_data_are_its_own():
    data = np.ones(2)
    code = unchanging(data)
    data[:] = 5.0
    assert code(0.0).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match='read-only'):
        code.data[0] = 3.0


def test_times_that_are_no_numbers():
    """What is asked at NaN is NaN; what rests does so for ever."""
    for path, _ in PATHS.values():
        assert np.isnan(np.concatenate(path.at(math.nan))).all()
    np.testing.assert_array_equal(PATHS['line'][0].at(math.inf).position, A + (B - A))
    np.testing.assert_array_equal(PATHS['joints'][0].at(-math.inf).position, POINTS[0])
    big = closed_form(_huge, (1e308,), 1)
    assert big(10.0)[0] == math.inf


def _huge(time, data):
    return [time * data[0]]


def test_without_fast_calls(monkeypatch):
    """Where arrays of NumPy are laid out otherwise the code is called through ctypes."""
    monkeypatch.setattr(mbd_ros.execution.compiled_calls.fast_call, 'LAYOUT_KNOWN', False)
    time_code._caller.cache_clear()
    try:
        code = PATHS['ellipse'][0].time_code()
        plain = TimeCode(code.keep, code.data, code.size)
        np.testing.assert_array_equal(plain(0.4), by_address(code, 0.4))
    finally:
        time_code._caller.cache_clear()


def test_paths_can_be_copied():
    """Also after their machine code was made, which a copy makes again."""
    for path in (*(path for path, _ in PATHS.values()), Turn(FROM, TO, 2.0)):
        path.at(0.4)
        for other in (copy.copy(path), copy.deepcopy(path), pickle.loads(pickle.dumps(path))):
            for one, two in zip(path.at(0.4), other.at(0.4)):
                np.testing.assert_array_equal(one, two)


def test_points_have_names():
    assert isinstance(PATHS['spline'][0].at(0.4), PathPoint)
    assert isinstance(held(FROM).at(0.4), OrientationPoint)
