"""Large subtrees in lanes, by loops over bodies."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, urdf

import mbd_ros
from mbd_ros.dynamics.formulations.mass_matrix import MASS_MATRIX
from mbd_ros.dynamics.formulations.newton_euler import INVERSE_DYNAMICS
from mbd_ros.dynamics.formulations.recursive import FORWARD_DYNAMICS
from mbd_ros.execution import Lanes
from mbd_ros.execution.rolled.bundles import Bundle, bundled, rolled_bundles_of, SMALLEST

# The same operations on the same numbers but for the order of sums at the trunk.
TOLERANCE = 1e-12


def branched(legs, length, seed, trunk=0):
    """Return legs on the last body of a trunk, of types that repeat along each leg."""
    period = ('revolute', 'prismatic', 'revolute', 'revolute')
    parents = list(range(trunk))
    kinds = ['revolute'] * trunk
    for _ in range(legs):
        first = len(parents) + 1
        parents += [trunk, *range(first, first + length - 1)]
        kinds += [period[k % 4] for k in range(length)]
    return urdf(parents, kinds, seed)


def check(model, width, name, seed=0):
    q, v, third = random_state(model, seed)
    for program, function in ((FORWARD_DYNAMICS, mbd_ros.forward_dynamics),
                              (INVERSE_DYNAMICS, mbd_ros.inverse_dynamics)):
        assert Lanes(width).kernel(program, model).name == name
        found = function(model, q, v, third, executor=Lanes(width))
        expected = function(model, q, v, third, executor='rolled')
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=TOLERANCE * max(1.0, np.abs(expected).max()))
        np.testing.assert_array_equal(
            found, function(model, q, v, third, executor=Lanes(width)))


@pytest.mark.parametrize('width', [2, 4, 8])
@pytest.mark.parametrize('floating', [False, True])
def test_legs(width, floating):
    check(mbd_ros.load(branched(3, 45, 1), floating_base=floating), width,
          f'rolled, {min(width, 4)} lanes')


def test_halves_beyond_a_trunk():
    check(mbd_ros.load(branched(2, 50, 2, trunk=5)), 2, 'rolled, 2 lanes')


@settings(max_examples=5, deadline=None, derandomize=True)
@given(st.integers(0, 2**16))
def test_twins_of_random_trees(seed):
    """Two equal trees, one on the ground, one on a body of the first's kind of trunk."""
    rng = np.random.default_rng(seed)
    inside = [int(rng.integers(max(0, i - 3), i)) for i in range(1, 60)]
    kinds = list(rng.choice(['revolute', 'prismatic'], size=60))
    parents = [0, *(1 + p for p in inside), 0, *(61 + p for p in inside)]
    model = mbd_ros.load(urdf(parents, kinds * 2, seed))
    if rolled_bundles_of(FORWARD_DYNAMICS, model, 2) is not None:
        check(model, 2, 'rolled, 2 lanes', seed)


def test_which_subtrees():
    """A trunk of one, twins of ten, a third that differs, and twins too small."""
    ten = [0, *range(1, 10)]
    parents = [-1, *ten, 0, *range(11, 20), 0, *range(21, 30), 0, 31, 0, 33]
    kinds = ['r'] * 31 + ['r'] * 4
    kinds[25] = 'p'
    assert bundled(parents, kinds, 4) == [Bundle((1, 11, 1, 1), 2, 10)]
    assert SMALLEST > 2


def test_what_does_not_run_in_lanes():
    model = mbd_ros.load(branched(2, 50, 2))
    assert rolled_bundles_of(MASS_MATRIX, model, 2) is None
    uneven = mbd_ros.load(branched(2, 20, 2, trunk=60))
    assert rolled_bundles_of(FORWARD_DYNAMICS, uneven, 2) is None
