"""
Joint screws of all bodies in one frame: world axes, at the world's origin.

There, twists of all bodies add without transforms. All 6-D vectors are linear, then angular;
arrays have a leading axis N of states. With ``s_j`` the screw of velocity coordinate j and
``V_i`` the twist of body i::

    V_i = sum of s_j v_j over the joints j that carry body i
    ds_j/dt = V_b x s_j       b the body that the joint moves: its axes are fixed in b

What takes sums over the bodies that a joint carries is in ``composites.py``.

References
----------
Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 2 and 6.

"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.stacks.stacks import apply, cross_matrices
from mbd_ros.model import Model

Array = NDArray[np.float64]
NEXT, LAST = [1, 2, 0], [2, 0, 1]
"""Entries that follow and precede each of three, around."""


class Screws(NamedTuple):
    """
    Screws of N states.

    Attributes
    ----------
    carries : array
        (nb, nv): 1.0 where velocity coordinate j carries body i.
    body : array of int
        (nv,): the body that each velocity coordinate moves.
    poses : array
        (N, nb, 4, 4): bodies in the world.
    axes : array
        (N, nv, 6): the screws s_j.

    """

    carries: Array
    body: NDArray[np.intp]
    poses: Array
    axes: Array

    def twists(self, v: Array) -> Array:
        """Return the twists V_i (N, nb, 6) at velocities v (N, nv)."""
        return np.asarray(self.carries @ (self.axes * v[..., None]))

    def rates(self, twists: Array) -> Array:
        """Return the rates of the screws (N, nv, 6) where the bodies have twists (N, nb, 6)."""
        return motion_cross(twists[:, self.body], self.axes)


@functools.lru_cache(maxsize=64)
def _layout(model: Model) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
    """Return which coordinate carries which body; for each coordinate its body and its axis."""
    carries = np.zeros((model.nb, model.nv))
    body, axis = np.zeros(model.nv, dtype=np.intp), np.zeros(model.nv, dtype=np.intp)
    for i, (parent, kind) in enumerate(zip(model.parents, model.joint_types)):
        own = slice(model.v_offsets[i], model.v_offsets[i] + kind.nv)
        carries[i] = carries[parent] if parent >= 0 else 0.0
        carries[i, own], body[own], axis[own] = 1.0, i, kind.pair.axes
    return carries, body, axis


def screws_of(model: Model, poses: Array) -> Screws:
    """
    Return the screws.

    Parameters
    ----------
    model : Model
        The robot.
    poses : array
        (N, nb, 4, 4): poses of the bodies in the world [m].

    Returns
    -------
    Screws
        In world axes at the world's origin.

    """
    carries, body, axis = _layout(model)
    own = poses[:, body]
    direction = own[:, np.arange(model.nv), :3, axis % 3].transpose(1, 0, 2)
    turns = (axis < 3)[:, None]
    axes = np.concatenate((
        np.where(turns, cross(own[..., :3, 3], direction), direction),
        np.where(turns, direction, 0.0)), axis=-1)
    return Screws(carries, body, poses, axes)


def _mass_centers(model: Model, poses: Array) -> Array:
    return apply(poses[..., :3, :3], model.mass_centers) + poses[..., :3, 3]


def center_of_mass(model: Model, poses: Array) -> Array:
    """Return the mass centre (N, 3) of all bodies [m]."""
    return np.asarray(model.masses @ _mass_centers(model, poses) / model.masses.sum())


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b`` (..., 3); NumPy's own takes several times as long for few vectors."""
    result = a[..., NEXT] * b[..., LAST]
    result -= a[..., LAST] * b[..., NEXT]
    return result


def motion_cross(twists: Array, motions: Array) -> Array:
    """Return V x m (..., 6) for twists V and motions m."""
    return np.concatenate((
        cross(twists[..., 3:], motions[..., :3]) + cross(twists[..., :3], motions[..., 3:]),
        cross(twists[..., 3:], motions[..., 3:])), axis=-1)


def inertial_parameters(model: Model) -> Array:
    """
    Return the inertial parameters (nb, 10) of the bodies.

    Each row is mass [kg], first moment (3) [kg m], then the inertia about the body's origin in
    the order xx, xy, yy, xz, yz, zz [kg m^2], in body axes, as Pinocchio has them.
    """
    center = cross_matrices(np.asarray(model.mass_centers))
    about_origin = model.inertias - model.masses[:, None, None] * center @ center
    rows, columns = np.array([(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]).T
    return np.concatenate((model.masses[:, None], model.masses[:, None] * model.mass_centers,
                           about_origin[:, rows, columns]), axis=1)
