"""Joints that move no inertia: the mass matrix would be singular wherever the robot stands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.frames import axis_rotation
from mbd_ros.errors import SingularMassError
from mbd_ros.model.joint_type import JointType
from mbd_ros.model.model import Model

Array = NDArray[np.float64]

TOLERANCE = 1e-12
"""
Of the inertia that a joint moves when all others are locked. Rounding leaves about 1e-15 of it;
the lightest motor on the heaviest robot is far above.
"""

_AXES = {JointType.REVOLUTE: (2,), JointType.PRISMATIC: (5,), JointType.FLOATING: tuple(range(6))}


def check_masses(model: Model) -> None:
    """
    Raise an error if some joint moves no inertia.

    Joint i moves none if its own entry ``D_i = S_i^T I_i^A S_i`` of the articulated-body recursion
    is zero: all its outboard bodies can yield without a force. This is decided at one generic
    configuration, so that a robot which is singular in special positions only passes.

    Parameters
    ----------
    model : Model
        The robot.

    Raises
    ------
    SingularMassError
        With the name of the joint nearest to the root, and where its link stands in the file.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3.

    """
    for joint in reversed(list(massless_joints(model))):
        link = model.body_names[joint]
        source = next(item.source for item in model.mechanism.links if item.name == link)
        raise SingularMassError(
            model.joint_names[joint],
            f"link '{link}' ({source}) and all that it carries yield without a force")


def massless_joints(model: Model) -> Iterator[int]:
    """Yield the index of every joint that moves no inertia, tips first."""
    if model.nb == 0 or _all_have_mass(model):
        return
    rng = np.random.default_rng(0)
    articulated = [_spatial_inertia(model, i) for i in range(model.nb)]
    locked = [inertia.copy() for inertia in articulated]
    for i in reversed(range(model.nb)):
        axes = list(_AXES[model.joint_types[i]])
        rotors = np.diag(model.armature[model.v_offsets[i]:model.v_offsets[i] + len(axes)])
        columns = articulated[i][:, axes]
        entry = columns[axes] + rotors
        whole = locked[i][np.ix_(axes, axes)] + rotors
        if _is_singular(entry, whole):
            yield i
        left = articulated[i] - columns @ np.linalg.pinv(entry, rcond=TOLERANCE) @ columns.T
        parent = model.parents[i]
        if parent >= 0:
            motion = _generic_motion(model, i, rng)
            articulated[parent] += motion.T @ left @ motion
            locked[parent] += motion.T @ locked[i] @ motion


def _all_have_mass(model: Model) -> bool:
    """Return whether each body alone resists its joint, as usual; then no joint moves none."""
    x, y, _ = model.mass_centers.T
    resistance = {
        JointType.REVOLUTE: model.inertias[:, 2, 2] + model.masses * (x * x + y * y),
        JointType.PRISMATIC: model.masses,
        JointType.FLOATING: np.minimum(np.linalg.eigvalsh(model.inertias)[:, 0], model.masses),
    }
    return all(resistance[kind][i] + model.armature[first] > 1e-9
               for i, (kind, first) in enumerate(zip(model.joint_types, model.v_offsets)))


def _is_singular(entry: Array, whole: Array) -> bool:
    scale = np.sqrt(np.maximum(np.diag(whole), np.finfo(float).tiny))
    if np.diag(whole).min() <= 0.0:
        return True
    return bool(np.linalg.eigvalsh(entry / np.outer(scale, scale))[0] <= TOLERANCE)


def _spatial_inertia(model: Model, i: int) -> Array:
    """Return the 6 x 6 inertia of body i about its origin, angular rows first."""
    mass, c = model.masses[i], _cross(model.mass_centers[i])
    return np.block([[model.inertias[i] - mass * c @ c, mass * c],
                     [-mass * c, mass * np.eye(3)]])


def _generic_motion(model: Model, i: int, rng: np.random.Generator) -> Array:
    """Return the 6 x 6 matrix that takes a twist of the parent to body i, its joint displaced."""
    turn, shift = np.eye(3), np.zeros(3)
    if model.joint_types[i] is not JointType.PRISMATIC:
        angle = rng.uniform(0.5, 2.5)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0],
                         [0.0, 0.0, 1.0]])
    if model.joint_types[i] is JointType.FLOATING:
        direction = rng.normal(size=3)
        turn = axis_rotation(tuple(direction / np.linalg.norm(direction))) @ turn
    if model.joint_types[i] is not JointType.REVOLUTE:
        shift = np.array([0.0, 0.0, rng.uniform(0.1, 1.0)])
    rotation = (model.rotations[i] @ turn).T
    place = model.translations[i] + model.rotations[i] @ shift
    return np.block([[rotation, np.zeros((3, 3))], [-rotation @ _cross(place), rotation]])


def _cross(p: Array) -> Array:
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
