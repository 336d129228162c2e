"""The thrusters of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.thruster import ThrusterBody

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Thruster:
    """
    A propeller that pushes a link along an axis.

    Attributes
    ----------
    name, link : str
        Its name, and the link that it pushes.
    wrench : (6,) array
        Force [N] and moment [N m] of a thrust of 1 N about the link's origin, in its axes.
    forward, reverse : float
        Thrust per square of the shaft's speed [N s^2/rad^2]; 0: without a curve.
    time_constant : float
        [s].
    lower, upper : float
        Limits of the thrust [N].

    """

    name: str
    link: str
    wrench: Array
    forward: float
    reverse: float
    time_constant: float
    lower: float
    upper: float


def make_thruster(one: ThrusterBody) -> Thruster:
    """Return a thruster of a model."""
    return Thruster(one.name, one.link, np.array([*one.axis, *np.cross(one.point, one.axis)]),
                    *one.curve, one.time_constant, one.lower, one.upper)
