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

"""Mass properties as MuJoCo loads them: it refuses moving bodies that no rigid body can be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lxml import etree
import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import mat2quat

from mbd_ros.description.records.inertia_check import REMEDY, ROUNDING
from mbd_ros.description.records.mechanism import Inertia, Link, Mechanism
from mbd_ros.description.records.poses import matrix3
from mbd_ros.description.write.loops import numbers_text
from mbd_ros.errors import UnsupportedError

Matrix = NDArray[np.float64]

LEAST_MASS = 1e-15
"""MuJoCo loads no moving body of less mass (mjMINVAL) [kg]."""

LEAST = 1e-14
"""MuJoCo loads no body with a principal moment below this (mjEPS) [kg m^2]."""

EXACT = 1e-13
"""
MuJoCo computes principal moments to about this, relative to the largest (measured: 4e-15 for
turned rods and plates of 1e-8 to 1e4 kg m^2).
"""


def add_inertials(mechanism: Mechanism, bodies: dict[str, Any]) -> None:
    """
    Add mass, mass centre and inertia tensor to the bodies of an MJCF file.

    Parameters
    ----------
    mechanism : Mechanism
        The robot; links without mass get no element.
    bodies : dict of str to lxml element
        Its bodies by the name of their link; that of the root may be the ``<worldbody>``.

    Raises
    ------
    UnsupportedError
        If MuJoCo would refuse a moving body: one without mass, or with principal moments of
        inertia that no rigid body has.

    """
    carried_by = _welded(mechanism)
    root, exact = mechanism.root, _exact(mechanism, carried_by)
    heavy = set()
    for link in mechanism.links:
        if link.inertia is None or _nothing(link.inertia) or bodies[link.name].tag != 'body':
            continue
        if link.name in exact:
            bodies[link.name].insert(0, _by_axes(link.inertia))
            continue
        tensor = _loadable(link.inertia)
        if tensor is not None and link.inertia.mass > LEAST_MASS:
            heavy.add(carried_by[link.name])
            bodies[link.name].insert(0, _inertial(link.inertia, tensor))
        elif carried_by[link.name] != root:
            raise _refused(link, link.inertia)
    for joint in mechanism.joints:
        if joint.kind != 'fixed' and joint.child not in heavy:
            raise UnsupportedError(
                f"writing link '{joint.child}' as MJCF, which joint '{joint.name}' moves and "
                'which has no mass,', 'MuJoCo loads moving bodies with mass only; give it, or a '
                'link that is fixed to it, mass and inertia', source=joint.source)


def loadable(mechanism: Mechanism) -> Mechanism:
    """Return a robot with the inertia tensors that are written, which MuJoCo loads."""
    links, exact = [], _exact(mechanism, _welded(mechanism))
    for link in mechanism.links:
        tensor = None if link.inertia is None or link.name in exact or _nothing(
            link.inertia) else _loadable(link.inertia)
        if link.inertia is not None and tensor is not None:
            link = replace(link, inertia=replace(link.inertia, tensor=matrix3(tensor)))
        links.append(link)
    return replace(mechanism, links=tuple(links))


def _welded(mechanism: Mechanism) -> dict[str, str]:
    """Return, for each link, the first link of those that fixed joints weld together."""
    children: dict[str, list[tuple[str, bool]]] = {link.name: [] for link in mechanism.links}
    for joint in mechanism.joints:
        children[joint.parent].append((joint.child, joint.kind == 'fixed'))
    first = {mechanism.root: mechanism.root}
    waiting = [mechanism.root]
    while waiting:
        parent = waiting.pop()
        for child, fixed in children[parent]:
            first[child] = first[parent] if fixed else child
            waiting.append(child)
    return first


def _nothing(inertia: Inertia) -> bool:
    return inertia.mass == 0.0 and not np.any(inertia.tensor)


def _exact(mechanism: Mechanism, carried_by: dict[str, str]) -> set[str]:
    """Return the links whose small moments MuJoCo takes as they are: fixed to others with mass."""
    inertias = {link.name: link.inertia for link in mechanism.links}

    def carries(name: str) -> bool:
        inertia = inertias[name]
        return inertia is not None and not _nothing(inertia) and not _slight(inertia)

    return {name for name, inertia in inertias.items()
            if inertia is not None and carried_by[name] != name and not _nothing(inertia)
            and _slight(inertia) and carries(carried_by[name])}


def _slight(inertia: Inertia) -> bool:
    """Return whether moments are such as MuJoCo takes of what is fixed to others only."""
    small, middle, large = np.linalg.eigvalsh(np.array(inertia.tensor)).tolist()
    return bool(inertia.mass > LEAST_MASS and -EXACT * large <= small < 3.0 * LEAST
                and small + middle >= large * (1.0 - EXACT))


def _by_axes(inertia: Inertia) -> Any:
    """Return an inertia by principal moments and axes; points have none, and rods two."""
    moments, axes = np.linalg.eigh(np.array(inertia.tensor))
    moments = np.maximum(moments, 0.0)
    moments[1] = max(moments[1], moments[2] - moments[0])
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return etree.Element('inertial', {
        'pos': numbers_text(inertia.center), 'mass': numbers_text([inertia.mass]),
        'quat': numbers_text(mat2quat(axes)), 'diaginertia': numbers_text(moments)})


def _loadable(inertia: Inertia) -> Matrix | None:
    """
    Return an inertia tensor (3, 3) that MuJoCo loads, None if that would be another body.

    What rounding keeps from being a rigid body's, and moments of zero, are raised by the least
    that MuJoCo tells from them: where two moments are too small for the third, the smallest
    alone, so that turning about the other axes takes what it took.
    """
    tensor = np.array(inertia.tensor)
    moments, axes = np.linalg.eigh(tensor)
    large = float(moments[2])
    margin = EXACT * abs(large)
    lifts = np.maximum(0.0, 3.0 * LEAST + margin - moments)
    small, middle, large = (moments + lifts).tolist()
    lifts[0] += max(0.0, large + margin - (small + middle))
    if not lifts.any():
        return tensor
    if lifts[0] > max(ROUNDING * abs(large), 10.0 * LEAST):
        return None
    return np.asarray(tensor + (axes * lifts) @ axes.T)


def _inertial(inertia: Inertia, tensor: Matrix) -> Any:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return etree.Element('inertial', {
        'pos': numbers_text(inertia.center), 'mass': numbers_text([inertia.mass]),
        'fullinertia': numbers_text((xx, yy, zz, xy, xz, yz))})


def _refused(link: Link, inertia: Inertia) -> UnsupportedError:
    small, middle, large = np.linalg.eigvalsh(np.array(inertia.tensor)).tolist()
    return UnsupportedError(
        f"writing link '{link.name}' as MJCF, with {inertia.mass:.6g} kg and the principal "
        f'moments of inertia {small:.6g}, {middle:.6g} and {large:.6g} kg m^2,',
        'MuJoCo loads only those of a rigid body: a positive mass, positive moments, none larger '
        f'than the sum of the others; {REMEDY}', source=inertia.source)
