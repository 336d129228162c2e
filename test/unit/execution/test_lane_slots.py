"""Legs and halves of loops in the lanes of straight-line code."""

from loop_checks import check, TOLERANCE
from loop_models import body_order, case_model, cases, many_legs
import numpy as np
import pytest

import mbd_ros
from mbd_ros.execution import Lanes
from mbd_ros.execution.lane_slots import in_slots, inverse


@pytest.mark.parametrize('width', [2, 4, 8])
def test_legs_of_a_platform(width):
    check(many_legs(5, 3, 1), Lanes(width), f'unrolled, {width} lanes')


@pytest.mark.parametrize('name', ['ngon15_random_tau', 'fourbar_revolute', 'spatial10_revolute'])
def test_reference_cases(name):
    model, case = case_model(name, 'revolute'), cases()[name]
    order = body_order(model)
    q, v = (np.array(case[key])[order] for key in ('q', 'qd'))
    tau = np.linspace(-1.0, 1.0, model.nv)
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
                       for executor in ('interpreted', Lanes()))
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=TOLERANCE * max(1.0, np.abs(expected).max()))


def test_loops_that_meet_in_a_lane():
    """A spring between legs; rows that other legs carry."""
    check(many_legs(3, 3, 2, springs=2), Lanes(4), 'unrolled, 4 lanes')


def test_orders():
    order = (4, 1, -1, -1, -1)
    assert inverse(order) == (-1, 1, -1, -1, 0)
    assert in_slots(3.0, order) == 3.0
