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


"""What stands between a robot and its controller: encoders, transport and drives, not ideal."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.model.state import simple_entries
from mbd_ros.simulation.manifold import Vector

KEPT = 10_000
"""States and commands that are kept for a delay."""


@dataclass(frozen=True)
class Hardware:
    """
    By how much hardware differs from an ideal one, which all zeros are.

    Attributes
    ----------
    encoder_resolution : float
        Positions of joints are multiples of it [rad or m].
    position_noise : float
        Standard deviation of normal noise on positions [rad or m].
    velocity_from_differences : bool
        Whether velocities are differences of measured positions over the time between states.
    frozen_sensors : tuple of str
        Joints whose sensors say what they said last.
    state_delay, state_jitter : float
        Age of a state when it is sent, with the stamp of the sending, and how much may come to
        that at random, evenly [s].
    command_delay, command_jitter : float
        Time after which a command acts, and how much may come to that, likewise [s].
    effort_resolution : float
        Efforts that act are multiples of it [N m or N].
    seed : int
        Of all random numbers.

    """

    encoder_resolution: float = 0.0
    position_noise: float = 0.0
    velocity_from_differences: bool = False
    frozen_sensors: tuple[str, ...] = ()
    state_delay: float = 0.0
    state_jitter: float = 0.0
    command_delay: float = 0.0
    command_jitter: float = 0.0
    effort_resolution: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse numbers that are no amounts."""
        for name in ('encoder_resolution', 'position_noise', 'state_delay', 'state_jitter',
                     'command_delay', 'command_jitter', 'effort_resolution'):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise InvalidValueError(name, value, 'a number not below zero')


class _Known(NamedTuple):
    """The true state (nq,), (nv,) at a time [s]."""

    time: float
    q: Vector
    v: Vector


class Sensors:
    """
    What sensors say of the joints with one coordinate; the rest of a state is as it is.

    Parameters
    ----------
    model : Model
        The robot.
    hardware : Hardware
        How good they are.

    Raises
    ------
    UnknownNameError
        If a frozen sensor is of no joint with one coordinate.

    """

    def __init__(self, model: Model, hardware: Hardware) -> None:
        names = simple_joints(model)
        for name in hardware.frozen_sensors:
            if name not in names:
                raise UnknownNameError('joint', name, names)
        self._q, self._v = simple_entries(model)
        self._frozen = np.array([name in hardware.frozen_sensors for name in names], dtype=bool)
        self._hardware = hardware
        self._random = np.random.default_rng(hardware.seed)
        self._kept: deque[_Known] = deque(maxlen=KEPT)
        self._seen = -math.inf
        self._said: _Known | None = None

    def measure(self, time: float, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """
        Return the state as sensors say it.

        Parameters
        ----------
        time : float
            Now [s]; a state of the time before is said as it was.
        q, v : Vector
            The true state (nq,), (nv,).

        Returns
        -------
        q, v : Vector
            The measured one, new arrays.

        """
        said, hardware = self._said, self._hardware
        if said is None or said.time != time:
            if said is not None and time < said.time:   # time went back
                self._kept.clear()
                self._seen, said = -math.inf, None
            self._kept.append(_Known(time, q, v))
            places, speeds = self._delayed(time)
            if hardware.position_noise:
                places = places + self._random.normal(0.0, hardware.position_noise, len(places))
            if hardware.encoder_resolution:
                places = hardware.encoder_resolution * np.rint(
                    places / hardware.encoder_resolution)
            if said is not None:
                places = np.where(self._frozen, said.q, places)
                if hardware.velocity_from_differences:
                    speeds = (places - said.q) / (time - said.time)
                speeds = np.where(self._frozen, said.v, speeds)
            self._said = said = _Known(time, places, speeds)
        q, v = q.copy(), v.copy()
        q[self._q], v[self._v] = said.q, said.v
        return q, v

    def _delayed(self, time: float) -> tuple[Vector, Vector]:
        """Return positions and velocities as old as they are when they are sent."""
        hardware, kept = self._hardware, self._kept
        age = hardware.state_delay + hardware.state_jitter * self._random.random()
        self._seen = when = max(self._seen, time - age)   # none overtakes another
        while len(kept) > 1 and kept[1].time <= when:
            kept.popleft()
        first, second = kept[0], kept[min(1, len(kept) - 1)]
        span = second.time - first.time
        share = min(max((when - first.time) / span, 0.0), 1.0) if span else 0.0
        q0, q1, v0, v1 = (first.q[self._q], second.q[self._q], first.v[self._v],
                          second.v[self._v])
        return q0 + share * (q1 - q0), v0 + share * (v1 - v0)


class Drives:
    """
    Which efforts act when others were commanded.

    Parameters
    ----------
    hardware : Hardware
        How good they are.

    Attributes
    ----------
    acting : Vector or None
        The efforts that acted last.

    """

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._random = np.random.default_rng([hardware.seed, 1])
        self.release()

    def release(self) -> None:
        """Forget all commands, as when the brakes hold the robot."""
        self._due: deque[tuple[float, Vector]] = deque(maxlen=KEPT)
        self._newest: Vector | None = None
        self.acting: Vector | None = None

    def act(self, time: float, efforts: Vector) -> Vector:
        """
        Return the efforts that act at a time.

        Parameters
        ----------
        time : float
            Now [s].
        efforts : Vector
            The newest command; the first one after a release acts at once.

        Returns
        -------
        Vector
            As long.

        """
        hardware = self._hardware
        if self.acting is None or len(self.acting) != len(efforts):
            self.release()
            self.acting = self._rounded(efforts)
        if self._newest is not efforts:
            self._newest = efforts
            delay = hardware.command_delay + hardware.command_jitter * self._random.random()
            last = self._due[-1][0] if self._due else -math.inf
            self._due.append((max(last, time + delay), efforts))
        while self._due and self._due[0][0] <= time + 1e-9:   # rounding of a sum of steps
            self.acting = self._rounded(self._due.popleft()[1])
        assert self.acting is not None
        return self.acting

    def _rounded(self, efforts: Vector) -> Vector:
        resolution = self._hardware.effort_resolution
        return resolution * np.rint(efforts / resolution) if resolution else efforts


def stand_in(model: Model, hardware: Hardware) -> tuple[Sensors | None, Drives | None]:
    """Return sensors and drives of a robot; None where they are ideal."""
    ideal = Hardware()

    def differs(names: Sequence[str]) -> bool:
        return any(getattr(hardware, name) != getattr(ideal, name) for name in names)
    sensors = differs(('encoder_resolution', 'position_noise', 'velocity_from_differences',
                       'frozen_sensors', 'state_delay', 'state_jitter'))
    drives = differs(('command_delay', 'command_jitter', 'effort_resolution'))
    return (Sensors(model, hardware) if sensors else None,
            Drives(hardware) if drives else None)
