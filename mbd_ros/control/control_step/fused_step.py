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
A whole control step as one call of machine code: from a measured state to efforts.

The nominal model goes on to the time of the state, both are held against the limits of joints,
and the tracking law gives the efforts. In a node that waits for messages all that arithmetic takes
less time than Python between its parts, whose memory is no longer in the caches by then.

If a rank is not clear, Newton steps do not remove a violation, or a limit is exceeded, the result
is discarded and the general functions take the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import NamedTuple, TypeAlias

import numpy as np

from mbd_ros.control.control_step.fused_motion import (
    Bounds, gaps_of_observation, gaps_of_step, nominal_state)
from mbd_ros.control.control_step.joint_reference import JointReference
from mbd_ros.control.control_step.motion_kernels import MotionKernels, STEP_FACTS
from mbd_ros.control.control_step.nominal_model import NominalModel, SMALLEST_STEP
from mbd_ros.control.references.scalar_manifold import displacement, NEAR, turned
from mbd_ros.control.references.scalars import Row, smallest
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.control.tracking.law import law_size, TrackingEffort, TrackingLaw, validity_margins
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.rank_facts import (
    CONFLICT, empty_rank_report, FACTS, gaps, RANK)
from mbd_ros.control.udwadia_kalaba.robot_code import robot
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.compiled_calls.call_recorder import CallRecorder, Symbols
from mbd_ros.execution.compiled_calls.fused import Fused, Indirect
from mbd_ros.execution.ir.machine_code import address_of
from mbd_ros.model import Model
from mbd_ros.model.caches import owned
from mbd_ros.simulation.manifold import is_flat, Vector
from mbd_ros.spatial import larger
from mbd_ros.spatial.rank_thresholds import CONSTRAINT_CONFLICT

Code: TypeAlias = Callable[..., 'Vector | None']

LAST = 3
"""Entries at the end: time, excess over limits, least gap to what is unusual."""


class Step:
    """
    One control step: efforts and their parts, decoded on first access.

    Parameters
    ----------
    effort : Vector
        What the joints are to exert (nv,), within the limits [N m or N].
    read_nominal, read_efforts : callable
        Return the nominal model, and the efforts with their parts.
    fused : bool, optional
        Whether it was one call of machine code.

    """

    def __init__(self, effort: Vector, read_nominal: Callable[[], NominalState],
                 read_efforts: Callable[[], TrackingEffort], *, fused: bool = False) -> None:
        self.effort, self.fused = effort, fused
        self._read_nominal, self._read_efforts = read_nominal, read_efforts

    @functools.cached_property
    def nominal(self) -> NominalState:
        """Return the nominal model."""
        return self._read_nominal()

    @functools.cached_property
    def efforts(self) -> TrackingEffort:
        """Return the efforts with their parts."""
        return self._read_efforts()

    @classmethod
    def of(cls, nominal: NominalState, efforts: TrackingEffort) -> Step:
        """Return the step of a nominal model and efforts."""
        return cls(efforts.effort, lambda: nominal, lambda: efforts)


