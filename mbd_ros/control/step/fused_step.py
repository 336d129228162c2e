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
from typing import TypeAlias

import numpy as np

from mbd_ros.control.references.scalar_manifold import displacement, NEAR, turned
from mbd_ros.control.references.scalars import difference, Row, smallest
from mbd_ros.control.references.time_code import TimeCode
from mbd_ros.control.step.fused_motion import (
    Bounds, gaps_of_observation, gaps_of_step, nominal_state)
from mbd_ros.control.step.joint_reference import JointReference
from mbd_ros.control.step.motion_kernels import MotionKernels, STEP_FACTS
from mbd_ros.control.step.nominal_model import NominalModel, SMALLEST_STEP
from mbd_ros.control.tracking.law import (
    gaps_of_law, law_size, TrackingEffort, TrackingLaw)
from mbd_ros.control.tracking.limits import Limits
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.control.udwadia_kalaba.equation import CONFLICT as CONFLICTING
from mbd_ros.control.udwadia_kalaba.rank_facts import CONFLICT, FACTS, no_facts, RANK
from mbd_ros.control.udwadia_kalaba.robot_code import machine_code
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.calls.fused import (
    Computed, Fused, fused, Inside, KernelCall, Pointed)
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import is_flat, Vector
from mbd_ros.spatial import larger

Given: TypeAlias = dict[str, list[Symbol]]
Parts: TypeAlias = list[KernelCall | Computed]
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
        source.leave(time, result, self.read_nominal)
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
            source, law, _reference_step(source.dyn, law_code), (path,), 0)
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
    return FusedStep(source, law, _constrained_step(*about), times, kernels.counts[2],
                     _constrained_step(*about, pulled=True) if far else None)


@functools.lru_cache(maxsize=64)
def _reference_step(dyn: PreparedDynamics, law: Fused) -> Code:
    """Return the code of a step whose nominal model is a path of all joints."""
    n = dyn.model.nv
    address, world = machine_code(dyn, 'inverse_dynamics')

    def nominal(given: Given) -> list[Operand]:
        effort, facts = given['needed'], no_facts()
        facts[RANK] = float(n)
        return [*given['path'], *effort, *[0.0] * n, *effort, *[0.0] * (STEP_FACTS - FACTS),
                *facts]
    parts: Parts = [
        KernelCall(Pointed('addresses', 1), ('now', Pointed('addresses', 2)), 'path', 3 * n),
        KernelCall(address, ('path', Inside('path', n), Inside('path', 2 * n), world), 'needed',
                   n),
        Computed(nominal, 'nominal', 6 * n + STEP_FACTS)]
    return _whole(dyn.model, 1, parts, 0, law, lambda given: [], dyn)


