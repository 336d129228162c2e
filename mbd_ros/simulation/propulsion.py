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
Thrusters in time: shafts that follow commands, and what they push.

The command is the wanted thrust T_c, held. A thruster with the curve ``T = c n |n|`` needs the
shaft's speed ``n_c = sign(T_c) sqrt(|T_c| / c)``, which it approaches with a time constant::

    tau n' = n_c - n,    n(t) = n_c + (n_0 - n_c) e^{-(t - t_0) / tau}

with c for thrusts forwards or in reverse. Without a curve n is the thrust itself.

References
----------
Fossen, Handbook of Marine Craft Hydrodynamics and Motion Control, 2011, section 12.2: quadratic
thrust, first-order shafts.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.functions.thrust_map import thrust_columns
from mbd_ros.errors import NotFiniteError, ShapeError
from mbd_ros.model import Model
from mbd_ros.model.attachments.thrusters import Thruster
from mbd_ros.model.joints.matched_joints import matched_rates
from mbd_ros.simulation.manifold import Vector


class Propulsion:
    """
    The thrusters of a robot, at rest at first.

    Parameters
    ----------
    thrusters : sequence of Thruster
        Those of the model.

    """

    def __init__(self, thrusters: Sequence[Thruster]) -> None:
        self.names = tuple(one.name for one in thrusters)
        self._lower, self._upper, self._forward, self._reverse, self._lag = (
            np.array([getattr(one, name) for one in thrusters]) for name in (
                'lower', 'upper', 'forward', 'reverse', 'time_constant'))
        self._curved = self._forward > 0.0
        self._speed = self._wanted = np.zeros(len(thrusters))
        self._since = 0.0

    def command(self, thrust: ArrayLike, t: float) -> None:
        """
        Follow other thrusts from a time on.

        Parameters
        ----------
        thrust : array_like
            (k,) that are wanted [N]; what is beyond the limits is cut to them.
        t : float
            [s].

        Raises
        ------
        ShapeError, NotFiniteError
            If they are not (k,) finite numbers.

        """
        wanted = checked_thrust(self.names, thrust).clip(self._lower, self._upper)
        self._speed, self._since = self.speed(t), t
        self._wanted = np.where(self._curved, np.sign(wanted) * np.sqrt(
            np.abs(wanted) / self._curve(wanted)), wanted)

    def stop(self, t: float) -> None:
        """Let the shafts rest at a time [s]."""
        self._speed = self._wanted = np.zeros(len(self.names))
        self._since = t

    def speed(self, t: float) -> Vector:
        """Return the speeds of the shafts (k,) at a time [rad/s; without a curve N]."""
        lag = np.where(self._lag > 0.0, self._lag, 1.0)
        left = np.where(self._lag > 0.0, np.exp((self._since - t) / lag), 0.0)
        found: Vector = self._wanted + (self._speed - self._wanted) * left
        return found

    def thrust(self, t: float) -> Vector:
        """Return the thrusts (k,) at a time [N]."""
        n = self.speed(t)
        found: Vector = np.where(self._curved, self._curve(n) * n * np.abs(n), n)
        return found

    def _curve(self, of: Vector) -> Vector:
        """Return c by the sign of speeds or thrusts; 1 without a curve."""
        c = np.where(of < 0.0, self._reverse, self._forward)
        return np.where(self._curved, c, 1.0)


def checked_thrust(names: Sequence[str], thrust: ArrayLike) -> Vector:
    """Return one finite thrust for each thruster."""
    try:
        values = np.asarray(thrust, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (len(names),):
        raise ShapeError('thrust', values.shape, f'({len(names)},): {", ".join(names)}' if names
                         else '(0,): the robot has no thrusters')
    for name, value in zip(names, values.tolist()):
        if not np.isfinite(value):
            raise NotFiniteError('thrust', f"thruster '{name}'", value)
    return values


def matched_commands(old: Model, commands: Vector, new: Model) -> Vector:
    """Return commands of a robot, efforts and thrusts, for the one that takes its place."""
    thrusts = dict(zip((one.name for one in old.thrusters), commands[old.nv:]))
    return np.concatenate([matched_rates(old, commands[:old.nv], new),
                           [thrusts.get(one.name, 0.0) for one in new.thrusters]])


def propelled(dyn: PreparedDynamics, q: Vector, thrust: Vector) -> Vector:
    """Return what thrusts (k,) do as generalized forces (nv,)."""
    found: Vector = thrust_columns(dyn, q) @ thrust
    return found


def limits(model: Model) -> tuple[Vector, Vector]:
    """Return the lower and upper limits of efforts (nv,), then of thrusts (k,)."""
    lower, upper = (np.array([getattr(one, name) for one in model.thrusters])
                    for name in ('lower', 'upper'))
    return (np.concatenate([-model.effort_limits, lower]),
            np.concatenate([model.effort_limits, upper]))