class FusedStep:
    """
    Control steps of a nominal model and a tracking law for the same dynamics.

    ``code`` takes (addresses, where the nominal model was, time, q, v, gains) to what ``_whole``
    describes, ``pulled`` does so with as many Newton steps as it takes from far away. ``times``:
    what depends on time alone; ``rows``: number of multipliers.
    """

    def __init__(self, source: NominalModel | JointReference, law: TrackingLaw,
                 code: Code, times: Sequence[TimeCode], rows: int, pulled: Code | None = None
                 ) -> None:
        model = law.dyn.model
        self._source, self._law, self._times = source, law, times
        self._code, self._pulled = code, pulled
        self._n, self._nq, self._m = model.nv, model.nq, rows
        self._facts = model.nq + 5 * model.nv + rows
        effort = self._facts + STEP_FACTS
        self._efforts_at = slice(effort, effort + model.nv)
        self._size = effort + law_size(model) + LAST
        # Never empty, and in the form in which all arguments come.
        self._addresses = np.array([0, *(address for time in times for address in (
            time.address, time.data.ctypes.data))], np.int64).view(np.float64)
        self._now = np.zeros(1)

    def step(self, time: float, q: Vector, v: Vector, *, limited: bool) -> Step | None:
        """
        Advance the nominal model to a time [s] and return the efforts, if nothing is unusual.

        q, v: the measured state (nq,), (nv,); ``limited``: whether limits count. None if the
        general functions have to take the step; the nominal model is unchanged then.
        """
        source = self._source
        # From the start, a step of no time, too; a state that was reached stays as it is.
        least = SMALLEST_STEP if source.begun else -SMALLEST_STEP
        if not least <= time - source.time <= source.step + SMALLEST_STEP:
            return None
        self._now[:] = time
        before, gains = self._before(), self._law.gains
        result = self._code(self._addresses, before, self._now, q, v, gains)
        if result is None:
            return None
        excess, gap = result[1 - LAST:].tolist()
        if not gap > 0.0 and self._pulled is not None:
            result = self._pulled(self._addresses, before, self._now, q, v, gains)
            if result is None:
                return None
            excess, gap = result[1 - LAST:].tolist()
        if not gap > 0.0 or (limited and excess > 0.0):
            return None
        source.store_raw(time, result, self.read_nominal)
        return Step(result[self._efforts_at], functools.partial(self.read_nominal, result),
                    functools.partial(self.read_efforts, result), fused=True)

    def _before(self) -> Vector:
        """Return where the nominal model is, as the code wants it."""
        unread = self._source.unread
        if unread is not None and len(unread) == self._size:
            return unread
        state, before = self._source.state, np.zeros(self._size)
        before[:self._nq + 2 * self._n] = np.concatenate((state.q, state.v, state.accelerations))
        before[-LAST] = state.time
        return before

    def read_nominal(self, result: Vector) -> NominalState:
        """Return the nominal model in a result."""
        facts = result[self._facts:self._facts + STEP_FACTS].tolist()
        return nominal_state(float(result[-LAST]), result, self._law.dyn.model, self._m,
                             facts[:3], facts[5:])

    def read_efforts(self, result: Vector) -> TrackingEffort:
        """Return the efforts in a result, with their parts."""
        first = self._efforts_at.start
        return self._law.read(result[first:-LAST], result[self._facts - self._n:self._facts])


def fused_step(source: NominalModel | JointReference, law: TrackingLaw, law_code: Fused | None
               ) -> FusedStep | None:
    """
    Return the control steps of a nominal model and a law with its machine code.

    None where a part has no such form: an element of the task that is a user's own Python, a robot
    without machine code, a law that learns.
    """
    if law_code is None or law.adaptation is not None:
        return None
    if isinstance(source, JointReference):
        path = source.time_code()
        return None if path is None else FusedStep(
            source, law, _reference_step(source.dyn, law_code).call, (path,), 0)
    motion = source.motion
    fused_motion = motion.in_machine_code()
    if fused_motion is None or motion.elimination is None:
        return None
    times = fused_motion.time_codes()
    bounds = fused_motion.bounds(motion.elimination, motion.tolerance)
    if times is None or bounds is None:
        return None
    kernels = fused_motion.kernels
    about = kernels, law_code, bounds, motion.under_actuated
    far = fused_motion.can_pull and source.state.violation > bounds.violation
    return FusedStep(source, law, _constrained_step(*about).call, times, kernels.counts[2],
                     _constrained_step(*about, pulled=True).call if far else None)


class StepCode(NamedTuple):
    """
    Control steps of a task as machine code that stands for itself.

    Attributes
    ----------
    start : Fused
        (time, q, v) to the state of the nominal model there.
    step, pulled : Fused
        (state before, time, q, v, gains) to the state after it, which holds the efforts;
        ``pulled`` takes as many Newton steps as lead onto the constraint from far away, None where
        there is no such code.
    size : int
        Entries of a state; the last three: time, excess over limits, and what is positive where
        the state is right.
    places : dict of str to (int, int)
        First entry and number of entries of what a state holds.

    """

    start: Fused
    step: Fused
    pulled: Fused | None
    size: int
    places: dict[str, tuple[int, int]]


def step_code(source: NominalModel, law: TrackingLaw) -> StepCode | None:
    """
    Return the control steps of a nominal model and a law, for use without this process.

    None where ``fused_step`` returns None. Functions of time and their data are part of the code.
    """
    law_code, motion = law.machine_code(), source.motion
    found = fused_step(source, law, law_code)
    fused_motion = motion.in_machine_code()
    if found is None or law_code is None or fused_motion is None or motion.elimination is None:
        return None
    times, bounds = fused_motion.time_codes(), fused_motion.bounds(
        motion.elimination, motion.tolerance)
    assert times is not None and bounds is not None
    kernels, model = fused_motion.kernels, law.dyn.model
    about = kernels, law_code, bounds, motion.under_actuated
    return StepCode(
        _start(kernels, times, fused_motion.clear(motion.tolerance)),
        _recorded_step(*about, times=times, longest=source.step),
        _recorded_step(*about, times=times, longest=source.step, pulled=True)
        if fused_motion.can_pull else None, _state_size(model, kernels.counts[2]),
        _places(model, kernels.counts[2]))


