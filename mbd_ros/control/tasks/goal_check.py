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

"""Goals planned and checked before they are accepted, which compiles what they will run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import thread_time

import numpy as np

from mbd_ros.control.constraints.joint_constraints import joint_places
from mbd_ros.control.references.paths import end_of
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.approaching import Way
from mbd_ros.control.tasks.feasibility import check_joints, check_task
from mbd_ros.control.tasks.joint_efforts import (
    JOINT_PATIENCE, needs_of_joints, pace_that_fits, require_effort)
from mbd_ros.control.tasks.paced_motion import Followed
from mbd_ros.control.tasks.task import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import InfeasibleError, MbdError
from mbd_ros.model.names import simple_joints
from mbd_ros.simulation.manifold import Vector

APPROACHES, LONGER = 10, 1.25
"""How often an approach that exceeds limits is tried again, and by what factor it is longer."""

MOST = 10.0
"""Processor time after which nothing is tried again [s]: a goal waits for it."""


def precompile(tracker: Tracker, joints: Sequence[str], q: Vector, v: Vector, period: float
               ) -> None:
    """
    Follow the task, stop, carry the weight, and follow a trajectory of joints.

    Parameters
    ----------
    tracker : Tracker
        One of its own for this.
    joints : sequence of str
        Joints that trajectories name where there are closed loops.
    q, v : Vector
        A state (nq,), (nv,).
    period : float
        Of control [s].

    Raises
    ------
    MbdError
        If one of these is not possible from that state; what comes before it is ready then.

    """
    for moment in (0.0, period, 2.0 * period):
        step = tracker.step(moment, q, v)
    tracker.tool_points(step, q)
    tracker.energy(q, v)
    tracker.stop(moment, q, v)
    tracker.step(moment + period, q, v)
    tracker.weight(q)
    moved = tuple(joints) if tracker.dyn.model.loops else simple_joints(tracker.dyn.model)
    places = joint_places(tracker.dyn.model, moved)[0]
    reference = tracker.reference(q)[0]
    rest = trajectory([0.0, 1.0], np.array([reference[places]] * 2))
    check_joints(tracker.dyn, moved, rest, rest.duration, reference)
    needs_of_joints(tracker.copy_for_planning(), moved, rest, reference, patience=period)
    tracker.follow_joints(rest, moment + period, q, v, joints=moved)
    tracker.step(moment + 2.0 * period, q, v)


def plan_task(tracker: Tracker, task: Task, q: Vector, v: Vector,
              duration: float = 0.0, *, effort: bool = True) -> Way:
    """
    Carry out a task, and stop; an approach that exceeds limits takes longer until it does not.

    Velocities fall with the duration of an approach. How long it takes is chosen before the way
    is known (``approach_duration``), so that a joint may exceed its limit by a little. Where no
    duration is enough, as from a stretched arm, whose tool cannot move inwards, the joints lead.

    Parameters
    ----------
    tracker : Tracker
        One for this, not that which will follow the task.
    task : Task
        The task.
    q, v : Vector
        State (nq,), (nv,) from which it begins, where the tracker follows nothing yet.
    duration : float, optional
        How long its paths are followed [s]; zero: to their end, or for two rounds.
    effort : bool, optional
        Whether joints must have the efforts for it.

    Returns
    -------
    Way
        An approach that keeps the limits.

    Raises
    ------
    MbdError
        If the task does not fit the robot or is out of reach, or exceeds limits however slowly
        it is approached; TooMuchEffortError: those of efforts.

    """
    length, free = check_task(tracker.dyn, task, q)
    problem, spent = None, 0.0
    for by_joints in (False, True):
        way = Way(by_joints=by_joints)
        for _ in range(APPROACHES):
            begun = tracker.copy_for_planning()
            try:
                way = way._replace(duration=begun.follow(task, 0.0, q, v, approach=way))
                before = thread_time()   # what is compiled does not count
                try:
                    begun.check_ahead(way.duration, duration or 2.0 * length, effort=effort)
                finally:
                    spent += thread_time() - before
            except InfeasibleError as error:
                problem = problem if problem and error.what == 'approach' else error
                if error.what == 'path' or spent > MOST:   # however long the approach takes
                    break
                way = way._replace(duration=LONGER * way.duration)
            except MbdError as error:   # of the second kind of way: the first says why
                raise problem or error from None
            else:
                begun.stop(0.0, q, v)
                return way
    assert problem is not None   # that of the first: the others only differ in time
    raise problem.with_more(f'try {_remedy(task, free)}')


def _remedy(task: Task, free: int) -> str:
    """Return what may help where a task exceeds limits that leaves some directions free."""
    named = ('' if task.posture or not free else
             f", a 'posture' or a constraint tool_direction for the {free} directions of motion "
             'that the task leaves free')
    return ('a joint goal first, to a posture that is farther from limits and not stretched'
            f'{named}, or a slower or nearer path')


def plan_joint_path(tracker: Tracker, joints: Sequence[str], at_pace: Callable[[float], Followed],
                    q: Vector, *, stretch: bool = False) -> float:
    """
    Begin a path of joints, and stop.

    Parameters
    ----------
    tracker : Tracker
        One for this, not that which will follow the path.
    joints : sequence of str
        The joints of the path's entries.
    at_pace : callable
        Returns the path, from its time 0 on, run through at a part of its speed.
    q : Vector
        Configuration (nq,) from which it begins.
    stretch : bool, optional
        Whether a path that needs more effort than joints have is made slower.

    Returns
    -------
    float
        The part of its speed at which it can be followed, 1 if not made slower.

    Raises
    ------
    TooMuchEffortError
        If it needs more effort than joints have, but can be followed otherwise.
    MbdError
        If the path does not fit the robot, or loops or limits do not allow it.

    """
    path, rest = at_pace(1.0), np.zeros(tracker.dyn.model.nv)
    begun = tracker.copy_for_planning()
    begun.follow_joints(path, 0.0, q, rest, joints=joints)
    begun.stop(0.0, q, rest)
    return fitting_pace(tracker, joints, at_pace, q, stretch=stretch)


def fitting_pace(tracker: Tracker, joints: Sequence[str], at_pace: Callable[[float], Followed],
                 q: Vector, *, stretch: bool = False, patience: float = JOINT_PATIENCE) -> float:
    """
    Check a path of joints against limits and efforts.

    Parameters, result and errors are those of ``plan_joint_path``; ``patience`` [s] is that of
    ``needs_of_joints``.
    """
    path = at_pace(1.0)
    check_joints(tracker.dyn, joints, path, end_of(path), q)
    if not stretch:
        require_effort(tracker, joints, path, q, patience=patience)
        return 1.0
    pace = pace_that_fits(tracker, joints, at_pace, q, patience=patience)
    if pace < 1.0:
        path = at_pace(pace)
        check_joints(tracker.dyn, joints, path, end_of(path), q)
    return pace
