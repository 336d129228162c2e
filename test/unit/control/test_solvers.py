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

"""The compiled form of the equation against the general one, and where it hands over."""

from hypothesis import given, settings, strategies
import numpy as np
import pytest

from mbd_ros.control import constrained_acceleration
from mbd_ros.control.udwadia_kalaba import solvers
from mbd_ros.control.udwadia_kalaba.solvers import quick_constrained_acceleration
from mbd_ros.errors import NotFiniteError, SingularMassError

NAMES = tuple(f'joint{k}' for k in range(1, 8))


def quick(M, Q, A, b):
    """Return the quick solution with default tolerance."""
    return quick_constrained_acceleration(M, Q, A, b, tolerance=1e-10, joint_names=NAMES)


def system(n, m, seed):
    """Return a random system; M has a condition of up to 1e4."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    M = basis @ np.diag(10.0 ** rng.uniform(-2, 2, n)) @ basis.T
    return M, rng.normal(size=n), rng.normal(size=(m, n)), rng.normal(size=m)


def assert_same(found, expected, tolerance):
    """Compare the fields that both forms define in the same way."""
    for name in ('accelerations', 'constraint_force', 'multipliers'):
        wanted = getattr(expected, name)
        np.testing.assert_allclose(
            getattr(found, name), wanted, rtol=0, atol=tolerance * (1 + np.abs(wanted).max()))
    assert found.rank == expected.rank
    assert found.conflicting == expected.conflicting


# Few sizes, since each is compiled once.
@settings(max_examples=60, deadline=None, derandomize=True)
@given(strategies.sampled_from([(2, 1), (2, 3), (3, 3), (6, 3), (7, 6)]),
       strategies.integers(0, 2**32 - 1))
def test_equals_the_general_form(size, seed):
    """On random systems, whichever of the two forms answers."""
    arguments = system(*size, seed)
    # 1e-9: conditions of M of 1e4 and of the rows of up to 1e3.
    assert_same(quick(*arguments), constrained_acceleration(*arguments), 1e-9)


def test_equals_the_reference(reference):
    """Section 4, as the general form."""
    for sample in reference['A_exact_motion']['samples']:
        solution = quick(*(np.array(sample[key]) for key in ('M', 'Q', 'A', 'b')))
        np.testing.assert_allclose(solution.constraint_force, sample['Qc'], rtol=0, atol=1e-12)
        np.testing.assert_allclose(solution.residual, 0, atol=1e-14)


def test_regular_systems_do_not_reach_the_general_form(monkeypatch):
    """That is what makes it quick."""
    monkeypatch.delattr(solvers, 'constrained_acceleration')
    solution = quick(np.diag([2.0, 3, 4]), np.ones(3), np.eye(3)[:2], np.ones(2))
    assert solution.rank == 2
    assert solution.margin == 1.0
    np.testing.assert_allclose(solution.accelerations, [1, 1, 0.25], rtol=1e-15)


@pytest.mark.parametrize('angle', [1e-3, 1e-5, 1e-8, 1e-12, 0.0])
def test_nearly_dependent_rows(angle):
    """Two rows at a small angle: near dependence the general form decides."""
    M, Q = np.diag([1.0, 2, 3]), np.array([1.0, 2, 3])
    A = np.array([[1.0, 0, 0], [np.cos(angle), np.sin(angle), 0]])
    b = A @ [0.3, 0.2, 0.1]
    found, expected = quick(M, Q, A, b), constrained_acceleration(M, Q, A, b)
    # The multipliers grow with 1 / angle, the motion is rounded by eps / angle.
    tolerance = 1e-14 / max(angle, 1e-10)
    np.testing.assert_allclose(found.accelerations, expected.accelerations, atol=tolerance)
    assert found.rank == expected.rank == (2 if angle > 1e-10 else 1)


def test_singular_mass_and_bad_numbers_are_explained():
    """By the general form, with the joint's name."""
    M, Q, A, b = np.diag([1.0, 0, 1]), np.ones(3), np.eye(3)[:1], np.ones(1)
    with pytest.raises(SingularMassError, match="joint 'joint2' moves no inertia"):
        quick(M, Q, A, b)
    with pytest.raises(NotFiniteError, match="generalized_force of joint 'joint3' is nan"):
        quick(np.eye(3), np.array([0, 0, np.nan]), A, b)


def test_large_robots_and_no_rows():
    """Sizes without compiled form."""
    for n, m in ((solvers.LARGEST + 1, 2), (2, solvers.LARGEST + 1), (3, 0)):
        arguments = system(n, m, 1)
        names = tuple(map(str, range(n)))
        found = quick_constrained_acceleration(*arguments, tolerance=1e-10, joint_names=names)
        expected = constrained_acceleration(*arguments)
        np.testing.assert_array_equal(found.accelerations, expected.accelerations)
