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
The fastest timing of a path under the limits of a robot, with its full dynamics.

Along a path q(s) efforts are ``tau = a(s) s'' + f(s, s')``: of rigid robots f is ``b(s) s'^2 +
c(s)``, and viscous friction, water and the like add what is neither. It is replaced by the chord
from rest to the speed of the profile before, until the profile no longer changes; there the chord
is exact. In closed loops the efforts are those of the drives, ``N^T tau`` with N the motions of
all joints by unit motions of the driven ones.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.control.control_step.constrained_motion import ConstrainedMotion
from mbd_ros.control.references.arguments import numbers
from mbd_ros.control.references.paths import end_of, Path
from mbd_ros.control.references.splines import PiecewisePolynomial, timetable, trajectory
from mbd_ros.control.references.time_scaling import fastest_profile, Profile
from mbd_ros.control.tracking.effort_needs import friction_of
from mbd_ros.control.udwadia_kalaba.elimination import DirectElimination
from mbd_ros.control.udwadia_kalaba.passive_joints import independent_joints, PassiveJoints
from mbd_ros.dynamics import compile_model, PreparedDynamics
from mbd_ros.dynamics.quantities.loop_kinematics import VALUES
from mbd_ros.errors import InfeasibleError, InvalidValueError, ShapeError, UnsupportedError
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.simulation.manifold import is_flat, Matrix, Vector
from mbd_ros.spatial.rank_thresholds import UNDETERMINED_JOINTS

POINTS = 200
"""Points of a path at which limits are kept."""
INNER = (0.25, 0.5, 0.75)
"""Parts of the way from one to the next at which those of velocity are, too."""
CHANGED, ROUNDS = 1e-6, 20
"""Part of the largest speed that a profile may still change by, and how often it is computed."""
SHARE = 0.9
"""Of the limits of joints, what the reference of a task takes; feedback has the rest."""


@dataclass(frozen=True)
class Timing:
    """
    A motion along a path that is as fast as limits allow, from rest to rest.

    Attributes
    ----------
    model : Model
        The robot.
    joints : tuple of str
        Joints with limits of effort: all of a tree, the driven ones of closed loops.
    profile : Profile
        Place s, ``s'^2`` and ``s''`` along the path.
    time : array
        (k,) [s].
    q : array
        (k, nv): positions of all joints.
    v : array
        (k, nv): their velocities.
    acceleration : array
        (k, nv): after each point; at the last one before it.
    efforts : array
        (k - 1, 2, n): of ``joints``, at the begin and the end of each interval [N m, N].
    effort_limits : array
        (n,).

    """

    model: Model
    joints: tuple[str, ...]
    profile: Profile
    time: Vector
    q: Matrix
    v: Matrix
    acceleration: Matrix
    efforts: Vector
    effort_limits: Vector

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return float(self.time[-1])

    @property
    def clock(self) -> PiecewisePolynomial:
        """Place on the path over time: parabolas."""
        return timetable(self.time, self.profile.places, np.sqrt(self.profile.squares))

    def trajectory(self, joints: Sequence[str] | None = None) -> PiecewisePolynomial:
        """Return the motion of joints, all if left out: cubics between the points."""
        names = self.model.joint_names if joints is None else joints
        places = [self.model.v_offsets[self.model.joint_index(name)] for name in names]
        return trajectory(self.time, self.q[:, places], self.v[:, places])

    def plot(self, figure: Any = None) -> Any:
        """
        Draw the profile beside its limits, and efforts as parts of theirs; needs matplotlib.

        Parameters
        ----------
        figure : matplotlib.figure.Figure, optional
            Where to; a new one if left out.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        """
        from matplotlib import pyplot
        figure = pyplot.figure(figsize=(7.0, 6.0)) if figure is None else figure
        above, below = figure.subplots(2, 1)
        s = self.profile.places
        above.plot(s, np.sqrt(self.profile.most), '0.6', label='from which the end is reached')
        above.plot(s, np.sqrt(self.profile.squares), label=f'fastest: {self.duration:.3g} s')
        above.set(xlabel='place s', ylabel="speed s' [1/s]")
        ends = np.repeat(self.time, 2)[1:-1]
        for k, name in enumerate(self.joints):
            if math.isfinite(self.effort_limits[k]):
                below.plot(ends, self.efforts[..., k].ravel() / self.effort_limits[k], label=name)
        for side in (-1.0, 1.0):
            below.axhline(side, color='0.6', linestyle='--')
        below.set(xlabel='time [s]', ylabel='effort / limit')
        above.legend(), below.legend(fontsize='small', ncols=2)
        figure.tight_layout()
        return figure


class Samples:
    """
    A path of joints at points: q, and its derivatives by s.

    Attributes
    ----------
    s : Vector
        (k,).
    q, slope, bend : Matrix
        (k, nv) each.

    """

    def __init__(self, s: Vector, q: Matrix, slope: Matrix, bend: Matrix) -> None:
        self.s, self.q, self.slope, self.bend = s, q, slope, bend


def fastest_timing(
    model: Model | PreparedDynamics, path: Path, joints: Sequence[str] | None = None, *,
    velocity: ArrayLike | None = None, acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None, q: ArrayLike | None = None, points: int = POINTS,
) -> Timing:
    """
    Return the fastest motion along a path of joints, from rest to rest.

    Parameters
    ----------
    model : Model or PreparedDynamics
        The robot, or its dynamics with a payload, under other gravity or in a fluid. All its
        joints have one coordinate each.
    path : Path
        Of joints over any parameter, such as ``spline(points, duration=1.0)``; its own timing
        does not count. It has to be twice differentiable: no corners.
    joints : sequence of str, optional
        The joints of its entries; all, or in closed loops as many as are free, if left out.
        Those of closed loops are the driven ones, and determine the others.
    velocity, acceleration, effort : array_like, optional
        (nv,) or one number: limits of all joints [rad/s, rad/s^2, N m and so on]. Those of the
        description, and no limit of acceleration, if left out.
    q : array_like, optional
        (nq,) where the other joints of closed loops are at the begin, roughly.
    points : int, optional
        Points of the path at which limits are kept.

    Returns
    -------
    Timing
        ``.duration``, ``.trajectory()``, ``.efforts``, ``.plot()``.

    Raises
    ------
    InfeasibleError
        If there is no such motion: a joint is too weak to hold the robot somewhere on the path.
    UnsupportedError
        For floating bases, joints with several coordinates and flexible links.
    InvalidValueError, ShapeError, NotFiniteError
        If an argument is not as it should be.

    """
    dyn = compile_model(model) if isinstance(model, Model) else model
    robot = dyn.model
    _require_simple(robot)
    end = end_of(path)
    begin = float(getattr(path, 'begin', 0.0))
    if not begin < end < math.inf:
        raise InvalidValueError('path', type(path).__name__, 'one with an end')
    start = np.zeros(robot.nq) if q is None else np.array(numbers('q', q, 1, 'numbers'))
    if joints is None:
        joints = independent_joints(dyn, start, simple_joints(robot))
    s = np.linspace(begin, end, points)
    places = [robot.v_offsets[robot.joint_index(name)] for name in joints]
    # At its ends a path may be at rest on its outer side: take the inner one.
    inside = np.clip(s, begin + 1e-9 * (end - begin), end - 1e-9 * (end - begin))
    states = [path.at(one) for one in inside.tolist()]
    if len(states[0].position) != len(places):
        raise ShapeError('path', (len(states[0].position),), f'({len(places)},), one for each of '
                         f'{", ".join(joints)}')
    whole = [np.zeros((points, robot.nv)) for _ in range(3)]
    for array, rows in zip(whole, zip(*states)):
        array[:, places] = rows
    samples = Samples(s, *whole)
    if robot.loops:
        _complete(dyn, joints, start, samples)
    elif len(places) < robot.nv:
        samples.q[:, np.setdiff1d(np.arange(robot.nv), places)] = np.delete(start, places)
    return timing_of(dyn, samples, joints if robot.loops else robot.joint_names,
                     velocity=velocity, acceleration=acceleration, effort=effort)


def tool_timing(motion: ConstrainedMotion, joints: Sequence[str], q: Vector, end: float,
                share: float = SHARE, points: int = POINTS) -> Timing:
    """
    Return the fastest timing of a motion that constraints in time determine, from 0 to ``end``.

    Parameters
    ----------
    motion : ConstrainedMotion
        Of a task; its time becomes the place on the path.
    joints : sequence of str
        The driven joints.
    q : Vector
        Near where it begins (nq,).
    end : float
        Of the path [s].
    share : float, optional
        Of all limits, what is taken.
    points : int, optional
        As in ``fastest_timing``.

    Raises
    ------
    InfeasibleError
        If the path is out of reach, or as for ``fastest_timing``.
    UnsupportedError
        If the constraints leave motions free.

    """
    dyn = motion.dyn
    robot = dyn.model
    _require_simple(robot)
    s, rows = np.linspace(0.0, end, points), []
    place, rest = q, np.zeros(robot.nv)
    nearest = DirectElimination.from_afar('mass')
    for time in s.tolist():
        inside = min(max(time, 1e-9 * end), (1.0 - 1e-9) * end)
        found = nearest.eliminate(dyn, motion.whole, place, rest, inside)
        if not found.converged:
            raise InfeasibleError('path', time, 'it is out of reach')
        if found.rank < robot.nv:
            raise UnsupportedError(
                "timing='fastest' of a task that leaves motions of joints free",
                f'constraints that determine all {robot.nv} joints, these determine {found.rank}: '
                'an orientation as well, or control.fastest_timing of a path of joints')
        place = found.q
        rows.append((place, found.v, motion.acceleration(inside, place, found.v)))
    samples = Samples(s, *(np.array(part) for part in zip(*rows)))
    return timing_of(dyn, samples, joints, velocity=share * robot.velocity_limits,
                     effort=share * robot.effort_limits)


def timing_of(dyn: PreparedDynamics, samples: Samples, joints: Sequence[str], *,
              velocity: ArrayLike | None = None, acceleration: ArrayLike | None = None,
              effort: ArrayLike | None = None) -> Timing:
    """Return the timing of a path that is known at points; arguments as in ``fastest_timing``."""
    robot = dyn.model
    s, slope, bend = samples.s, samples.slope, samples.bend
    limits = {name: _limit(name, value, default, robot.nv) for name, value, default in (
        ('velocity', velocity, robot.velocity_limits), ('acceleration', acceleration, np.inf),
        ('effort', effort, robot.effort_limits))}
    driven = [robot.v_offsets[robot.joint_index(name)] for name in joints]
    drives = _Drives(dyn, samples, driven)
    # Between points q is a cubic; what bounds s' bends there.
    steps, ways = np.diff(s)[:, None], np.diff(samples.q, axis=0)
    inner = [6.0 * f * (1.0 - f) * ways / steps + (1.0 - f) * (1.0 - 3.0 * f) * slope[:-1]
             + f * (3.0 * f - 2.0) * slope[1:] for f in INNER]
    with np.errstate(divide='ignore'):
        most, *between = ((limits['velocity'] / np.abs(one)).min(axis=1) ** 2
                          for one in (slope, *inner))
    bound = limits['acceleration'] < np.inf
    top = limits['effort'][driven]
    strong = top < np.inf
    if not (bound.any() or strong.any()):
        raise InvalidValueError('limits', 'none', 'limits of effort or acceleration, of one joint '
                                'at least: without any the motion takes no time')
    largest = most[np.isfinite(most)].max(initial=0.0)
    still = drives.efforts(np.zeros(len(s)), np.zeros(len(s)))
    inertia = drives.efforts(np.zeros(len(s)), np.ones(len(s))) - still
    speeds = np.full(len(s), math.sqrt(largest) if largest > 0.0 else 1.0)
    for _ in range(ROUNDS):
        chord = (drives.efforts(speeds, np.zeros(len(s))) - still) / (speeds * speeds)[:, None]
        p = np.hstack([slope[:, bound], -slope[:, bound], inertia[:, strong], -inertia[:, strong]])
        r = np.hstack([bend[:, bound], -bend[:, bound], chord[:, strong], -chord[:, strong]])
        ends = np.broadcast_to(limits['acceleration'][bound], (len(s), bound.sum()))
        h = np.hstack([ends, ends, top[strong] - still[:, strong],
                       top[strong] + still[:, strong]])
        profile = fastest_profile(s, p, r, h, most, np.array(between).T)
        before, speeds = speeds, np.maximum(np.sqrt(profile.squares), 1e-3 * math.sqrt(
            profile.squares.max()))
        if np.abs(speeds - before).max() <= CHANGED * speeds.max():
            break
    rate, u = np.sqrt(profile.squares), profile.rates
    after = np.append(u, u[-1])
    efforts = np.stack([drives.efforts(rate, after)[:-1],
                        drives.efforts(rate, np.append(u[:1], u))[1:]], axis=1)
    return Timing(robot, tuple(joints), profile, profile.times, samples.q,
                  slope * rate[:, None], slope * after[:, None] + bend * profile.squares[:, None],
                  efforts, top)


class _Drives:
    """Efforts of driven joints along a path."""

    def __init__(self, dyn: PreparedDynamics, samples: Samples, driven: Sequence[int]) -> None:
        self._dyn, self._samples, self._driven = dyn, samples, list(driven)
        self._motions = _motions_by(dyn, samples.q, self._driven) if dyn.model.loops else None
        passive = np.setdiff1d(np.arange(dyn.model.nv), self._driven)
        if self._motions is None and len(passive):
            raise InvalidValueError('joints', list(dyn.model.joint_names), (
                'all of a tree driven: those without a drive move as they like'))

    def efforts(self, speed: Vector, rate: Vector) -> Matrix:
        """Return those of the drives (k, n); at rest dry friction is that of motion."""
        samples, model = self._samples, self._dyn.model
        v = samples.slope * speed[:, None]
        a = samples.slope * rate[:, None] + samples.bend * (speed * speed)[:, None]
        ways = samples.slope / np.abs(samples.slope).max(axis=1, keepdims=True).clip(1e-300)
        viscous, dry = friction_of(model, v)[0], friction_of(model, ways)[1]
        tau: Matrix = self._dyn.inverse_dynamics(samples.q, v, a) + viscous + dry
        if self._motions is None:
            return tau[:, self._driven]
        return np.asarray(np.einsum('kji,kj->ki', self._motions, tau))


def _motions_by(dyn: PreparedDynamics, q: Matrix, driven: Sequence[int]) -> Vector:
    """Return N (k, nv, n): how all joints move by unit motions of the driven ones."""
    nv = dyn.model.nv
    passive = np.setdiff1d(np.arange(nv), driven)
    found = np.zeros((len(q), nv, len(driven)))
    found[:, driven, range(len(driven))] = 1.0
    for one, place in zip(found, q):
        rows = dyn.loop_rows(place, np.zeros(nv))[:, VALUES:]
        columns, _, rank, _ = np.linalg.lstsq(
            rows[:, passive], -rows[:, driven], rcond=UNDETERMINED_JOINTS)
        if rank < len(passive) or np.abs(rows[:, passive] @ columns + rows[:, driven]).max(
                initial=0.0) > UNDETERMINED_JOINTS * max(np.abs(rows).max(initial=0.0), 1.0):
            raise InvalidValueError(
                'joints', [str(dyn.model.joint_names[k]) for k in driven],
                'as many driven joints as are free, which determine all others')
        one[passive] = columns
    return found


def _complete(dyn: PreparedDynamics, joints: Sequence[str], start: Vector, samples: Samples
              ) -> None:
    """Put the other joints of closed loops into samples of the driven ones."""
    robot = dyn.model
    driven = [robot.v_offsets[robot.joint_index(name)] for name in joints]
    passive = np.setdiff1d(np.arange(robot.nv), driven)
    complete = PassiveJoints(dyn, joints, start=start).complete
    for k in range(len(samples.s)):
        samples.q[k], samples.slope[k] = complete(samples.q[k], samples.slope[k])
        rows = dyn.loop_rows(samples.q[k], samples.slope[k])
        rest = -rows[:, 2] - rows[:, VALUES:][:, driven] @ samples.bend[k, driven]   # 2: bias
        samples.bend[k, passive] = np.linalg.lstsq(
            rows[:, VALUES:][:, passive], rest, rcond=UNDETERMINED_JOINTS)[0]


def _limit(name: str, value: ArrayLike | None, default: Any, size: int) -> Vector:
    """Return limits (nv,); infinite ones are none."""
    given = np.asarray(default if value is None else value, np.float64)
    if given.shape not in ((), (size,)):
        raise ShapeError(name, given.shape, f'({size},), or one number')
    if not (given > 0.0).all():
        raise InvalidValueError(name, given.tolist(), 'positive limits')
    return np.asarray(np.broadcast_to(given, size), np.float64)


def _require_simple(model: Model) -> None:
    model.require_rigid('the fastest timing')
    if not is_flat(model):
        raise UnsupportedError(f"the fastest timing for robot '{model.name}'",
                               'its joints have to have one coordinate each')
