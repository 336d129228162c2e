r"""
Thrusters as the actuators of a floating base.

A controller asks for generalized forces f, those of the base among them. Thrusts T of least norm
give the base its part, and the joints bear what the thrusters on their links do besides::

    T = B_b^+ f_b,      tau_j = f_j - B_j T

with the rows of the actuation matrix B (``thruster_map``) that belong to the base, ``B_b``, and to
the joints, ``B_j``. That is exact where ``B_b`` has rank 6.

"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.dynamics.api.thrust_map import thrust_columns
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.simulation.manifold import Vector

LEAST = 1e-6
"""A direction is not pushed where its singular value is a smaller part of the largest."""


class ThrustAllocation:
    """
    Commands of joints and thrusters that make a generalized force.

    Parameters
    ----------
    dyn : PreparedDynamics
        The robot.
    thrusters : sequence of str
        Names of the thrusters that are commanded.

    Raises
    ------
    InvalidValueError
        If they do not push the floating base in all six directions.

    """

    def __init__(self, dyn: PreparedDynamics, thrusters: Sequence[str]) -> None:
        model = dyn.model
        self._dyn = dyn
        self._named = np.array([k for k, one in enumerate(model.thrusters)
                                if one.name in thrusters], dtype=np.intp)
        base = floating_base(model) if len(self._named) else None
        self._base = None if base is None else base.v
        if self._base is None:
            return
        sizes = np.linalg.svd(
            thrust_columns(dyn, neutral(model))[self._base, self._named], compute_uv=False)
        if len(sizes) < 6 or sizes[-1] < LEAST * sizes[0]:
            raise InvalidValueError('thrusters', list(thrusters), (
                'thrusters that push the floating base in all six directions, or none in the '
                'parameter joints'))

    def commands(self, q: Vector, force: Vector) -> Vector:
        """
        Return efforts (nv,), zero at the base, and then the thrusts of all thrusters.

        Parameters
        ----------
        q : Vector
            (nq,).
        force : Vector
            (nv,) generalized forces.

        """
        thrust = np.zeros(len(self._dyn.model.thrusters))
        if self._base is None:
            return np.concatenate([force, thrust])
        B = thrust_columns(self._dyn, q)[:, self._named]
        thrust[self._named] = np.linalg.lstsq(B[self._base], force[self._base], rcond=LEAST)[0]
        efforts = force - B @ thrust[self._named]
        efforts[self._base] = 0.0
        return np.concatenate([efforts, thrust])