def joint_step_code(dyn: PreparedDynamics, law: TrackingLaw) -> StepCode | None:
    """Return (path (3 nv,), time, q, v, gains) to the state of a step along a path of joints."""
    law_code = law.machine_code()
    if law_code is None or law.adaptation is not None or not is_flat(dyn.model):
        return None
    code = _reference_step(dyn, law_code, given=True)
    return StepCode(code, code, None, _state_size(dyn.model, 0), _places(dyn.model, 0))


def _state_size(model: Model, m: int) -> int:
    return model.nq + 5 * model.nv + m + STEP_FACTS + law_size(model) + LAST


def _places(model: Model, m: int) -> dict[str, tuple[int, int]]:
    """Return where in a state what is."""
    nq, n = model.nq, model.nv
    sizes = {'q': nq, 'v': n, 'qdd': n, 'force': n, 'multipliers': m, 'applied': n, 'nominal': n,
             'facts': STEP_FACTS, 'effort': n, 'feedback': n, 'error': n, 'error_rate': n,
             'robust': n}
    found, first = {}, 0
    for name, size in sizes.items():
        found[name] = first, size
        first += size
    return {**found, 'time': (_state_size(model, m) - LAST, 1)}


def _start(kernels: MotionKernels, times: Sequence[TimeCode], least: float) -> Fused:
    """Return (time, q, v) to a state from which steps go on."""
    model, n, m = kernels.model, kernels.size, kernels.counts[2]
    step = CallRecorder({'now': 1, 'q': model.nq, 'v': n})
    now, q, v = step.given.values()
    size = 3 * n + 2 * m + FACTS
    found = step.call(kernels.acceleration.address, (q, v, *_called(step, times, now)), size)
    rest = _state_size(model, m) - model.nq - 2 * n - LAST
    facts = list(found[size - n - FACTS:size - n])
    torn = [CONSTRAINT_CONFLICT - facts[CONFLICT]] if model.loops and not kernels.reach else []
    margin = smallest([*gaps(facts, least), *torn])
    return step.fused([*q, *v, *found[:n], *[0.0] * rest, *now, 0.0, margin], 'control_start',
                      (kernels, times))


def _called(step: CallRecorder, times: Sequence[TimeCode], time: Symbols) -> list[Symbols]:
    """Record the calls of functions of time; return their results."""
    return [step.call(one.address, (time, address_of(one.data)), one.size) for one in times]


@owned()
def _reference_step(dyn: PreparedDynamics, law: Fused, *, given: bool = False) -> Fused:
    """Return the code of a step whose nominal model is a path of all joints, given or called."""
    n, facts = dyn.model.nv, empty_rank_report()
    facts[RANK] = float(n)
    if given:
        step = CallRecorder({'path': 3 * n, 'now': 1, 'q': n, 'v': n, 'gains': 2 + n})
        path = step.given['path']
    else:
        step = _recording(dyn.model, 1, 0)
        path = step.call(Indirect('addresses', 1), (
            step.given['now'], Indirect('addresses', 2)), 3 * n)
    effort = robot(step, dyn, 'inverse_dynamics', n, *np.split(path, 3))
    nominal = np.array([*path, *effort, *[0.0] * n, *effort, *[0.0] * (STEP_FACTS - FACTS),
                        *facts], object)
    return _followed(dyn.model, step, nominal, 0, law, [], dyn)


@owned()
def _constrained_step(kernels: MotionKernels, law: Fused, bounds: Bounds, under_actuated: bool,
                      *, pulled: bool = False) -> Fused:
    """Return the code of a step whose nominal model is integrated."""
    return _recorded_step(kernels, law, bounds, under_actuated, pulled=pulled)


