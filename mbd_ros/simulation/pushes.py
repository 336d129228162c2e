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

"""Forces on points of links, each for a time: what pushes a robot while it is simulated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import Model
from mbd_ros.simulation.motion import Loads

Array = NDArray[np.float64]

STRONGEST, REACH, LONGEST = 1e6, 1e3, 3600.0
"""Largest force [N] and moment [N m], distance from the link's origin [m], and time [s]."""


class Push(NamedTuple):
    """
    A wrench on a point of a link.

    Attributes
    ----------
    link : str
        The link.
    point : array
        (3,) in the axes of the link [m].
    force, moment : array
        (3,) in world axes, the moment about the point [N, N m].
    duration : float
        How long it acts [s].

    """

    link: str
    point: Array
    force: Array
    moment: Array
    duration: float

    def check(self, model: Model) -> Push:
        """
        Return it, checked against a robot.

        Raises
        ------
        UnknownNameError, InvalidValueError
            If the robot has no such link, or a number is not finite or too large.

        """
        if self.link not in model.links:
            raise UnknownNameError('link', self.link, model.links)
        for name, value, most, unit in (
                ('force', self.force, STRONGEST, 'N'), ('moment', self.moment, STRONGEST, 'N m'),
                ('point', self.point, REACH, 'm')):
            if not np.abs(value).max() <= most:   # nan, too
                raise InvalidValueError(f"{name} of the push on '{self.link}'", value.tolist(),
                                        f'numbers from {-most:g} to {most:g} [{unit}]')
        if not 0.0 <= self.duration <= LONGEST:
            raise InvalidValueError(f"duration of the push on '{self.link}'", self.duration,
                                    f'from 0 to {LONGEST:g} [s]')
        return self


class Pushes:
    """
    Pushes that act at a time, one on each link, beside other forces on links.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    others : mapping, callable or None
        The other forces, as ``external_forces`` of ``Stepper``.

    """

    def __init__(self, dyn: PreparedDynamics, others: Loads | None) -> None:
        self._dyn, self._others = dyn, others
        self._acting: dict[str, tuple[Push, float]] = {}

    def add(self, push: Push, time: float) -> None:
        """Let a push act from a time [s] on, in place of the one on the same link."""
        self._acting = {**self._acting, push.link: (push, time + push.duration)}

    def at(self, time: float) -> bool:
        """Tell whether any acts at a time [s]; those that are over are forgotten."""
        if any(end <= time for _, end in self._acting.values()):
            self._acting = {link: (push, end) for link, (push, end) in self._acting.items()
                            if end > time}
        return bool(self._acting)

    def __call__(self, t: float, q: Array, v: Array) -> dict[str, Array]:
        """Return the wrenches (6,) at the links' origins in world axes, force first [N, N m]."""
        others = self._others(t, q, v) if callable(self._others) else self._others
        found = {link: np.asarray(wrench, dtype=np.float64)
                 for link, wrench in (others or {}).items()}
        for link, (push, _) in self._acting.items():
            moment = push.moment + np.cross(
                self._dyn.pose(q, link)[:3, :3] @ push.point, push.force)
            found[link] = found.get(link, np.zeros(6)) + np.concatenate((push.force, moment))
        return found
