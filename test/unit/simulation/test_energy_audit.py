"""The audit of energy: parts that close for robots in water, in currents and on the ground."""

import numpy as np
import pytest
from robots import chain
from swimmers import Converted, GRAVITY, REFERENCE, swimmer, walker

import mbd_ros
from mbd_ros import Fluid, Ground


def exchanged(run):
    """Return how much was exchanged between the parts [J]."""
    return sum(np.abs(np.diff(part)).sum() for name, part in run.parts.items()
               if name not in ('kinetic', 'potential'))


@pytest.mark.parametrize('method', ['rk4', 'dop853'])
@pytest.mark.parametrize('fluid', [Fluid(), Fluid(density=1025.0, current=(0.2, -0.1, 0.1))])
def test_robots_in_water(fluid, method):
    model = swimmer('nine')
    at = Converted('nine', model, REFERENCE['robots']['nine']['states'][0])
    how = {'step': 1e-3} if method == 'rk4' else {'rtol': 1e-10, 'atol': 1e-10}
    run = mbd_ros.simulate(model, at.q, at.v, 1.0, method=method, tau=at.tau, fluid=fluid,
                           gravity=GRAVITY, **how)
    named = {'kinetic', 'potential', 'efforts', 'drag'} | (
        {'current'} if any(fluid.current) else set())
    assert set(run.parts) == named
    np.testing.assert_array_equal(run.energy, run.parts['kinetic'] + run.parts['potential'])
    assert (np.diff(run.parts['drag']) < 0.0).all() or any(fluid.current)
    # What is asked for; Simpson's rule and RK4 with 1 ms give 1e-8.
    assert np.abs(run.balance).max() < 1e-6 * exchanged(run)


def test_on_the_ground():
    model = walker()
    q = np.zeros(model.nq)
    q[2], q[6] = -1.35, 1.0   # a centimetre above the ground
    run = mbd_ros.simulate(model, q, np.zeros(model.nv), 0.4, step=1e-4, gravity=GRAVITY,
                           ground=Ground(normal=(0.0, 0.0, -1.0)))
    assert set(run.parts) == {'kinetic', 'potential', 'efforts', 'drag', 'ground'}
    assert run.parts['ground'].min() < -0.1   # it has landed
    # Forces begin and end with a kink, where Simpson's rule is of first order in the step.
    assert np.abs(run.balance).max() < 1e-4 * exchanged(run)


def test_other_robots_have_efforts_only():
    model = mbd_ros.load(chain(3, 1))
    run = mbd_ros.simulate(model, [0.1, 0.2, 0.3], np.zeros(3), 0.2, tau=[0.3, 0.0, 0.1])
    assert set(run.parts) == {'kinetic', 'potential', 'efforts'}
    np.testing.assert_allclose(run.balance, run.energy - run.energy[0] - run.parts['efforts'],
                               atol=1e-14)


def test_in_a_field_energies_are_those_of_its_time_and_place():
    def field(point, t):
        return np.array([0.1 * t, 0.0, 0.0]), np.zeros((3, 3)), np.array([0.1, 0.0, 0.0])

    model = swimmer('nine')
    at = Converted('nine', model, REFERENCE['robots']['nine']['states'][1])
    run = mbd_ros.simulate(model, at.q, at.v, 0.2, fluid=Fluid(current=field), gravity=GRAVITY)
    last = Fluid(current=(0.02, 0.0, 0.0))
    found = mbd_ros.energy(model, run.q[-1], run.v[-1], fluid=last, gravity=GRAVITY)
    np.testing.assert_allclose(run.parts['kinetic'][-1], found.kinetic, rtol=1e-12)
