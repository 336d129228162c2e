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

"""The Udwadia-Kalaba equation on plain arrays: reference numbers, rank decisions, messages."""

import numpy as np
import pytest

from mbd_ros.control import constrained_acceleration, singular_mass_acceleration
from mbd_ros.control.udwadia_kalaba.actuation import ActuatedSubspace
from mbd_ros.control.udwadia_kalaba.equation import conflict
from mbd_ros.control.udwadia_kalaba.rank_facts import CONFLICT, FACTS
from mbd_ros.control.udwadia_kalaba.small_systems import constrained_motion
from mbd_ros.errors import InvalidValueError, NotFiniteError, ShapeError, SingularMassError

NAMES = ('joint1', 'joint2', 'joint3')


@pytest.fixture(name='start')
def start_state(reference):
    """Return M, Q, A, b of the exact motion at t = 0."""
    sample = reference['A_exact_motion']['samples'][0]
    return [np.array(sample[key]) for key in ('M', 'Q', 'A', 'b')]


def test_exact_motion_has_the_reference_forces(reference):
    """Section 4 and item 3 of section 9."""
    for sample in reference['A_exact_motion']['samples']:
        solution = constrained_acceleration(sample['M'], sample['Q'], sample['A'], sample['b'])
        # 1e-12: item 3; the reference itself has two computations that differ by 6e-15.
        np.testing.assert_allclose(solution.constraint_force, sample['Qc'], rtol=0, atol=1e-12)
        np.testing.assert_allclose(solution.accelerations, sample['qdd'], rtol=0, atol=1e-12)
        np.testing.assert_allclose(solution.multipliers, sample['lambda_'], rtol=0, atol=1e-12)
        assert solution.rank == 3
        assert not solution.conflicting


def test_force_at_the_start_is_the_printed_one(start):
    """Item 3 of section 9, with the numbers of the page."""
    solution = constrained_acceleration(*start)
    np.testing.assert_allclose(
        solution.constraint_force,
        (-1.693754758521434, -12.117288609545472, -3.313844548606723), rtol=0, atol=1e-12)


def test_redundant_rows_change_nothing(start, reference):
    """Case C: rows x, y, z, x + y, 2 z."""
    M, Q, A, b = start
    case = reference['C_redundant_rows_t0']
    solution = constrained_acceleration(
        M, Q, np.vstack([A, A[0] + A[1], 2 * A[2]]), np.append(b, [b[0] + b[1], 2 * b[2]]))
    # 1e-13: a few roundings of numbers of size 10.
    np.testing.assert_allclose(solution.accelerations, case['qdd'], rtol=0, atol=1e-13)
    np.testing.assert_allclose(solution.constraint_force, case['Qc'], rtol=0, atol=1e-13)
    np.testing.assert_allclose(solution.multipliers, case['lambda_min_norm'], rtol=0, atol=1e-13)
    assert solution.rank == 3
    assert not solution.conflicting


def test_duplicated_row_with_noise_equals_the_clean_one(start, reference):
    """Item 9 of section 9: the default tolerance sees through noise of 1e-13."""
    M, Q, A, b = start
    case = reference['C_redundant_rows_t0']['tolerance_sweep_duplicated_z_row_noise_1e-13']
    noise = 1e-13 * np.random.default_rng(7).normal(size=3)
    rows, right_side = np.vstack([A[2], A[2] + noise]), np.array([b[2], b[2]])
    solution = constrained_acceleration(M, Q, rows, right_side)
    assert solution.rank == 1
    np.testing.assert_allclose(solution.accelerations, case['qdd_clean'], rtol=0, atol=1e-10)
    np.testing.assert_allclose(solution.constraint_force, case['Qc_clean'], rtol=0, atol=1e-10)
    careless = constrained_acceleration(M, Q, rows, right_side, tolerance=1e-15)
    assert careless.rank == 2


