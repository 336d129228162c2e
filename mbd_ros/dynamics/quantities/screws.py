"""
Joint screws and spatial inertias of all bodies in one frame: world axes, at the world's origin.

There, twists and wrenches of all bodies add without transforms, so that quantities of the whole
robot are sums over the bodies that a joint carries. All 6-D vectors are linear, then angular;
arrays have a leading axis N of states. With ``s_j`` the screw of velocity coordinate j, ``V_i``
the twist of body i and ``I_i`` its spatial inertia::

    V_i = sum of s_j v_j over the joints j that carry body i
    ds_j/dt = V_b x s_j       b the body that the joint moves: its axes are fixed in b
    I_j^c = sum of I_i over the bodies i that joint j carries (composite inertia)

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
    Screws and inertias of N states.

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
    inertias : array
        (N, nb, 6, 6): spatial inertias of the bodies about the world's origin.

    """

    carries: Array
    body: NDArray[np.intp]
    poses: Array
    axes: Array
    inertias: Array

    def twists(self, v: Array) -> Array:
        """Return the twists V_i (N, nb, 6) at velocities v (N, nv)."""
        return np.asarray(self.carries @ (self.axes * v[..., None]))

    def rates(self, twists: Array) -> Array:
        """Return the rates of the screws (N, nv, 6) where the bodies have twists (N, nb, 6)."""
        return motion_cross(twists[:, self.body], self.axes)

    def carried(self, of_bodies: Array) -> Array:
        """Return the sums (N, nv, ...) over the bodies that each velocity coordinate carries."""
        flat = of_bodies.reshape(*of_bodies.shape[:2], -1)
        return np.asarray(self.carries.T @ flat).reshape(len(flat), -1, *of_bodies.shape[2:])


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
    Return screws and inertias.

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
    rotation = poses[..., :3, :3]
    center = cross_matrices(_mass_centers(model, poses))
    mass = model.masses[:, None, None]
    inertias = np.zeros((*poses.shape[:2], 6, 6))
    inertias[..., :3, :3] = mass * np.eye(3)
    inertias[..., :3, 3:], inertias[..., 3:, :3] = -mass * center, mass * center
    inertias[..., 3:, 3:] = (rotation @ model.inertias @ rotation.swapaxes(-1, -2)
                             - mass * center @ center)
    return Screws(carries, body, poses, axes, inertias)


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


def coriolis_of_bodies(screws: Screws, twists: Array) -> Array:
    """
    Return the matrices B_i (N, nb, 6, 6) with ``B V = V x* I V`` and ``dI/dt - 2 B`` skew.

    ``B = (V x* I - I V x + (I V) xbar*) / 2``, where ``h xbar* m = m x* h``.

    References
    ----------
    Echeandia, Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems, 2021, equation 24.

    """
    inertias, turn = screws.inertias, np.zeros_like(screws.inertias)
    turn[..., :3, :3] = turn[..., 3:, 3:] = cross_matrices(twists[..., 3:])
    turn[..., :3, 3:] = cross_matrices(twists[..., :3])
    momenta = apply(inertias, twists)
    result: Array = -turn.swapaxes(-1, -2) @ inertias - inertias @ turn
    force = cross_matrices(momenta[..., :3])
    result[..., :3, 3:] -= force
    result[..., 3:, :3] -= force
    result[..., 3:, 3:] -= cross_matrices(momenta[..., 3:])
    return 0.5 * result


def coriolis_matrix(screws: Screws, v: Array) -> Array:
    """
    Return C (N, nv, nv) with ``C v`` the velocity terms and ``dM/dt - 2 C`` skew-symmetric.

    ``C_kj = s_k^T (I^c ds_j/dt + B^c s_j)`` with the composites of what both joints carry.
    """
    twists = screws.twists(v)
    rates = screws.rates(twists)
    inertia = screws.carried(screws.inertias)
    coriolis = screws.carried(coriolis_of_bodies(screws, twists))
    carried_by = screws.carries[screws.body].T   # [k, j]: k carries the body that j moves
    axes = screws.axes
    inward = axes @ (apply(inertia, rates) + apply(coriolis, axes)).swapaxes(1, 2)
    outward = (apply(inertia, axes) @ rates.swapaxes(1, 2)
               + apply(coriolis.swapaxes(2, 3), axes) @ axes.swapaxes(1, 2))
    return np.where(carried_by > 0.0, inward, np.where(carried_by.T > 0.0, outward, 0.0))


def centroidal_map(model: Model, screws: Screws) -> Array:
    """Return A (N, 6, nv) with ``A v`` the momentum about the mass centre, in world axes."""
    about_origin = apply(screws.carried(screws.inertias), screws.axes).swapaxes(1, 2)
    center = cross_matrices(center_of_mass(model, screws.poses))
    about_origin[:, 3:] -= center @ about_origin[:, :3]
    return about_origin


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


def regressor(screws: Screws, v: Array, qdd: Array, gravity: Array) -> Array:
    """
    Return Y (N, nv, 10 nb): inverse dynamics without rotors are Y times the parameters.

    With a the acceleration of a body's origin less gravity, w and alpha its angular velocity and
    acceleration, in body axes, the wrench of a body is linear in its parameters::

        force = a m + ([alpha] + [w]^2) m c
        moment = -[a] m c + (L(alpha) + [w] L(w)) I      L(x) I = I x

    References
    ----------
    Atkeson, An, Hollerbach, Estimation of inertial parameters of manipulator loads and links,
    1986.

    """
    twists = screws.twists(v)
    spatial = screws.carries @ (screws.axes * qdd[..., None] + screws.rates(twists) * v[..., None])
    rotation, origin = screws.poses[..., :3, :3], screws.poses[..., :3, 3]
    angular = twists[..., 3:]
    velocity = twists[..., :3] + cross(angular, origin)
    classical = (spatial[..., :3] + cross(spatial[..., 3:], origin)
                 + cross(angular, velocity) - gravity)

    def in_body(vectors: Array) -> Array:
        return np.asarray(vectors[..., None, :] @ rotation)[..., 0, :]
    a, w, alpha = in_body(classical), in_body(angular), in_body(spatial[..., 3:])
    turning = cross_matrices(w)
    wrench = np.zeros((*a.shape[:2], 6, 10))
    wrench[..., :3, 0] = a
    wrench[..., :3, 1:4] = cross_matrices(alpha) + turning @ turning
    wrench[..., 3:, 1:4] = -cross_matrices(a)
    wrench[..., 3:, 4:] = _times_inertia(alpha) + turning @ _times_inertia(w)
    wrench = np.concatenate((rotation @ wrench[..., :3, :], rotation @ wrench[..., 3:, :]), -2)
    wrench[..., 3:, :] += cross_matrices(origin) @ wrench[..., :3, :]
    rows = screws.axes @ wrench.swapaxes(1, 2).reshape(len(wrench), 6, -1)
    return rows * np.repeat(screws.carries.T, 10, axis=1)


def _times_inertia(x: Array) -> Array:
    """Return L (..., 3, 6) with ``L I = I x``, I in the order xx, xy, yy, xz, yz, zz."""
    matrices = np.zeros((*x.shape, 6))
    for row, columns in enumerate(((0, 1, 3), (1, 2, 4), (3, 4, 5))):
        matrices[..., row, columns] = x
    return matrices
