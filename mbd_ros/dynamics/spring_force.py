"""Springs and dampers between two points."""

from __future__ import annotations

from mbd_ros.dynamics.loop_rows import Side
from mbd_ros.execution.sweeps import Tie
from mbd_ros.spatial import inverse_above, Scalar, Vector3
from mbd_ros.spatial.vector import root


def pull(tie: Tie, first: Side, second: Side) -> Vector3:
    """
    Return the force on the first body [N], opposite to that on the second, in world axes.

    ``(k (l - l0) + c l') n`` with n from the first point to the second, l apart; where the points
    coincide there is no direction, and no force.
    """
    stiffness, damping, rest = tie.constants
    d = second.point - first.point
    length = root(d.dot(d))
    n = d * inverse_above(length, 0.0)
    rate = n.dot(second.velocity - first.velocity)
    return n * ((length - rest) * stiffness + rate * damping)


def stored(tie: Tie, first: Side, second: Side) -> Scalar:
    """Return the energy in the spring [J]."""
    stiffness, _, rest = tie.constants
    d = second.point - first.point
    stretch = root(d.dot(d)) - rest
    return stretch * stretch * stiffness * 0.5
