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

"""Change points, conflicting loops, and loops that a step tears open."""

from dataclasses import replace
import warnings

from described import bare, joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import LoopConflictError, LoopOpenError
from mbd_ros.simulation.change_points import RankChangeWarning

TURNING = '<origin xyz="{} 0 0"/><axis xyz="0 0 1"/>'.format
FLOATS = (0.0, 0.0, 0.0)


def fourbar(rocker=1.0):
    """Return a four-bar, by default of four equal rods: it passes from rhombus to rhombus flat."""
    rods = [link(name, center='0.5 0 0', moments=(0.01, 0.1, 0.1))
            for name in ('crank', 'coupler', 'rocker')]
    return mbd_ros.load(robot(
        bare('base'), *rods, joint('a', 'continuous', 'base', 'crank', TURNING(0)),
        joint('b', 'continuous', 'crank', 'coupler', TURNING(1)),
        joint('c', 'continuous', 'base', 'rocker', TURNING(1)),
        '<loop_joint name="pin" type="spherical"><link1 link="coupler" xyz="1 0 0"/>'
        f'<link2 link="rocker" xyz="{rocker} 0 0"/></loop_joint>'))


RHOMBUS, TURN = np.array([1.0, -1.0, 1.0]), np.array([3.0, -3.0, 3.0])


@pytest.mark.parametrize('options', [{'method': 'dop853'}, {'step': 0.01, 'record_every': 3}])
def test_a_rhombus_goes_on_along_its_tangent(options):
    """Without weight it turns evenly and lies flat where the angle is a multiple of pi."""
    said = r'at t = 0\.713864 s only 1 of 2 rows.*3 such'
    with pytest.warns(RankChangeWarning, match=said) as told:
        run = mbd_ros.simulate(fourbar(), RHOMBUS, TURN, 3.0, gravity=FLOATS, **options)
    assert told[0].filename == __file__   # the line that called
    # The time is found where the singular value is 1e-8 or so, at 3 rad/s.
    np.testing.assert_allclose([change.time for change in run.changes],
                               [(k * np.pi - 1.0) / 3.0 for k in (1, 2, 3)], atol=1e-7)
    assert {(change.rank, change.usual) for change in run.changes} == {(1, 2)}
    np.testing.assert_allclose(run.q[-1], RHOMBUS + 3.0 * TURN, atol=1e-8)
    assert np.ptp(run.energy) < 1e-7
    assert run.violation.max() < 1e-12


def test_no_change_point_in_a_fourbar_that_never_lies_flat():
    model = fourbar(1.2)
    q, v = mbd_ros.close_loops(model, RHOMBUS, TURN, known=['a'])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        run = mbd_ros.simulate(model, q, v, 3.0, method='dop853', gravity=FLOATS)
    assert run.changes == ()
    assert (run.rank == 2).all()


def test_a_single_row_that_vanishes():
    """A rod between the middles of crank and rocker says nothing where all rods lie flat."""
    rod = ('<loop_joint name="rod" type="distance" distance="1"><link1 link="crank" '
           'xyz="0.5 0 0"/><link2 link="rocker" xyz="0.5 0 0"/></loop_joint>')
    model = mbd_ros.load(fourbar().mechanism.text.replace('</robot>', rod + '</robot>'))
    with pytest.warns(RankChangeWarning, match=r'at t = 0\.713864 s only 1 of 2 rows'):
        run = mbd_ros.simulate(model, RHOMBUS, TURN, 1.0, method='dop853', gravity=FLOATS)
    assert len(run.changes) == 1
    np.testing.assert_allclose(run.q[-1], RHOMBUS + TURN, atol=1e-8)
    solution = mbd_ros.constrained_dynamics(model, RHOMBUS, TURN, FLOATS, gravity=FLOATS)
    assert solution.rank == 2
    assert set(solution.redundant) < {'pin.x', 'pin.y', 'pin.z', 'rod.distance'}