def test_a_row_that_is_zero_but_for_rounding_is_none(start):
    """As of a planar loop on a base that is tilted: it must not become a row of its own."""
    M, Q, A, b = start
    noise = 1e-17 * np.array([[3.0, -2.0, 1.0]])
    found = constrained_acceleration(M, Q, np.vstack([A[:2], noise]), [*b[:2], 1e-17])
    clean = constrained_acceleration(M, Q, A[:2], b[:2])
    assert found.rank == 2
    assert not found.conflicting
    np.testing.assert_allclose(found.accelerations, clean.accelerations, rtol=1e-10)


def test_conflicting_rows_are_averaged_and_said_so(start, reference):
    """Case C, last part: the same row with b and b + 1."""
    M, Q, A, b = start
    case = reference['C_redundant_rows_t0']['conflicting_rows']
    solution = constrained_acceleration(M, Q, A[[2, 2]], [b[2], b[2] + 1])
    np.testing.assert_allclose(solution.accelerations, case['qdd'], rtol=0, atol=1e-13)
    np.testing.assert_allclose(solution.residual, case['residual'], rtol=0, atol=1e-13)
    assert solution.conflicting
    assert solution.rank == 1


def test_accelerations_grow_towards_the_singularity(arm):
    """Case D: like 1 / q3, and at q3 = 0 a finite compromise of rank 2."""
    sizes = []
    for degrees in (1.0, 0.1, 0.01, 0.0):
        q = np.radians([20.0, -30.0, degrees])
        rows = arm.jacobian(q, 'tool')[:3]
        solution = constrained_acceleration(
            arm.mass_matrix(q), -arm.bias_forces(q, np.zeros(3)), rows, [0.1, -0.2, 0.3])
        sizes.append(abs(solution.accelerations[1]))
    assert sizes[0] == pytest.approx(9.6, abs=0.05)  # printed to two digits
    assert sizes[2] == pytest.approx(986, abs=0.5)  # printed to three digits
    assert solution.rank == 2
    assert solution.conflicting
    # The page prints the largest entry, to three digits.
    assert np.abs(solution.residual).max() == pytest.approx(0.140, abs=5e-4)
    assert sizes[3] < 10


def test_margin_falls_towards_the_singularity(arm):
    """The margin tells how near the next rank change is."""
    margins = []
    for degrees in (90.0, 10.0, 1.0):
        q = np.radians([20.0, -30.0, degrees])
        margins.append(constrained_acceleration(
            arm.mass_matrix(q), np.zeros(3), arm.jacobian(q, 'tool')[:3], np.zeros(3)).margin)
    assert 1 >= margins[0] > margins[1] > margins[2] > 0


