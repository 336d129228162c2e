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

"""Planar loops on bodies that move: their plane may be that of no axes of the world."""

from described import bare, joint, link, robot
from maximal_coordinates import body_accelerations
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.loops.closure import loop_closure
from mbd_ros.dynamics.prepared import rank as loop_rank
from mbd_ros.dynamics.prepared.prepared import PreparedDynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import LoopOpenError
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import state

pytestmark = pytest.mark.filterwarnings('ignore::mbd_ros.errors.LoopsOpenWarning')
ANGLES = (1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.3)
"""Between the plane of the loop and one of the world [rad]."""
ACROSS, ROUNDED = -1.5707963267948966, -1.5708
GRAVITY = (0.3, -9.0, 2.0)
ROD = {'center': '0.5 0 0', 'moments': (1e-3, 0.1, 0.1)}


def pin(kind, first, second, across=ACROSS):
    """Return the joint that closes the loop at the ends of two rods, its z across the plane."""
    frame = f'xyz="1 0 0" rpy="{across} 0 0"'
    return (f'<loop_joint name="pin" type="{kind}"><link1 link="{first}" {frame}/>'
            f'<link2 link="{second}" {frame}/></loop_joint>')


def hinge(name, parent, x, axis='0 1 0', kind='continuous', turn=0.0):
    """Return a joint at x on the parent's x axis."""
    return joint(f'{name}_joint', kind, parent, name,
                 f'<origin xyz="{x} 0 0" rpy="{turn} 0 0"/><axis xyz="{axis}"/>')


def parallel_rods(kind='revolute', carrier='floating', ends=('far', 'right'), turn=0.0,
                  across=ACROSS, lean=0.0):
    """Return two rods on a carrier and one between them, in a plane of axes x and z."""
    text = robot(
        *([] if carrier == 'floating' else [bare('ground')]),
        link('platform', 5.0, moments=(0.2, 0.3, 0.4)),
        *(link(name, **ROD) for name in ('left', 'far', 'right')),
        *([] if carrier == 'floating' else [
            hinge('platform', 'ground', 0.0, '1 0 0', carrier, turn)]),
        hinge('left', 'platform', 0.0), hinge('far', 'left', 1.0, turn=lean),
        hinge('right', 'platform', 1.2), pin(kind, *ends, across))
    return mbd_ros.load(text, floating_base=carrier == 'floating')


def leaning(model, angle, seed=3):
    """Return a state with closed loops, its plane turned by an angle about x, and efforts."""
    rng = np.random.default_rng(seed)
    q, v = state.neutral(model), rng.normal(size=model.nv)
    if model.nq > 4:
        q[:3], q[3], q[6] = rng.normal(size=3), np.sin(angle / 2), np.cos(angle / 2)
    else:
        q[0] = angle
    q[-3:] = (-1.5, 1.3, -1.2)  # not a parallelogram, not stretched
    q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
    return q, v, rng.normal(size=model.nv)


def without_doubt(model, executor, monkeypatch):
    """Return prepared dynamics that may not ask for the rank."""
    def refuse(*arguments, **options):
        raise AssertionError('the rank was in doubt')
    with monkeypatch.context() as patch:
        patch.setattr(loop_rank, 'dense_solution', refuse)
        dyn = PreparedDynamics(model, GRAVITY, executor)
        for function in ('forward_dynamics', 'position_correction', 'velocity_correction'):
            assert callable(getattr(dyn, function))
        return dyn, dyn.stabilized_dynamics(5.0, 7.0)


