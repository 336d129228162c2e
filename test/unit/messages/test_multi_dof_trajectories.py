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

"""Goals with joints of several coordinates: their paths, what is refused, and tolerances."""

from itertools import pairwise
import math
from types import SimpleNamespace

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointComponentTolerance, JointTolerance
from control_msgs.srv import QueryTrajectoryState
from described import joint, link, robot
from geometry_msgs.msg import Quaternion, Transform, Twist, Vector3
import numpy as np
import pytest
from trajectory_msgs.msg import (
    JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint)

import mbd_ros
from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.shaping import impulses
from mbd_ros.control.tasks.goal_watch import JointTolerances, JointWatch, Outcome
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.messages.trajectories.multi_dof_trajectories import (
    feedback_of, read_component_tolerances, read_goal, shaped_goal)
from mbd_ros.messages.trajectories.trajectories import answer_query, read_tolerances
from mbd_ros.messages.trajectories.way_points import GoalError, Reference, Rules
from mbd_ros.model.state import curved_joints, difference, integrate, neutral

Result = FollowJointTrajectory.Result
NOW = 5_000_000_000
ALL = ('slide', 'ball', 'table')
HALF = math.sqrt(0.5)


@pytest.fixture(scope='module')
def model():
    """Return a cart with a ball, a table that slides and turns, and a body that nobody drives."""
    return mbd_ros.load(robot(
        link('root'), link('cart'), link('bob'), link('plate'), link('bird'),
        joint('slide', 'prismatic', 'root', 'cart'), joint('ball', 'spherical', 'cart', 'bob'),
        joint('table', 'planar', 'root', 'plate'), joint('free', 'floating', 'root', 'bird')))


def start(model, q=None, v=None):
    return Reference(neutral(model) if q is None else q, np.zeros(model.nv) if v is None else v,
                     np.zeros(model.nv), NOW)


def transform(position=(0.0, 0.0, 0.0), quaternion=(0.0, 0.0, 0.0, 1.0)):
    x, y, z, a, b, c, d = map(float, (*position, *quaternion))
    return Transform(translation=Vector3(x=x, y=y, z=z), rotation=Quaternion(x=a, y=b, z=c, w=d))


def twist(linear=(0.0, 0.0, 0.0), angular=(0.0, 0.0, 0.0)):
    x, y, z, a, b, c = map(float, (*linear, *angular))
    return Twist(linear=Vector3(x=x, y=y, z=z), angular=Vector3(x=a, y=b, z=c))


def multi(*rows, names=('ball', 'table'), **more):
    """Return a trajectory: rows of (time, transforms)."""
    message = MultiDOFJointTrajectory(joint_names=list(names))
    for index, (time, transforms) in enumerate(rows):
        point = MultiDOFJointTrajectoryPoint(transforms=list(transforms))
        for field, twists in more.items():
            setattr(point, field, list(twists[index]))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(time * 1e9), 10**9)
        message.points.append(point)
    return message


def ordinary(*rows, names=('slide',)):
    message = JointTrajectory(joint_names=list(names))
    for time, positions in rows:
        point = JointTrajectoryPoint(positions=list(positions))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(time * 1e9), 10**9)
        message.points.append(point)
    return message


def at(model, goal, time):
    """Return the state (q, v) on the path of a goal at a time."""
    names, path = goal
    q, v = neutral(model), np.zeros(model.nv)
    JointCoordinates(model, names).put(path.at(time), q, v)
    return q, v


def test_both_parts_with_times_of_their_own(model):
    """Each joint rests after its last point; nobody asks anything of the one without drives."""
    goal = read_goal(
        model, ALL, ordinary((2.0, [0.5])),
        multi((0.5, [transform(quaternion=(0, 0, HALF, HALF)), transform((0.1, 0.2, 0.0))]),
              (1.0, [transform(quaternion=(0, 0, -1, 0)),
                     transform((0.3, 0.0, 0.0), (0.0, 0.0, HALF, HALF))])), start(model))
    names, path = goal
    assert isinstance(path, JointPaths)
    assert set(names) == set(ALL)
    assert path.duration == pytest.approx(2.0)
    q, _ = at(model, goal, 0.5)
    ball, table = (slice(model.q_offsets[model.joint_index(name)], None)
                   for name in ('ball', 'table'))
    assert q[ball][:4] == pytest.approx([0, 0, HALF, HALF])
    assert q[table][:4] == pytest.approx([0.1, 0.2, 1.0, 0.0])
    q, v = at(model, goal, 1.5)
    assert q[ball][:4] == pytest.approx([0, 0, 1, 0])   # of the two quaternions the nearer one
    assert q[table][:4] == pytest.approx([0.3, 0.0, 0.0, 1.0], abs=1e-15)
    moving = np.flatnonzero(v)
    assert moving.tolist() == [model.v_offsets[model.joint_index('slide')]]


