"""How stiff feet on the ground are, and whether they begin too deep."""

from __future__ import annotations

import math
from typing import NamedTuple
import warnings

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.errors import ContactWarning
from mbd_ros.execution.program.records import vector_record
from mbd_ros.model import JointType
from mbd_ros.simulation.manifold import Vector

OF_SPRING = 0.2
"""
Of ``sqrt(m / k)``: thirty steps in a period of the spring. A damper takes steps below m / c, and
friction, which rises by mu N within v_s, below m v_s / (mu N).
"""
REST = 2.0
"""A spring with more than this times the energy that lifting the robot out takes throws it."""


class Feet(NamedTuple):
    """
    The points of a robot that touch its ground, where it starts.

    Attributes
    ----------
    shortest : tuple of (float, str)
        The longest step of an explicit method [s] that is short enough for all, and the link of
        the point that asks for it.
    deepest : tuple of (float, str)
        How far a point is below the ground [m], 0 at least, and its link.
    energy : float
        In all springs [J].

    """

    shortest: tuple[float, str]
    deepest: tuple[float, str]
    energy: float


def feet_at(dyn: PreparedDynamics, q: Vector) -> Feet:
    """
    Return how points touch the ground.

    The mass m that a point moves along the normal n is ``1 / (n J M^-1 J^T n)`` at the start, and
    so along the ground where it is least. Points of a robot that floats carry its weight, each as
    much as others, if they are not pressed more.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot, a tree of rigid links, on its ground.
    q : Vector
        Where it starts (nq,).

    """
    ground, poses, M = dyn.world[GROUND], dyn.body_poses(q), dyn.mass_matrix(q)
    deepest, energy, shortest = (0.0, ''), 0.0, (math.inf, '')
    carried = 0.0
    if dyn.model.joint_types[0] is JointType.FLOATING:
        carried = float(np.linalg.norm(dyn.bias_forces(q, np.zeros(dyn.model.nv))[:3]))
    for point in dyn.model.contacts:
        pose = poses[point.body]
        center = pose[:3, 3] + pose[:3, :3] @ point.frame.translation
        plane = ground.below(vector_record(center))
        normal = np.array(plane.normal)
        depth = plane.height - normal @ center + point.radius
        energy += 0.5 * point.stiffness * max(depth, 0.0) ** 2
        deepest = max(deepest, (float(depth), point.link))
        J = dyn.jacobian(q, point.link)
        arm = center - normal * point.radius - dyn.pose(q, point.link)[:3, 3]
        at_point = J[:3] - np.cross(arm, J[3:].T).T
        eased = at_point @ np.linalg.solve(M, at_point.T)   # (3, 3): 1 / m
        flat = np.eye(3) - np.outer(normal, normal)
        load = point.friction * max(point.stiffness * depth, carried / len(dyn.model.contacts))
        slowest = max(float(normal @ eased @ normal) * point.damping,
                      float(np.linalg.eigvalsh(flat @ eased @ flat)[-1]) * load / point.slip_speed,
                      math.sqrt(normal @ eased @ normal * point.stiffness) / OF_SPRING)
        if slowest > 0.0:   # else no joint moves it
            shortest = min(shortest, (1.0 / slowest, point.link))
    return Feet(shortest, deepest, energy)


def warn_of_contact(dyn: PreparedDynamics, feet: Feet, step: float | None) -> None:
    """
    Warn where feet are so deep that they are thrown out, and where a step is too long for them.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    feet : Feet
        Its feet.
    step : float, optional
        Of an explicit method that was asked for [s].

    Warns
    -----
    ContactWarning
        Once of each at most: of the deepest foot and of the shortest step that is needed.

    """
    depth, link = feet.deepest
    mass = float(dyn.model.masses.sum())
    if feet.energy > REST * mass * float(np.linalg.norm(dyn.gravity)) * depth:
        warnings.warn(
            f"the contact of link '{link}' begins {depth:.3g} m below the ground, "
            f'whose springs hold {feet.energy:.3g} J: they throw the robot out; begin higher',
            ContactWarning, stacklevel=3)
    shortest, link = feet.shortest
    if step is not None and step > shortest:
        warnings.warn(
            f"steps of {step:.3g} s are long for the contact of link '{link}'; allowed: "
            f"up to {shortest:.3g} s, or method='contact'", ContactWarning, stacklevel=3)