def test_without_rows_the_motion_is_free(start):
    """No rows, and rows of zeros, ask for nothing."""
    M, Q, _, _ = start
    free = np.linalg.solve(M, Q)
    for rows in (np.zeros((0, 3)), np.zeros((2, 3))):
        solution = constrained_acceleration(M, Q, rows, np.zeros(len(rows)))
        np.testing.assert_allclose(solution.accelerations, free, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(solution.constraint_force, np.zeros(3))
        assert solution.rank == 0
        assert not solution.conflicting
    assert constrained_acceleration(M, Q, np.zeros((1, 3)), [1.0]).conflicting


def test_more_rows_than_joints(start):
    """Forty rows made of three keep the solution of the three."""
    M, Q, A, b = start
    mix = np.random.default_rng(3).normal(size=(40, 3))
    solution = constrained_acceleration(M, Q, mix @ A, mix @ b)
    expected = constrained_acceleration(M, Q, A, b)
    assert solution.rank == 3
    # 1e-12: the condition of 40 random mixtures of 3 rows is below 10.
    np.testing.assert_allclose(solution.accelerations, expected.accelerations, atol=1e-12)


@pytest.mark.parametrize(('change', 'text'), [
    ({0: np.zeros((3, 2))}, 'mass_matrix has shape (3, 2); allowed: (n, n) with n > 0'),
    ({1: np.zeros(2)}, 'generalized_force has shape (2,); allowed: (3,), as the mass matrix'),
    ({2: np.zeros((3, 4))}, 'A has shape (3, 4); allowed: (m, 3), one column per row of the mass'),
    ({3: np.zeros(2)}, 'b has shape (2,); allowed: (3,), one entry per row of A'),
])
def test_wrong_sizes_are_named(start, change, text):
    """Each argument says what it should have been."""
    for index, value in change.items():
        start[index] = value
    with pytest.raises(ShapeError) as caught:
        constrained_acceleration(*start)
    assert text in str(caught.value)


@pytest.mark.parametrize(('index', 'place', 'value', 'text'), [
    (0, (1, 1), np.nan, "mass_matrix of joint 'joint2' is nan; allowed: finite numbers"),
    (0, (2, 1), np.inf, "mass_matrix of joint 'joint3' is inf; allowed: finite numbers"),
    (1, (2,), np.nan, "generalized_force of joint 'joint3' is nan; allowed: finite numbers"),
    (2, (1, 0), np.nan, 'A of constraint row 1 is nan; allowed: finite numbers'),
    (3, (0,), np.inf, 'b of constraint row 0 is inf; allowed: finite numbers'),
])
@pytest.mark.filterwarnings('ignore:invalid value:RuntimeWarning')
def test_numbers_that_are_not_finite_are_named(start, index, place, value, text):
    """Joint or row at fault is in the message."""
    start[index][place] = value
    with pytest.raises(NotFiniteError) as caught:
        constrained_acceleration(*start, joint_names=NAMES)
    assert str(caught.value) == text


@pytest.mark.parametrize('seed', range(6))
def test_a_robot_that_is_held_has_no_conflict(seed):
    """Redundant rows that leave nothing: all accelerations are rounding of the free ones."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    M, Q = root @ root.T + 0.1 * np.eye(6), 50.0 * rng.normal(size=6)
    A = rng.normal(size=(9, 6))
    plain = constrained_acceleration(M, Q, A, np.zeros(9))
    reach = ActuatedSubspace(M, np.arange(6)).solve(Q, A, np.zeros(9), 0)
    width = 10
    quick = np.zeros(2 * 6 + 2 * 9 + FACTS)
    constrained_motion(M, Q, A, np.zeros(9), quick, 6, 9, 0, width)
    assert plain.rank == reach.rank == 6
    assert not plain.conflicting
    assert not reach.conflicting
    assert quick[2 * 6 + 2 * 9 + CONFLICT] < 1e-12   # rounding
    assert constrained_acceleration(M, Q, A, np.eye(9)[8] * 1e-3).conflicting


def test_rows_that_no_actuator_reaches_are_a_conflict():
    """What is left of them is rounding, and no reason for efforts of 1e16 N m."""
    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 6))
    M, Q = root @ root.T + 0.1 * np.eye(6), 50.0 * rng.normal(size=6)
    L = np.linalg.cholesky(M)
    active = np.arange(3)
    others = np.linalg.svd(np.linalg.inv(L)[:, active].T)[2][3:]   # beside what they reach
    A = others[:2] @ L.T
    found = ActuatedSubspace(M, active).solve(Q, A, np.array([1.0, 2.0]), 0)
    assert found.rank == 0
    assert found.conflicting
    # 1e-9: rounding of accelerations of some 100 rad/s^2 by a matrix of condition 1e3
    np.testing.assert_allclose(found.accelerations, np.linalg.solve(M, Q), rtol=1e-9)
    np.testing.assert_allclose(found.constraint_force, 0.0, atol=1e-9)


def test_singular_mass_names_the_joint(start):
    """A massless joint, and one whose inertia is rounding error of another."""
    M, Q, A, b = start
    M[1:, 1:] = [[1.0, 0.3], [0.3, 0.09]]
    with pytest.raises(SingularMassError, match="joint 'joint3' moves no inertia: the mass"):
        constrained_acceleration(M, Q, A, b, joint_names=NAMES)
    M[1] = M[:, 1] = 0
    with pytest.raises(SingularMassError) as caught:
        constrained_acceleration(M, Q, A, b, joint_names=NAMES)
    assert caught.value.joint == 'joint2'
    assert 'its diagonal entry is 0' in str(caught.value)


@pytest.mark.parametrize('tolerance', [0.0, 1.0, -1.0, np.nan])
def test_tolerance_is_checked(start, tolerance):
    """A tolerance outside (0, 1) has no meaning."""
    with pytest.raises(InvalidValueError, match='allowed: a number between 0 and 1'):
        constrained_acceleration(*start, tolerance=tolerance)


class TestSingularMass:
    """Edge case 6: the mass matrix alone does not determine the motion."""

    def test_constraints_fix_the_massless_joint(self):
        """Two coordinates of one cart: the second has no mass, x1 = x2 + t^2 / 2."""
        solution = singular_mass_acceleration([[2.0, 0], [0, 0]], [6.0, 0], [[1.0, -1]], [1.0])
        # 1e-15: exact but for the last bit.
        np.testing.assert_allclose(solution.accelerations, [3, 2], rtol=0, atol=1e-14)
        np.testing.assert_allclose(solution.constraint_force, [0, 0], rtol=0, atol=1e-14)

    def test_agrees_with_the_regular_equation(self, start):
        """Where M is regular both forms are the same."""
        expected = constrained_acceleration(start[0], start[1], start[2][:2], start[3][:2])
        solution = singular_mass_acceleration(start[0], start[1], start[2][:2], start[3][:2])
        for name in ('accelerations', 'constraint_force', 'multipliers'):
            # 1e-12: M + A^T A is conditioned ten times worse than M.
            np.testing.assert_allclose(
                getattr(solution, name), getattr(expected, name), rtol=0, atol=1e-12)

    @pytest.mark.parametrize('scale', [1e-14, 1e14])
    def test_units_of_mass_do_not_matter(self, scale):
        solution = singular_mass_acceleration(
            scale * np.diag([2.0, 0]), [6.0 * scale, 0], [[1.0, -1]], [1.0])
        np.testing.assert_allclose(solution.accelerations, [3, 2], rtol=0, atol=1e-14)

    def test_undetermined_motion_is_refused(self):
        """The rank condition of Udwadia and Phohomsiri."""
        with pytest.raises(InvalidValueError, match='rank of mass matrix and constraint rows '
                                                    'together is 1; allowed: 2: constraints'):
            singular_mass_acceleration(np.diag([1.0, 0]), [1, 0], [[1, 0]], [1])

    @pytest.mark.parametrize('wrong', ['mass_matrix', 'generalized_force', 'A', 'b'])
    def test_what_is_not_finite_is_named(self, start, wrong):
        given = dict(zip(('mass_matrix', 'generalized_force', 'A', 'b'), (
            start[0], start[1], start[2][:2], start[3][:2])))
        given[wrong] = np.array(given[wrong], dtype=float)
        given[wrong].flat[-1] = np.nan
        with pytest.raises(NotFiniteError, match=wrong):
            singular_mass_acceleration(**given)

    def test_conflict_is_refused(self):
        """A compromise would depend on how the rows are weighted."""
        with pytest.raises(InvalidValueError, match='right-hand sides that do not conflict'):
            singular_mass_acceleration(np.diag([1.0, 0]), [1, 0], [[0, 1], [0, 1]], [1, 2])


@pytest.mark.parametrize('fast', [1e-3, 1e3])
@pytest.mark.parametrize('free', [False, True])
def test_a_residual_counts_in_the_scale_of_its_row(fast, free):
    """That is |row| times the largest acceleration, with the constraint or without, and |b|."""
    row, b = np.array([[0.3, -0.4, 0.0]]), np.array([0.05])
    accelerations = [np.array([0.0, 0.0, -fast]), np.zeros(3)]
    for share in (0.99, 1.01):
        residual = np.array([share * 1e-8 * (0.7 * fast + 0.05)])
        assert conflict(row, *accelerations[::-1 if free else 1], b, residual) == (share > 1.0)
        assert conflict(row, *accelerations[::-1 if free else 1], -b, -residual) == (share > 1.0)