def test_a_part_that_is_not_there_leaves_its_joints_where_they_are(model):
    """Moving ones come to rest near by."""
    v = np.zeros(model.nv)
    places = {name: model.v_offsets[model.joint_index(name)] for name in ALL}
    v[places['slide']], v[places['ball'] + 2] = 0.2, 0.4
    for parts in ((ordinary((1.0, [0.5])), MultiDOFJointTrajectory()),
                  (JointTrajectory(), multi((1.0, [transform()] * 2)))):
        goal = read_goal(model, ALL, *parts, start(model, v=v))
        begin, rates = at(model, goal, 0.0)
        assert begin == pytest.approx(neutral(model))
        assert rates == pytest.approx(v)
        q, rates = at(model, goal, 3.0)
        assert not rates.any()
        there = difference(model, neutral(model), q)
        # A stop from v takes 2 |v| / (5 top) s at half the speed: 0.2 rad at most.
        assert 0.0 < abs(there[places['ball'] + 2]) < 0.2 or parts[1].points
        assert abs(there[places['slide']]) < 0.2 or parts[0].points


def test_goals_are_shaped_as_a_whole(model):
    by = impulses([2.0])
    parts = (ordinary((2.0, [0.5])),
             multi((1.0, [transform(quaternion=(0, 0, HALF, HALF)), transform((0.1, 0.2, 0.0))])))
    names, path = read_goal(model, ALL, *parts, start(model))
    new = shaped_goal(model, names, path, by)
    assert isinstance(new, JointPaths) and new.names == path.names
    assert new.duration == pytest.approx(path.duration + 0.5)   # a whole period
    end = np.concatenate([part.at(9.0).position for _, part in path.parts])
    assert new.at(9.0).position == pytest.approx(end)
    (_, slide), = (part for part in new.parts if part[0] == ('slide',))
    alone = read_goal(model, ('slide',), parts[0], MultiDOFJointTrajectory(), start(model))
    assert slide.at(1.0).position == pytest.approx(
        shaped_goal(model, *alone, by).at(1.0).position)
    v = np.zeros(model.nv)
    v[model.v_offsets[model.joint_index('ball')]] = 0.1   # one that moves is enough
    assert shaped_goal(model, *read_goal(model, ALL, *parts, start(model, v=v)), by) is None
    long = ordinary(*((0.001 * k, [0.0]) for k in range(1, 12_000)))
    with pytest.raises(GoalError, match='if it is to be shaped by 3 impulses'):
        shaped_goal(model, *read_goal(model, ('slide',), long, MultiDOFJointTrajectory(),
                                      start(model)), by)
    # Once around in four seconds: two copies four seconds apart have opposite quaternions.
    around = multi(*((float(k), [transform(quaternion=(0, 0, np.sin(0.25 * np.pi * k),
                                                       np.cos(0.25 * np.pi * k))), transform()])
                     for k in range(1, 5)))
    turning = read_goal(model, ALL, JointTrajectory(), around, start(model))
    with pytest.raises(GoalError, match='more than half a turn'):
        shaped_goal(model, *turning, impulses([0.125], robust=False))


def test_without_driven_joints_of_several_coordinates_all_is_as_before(model):
    names, path = read_goal(model, ('slide',), ordinary((1.0, [0.5])), MultiDOFJointTrajectory(),
                            start(model))
    assert names == ('slide',)
    assert path.at(1.0).position.tolist() == pytest.approx([0.5])


