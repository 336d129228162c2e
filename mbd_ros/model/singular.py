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

"""Joints that move no inertia, so that the mass matrix is singular everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.budget import look
from mbd_ros.errors import SingularMassError
from mbd_ros.model.model import Model
from mbd_ros.model.rigid_motion import rotate, turn
from mbd_ros.spatial.rank_thresholds import MOVED_INERTIA

Array = NDArray[np.float64]


def mass_errors(model: Model) -> list[SingularMassError]:
    """
    Return an error for each joint that moves no inertia, the nearest to the root first.

    Joint i moves none if its own entry ``D_i = S_i^T I_i^A S_i`` of the articulated-body recursion
    is zero: all its outboard bodies can yield without a force. This is decided at one generic
    configuration, so that a robot which is singular in special positions only passes.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    list of SingularMassError
        With the name of the joint, and where its link stands in the file.

    References
    ----------
    Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3.

    """
    found = list(massless_joints(model))
    if not found:
        return []
    sources = {link.name: link.source for link in model.mechanism.links}
    said: dict[str, list[str]] = {}
    for finding in model.findings:
        whose, _, what = finding.message.partition(': ')
        if what.startswith('element <'):
            said.setdefault(whose, []).append(what)
    errors = []
    for joint in reversed(found):
        link = model.body_names[joint]
        source, unread = sources[link], said.get(f"link '{link}'", ())
        look(source.file, source.line)
        errors.append(SingularMassError(
            model.joint_names[joint],
            '; '.join([f"link '{link}' ({source}) and all that it carries yield without a force",
                       *unread, f"load(..., locked={{'{model.joint_names[joint]}': 0.0}}) holds "
                       "it, load(..., inertia='unchecked') reads the robot as it is"]),
            file=source.file, line=source.line))
    return errors


def massless_joints(model: Model) -> Iterator[int]:
    """Yield the index of every joint that moves no inertia, tips first."""
    if model.nb == 0 or _all_have_mass(model):
        return
    rng = np.random.default_rng(0)
    articulated = list(_spatial_inertias(model))
    locked = [inertia.copy() for inertia in articulated]
    for i in reversed(range(model.nb)):
        look()
        axes = list(model.joint_types[i].pair.axes)
        rotors = np.diag(model.armature[model.v_offsets[i]:model.v_offsets[i] + len(axes)])
        columns = articulated[i][:, axes]
        entry = columns[axes] + rotors
        whole = locked[i][np.ix_(axes, axes)] + rotors
        if _is_singular(entry, whole):
            yield i
        left = articulated[i] - columns @ np.linalg.pinv(entry, rcond=MOVED_INERTIA) @ columns.T
        parent = model.parents[i]
        if parent >= 0:
            motion = _generic_motion(model, i, rng)
            articulated[parent] += motion.T @ left @ motion
            locked[parent] += motion.T @ locked[i] @ motion


def _all_have_mass(model: Model) -> bool:
    """Return whether each body alone resists its joint, as usual; then no joint moves none."""
    inertias = _spatial_inertias(model)
    for kind in set(model.joint_types):
        bodies = [i for i, other in enumerate(model.joint_types) if other is kind]
        axes = np.array(kind.pair.axes)
        resistance = np.linalg.eigvalsh(inertias[bodies][:, axes[:, None], axes])[:, 0]
        rotors = model.armature[[model.v_offsets[i] for i in bodies]] if kind.nv == 1 else 0.0
        if (resistance + rotors <= 1e-9).any():
            return False
    return True


def _is_singular(entry: Array, whole: Array) -> bool:
    scale = np.sqrt(np.maximum(np.diag(whole), np.finfo(float).tiny))
    if np.diag(whole).min() <= 0.0:
        return True
    return bool(np.linalg.eigvalsh(entry / np.outer(scale, scale))[0] <= MOVED_INERTIA)


def _spatial_inertias(model: Model) -> Array:
    """Return the 6 x 6 inertias (nb, 6, 6) about the bodies' origins, angular rows first."""
    inertias = np.zeros((model.nb, 6, 6))
    moments = model.masses[:, None, None] * _crosses(model.mass_centers)
    inertias[:, :3, :3] = model.inertias - moments @ _crosses(model.mass_centers)
    inertias[:, :3, 3:], inertias[:, 3:, :3] = moments, -moments
    inertias[:, 3:, 3:] = model.masses[:, None, None] * np.eye(3)
    return inertias


def _generic_motion(model: Model, i: int, rng: np.random.Generator) -> Array:
    """Return the 6 x 6 matrix that takes a twist of the parent to body i, its joint displaced."""
    displaced = np.zeros(6)
    axes = list(model.joint_types[i].pair.axes)
    displaced[axes] = rng.uniform(0.5, 1.2, len(axes))
    x, y, z = displaced[:3].tolist()
    turned = np.array([rotate(turn((x, y, z)), axis) for axis in (
        (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]).T
    rotation = (model.rotations[i] @ turned).T
    place = model.translations[i] + model.rotations[i] @ displaced[3:]
    return np.block([[rotation, np.zeros((3, 3))],
                     [-rotation @ _crosses(place[None])[0], rotation]])


def _crosses(p: Array) -> Array:
    """Return the matrices ``[p]x`` (N, 3, 3) of vectors (N, 3)."""
    matrices = np.zeros((len(p), 3, 3))
    matrices[:, 2, 1], matrices[:, 0, 2], matrices[:, 1, 0] = p.T
    return matrices - matrices.transpose(0, 2, 1)