def equal(found, expected):
    """
    Check that two vectors are equal, to 1e-9 of the largest entry.

    The dense solve drops a row of up to 3e-5 that depends on the others to rounding.
    """
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled'])
@pytest.mark.parametrize('kind', ['spherical', 'revolute'])
@pytest.mark.parametrize('carrier', ['floating', 'continuous'])
def test_the_rank_is_never_in_doubt(kind, carrier, executor, monkeypatch):
    """At any angle; the dense solve of rows in the world's axes says the same."""
    model = parallel_rods(kind, carrier)
    dyn, stabilized = without_doubt(model, executor, monkeypatch)
    rng = np.random.default_rng(1)
    for angle in ANGLES:
        q, v, tau = leaning(model, angle)
        for rates in (v, rng.normal(size=model.nv)):
            equal(dyn.forward_dynamics(q, rates, tau),
                  loop_rank.dense_solution(dyn, 'accelerations', q, rates, tau))
            equal(stabilized(q, rates, tau), loop_rank.dense_solution(
                dyn, 'accelerations', q, rates, tau, alpha=5.0, beta=7.0))
            equal(dyn.velocity_correction(q, rates),
                  loop_rank.dense_solution(dyn, 'velocities', q, rates))
        ajar = state.integrate(model, q, 1e-7 * rng.normal(size=model.nv))
        expected = loop_rank.dense_solution(dyn, 'positions', ajar, v)
        # To the gap of 1e-7 between the points at which a row acts.
        np.testing.assert_allclose(dyn.position_correction(ajar, v), expected, rtol=0.0,
                                   atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled'])
def test_open_loops_on_the_ground_are_as_in_axes_of_the_world(executor):
    """The rows are combined, not differentiated together with their axes."""
    model = parallel_rods('spherical', 'fixed', turn=0.3)
    q, v = np.array([-1.5, 1.4, -1.1]), np.array([1.0, -2.0, 3.0])
    dyn = mbd_ros.compile(model, gravity=GRAVITY, executor=executor)
    assert np.abs(dyn.loop_rows(q, v)[:, 0]).max() > 0.05
    equal(dyn.forward_dynamics(q, v, v), dyn.loop_reactions(q, v, v)[:model.nv])


def test_open_loops_on_a_carrier_do_not_feel_how_it_lies():
    """Turned with their weight they move alike: which rows depend on others does not change."""
    model = parallel_rods('spherical')
    q, v, tau = leaning(model, 0.0)
    v = np.random.default_rng(2).normal(size=model.nv)
    q[3:7] = 0.0, 0.0, 0.0, 1.0
    q[-3:] += 0.01, -0.02, 0.03
    expected = mbd_ros.forward_dynamics(model, q, v, tau, gravity=GRAVITY)
    for angle in ANGLES:
        q[3], q[6] = np.sin(angle / 2), np.cos(angle / 2)
        x, y, z = GRAVITY
        turned = (x, y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle))
        equal(mbd_ros.forward_dynamics(model, q, v, tau, gravity=turned), expected)


@pytest.mark.parametrize('angle', [1e-5, 0.3])
def test_accelerations_of_bodies_in_maximal_coordinates(angle):
    """Turning fast: nothing of the spin of the rows' axes gets lost."""
    model = parallel_rods('spherical')
    q, v, tau = leaning(model, angle)
    v *= 5.0
    dyn = mbd_ros.compile(model, gravity=GRAVITY, executor='interpreted')
    qdd = dyn.forward_dynamics(q, v, tau)
    found = [dyn.link_motion(q, v, name, qdd) for name in model.body_names]
    twists = np.array([np.roll(motion.velocity, 3) for motion in found])
    expected = body_accelerations(model, dyn.body_poses(q), twists, tau, GRAVITY)
    # Rows of an angle of 1e-5 cost the dense solve, which takes them as they are, five digits.
    np.testing.assert_allclose([np.roll(motion.acceleration, 3) for motion in found], expected,
                               rtol=0.0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize('executor', ['interpreted', 'rolled'])
@pytest.mark.parametrize('ends', [('far', 'right'), ('right', 'far')])
def test_own_rows_are_those_of_the_world_turned(ends, executor):
    """Of an open loop, too: phi, its rate, bias, Jacobian; none for those across the plane."""
    model = parallel_rods('revolute', ends=ends)
    dyn = mbd_ros.compile(model, executor=executor)
    q, v, _ = leaning(model, 0.3)
    q[-3:] += 0.1
    R = dyn.body_poses(q)[model.loops[0].body1][:3, :3]
    rows, own = dyn.loop_rows(q, v), dyn.own_loop_rows(q, v)
    turned = R.T @ rows[:3]
    np.testing.assert_allclose(own[:2], turned[:2], atol=1e-13)
    assert not own[2:].any()
    np.testing.assert_allclose([*turned[2:, VALUES:], *rows[3:, VALUES:]], 0.0, atol=1e-14)


@pytest.mark.parametrize('lean', [0.0, ACROSS - ROUNDED])
@pytest.mark.parametrize('carrier', ['floating', 'continuous', 'fixed'])
def test_axes_of_rounded_angles_among_exact_ones(carrier, lean, monkeypatch):
    """As 1.5708: that the cut or a joint leans by 4e-6 makes the robot neither stiff nor slow."""
    model = parallel_rods('revolute', carrier, across=ROUNDED, lean=lean)
    dyn, _ = without_doubt(model, 'unrolled', monkeypatch)
    exact = PreparedDynamics(parallel_rods('revolute', carrier), GRAVITY, 'unrolled')
    if carrier == 'fixed':
        q, v = np.array([-1.5, 1.3, -1.2]), np.array([1.0, 2.0, 3.0])
        q, v = mbd_ros.close_loops(model, q, v, executor='interpreted')
        tau = v
    else:
        q, v, tau = leaning(model, 1e-4)
    found = dyn.forward_dynamics(q, v, tau)
    for expected in (exact.forward_dynamics(q, v, tau),
                     loop_rank.dense_solution(dyn, 'accelerations', q, v, tau)):
        # As much as joints lean, and the points are apart across the plane.
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=(1e-9 + 10.0 * lean) * np.abs(expected).max())
    solution = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=GRAVITY)
    np.testing.assert_allclose(solution.accelerations, found, rtol=0.0,
                               atol=(1e-9 + 10.0 * lean) * np.abs(found).max())
    assert solution.rank == 2
    assert {'pin.zx', 'pin.zy'} < set(solution.redundant)


