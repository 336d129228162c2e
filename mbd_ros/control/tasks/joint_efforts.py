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

"""
Efforts that a trajectory of joints needs, known before it begins; or the speed at which it fits.

They are those of the robot as it is taken to be, with its payload, gravity and fluid: of a tree
that is prescribed as a whole the inverse dynamics, in one call for all instants; else those by
which the drives move the nominal model (closed loops, passive joints, a floating base). To these
comes the friction that the description gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import contextlib

import numpy as np

from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.control_step.bending_compensation import RigidLinks
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.references.joint_coordinates import JointCoordinates
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.control.tasks.approaching import go_through
from mbd_ros.control.tasks.feasibility import SAMPLES
from mbd_ros.control.tasks.paced_motion import Followed
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.effort_needs import as_needs, friction_of, Needs, SPARE
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.errors import InfeasibleError, TooMuchEffortError
from mbd_ros.model.state import joints_outside_loops
from mbd_ros.simulation.manifold import Vector

FRACTIONS = np.array([0.001, 0.25, 0.5, 0.75, 0.999])
"""
Of a segment, where efforts are looked at. At its ends accelerations leap from one to the next, and
joints begin to move, against their dry friction.
"""
SLOWEST = 0.01
"""No motion is stretched to more than a hundred times its time."""
LOOKS = 12
"""How often a slower motion is tried."""
JOINT_PATIENCE = 2.0
"""Processor time for a trajectory of joints whose motion has to be integrated [s]."""


def needs_of_joints(tracker: Tracker, joints: Sequence[str], path: Followed, q: Vector,
                    patience: float = JOINT_PATIENCE) -> Needs:
    """
    Return what a trajectory of joints needs.

    Parameters
    ----------
    tracker : Tracker
        One for this, ``copy_for_planning``, not that which will follow the path.
    joints : sequence of str
        The joints of the path's entries.
    path : PiecewisePolynomial or JointPaths
        The path, from its time 0 on.
    q : Vector
        Configuration (nq,) from which it begins.
    patience : float, optional
        Processor time for a motion that has to be integrated, as that of a floating base [s]; it
        is looked at as far as that reaches.

    Raises
    ------
    MbdError
        If the path does not fit the robot.

    """
    tracker.follow_joints(path, 0.0, q, np.zeros(tracker.dyn.model.nv), joints=joints)
    source = tracker.source
    if isinstance(source, JointReference):
        assert isinstance(path, PiecewisePolynomial)
        times, q_all, v_all, a_all = path.states(FRACTIONS)
        if type(tracker.bending) is RigidLinks:
            dyn, rest = tracker.dyn, np.zeros_like(v_all)
            viscous, dry = friction_of(dyn.model, v_all)
            return Needs(times, dyn.inverse_dynamics(q_all, v_all, a_all) + viscous + dry,
                         dyn.inverse_dynamics(q_all, rest, rest) + dry)
        return _looked_at(tracker, source.advance_to, thinned(times, 4 * SAMPLES))
    assert source is not None
    if tracker.dyn.model.loops and not source.motion.under_actuated:
        return _looked_at(tracker, _completed(tracker, joints, path, q),
                          thinned(instants(path), SAMPLES))
    needs: list[tuple[float, Vector, Vector]] = []
    with contextlib.suppress(InfeasibleError):   # as far as it can be known
        go_through(source, None, 'trajectory', 0.0, path.duration, patience=patience,
                   note=lambda time: needs.append((time, *tracker.needed())))
    return as_needs(needs)


def _completed(tracker: Tracker, joints: Sequence[str], path: Followed, q: Vector
               ) -> Callable[[float], object]:
    """Return what puts the nominal model of a robot with closed loops on the path at a time."""
    dyn, source = tracker.dyn, tracker.source
    assert source is not None and not isinstance(source, JointReference)
    others = [dyn.model.joint_names[joint.number] for joint in joints_outside_loops(dyn.model)]
    passive = PassiveJoints(dyn, (*joints, *others), start=q)
    coordinates = JointCoordinates(dyn.model, joints)
    place, rates = q.copy(), np.zeros(dyn.model.nv)

    def at(time: float) -> object:
        coordinates.put(path.at(time), place, rates)
        return source.restart(*passive.complete(place, rates), time=time)
    return at


def _looked_at(tracker: Tracker, at: Callable[[float], object], times: Vector) -> Needs:
    """Return what is needed at times (k,) [s], at each of which the nominal model can be put."""
    found = []
    for time in times.tolist():
        at(time)
        found.append((time, *tracker.needed()))
    return as_needs(found)


def instants(path: Followed) -> Vector:
    """Return the times (k,) [s] at ``FRACTIONS`` of all segments of a path."""
    parts = path.parts if isinstance(path, JointPaths) else [((), path)]
    times = np.unique(np.concatenate([
        one.times for _, one in parts if isinstance(one, PiecewisePolynomial)]))
    return np.asarray((times[:-1, None] + np.diff(times)[:, None] * FRACTIONS).ravel())


def thinned(times: Vector, most: int) -> Vector:
    """Return at most so many of some times, evenly chosen."""
    if len(times) <= most:
        return times
    return times[np.linspace(0, len(times) - 1, most).astype(int)]


def pace_that_fits(tracker: Tracker, joints: Sequence[str], at_pace: Callable[[float], Followed],
                   q: Vector, *, patience: float = JOINT_PATIENCE) -> float:
    """
    Return the largest part of its own speed at which joints have the efforts for a trajectory.

    Parameters
    ----------
    tracker : Tracker
        One for this, ``copy_for_planning``.
    joints : sequence of str
        The joints of the path's entries.
    at_pace : callable
        Returns the path at a part of its speed.
    q, patience
        As for ``needs_of_joints``.

    Raises
    ------
    TooMuchEffortError
        If no speed fits: where joints cannot hold the robot; of the trajectory as it is.

    """
    limits, pace = tracker.law.effort_limits, 1.0
    first: InfeasibleError | None = None
    for _ in range(LOOKS):
        needs = needs_of_joints(tracker.copy_for_planning(), joints, at_pace(pace), q, patience)
        try:
            needs.require_within(tracker.dyn.model, limits, 'trajectory')
            return pace
        except TooMuchEffortError as error:
            first = first or error
            pace *= min(needs.slower(limits), 1.0 - 0.1 * SPARE)
        if pace < SLOWEST:
            break
    assert first is not None
    raise first.with_more('slower motions need too much, too')


def require_effort(tracker: Tracker, joints: Sequence[str], path: Followed, q: Vector, *,
                   patience: float = JOINT_PATIENCE) -> None:
    """Refuse a trajectory that needs more effort than joints have; as ``needs_of_joints``."""
    needs_of_joints(tracker, joints, path, q, patience).require_within(
        tracker.dyn.model, tracker.law.effort_limits, 'trajectory')