def _recorded_step(kernels: MotionKernels, law: Fused, bounds: Bounds, under_actuated: bool,
                   *, pulled: bool = False, times: Sequence[TimeCode] | None = None,
                   longest: float = 0.0) -> Fused:
    """Return that code, with functions of time by their addresses, or with these, for one step."""
    code = kernels.step
    if pulled:
        code = kernels.pulled_step(bounds.moved, bounds.violation)
        bounds = bounds._replace(moved=math.inf)
    model, n, m = kernels.model, kernels.size, kernels.counts[2]
    nq, moved, sizes = model.nq, model.nq + 5 * n + m, tuple(kernels.changing.values())
    step = _recording(model, len(sizes) if times is None else None, m)
    before, now, q, v = (step.given[name] for name in ('before', 'now', 'q', 'v'))
    span = now - before[-LAST]
    middle = 0.5 * span + before[-LAST]

    def changing(time: Symbols) -> list[Symbols]:
        """Return what changes with time."""
        if times is not None:
            return _called(step, times, time)
        return [step.call(Indirect('addresses', 1 + 2 * k), (
            time, Indirect('addresses', 2 + 2 * k)), size) for k, size in enumerate(sizes)]
    at_middle, at_end = changing(middle), changing(now)
    nominal = step.call(code.address, (
        before[:nq], before[nq:nq + n], before[nq + n:nq + 2 * n], span, *at_middle, *at_end),
        moved + STEP_FACTS)
    facts = list(nominal[moved:])
    usual = gaps_of_step(facts, bounds)
    if times is not None:   # what ``FusedStep.step`` tests
        usual += [longest + SMALLEST_STEP - span[0], span[0] + SMALLEST_STEP]
    if under_actuated:   # see ``NominalModel.observe``
        assert kernels.observation is not None
        way = np.array(displacement(model, list(nominal[:nq]), list(q)), object)
        seen = step.call(kernels.observation.address, (
            nominal[:nq], nominal[nq:nq + n], way, v - nominal[nq:nq + n], *at_end),
            moved + 1 + FACTS)
        nominal = np.concatenate((seen[:moved], nominal[moved:-FACTS], seen[-FACTS:]))
        usual += [*_near(model, list(way)),
                  *gaps_of_observation(list(seen[moved:]), bounds.rank, bounds.taken)]
    elif model.loops:   # they hold where a task cannot
        usual.append(CONSTRAINT_CONFLICT - facts[CONFLICT - FACTS])
    return _followed(model, step, nominal, m, law, usual, (kernels, code, times))


def _recording(model: Model, times: int | None, m: int) -> CallRecorder:
    """Return a step to be recorded, with so many rows and functions of time that are handed."""
    n = model.nv
    handed = {} if times is None else {'addresses': 1 + 2 * times}
    return CallRecorder({**handed, 'before': _state_size(model, m), 'now': 1, 'q': model.nq,
                         'v': n, 'gains': 2 + n})


def _followed(model: Model, step: CallRecorder, nominal: Symbols, m: int, law: Fused,
              usual: Row, keep: object) -> Fused:
    """
    Return (addresses, result before, time, q, v, gains) to ``nominal``, the law's, ``LAST``.

    ``nominal``: q (nq,), v, vdot and constraint force (nv,), multipliers (m,), applied force and
    effort (nv,), then ``STEP_FACTS`` facts; ``usual`` is positive as long as nothing in them is
    unusual, ``keep`` what the addresses in the recorded calls belong to.
    """
    n, nq = model.nv, model.nq
    moved = nq + 5 * n + m
    limits, (now, q, v, gains) = Limits(model), (
        step.given[name] for name in ('now', 'q', 'v', 'gains'))
    place = nominal[:nq]
    if not is_flat(model):
        place = np.array(displacement(model, list(q), list(place)), object)
    found = step.call(law.address, (place, nominal[nq:nq + n], nominal[nq + n:nq + 2 * n],
                                    nominal[moved - n:moved], q, v, gains), law_size(model))
    own, _ = limits.excesses(list(nominal[:nq]), list(nominal[nq:nq + n]))
    _, measured = limits.excesses(list(q), list(v))
    least = smallest([*usual, *validity_margins(list(found[5 * n:])),
                      *_near(model, list(found[2 * n:3 * n]))])
    return step.fused([*nominal, *found, *now, larger(own, measured), least], 'control_step',
                      (keep, law))


def _near(model: Model, way: Row) -> Row:
    """Return what is positive where a displacement is small enough to be exact."""
    return [NEAR - angle for angle in turned(model, way)]