def test_reactions_stay_in_axes_of_the_world():
    model = parallel_rods('revolute')
    q, v, tau = leaning(model, 0.3)
    found = mbd_ros.constrained_dynamics(model, q, v, tau, gravity=GRAVITY)
    dyn = mbd_ros.compile(model, gravity=GRAVITY)
    equal(found.accelerations, dyn.forward_dynamics(q, v, tau))
    equal(dyn.mass_matrix(q) @ found.accelerations + dyn.bias_forces(q, v) - tau,
          dyn.loop_rows(q, v)[:, VALUES:].T @ found.multipliers)
    assert found.rank == 2


def tie_of(*parts):
    """Return the only loop as the sweeps see it."""
    return tree_of(mbd_ros.load(robot(*parts))).ties[0]


def axes_of(*parts):
    """Return in whose axes the rows of the only loop are eliminated."""
    return tie_of(*parts).axes


def test_whose_axes():
    """Of a body that turns in the plane; of spatial loops the world's."""
    rods = [bare('base'), *(link(name, **ROD) for name in ('a', 'b', 'c'))]
    tree = [hinge('a', 'base', 0.0), hinge('b', 'a', 1.0)]
    free = [*tree, hinge('c', 'base', 1.2)]
    assert axes_of(*rods, *free, pin('spherical', 'b', 'c')) == 0
    assert axes_of(*rods, *free, pin('spherical', 'base', 'b')) == 1
    assert axes_of(*rods, *free, pin('spherical', 'b', 'base')) == 0
    assert axes_of(*rods, *free, pin('spherical', 'a', 'c')) == 0
    sliding = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'
    for axis, expected in (('1 0 0', 1), ('0 1 0', -1)):  # in the plane, and across it
        slide = joint('c_joint', 'prismatic', 'base', 'c', f'<axis xyz="{axis}"/>{sliding}')
        assert axes_of(*rods, *tree, slide, pin('revolute', 'c', 'b')) == expected
    hung = joint('c_joint', 'prismatic', 'b', 'c', f'<axis xyz="1 0 0"/>{sliding}')
    last = tie_of(*rods, *tree, hung, pin('revolute', 'c', 'base'))
    assert (last.axes, last.idle) == (0, (3, 4))  # z is the slide
    askew = hinge('c', 'base', 1.2, '0 1 0.3')
    assert axes_of(*rods, *tree, askew, pin('spherical', 'b', 'c')) == -1
    assert axes_of(*rods, *free, pin('planar', 'b', 'c')) == -1