@functools.lru_cache(maxsize=64)
def _constrained_step(kernels: MotionKernels, law: Fused, bounds: Bounds, under_actuated: bool,
                      *, pulled: bool = False) -> Code:
    """Return the code of a step whose nominal model is integrated."""
    step = kernels.step
    if pulled:
        step = kernels.pulled_step(bounds.moved, bounds.violation)
        bounds = bounds._replace(moved=math.inf)
    model, n, m = kernels.model, kernels.size, kernels.counts[2]
    nq, moved = model.nq, model.nq + 5 * n + m
    state = 'before', Inside('before', nq), Inside('before', nq + n)

    times = tuple(kernels.changing.values())

    def changing(when: str) -> list[str]:
        """Return where the results of functions of time are."""
        return [f'{when}{k}' for k in range(len(times))]
    parts: Parts = [
        Computed(lambda given: difference(given['now'], given['before'][-LAST:]), 'span', 1),
        Computed(lambda given: [given['before'][-LAST] + 0.5 * span for span in given['span']],
                 'middle', 1)]
    parts += [KernelCall(Pointed('addresses', 1 + 2 * k), (when, Pointed('addresses', 2 + 2 * k)),
                         f'{when}{k}', size)
              for when in ('middle', 'now') for k, size in enumerate(times)]
    stepped = 'stepped' if under_actuated else 'nominal'
    parts.append(KernelCall(step.address, (
        *state, 'span', *changing('middle'), *changing('now')), stepped, moved + STEP_FACTS))
    if not under_actuated:
        def unusual(given: Given) -> Row:
            facts = list(given['nominal'][moved:])
            torn = [CONFLICTING - facts[CONFLICT - FACTS]] if model.loops else []
            return [*gaps_of_step(facts, bounds), *torn]   # loops hold where a task cannot
        return _whole(model, len(times), parts, m, law, unusual, (kernels, step))
    assert kernels.observation is not None
    # See ``NominalModel.observe``: what no actuator can change is taken from the measured state.
    parts += [
        Computed(lambda given: displacement(
            model, list(given['stepped'][:nq]), list(given['q'])), 'way', n),
        Computed(lambda given: difference(given['v'], given['stepped'][nq:nq + n]), 'pace', n),
        KernelCall(kernels.observation.address, (
            'stepped', Inside('stepped', nq), 'way', 'pace', *changing('now')), 'seen',
            moved + 1 + FACTS),
        Computed(lambda given: [*given['seen'][:moved], *given['stepped'][moved:-FACTS],
                                *given['seen'][-FACTS:]], 'nominal', moved + STEP_FACTS)]
    return _whole(model, len(times), parts, m, law, lambda given: [
        *gaps_of_step(list(given['stepped'][moved:]), bounds), *_near(model, given['way']),
        *gaps_of_observation(
            list(given['seen'][moved:]), bounds.rank, bounds.taken)], (kernels, step))


def _whole(model: Model, times: int, parts: Parts, m: int, law: Fused,
           unusual: Callable[[Given], Row], keep: object) -> Code:
    """
    Return (addresses, result before, time, q, v, gains) to ``nominal``, the law's, ``LAST``.

    ``parts`` leave the nominal model in ``nominal``: q (nq,), v, vdot and constraint force (nv,),
    multipliers (m,), applied force and effort (nv,), then ``STEP_FACTS`` facts; ``unusual``
    returns what is positive as long as nothing in them is unusual. ``times`` is the number of
    functions of time, ``keep`` what the addresses in the parts belong to.
    """
    n, nq, efforts = model.nv, model.nq, law_size(model)
    moved = nq + 5 * n + m
    size = moved + STEP_FACTS + efforts + LAST
    limits, first = Limits(model), 'nominal'
    if not is_flat(model):
        first = 'error'
        parts = [*parts, Computed(lambda given: displacement(
            model, list(given['q']), list(given['nominal'][:nq])), 'error', n)]
    parts = [*parts, KernelCall(law.address, (
        first, Inside('nominal', nq), Inside('nominal', nq + n), Inside('nominal', moved - n), 'q',
        'v', 'gains'), 'law', efforts)]

    def results(given: Given) -> list[Operand]:
        nominal, found = given['nominal'], given['law']
        own, _ = limits.excesses(list(nominal[:nq]), list(nominal[nq:nq + n]))
        _, measured = limits.excesses(list(given['q']), list(given['v']))
        return [*nominal, *found, *given['now'], larger(own, measured),
                smallest([*unusual(given), *gaps_of_law(list(found[5 * n:])),
                          *_near(model, found[2 * n:3 * n])])]
    return fused({'addresses': 1 + 2 * times, 'before': size, 'now': 1, 'q': nq, 'v': n,
                  'gains': 2 + n},
                 [*parts, Computed(results, 'all', size)], 'control_step', (keep, law)).call


def _near(model: Model, way: Sequence[Symbol]) -> Row:
    """Return what is positive where a displacement is small enough to be exact."""
    return [NEAR - angle for angle in turned(model, list(way))]