def test_velocities_are_those_of_the_child_in_its_own_axes(model):
    """A table that has turned by a right angle and slides along its own x goes along y."""
    rows = ((1.0, [transform(quaternion=(HALF, 0, 0, HALF)), transform((0.2, 0, 0), (
        0, 0, HALF, HALF))]), (2.0, [transform(), transform((0.2, 0.3, 0))]))
    rest = [twist(), twist()]
    velocities = ([twist(angular=(0.1, 0.2, 0.3)), twist((0.4, 0, 0), (0, 0, 0.5))], rest)
    accelerations = ([twist(angular=(0.7, 0, 0)), twist((0, 0.8, 0))], rest)
    goal = read_goal(model, ALL, JointTrajectory(), multi(
        *rows, velocities=velocities, accelerations=accelerations), start(model))
    q, v = at(model, goal, 1.0)
    ball, table = (model.v_offsets[model.joint_index(name)] for name in ('ball', 'table'))
    assert v[ball:ball + 3] == pytest.approx([0.1, 0.2, 0.3])
    assert v[table:table + 3] == pytest.approx([0.4, 0.0, 0.5])
    h = 1e-6
    (q1, v1), (q2, v2) = at(model, goal, 1.0 - h), at(model, goal, 1.0 + h)
    # Both sides agree to second order: differences err by 1e-6 times jerks of up to 50.
    np.testing.assert_allclose(difference(model, q1, q2) / (2 * h), v, atol=1e-6)
    change = (v2 - v1) / (2 * h)
    assert change[ball:ball + 3] == pytest.approx([0.7, 0.0, 0.0], abs=1e-4)
    assert change[table:table + 3] == pytest.approx([0.0, 0.8, 0.0], abs=1e-4)
    x = q[model.q_offsets[model.joint_index('table')]]
    assert x == pytest.approx(0.2)


FINE = [transform(), transform()]
NAN = transform((math.nan, 0.0, 0.0))


@pytest.mark.parametrize(('message', 'code', 'words'), [
    (multi((1.0, FINE[:1]), names=['bell']), Result.INVALID_JOINTS,
     "joint 'bell' of the multi-DOF trajectory is not of the robot; allowed: ball, table"),
    (multi((1.0, FINE[:1]), names=['slide']), Result.INVALID_JOINTS,
     "joint 'slide' .* has one coordinate and belongs into trajectory"),
    (multi((1.0, FINE[:1]), names=['free']), Result.INVALID_JOINTS,
     "joint 'free' .* has no actuator, as the parameters joints and actuated say"),
    (multi((1.0, FINE), names=['ball', 'ball']), Result.INVALID_JOINTS, 'is named twice'),
    (multi((1.0, FINE[:1]), names=['ball']), Result.INVALID_JOINTS,
     r"joints of the multi-DOF trajectory are \['ball'\]; allowed: each of \['ball', 'table'\]"),
    (multi(), Result.INVALID_GOAL, 'has no points'),
    (multi((1.0, FINE[:1])), Result.INVALID_GOAL, 'point 0 .* has 1 transforms; allowed: 2'),
    (multi((1.0, FINE), velocities=[[twist()]]), Result.INVALID_GOAL,
     'point 0 .* has 1 velocities; allowed: 2'),
    (multi((1.0, FINE), (2.0, FINE), velocities=[[], [twist()] * 2]), Result.INVALID_GOAL,
     'point 0 .* has 0 velocities; .* in all points or in none'),
    (multi((1.0, FINE), accelerations=[[twist()] * 2]), Result.INVALID_GOAL,
     'accelerations without velocities'),
    (multi((1.0, [transform(quaternion=(0, 0, 0, 1.2)), transform()])), Result.INVALID_GOAL,
     r"quaternion of joint 'ball' in point 0 has length 1\.2; allowed: 1, within 0\.001"),
    (multi((1.0, [transform(), NAN])), Result.INVALID_GOAL,
     "transform of joint 'table' in point 0 is not finite"),
    (multi((1.0, FINE), velocities=[[twist(angular=(0, 0, math.inf)), twist()]]),
     Result.INVALID_GOAL, "velocities of joint 'ball' in point 0 are not finite"),
    (multi((1.0, [transform((0.1, 0, 0)), transform()])), Result.INVALID_GOAL,
     "translation of spherical joint 'ball' in point 0: .*allowed: 0"),
    (multi((1.0, [transform(), transform((0, 0, 0.1))])), Result.INVALID_GOAL,
     "z of the translation, x and y of the rotation of planar joint 'table'"),
    (multi((1.0, FINE), velocities=[[twist((0.1, 0, 0)), twist()]]), Result.INVALID_GOAL,
     "velocities along other axes than its own of spherical joint 'ball'"),
    (multi((1.0, FINE), (1.0, FINE)), Result.INVALID_GOAL, 'time_from_start of point 1'),
    (multi((1.0, FINE), velocities=[[twist(angular=(0, 0, 1)), twist()]]), Result.INVALID_GOAL,
     "velocity of joint 'ball' at the last point is 1 rad"),
    (multi((0.0, [transform(quaternion=(0, 0, HALF, HALF)), transform()]), (1.0, FINE)),
     Result.INVALID_GOAL, r"due at once, but joint 'ball' is 1\.\d+ rad or m away"),
    (multi((1.0, FINE), (2.0, [transform(quaternion=(0, 0, 1, 0)), transform()]), (3.0, FINE),
           velocities=[[twist(angular=(0, 0, w)), twist()] for w in (-9, -9, 0)]),
     Result.INVALID_GOAL, "way of joint 'ball' at .* closer together"),
])
def test_what_cannot_be_followed_is_refused(model, message, code, words):
    """With one message that says where and what."""
    with pytest.raises(GoalError, match=words) as caught:
        read_goal(model, ALL, JointTrajectory(), message, start(model))
    assert caught.value.result == code


