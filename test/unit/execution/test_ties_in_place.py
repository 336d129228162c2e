"""Long legs and halves of loops in lanes of rolled code; ties between their bodies."""

from dataclasses import dataclass

from loop_checks import check, TOLERANCE
from loop_models import body_order, case_model, cases, many_legs
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.closed_loop_sweeps import closed_loop_dynamics
from mbd_ros.execution import Compiled
from mbd_ros.execution.compiled import compiled_kernel
from mbd_ros.execution.rolled_bundles import MOST_TIES, rolled_bundles_of
from mbd_ros.execution.tree import tree_of


@dataclass(frozen=True)
class RolledLanes:
    """Rolled code in lanes where it can be, however few bodies there are."""

    width: int
    name = 'rolled lanes'

    def kernel(self, program, model):
        return compiled_kernel(program, model, True, rolled_bundles_of(
            program, model, self.width))


@pytest.mark.parametrize(('width', 'legs', 'springs'), [(2, 2, 0), (4, 3, 2), (8, 5, 0)])
def test_legs_of_a_platform(width, legs, springs):
    """Chains with ties at their ends alone; and with springs between."""
    model = many_legs(legs, 9, 3, springs, 'distance')
    way = rolled_bundles_of(closed_loop_dynamics(tree_of(model).slots), model, width)
    assert way.chains is (springs == 0)
    check(model, RolledLanes(width), f'rolled, {width} lanes', ['forward_dynamics'])


@pytest.mark.parametrize('name', ['ngon51_rest_regular', 'ngon151_random'])
def test_halves_of_a_ring(name):
    """All bodies are in lanes: both halves stand on the ground, where the loop is closed."""
    model, case = case_model(name), cases()[name]
    order = body_order(model)
    q, v = (np.array(case[key])[order] for key in ('q', 'qd'))
    tau = np.linspace(-1.0, 1.0, model.nv)
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
                       for executor in ('interpreted', RolledLanes(4)))
    program = closed_loop_dynamics(tree_of(model).slots)
    assert RolledLanes(4).kernel(program, model).how(1) == 'rolled, 2 lanes'
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e2 * TOLERANCE * max(1.0, np.abs(expected).max()))


def test_lanes_are_used_unasked():
    check(many_legs(2, 48, 5, cut='distance'), Compiled(), 'rolled, 2 lanes', ['forward_dynamics'])


def test_not_for_very_many_ties():
    model = many_legs(MOST_TIES + 1, 8, 1)
    assert rolled_bundles_of(closed_loop_dynamics(tree_of(model).slots), model, 4) is None