@pytest.mark.parametrize(('kind', 'across', 'lean', 'expected'), [
    ('revolute', ACROSS, 0.0, (2, 3, 4)), ('revolute', ROUNDED, 0.0, (2, 3, 4)),
    ('revolute', ROUNDED, 3e-6, (2, 3, 4)), ('revolute', ACROSS, 1e-4, ()),
    ('revolute', ACROSS + 1e-4, 0.0, (2,)), ('revolute', 0.0, 0.0, (2,)),  # it locks the loop
    ('spherical', 0.0, 0.0, (2,)), ('universal', 0.0, 0.0, (2,)), ('fixed', 0.0, 0.0, (2,)),
    ('planar', ACROSS, 0.0, ())])
def test_rows_across_the_plane(kind, across, lean, expected):
    """They say nothing where all joints, and of those of axes the cut, are of the plane."""
    rods = [bare('base'), *(link(name, **ROD) for name in ('a', 'b', 'c'))]
    tree = [hinge('a', 'base', 0.0), hinge('b', 'a', 1.0, turn=lean), hinge('c', 'base', 1.2)]
    assert tie_of(*rods, *tree, pin(kind, 'b', 'c', across)).idle == expected


def test_a_cut_across_the_plane_locks_the_loop():
    """An axis in the plane lets nothing turn: rows of axes are told apart from those of points."""
    model = parallel_rods('revolute', 'fixed', across=0.0)
    q, v = mbd_ros.close_loops(parallel_rods('spherical', 'fixed'), [-1.5, 1.3, -1.2], np.zeros(3))
    solution = mbd_ros.constrained_dynamics(model, q, v, np.ones(3), gravity=GRAVITY)
    assert solution.rank == 3
    np.testing.assert_allclose(solution.accelerations, 0.0, atol=1e-9)
    np.testing.assert_allclose(mbd_ros.forward_dynamics(model, q, v, np.ones(3)), 0.0, atol=1e-9)


def test_loops_whose_ends_are_apart_across_the_plane():
    """Where axes lean by an angle of 4e-6 a gap as small is none; of a millimetre it is."""
    model = parallel_rods('revolute', 'fixed', across=ROUNDED, lean=ACROSS - ROUNDED)
    closure = loop_closure(model, np.array([-1.5, 1.3, -1.2]), np.zeros(3))
    assert 1e-7 < closure.violation < 3e-5
    assert closure.violation == np.abs(
        mbd_ros.compile(model).loop_rows(closure.q, np.zeros(3))[:, 0]).max()
    text = model.mechanism.text.replace('link="far" xyz="1 0 0"', 'link="far" xyz="1 0.001 0"')
    with pytest.raises(LoopOpenError, match=r"'pin' cannot be closed: 0\.001 m are left"):
        mbd_ros.close_loops(mbd_ros.load(text), [-1.5, 1.3, -1.2])


@pytest.mark.parametrize('angle', [0.0, 1e-5, 0.3])
def test_a_loop_that_a_slide_ends(angle):
    """Its z axis lies in the plane: nothing is said to be across that is not."""
    sliding = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'
    model = mbd_ros.load(robot(
        link('platform', 5.0, moments=(0.2, 0.3, 0.4)),
        *(link(name, **ROD) for name in ('left', 'far', 'slider')),
        hinge('left', 'platform', 0.0), hinge('far', 'left', 1.0),
        joint('slide', 'prismatic', 'far', 'slider', f'<axis xyz="1 0 0"/>{sliding}'),
        pin('revolute', 'slider', 'platform')), floating_base=True)
    q, v, tau = leaning(model, angle)
    found = mbd_ros.forward_dynamics(model, q, v, tau, gravity=GRAVITY)
    dyn = mbd_ros.compile(model, gravity=GRAVITY)
    equal(found, loop_rank.dense_solution(dyn, 'accelerations', q, v, tau))
    assert mbd_ros.mobility(model, q) == 7


@pytest.mark.parametrize('turn', [0.0, 0.3, -ROUNDED])
def test_a_loop_that_says_nothing(turn):
    """Rows of a plane that all joints keep to are rounding; the largest of them counts no more."""
    model = parallel_rods('planar', 'fixed', turn=turn)
    q, v, tau = np.array([-1.5, 1.3, -1.2]), np.array([1.0, 2.0, 3.0]), np.ones(3)
    assert mbd_ros.mobility(model, q) == 3
    dyn = mbd_ros.compile(model)
    equal(loop_rank.dense_solution(dyn, 'accelerations', q, v, tau),
          dyn.forward_dynamics(q, v, tau))