def test_the_reverse_is_refused_too(model):
    with pytest.raises(GoalError, match=r"joint 'ball' of the trajectory has several coordinates; "
                                        'it belongs into multi_dof_trajectory'):
        read_goal(model, ALL, ordinary((1.0, [0.1]), names=['ball']), MultiDOFJointTrajectory(),
                  start(model))


def test_joints_may_be_left_out_if_that_is_allowed(model):
    goal = read_goal(
        model, ALL, JointTrajectory(), multi((1.0, [transform((0.1, 0, 0))]), names=['table']),
        start(model), rules=Rules(partial=True))
    there = difference(model, neutral(model), at(model, goal, 1.0)[0])
    assert np.flatnonzero(there).tolist() == [model.v_offsets[model.joint_index('table')]]


def test_a_stamp_in_the_future(model):
    """Until then the joints come to rest, however far a ball turns on the way; then it begins."""
    v = np.zeros(model.nv)
    ball = model.v_offsets[model.joint_index('ball')]
    v[ball] = 30.0
    message = multi((1.0, FINE), (2.0, FINE))
    message.header.stamp.sec = 15
    goal = read_goal(model, ALL, JointTrajectory(), message, start(model, v=v))
    assert at(model, goal, 0.0)[1] == pytest.approx(v)
    q, rates = at(model, goal, 9.0)
    assert not rates.any()
    way = difference(model, q, neutral(model))[ball]
    turned = [at(model, goal, time)[0] for time in np.linspace(10.0, 11.0, 50)]
    moved = sum(difference(model, one, other)[ball] for one, other in pairwise(turned))
    assert moved == pytest.approx(way)   # the shorter way back


def tolerance(name, component, position=0.0, velocity=0.0):
    return JointComponentTolerance(joint_name=name, component=component, position=position,
                                   velocity=velocity)


def test_tolerances_of_components(model):
    """0 is the default, of translations and rotations as a whole; -1 is none."""
    goal = FollowJointTrajectory.Goal(
        component_path_tolerance=[tolerance('ball', 5, 0.2, 0.3), tolerance('table', 1, 0.1)],
        component_goal_tolerance=[tolerance('table', 4, -1.0)])
    found = {(one.name, one.component.name): one[3:] for one in read_component_tolerances(
        model, ALL, goal, path=0.0, end=0.01)}
    none = math.inf
    assert found == {('ball', 'ROTATION'): (0.2, 0.3, 0.01, none),
                     ('table', 'X'): (0.1, none, none, none),
                     ('table', 'ROTATION'): (none, none, 0.01, none)}


@pytest.mark.parametrize(('one', 'words'), [
    (tolerance('slide', 1, 0.1), "names joint 'slide'; allowed: driven joints .*, ball, table"),
    (tolerance('free', 4, 0.1), "names joint 'free'"),
    (tolerance('ball', 1, 0.1), r"component 1 of joint 'ball'; allowed: 5 \(ROTATION\)"),
    (tolerance('table', 3, 0.1), r"component 3 of joint 'table'; allowed: 1 \(X\), 2 \(Y\), 4 "),
    (tolerance('ball', 0, 0.1), "component 0 of joint 'ball'"),
    (tolerance('ball', 5, -0.5), "ROTATION of 'ball' is -0.5; allowed: a positive number"),
    (tolerance('ball', 5, 0.1, math.nan), "ROTATION of 'ball' is nan"),
])
def test_tolerances_of_components_that_are_refused(model, one, words):
    for field in ('component_path_tolerance', 'component_goal_tolerance'):
        with pytest.raises(GoalError, match=words):
            read_component_tolerances(
                model, ALL, FollowJointTrajectory.Goal(**{field: [one]}), path=0.0, end=0.0)


