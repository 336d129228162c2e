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

"""Gaits as tables of phases: joint targets over time, and the efforts that follow them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.control.gaits.rhythm import checked_duty, duty_phase, LegPhase, Oscillators, Vector
from mbd_ros.control.references.arguments import (
    finite, mapping, number, number_not_below_zero, positive, positive_number, text)
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.simulation.coded_steps import LinearEfforts


class Swing(NamedTuple):
    """
    A joint that swings with its leg, ``rest + amplitude cos f``, or lifts it.

    Lifting is ``rest + amplitude sin^2 f`` while the leg swings, ``rest`` while it stands.
    """

    joint: str
    rest: float = 0.0
    amplitude: float = 0.0


class Leg(NamedTuple):
    """A leg, or a fin: its phase as a share of the period, a joint that swings, one that lifts."""

    phase: float
    swing: Swing
    lift: Swing | None = None


class Targets(NamedTuple):
    """Where joints should be: names, positions [rad or m] and rates [rad/s or m/s]."""

    joints: tuple[str, ...]
    positions: Vector
    rates: Vector


@dataclass(frozen=True)
class Gait:
    """
    A periodic motion of legs.

    Attributes
    ----------
    period : float
        T [s].
    duty : float
        Share of the period in which a leg stands.
    legs : mapping of str to Leg
        By name.
    ramp : float
        Over which the amplitudes rise from 0 at the start [s].

    Raises
    ------
    InvalidValueError
        If a number is not allowed, there are no legs, or two move one joint.

    """

    period: float
    duty: float
    legs: Mapping[str, Leg]
    ramp: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers, and keep them as floats in a mapping of its own."""
        ramp = finite('ramp', self.ramp)
        if ramp < 0.0:
            raise InvalidValueError('ramp', self.ramp, 'a time not below zero')
        if not self.legs:
            raise InvalidValueError('legs', {}, 'one leg at least')
        legs = {name: _checked_leg(name, leg) for name, leg in self.legs.items()}
        for field, value in (('period', positive('period', self.period)),
                             ('duty', checked_duty(self.duty)), ('ramp', ramp),
                             ('legs', legs)):
            object.__setattr__(self, field, value)
        if len(set(self.joints)) < len(self.joints):
            twice = next(name for name in self.joints if self.joints.count(name) > 1)
            raise InvalidValueError('legs', f"joint '{twice}' twice", 'a joint in one place only')

    @property
    def joints(self) -> tuple[str, ...]:
        """Return the joints that it moves: of each leg what swings, then what lifts."""
        return tuple(part.joint for leg in self.legs.values() for part in leg[1:]
                     if part is not None)

    @property
    def oscillators(self) -> Oscillators:
        """Hopf oscillators with this gait as their limit cycle, see ``rhythm.py``."""
        return Oscillators(tuple(duty_phase(np.array([leg.phase for leg in self.legs.values()]),
                                            self.period, self.duty).angle.tolist()),
                           self.period, self.duty)

    def targets(self, t: float | Vector) -> Targets:
        """Return the targets at a time, or at times (K,) [s], on the limit cycle."""
        phases = np.array([leg.phase for leg in self.legs.values()])
        cycle = np.asarray(t)[..., None] / self.period + phases
        return self.targets_at(duty_phase(cycle, self.period, self.duty), t)

    def targets_at(self, legs: LegPhase, t: float | Vector) -> Targets:
        """
        Return the targets at given phases of the legs.

        Parameters
        ----------
        legs : LegPhase
            Phases and rates in the order of ``legs``, (legs,) or (K, legs).
        t : float or (K,) array
            Time since the start, for the ramp [s].

        Returns
        -------
        Targets
            In the order of ``joints``.

        """
        along = np.pi * np.minimum(t, self.ramp) / (self.ramp or 1.0)
        rising = np.asarray(t) < self.ramp
        size = np.where(rising, 0.5 * (1.0 - np.cos(along)), 1.0)
        growth = np.where(rising, 0.5 * np.pi / (self.ramp or 1.0) * np.sin(along), 0.0)
        f, rate = (np.moveaxis(part, -1, 0) for part in legs)
        swings = f > np.pi
        shapes = ((np.cos(f), -np.sin(f) * rate),
                  (np.where(swings, np.sin(f) ** 2, 0.0),
                   np.where(swings, np.sin(2.0 * f) * rate, 0.0)))
        positions, rates = [], []
        for k, leg in enumerate(self.legs.values()):
            for part, (shape, slope) in zip((leg.swing, leg.lift), shapes):
                if part is not None:
                    positions.append(part.rest + part.amplitude * size * shape[k])
                    rates.append(part.amplitude * (size * slope[k] + growth * shape[k]))
        return Targets(self.joints, np.stack(positions, -1), np.stack(rates, -1))


