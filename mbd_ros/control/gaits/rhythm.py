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

r"""
The rhythm of legs: coupled Hopf oscillators, and their limit cycle in closed form.

A leg stands while its phase f is in (0, pi) and swings while it is in (pi, 2 pi). The oscillators
``z = mu e^{i f}`` of the legs are coupled::

    z_i' = (alpha (mu^2 - |z_i|^2) + i w_i) z_i + k sum_j (e^{i (phi_i - phi_j)} z_j - z_i)
    w_i  = w_st / (1 + e^{-b y_i}) + w_sw / (1 + e^{b y_i}),   y_i = Im z_i

with ``w_st = pi / (beta T)`` and ``w_sw = pi / ((1 - beta) T)`` for a period T of which a leg
stands the share beta, the duty factor. For large b the cycle of one is, with
``c = frac(t / T + phase)``::

    f = pi c / beta                          while c < beta, else
    f = pi + pi (c - beta) / (1 - beta)

The coupling is zero on it, so that a gait may start there and go on in closed form. It holds
constant differences of f, which legs have on the cycle where they stand and swing for equally
long; for other duty factors it bends the cycle by about k / alpha.

References
----------
Ijspeert, Central pattern generators for locomotion control in animals and robots, 2008; Righetti
and Ijspeert, Pattern generators with sensory feedback for the control of quadruped locomotion,
2008.

"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control.references.arguments import finite, positive
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.runge_kutta import rk4

Vector = NDArray[np.float64]
Complexes = NDArray[np.complex128]


class LegPhase(NamedTuple):
    """The phase f of each leg (legs,) [rad] and its rate [rad/s]."""

    angle: Vector
    rate: Vector


def duty_phase(cycle: Vector, period: float, duty: float) -> LegPhase:
    """
    Return the phases of legs on the limit cycle.

    Parameters
    ----------
    cycle : (legs,) or (K, legs) array
        ``t / T + phase``, of which the fraction counts.
    period : float
        T [s].
    duty : float
        beta, between 0 and 1.

    Returns
    -------
    LegPhase
        f in [0, 2 pi) and its rate.

    """
    c = cycle - np.floor(cycle)
    stands = c < duty
    angle = np.where(stands, np.pi * c / duty, np.pi + np.pi * (c - duty) / (1.0 - duty))
    return LegPhase(angle, np.pi / (period * np.where(stands, duty, 1.0 - duty)))


@dataclass(frozen=True)
class Oscillators:
    """
    Coupled Hopf oscillators, one for each leg.

    Attributes
    ----------
    phases : tuple of float
        phi of each leg [rad].
    period : float
        T [s].
    duty : float
        beta; 0.5 for equal halves.
    amplitude, attraction, coupling : float
        mu, alpha [1/s], k [1/s].
    steepness : float
        b: how sharply stance and swing differ.

    Raises
    ------
    InvalidValueError
        If a number is not positive, or the duty factor not between 0 and 1.

    """

    phases: tuple[float, ...]
    period: float
    duty: float = 0.5
    amplitude: float = 1.0
    attraction: float = 8.0
    coupling: float = 1.0
    steepness: float = 50.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        checked_duty(self.duty)
        for name in ('period', 'amplitude', 'attraction', 'steepness'):
            positive(name, getattr(self, name))
        if finite('coupling', self.coupling) < 0.0:
            raise InvalidValueError('coupling', self.coupling, 'a number not below zero')
        object.__setattr__(self, 'phases', tuple(
            finite(f'phase {k}', phase) for k, phase in enumerate(self.phases)))

    @property
    def on_cycle(self) -> Complexes:
        """Return the oscillators (legs,) on their limit cycle at their phases."""
        found: Complexes = np.exp(1j * np.array(self.phases)) * complex(self.amplitude)
        return found

    def rate(self, z: Complexes) -> Complexes:
        """Return z' (legs,) of oscillators z (legs,)."""
        mu, alpha, k = self.amplitude, self.attraction, self.coupling
        stance, swing = (math.pi / (share * self.period) for share in (self.duty, 1.0 - self.duty))
        falling = 0.5 * (1.0 - np.tanh(0.5 * self.steepness * z.imag))   # 1 / (1 + e^{b y})
        w = stance * (1.0 - falling) + swing * falling
        turn = np.exp(1j * np.array(self.phases))
        pulls = turn * (z / turn).sum() - len(z) * z
        found: Complexes = (alpha * (mu * mu - np.abs(z) ** 2) + 1j * w) * z + k * pulls
        return found

    def step(self, z: Complexes, step: float) -> Complexes:
        """Return the oscillators one step [s] later, by the classical Runge-Kutta method."""
        found: Complexes = rk4(lambda _, at: self.rate(at), z, step)
        return found

    def leg_phase(self, z: Complexes) -> LegPhase:
        """Return the phases of the legs in [0, 2 pi) and their rates."""
        angle = np.angle(z)
        return LegPhase(np.where(angle < 0.0, angle + 2.0 * np.pi, angle),
                        (self.rate(z) / z).imag)


def checked_duty(duty: float) -> float:
    """Return a duty factor, between 0 and 1."""
    found = finite('duty', duty)
    if not 0.0 < found < 1.0:
        raise InvalidValueError('duty', duty, 'a number between 0 and 1')
    return found
