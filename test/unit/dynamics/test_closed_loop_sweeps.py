"""The recursion of closed loops from within: what it hands to the ground."""

from loop_models import case_model, cases
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.closed_loop_sweeps import closed_loop_dynamics
from mbd_ros.dynamics.loop_kinematics import VALUES
from mbd_ros.execution import choose
from mbd_ros.execution.sweeps import Outward, Program
from mbd_ros.execution.tree import tree_of
from mbd_ros.execution.unrolled import trace_program


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
    """``A M^-1 A^T``, which the recursion sums up joint by joint."""
    model, q = case_model(name), np.array(cases()[name]['q'])
    dyn = mbd_ros.compile(model, executor='interpreted')
    A = dyn.loop_rows(q, np.zeros(model.nv))[:, VALUES:]
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