def _checked_leg(name: str, leg: object) -> Leg:
    """Return a leg with its numbers as floats; raises InvalidValueError."""
    if not isinstance(leg, Leg):
        raise InvalidValueError(f"leg '{name}'", leg, 'a Leg')
    return Leg(finite(f"phase of leg '{name}'", leg.phase), _checked_swing(name, leg.swing),
               None if leg.lift is None else _checked_swing(name, leg.lift))


def _checked_swing(leg: str, swing: object) -> Swing:
    if not isinstance(swing, Swing):
        raise InvalidValueError(f"joint of leg '{leg}'", swing, 'a Swing')
    rest, amplitude = (finite(f"{what} of joint '{swing.joint}'", value)
                       for what, value in zip(Swing._fields[1:], swing[1:]))
    return Swing(swing.joint, rest, amplitude)


class GaitControl:
    """
    Efforts that make joints follow a gait: ``kp (target - q) + kd (target rate - v)``.

    Parameters
    ----------
    model : Model
        The robot.
    gait : Gait
        The motion.
    kp, kd : float
        Gains [N m/rad, N m s/rad and the like].

    Raises
    ------
    UnknownNameError, InvalidValueError
        If the robot has no such joint, it has more coordinates than one, or a gain is negative.

    """

    def __init__(self, model: Model, gait: Gait, kp: float, kd: float) -> None:
        for name, gain in (('kp', kp), ('kd', kd)):
            if finite(name, gain) < 0.0:
                raise InvalidValueError(name, gain, 'a number not below zero')
        places = []
        for name in gait.joints:
            index = model.joint_index(name)
            if not model.joint_types[index].is_simple:
                raise InvalidValueError('joint of the gait', name, 'a joint of one coordinate')
            places.append((model.q_offsets[index], model.v_offsets[index]))
        self._q, self._v = np.array(places).T
        self.model, self.gait, self.kp, self.kd = model, gait, kp, kd

    def __call__(self, t: float, q: Vector, v: Vector) -> Vector:
        """Return the efforts (nv,) at a state, as ``tau`` of ``simulate`` [N m, N]."""
        return self.efforts(self.gait.targets(t), q, v)

    def linear(self, times: Vector) -> LinearEfforts:
        """Return the efforts at times (K,) [s] as ``offset - kp q - kd v``."""
        targets = self.gait.targets(times)
        offset = np.zeros((len(times), self.model.nv))
        offset[:, self._v] = self.kp * targets.positions + self.kd * targets.rates
        moved = np.zeros(self.model.nv)
        moved[self._v] = 1.0
        return LinearEfforts(offset, self.kp * moved, self.kd * moved)

    def efforts(self, targets: Targets, q: Vector, v: Vector) -> Vector:
        """Return what moves the joints of the gait towards targets, (nv,)."""
        tau = np.zeros(self.model.nv)
        tau[self._v] = (self.kp * (targets.positions - q[self._q])
                        + self.kd * (targets.rates - v[self._v]))
        return tau


def gait_from_data(data: Mapping[str, Any]) -> Gait:
    """
    Return the gait that plain data describe, as a YAML file or a message has them.

    Parameters
    ----------
    data : mapping
        ``period`` [s], ``duty``, ``ramp`` [s] if wanted, and ``legs``: by name ``phase``,
        ``swing`` and, if wanted, ``lift``, each with ``joint``, ``rest`` and ``amplitude``.

    Returns
    -------
    Gait
        The gait.

    Raises
    ------
    InvalidValueError, UnknownNameError
        If a value is missing, unknown or not allowed.

    """
    _known('gait', data, ('period', 'duty', 'legs'), ('ramp',))
    legs = {text('name of a leg', name): _leg(f"leg '{name}'", leg)
            for name, leg in mapping('legs', data['legs']).items()}
    return Gait(positive_number('period', data['period']), number('duty', data['duty']), legs,
                number_not_below_zero('ramp', data.get('ramp', 0.0)))


def _leg(what: str, data: Any) -> Leg:
    _known(what, data, ('phase', 'swing'), ('lift',))
    return Leg(number(f'phase of {what}', data['phase']),
               _swing(f'swing of {what}', data['swing']),
               _swing(f'lift of {what}', data['lift']) if 'lift' in data else None)


def _swing(what: str, data: Any) -> Swing:
    _known(what, data, ('joint', 'amplitude'), ('rest',))
    return Swing(text(f'joint of {what}', data['joint']),
                 number(f'rest of {what}', data.get('rest', 0.0)),
                 number(f'amplitude of {what}', data['amplitude']))


def _known(what: str, data: Any, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    """Refuse data with keys that are missing or unknown."""
    for name in mapping(what, data):
        if name not in needed + optional:
            raise UnknownNameError(f'key of {what}', name, needed + optional)
    for name in needed:
        if name not in data:
            raise InvalidValueError(what, list(data), f'with {name}')