@pytest.mark.parametrize('executor', ['rolled', 'threads'])
def test_many_states_one_of_them_at_a_change_point(executor):
    """Its rank is decided apart; gravity turns the flat rods as it turns nearly flat ones."""
    angles = np.linspace(-1.0, 1.0, 2001)
    q, v = (np.outer(values, [1.0, -1.0, 1.0]) for values in (angles, np.ones(2001)))
    found, alone = (mbd_ros.forward_dynamics(
        fourbar(), place, rate, FLOATS, gravity=(0.0, -9.81, 0.0), executor=how)
        for place, rate, how in ((q, v, executor), (q[1000], v[1000], 'interpreted')))
    np.testing.assert_allclose(found[1000], alone, rtol=1e-12)
    np.testing.assert_allclose(found[1000], 0.5 * (found[999] + found[1001]), atol=1e-4)


def test_a_start_at_a_change_point():
    """Both branches are possible motions, what lies between them is none."""
    model, flat = fourbar(), np.zeros(3)
    with pytest.warns(RankChangeWarning, match='at t = 0 s'):
        run = mbd_ros.simulate(model, flat, TURN, 0.3, method='dop853', gravity=FLOATS)
    np.testing.assert_allclose(run.q[-1], 0.3 * TURN, atol=1e-8)
    with pytest.raises(LoopConflictError, match=r"'pin' contradicts the others: .* as 1 of 3"):
        mbd_ros.simulate(model, flat, np.array([1.0, 1.0, 3.0]), 0.1, gravity=FLOATS)


def point_on_circles(*circles):
    """Return a point in a plane that keeps its distances to points on the x axis."""
    slide = ('<axis xyz="{}"/><limit lower="-9" upper="9" effort="1" velocity="1"/>').format
    return mbd_ros.load(robot(
        bare('base'), bare('slide'), link('tip', moments=(0.1, 0.1, 0.1)),
        joint('x', 'prismatic', 'base', 'slide', slide('1 0 0')),
        joint('y', 'prismatic', 'slide', 'tip', slide('0 1 0')),
        *(f'<loop_joint name="{name}" type="distance" distance="{radius}"><link1 link="tip"/>'
          f'<link2 link="base" xyz="{radius} 0 0"/></loop_joint>' for name, radius in circles)))


def test_loops_that_contradict_each_other_in_motion():
    """On two circles that touch it may move along both for an instant, but not stay."""
    model = point_on_circles(('near', 1.0), ('far', 2.0))
    mbd_ros.simulate(model, np.zeros(2), np.zeros(2), 0.01, gravity=FLOATS)  # at rest it can stay
    with pytest.raises(LoopConflictError) as caught:
        mbd_ros.simulate(model, np.zeros(2), np.array([0.0, 1.0]), 0.1, gravity=FLOATS)
    error = caught.value
    assert (error.loop, error.independent, error.rows) == ('far', 1, 2)
    # The centripetal accelerations are v^2 / 1 m and v^2 / 2 m.
    assert error.residual == pytest.approx(0.5, rel=1e-9)


def test_a_step_that_tears_a_loop_open():
    with pytest.raises(LoopOpenError, match=r"'ring'.*a step of the motion tore it open: shorter"):
        mbd_ros.simulate(point_on_circles(('ring', 1.0)), np.zeros(2), np.array([0.0, 30.0]), 1.0,
                         step=0.5, gravity=FLOATS)


def test_contradicting_loops_cannot_begin():
    model = fourbar()
    other = replace(model.mechanism.loop_joints[0], name='other', kind='distance', distance=0.5)
    both = mbd_ros.model.build_model(replace(
        model.mechanism, loop_joints=(*model.mechanism.loop_joints, other)))
    with pytest.raises(LoopOpenError, match="'other'"):
        mbd_ros.simulate(both, RHOMBUS, TURN, 0.1)
