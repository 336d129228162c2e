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

"""A gait in time, whose numbers may change on the way."""

from __future__ import annotations

from dataclasses import replace
import math

from mbd_ros.control.gaits.gait import Gait, GaitControl, Swing, Targets
from mbd_ros.control.gaits.rhythm import Complexes, Oscillators, Vector
from mbd_ros.control.references.arguments import finite
from mbd_ros.model import Model

LONGEST_STEP = 2e-3
"""Of the integration of oscillators [s]: a small part of the 0.12 s in which they attract."""
BLEND = 0.5
"""Time in which targets go over to those of a new gait [s]."""
LONGEST_GAP = 0.5
"""A robot whose states come further apart, or back in time, has stood still in between [s]."""


def tuned(gait: Gait, *, period: float = 0.0, duty: float = 0.0, amplitude: float = 1.0) -> Gait:
    """
    Return a gait with other numbers.

    Parameters
    ----------
    gait : Gait
        The gait.
    period, duty : float
        As of the gait [s]; 0: its own.
    amplitude : float
        Factor of all amplitudes.

    """
    def sized(part: Swing) -> Swing:
        return part._replace(amplitude=finite('amplitude', amplitude) * part.amplitude)

    return replace(gait, period=period or gait.period, duty=duty or gait.duty, legs={
        name: leg._replace(swing=sized(leg.swing), lift=leg.lift and sized(leg.lift))
        for name, leg in gait.legs.items()})


class Walking:
    """
    The rhythm of a robot's legs: oscillators that go on while the gait changes.

    Parameters
    ----------
    model : Model
        The robot.
    gait : Gait
        How it moves at first; it begins on the limit cycle of its oscillators.
    kp, kd : float
        As of ``GaitControl``.
    coupling : float
        Of the oscillators [1/s].

    Raises
    ------
    UnknownNameError, InvalidValueError
        As of ``GaitControl``.

    """

    def __init__(self, model: Model, gait: Gait, kp: float, kd: float, coupling: float) -> None:
        self._model = model
        self._control = GaitControl(model, gait, kp, kd)
        self._oscillators: Oscillators = replace(gait.oscillators, coupling=coupling)
        self._before, self._begin, self._time, self._changed = gait, *[-math.inf] * 3
        self._z: Complexes = self._oscillators.on_cycle

    def change(self, gait: Gait, kp: float, kd: float, coupling: float) -> None:
        """
        Go on in another gait, whose legs begin anew if they are others.

        Legs move to its phases by and by, and targets from the old to the new within ``BLEND``.
        """
        control = GaitControl(self._model, gait, kp, kd)
        self._oscillators = replace(gait.oscillators, coupling=coupling)
        self._before, self._control, self._changed = self._control.gait, control, self._time
        if self._before.legs.keys() != gait.legs.keys() or self._before.joints != gait.joints:
            self._begin = self._changed = -math.inf
            self._before, self._z = gait, self._oscillators.on_cycle

    def step(self, t: float, q: Vector, v: Vector) -> tuple[Targets, Vector]:
        """
        Return where joints should be, and the efforts (nv,) that move them there.

        Parameters
        ----------
        t : float
            Time of the state [s].
        q, v : Vector
            (nq,), (nv,).

        """
        if self._begin == -math.inf:
            self._begin = self._time = t
        gap = t - self._time
        self._time = t
        if 0.0 <= gap < LONGEST_GAP:
            count = math.ceil(gap / LONGEST_STEP)
            for _ in range(count):
                self._z = self._oscillators.step(self._z, gap / count)
        else:
            self._begin, self._changed = self._begin + gap, self._changed + gap
        phases = self._oscillators.leg_phase(self._z)
        targets = self._control.gait.targets_at(phases, t - self._begin)
        share = (t - self._changed) / BLEND
        if share < 1.0:
            old = self._before.targets_at(phases, t - self._begin)
            way = targets.positions - old.positions
            targets = targets._replace(
                positions=old.positions + share * way,
                rates=old.rates + share * (targets.rates - old.rates) + way / BLEND)
        return targets, self._control.efforts(targets, q, v)
