"""What a run on the ground is warned of before it begins: deep feet, and steps that are long."""

from __future__ import annotations

import math
import warnings

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.environment.contact import NAME as GROUND
from mbd_ros.errors import ContactWarning
from mbd_ros.execution.program.records import vector_record
from mbd_ros.simulation.manifold import Vector

OF_SPRING = 0.2
"""
Of ``sqrt(m / k)``: thirty steps in a period of the spring. A damper takes steps below m / c, and
friction, which rises by mu N within v_s, below m v_s / (mu N).
"""
REST = 2.0
"""A spring with more than this times the energy that lifting the robot out takes throws it."""


def warn_of_contact(dyn: PreparedDynamics, q: Vector, step: float | None) -> None:
    """
    Warn where feet are so deep that they are thrown out, and where a step is too long for them.

    The mass m that a point moves along the normal n is ``1 / (n J M^-1 J^T n)`` at the start, and
    so along the ground where it is least.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot, a tree of rigid links, on its ground.
    q : Vector
        Where it starts (nq,).
    step : float, optional
        Of an explicit method [s]; none if it varies.

    Warns
    -----
    ContactWarning
        Once of each at most: of the deepest foot and of the shortest step that is needed.

    """
    ground, poses, M = dyn.world[GROUND], dyn.body_poses(q), dyn.mass_matrix(q)
    deepest, energy, shortest = (0.0, ''), 0.0, (math.inf, '')
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
        load = point.friction * point.stiffness * max(depth, 0.0)
        slowest = max(float(normal @ eased @ normal) * point.damping,
                      float(np.linalg.eigvalsh(flat @ eased @ flat)[-1]) * load / point.slip_speed,
                      math.sqrt(normal @ eased @ normal * point.stiffness) / OF_SPRING)
        if slowest > 0.0:   # else no joint moves it
            shortest = min(shortest, (1.0 / slowest, point.link))
    mass = float(dyn.model.masses.sum())
    lifting = mass * float(np.linalg.norm(dyn.gravity)) * deepest[0]
    if energy > REST * lifting:
        warnings.warn(
            f"the contact of link '{deepest[1]}' begins {deepest[0]:.3g} m below the ground, "
            f'whose springs hold {energy:.3g} J: they throw the robot out; begin higher',
            ContactWarning, stacklevel=3)
    if step is not None and step > shortest[0]:
        warnings.warn(
            f"steps of {step:.3g} s are long for the contact of link '{shortest[1]}'; allowed: "
            f'up to {shortest[0]:.3g} s, or a method of variable step such as bdf',
            ContactWarning, stacklevel=3)