def test_a_tolerance_of_one_number_is_not_for_a_ball(model):
    goal = FollowJointTrajectory.Goal(path_tolerance=[JointTolerance(name='ball', position=0.1)])
    with pytest.raises(GoalError, match=r"names joint 'ball'; allowed: slide; those with several"):
        read_tolerances(model, ALL, goal, path=0.0, end=0.0, goal_time=1.0)


def shifted(model, name, way):
    """Return a control step, and the measured state that is a way off in the joint's own axes."""
    q, v = neutral(model), np.zeros(model.nv)
    off = v.copy()
    first = model.v_offsets[model.joint_index(name)]
    off[first:first + len(way)] = way
    measured = Measured(integrate(model, q, off), 0.1 * off, None)
    nominal = SimpleNamespace(q=q, v=v, accelerations=v, time=1.0)
    return Step.of(nominal, SimpleNamespace(
        effort=v, error=-off, error_rate=-0.1 * off, nominal=v)), measured


def test_a_watch_names_the_component_that_is_off(model):
    given = FollowJointTrajectory.Goal(component_path_tolerance=[
        tolerance('ball', 5, 0.2, 0.03), tolerance('table', 2, 0.1)])
    anything = np.full(model.nv, np.inf)
    watch = JointWatch(model, JointTolerances(
        anything, anything, anything, anything, 1.0,
        read_component_tolerances(model, ALL, given, path=0.0, end=0.0)), 2.0)

    def look(name, way):
        step, measured = shifted(model, name, way)
        return watch.look(step, measured.q, measured.v)
    assert look('ball', (0.12, 0.1, 0.12))[0] is Outcome.GOES_ON
    assert look('ball', (0.2, 0.0, 0.21)) == (Outcome.OFF_THE_PATH, (
        "rotation of joint 'ball' is off by 0.29, allowed is 0.2, at 1.000 s"))
    assert look('table', (5.0, 0.05, 0.0))[0] is Outcome.GOES_ON
    assert look('table', (0.0, -0.11, 0.0))[1].startswith("y of joint 'table' is off by 0.11")


def test_feedback_has_all_joints(model):
    """The error leads from where a joint is to where it should be."""
    step, measured = shifted(model, 'ball', (0.0, 0.0, 0.2))
    feedback = feedback_of(NOW, model, measured, step)
    names = [model.joint_names[each.number] for each in curved_joints(model)]
    assert feedback.multi_dof_joint_names == names
    assert feedback.joint_names == ['slide']
    ball = names.index('ball')
    actual, error = (getattr(feedback, f'multi_dof_{which}') for which in ('actual', 'error'))
    assert actual.transforms[ball].rotation.z == pytest.approx(math.sin(0.1))
    assert actual.velocities[ball].angular.z == pytest.approx(0.02)
    assert error.transforms[ball].rotation.z == pytest.approx(-math.sin(0.1))
    assert error.velocities[ball].angular.z == pytest.approx(-0.02)
    assert len(feedback.multi_dof_desired.accelerations) == len(names)
    step, measured = shifted(model, 'free', (0.1, 0.2, 0.3, 0.0, 0.0, 0.0))
    moved = feedback_of(NOW, model, measured, step).multi_dof_error.transforms[names.index('free')]
    assert (moved.translation.x, moved.translation.z) == pytest.approx((-0.1, -0.3))


def test_a_query_answers_for_joints_of_one_coordinate_and_says_so(model):
    names, path = read_goal(model, ALL, ordinary((2.0, [0.5])), multi((1.0, FINE)), start(model))
    tracker = SimpleNamespace(dyn=SimpleNamespace(model=model),
                              preview=lambda time: (names, path.at(time)))
    request = QueryTrajectoryState.Request()
    request.time.sec = 7
    answer = answer_query(request, QueryTrajectoryState.Response(), tracker, NOW, 0.0)
    assert answer.success
    assert answer.message == 'joints with several coordinates are left out'
    assert (list(answer.name), list(answer.position)) == (['slide'], pytest.approx([0.5]))
    assert list(answer.velocity) == pytest.approx([0.0])
