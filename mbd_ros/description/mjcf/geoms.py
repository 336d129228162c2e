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

"""Geoms of MJCF: their masses, and their shapes as those of URDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree
import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.mjcf.document import Item
from mbd_ros.description.mjcf.meshes import fitted, Meshes
from mbd_ros.description.mjcf.orientation import read_pose, turn_z_to
from mbd_ros.description.records.poses import pose_from
from mbd_ros.description.records.solids import SHELLS, SOLIDS
from mbd_ros.description.write.loops import add_origin, numbers_text
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]

_TYPES = (*SOLIDS, 'mesh', 'sdf', 'plane', 'hfield')


@dataclass
class Geom:
    """A shape fixed to a body: its kind, half sizes [m], pose in the body, and what it weighs."""

    item: Item
    kind: str
    size: tuple[float, ...]
    pose: Array
    meshes: Meshes

    def mass(self) -> tuple[float, Array, Array]:
        """
        Return mass, pose and tensor about its centre, as ``combined`` takes them.

        Raises
        ------
        UnsupportedError
            If it is of a shape whose mass MuJoCo computes in a way of its own.
        DescriptionError
            If its mesh cannot be read.

        """
        given = self.item.numbers('mass', 1)
        density = self.item.number('density', 1000.0)
        nothing = 0.0, self.pose, np.zeros((3, 3))
        if self.kind == 'plane' or given == (0.0,) or (given is None and density == 0.0):
            return nothing
        if self.kind == 'mesh':
            return self._as_mesh(given, density)
        kind, pose, size = self.kind, self.pose, self.size
        if kind == 'hfield':   # MuJoCo takes a box, of half its height on average
            kind, size = 'box', self.meshes.heights(self.item)
        if kind not in SOLIDS:
            raise self._unsupported(f'a {kind}')
        if self.fitted:
            if self.item.document.settings.fits_boxes:
                raise self._unsupported('fitted to the box around a mesh')
            within, size = fitted(self.meshes.solid(self.item), self.kind,
                                  self.item.number('fitscale', 1.0))
            pose = pose @ within
        shell = self.item.text('shellinertia', 'false') == 'true'
        if shell and kind not in SHELLS:
            raise self._unsupported(f'a shell of the shape {kind}')
        volume, moments = (SHELLS[kind] if shell else SOLIDS[kind][1])(*size)
        mass = self._positive(density * volume if given is None else given[0])
        return mass, pose, mass * np.diag(moments)

    def _as_mesh(self, given: tuple[float, ...] | None, density: float
                 ) -> tuple[float, Array, Array]:
        if 'shellinertia' in self.item.values:
            raise self.item.document.error(
                self.item.element, f'{self.item.called()}, a mesh, has shellinertia; allowed: '
                'inertia="shell" of the <mesh>')
        solid = self.meshes.solid(self.item)
        mass = self._positive(density * solid.volume if given is None else given[0])
        pose = self.pose.copy()
        pose[:3, 3] += pose[:3, :3] @ solid.center
        return mass, pose, mass / solid.volume * solid.tensor

    def _positive(self, mass: float) -> float:
        if mass < 0.0:
            raise self.item.document.error(
                self.item.element, f'{self.item.called()} has the mass {mass:.6g} kg; allowed: 0 '
                'or more')
        return mass

    def _unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            f'the mass of {self.item.called()}, {what},', 'give its body an <inertial>, or the '
            'geom the mass 0', source=self.item.document.report.source(self.item.element))

    @property
    def fitted(self) -> bool:
        """Whether this is a solid whose sizes are those of a mesh."""
        return self.kind in SOLIDS and 'mesh' in self.item.values

    def elements(self) -> list[Any]:
        """Return it as elements of a URDF: of what is seen and, where it is, of what touches."""
        if self.kind == 'mesh':
            return self._drawn_mesh()
        if self.fitted or self.kind not in ('sphere', 'box', 'cylinder', 'capsule'):
            return []   # URDF has no such shape, or meshes are not opened for drawing
        touches = self.item.number('contype', 1.0) or self.item.number('conaffinity', 1.0)
        return [self._element(tag) for tag in ('visual', 'collision')[:2 if touches else 1]]

    def _drawn_mesh(self) -> list[Any]:
        """Return what is seen of a mesh: its file, unless a viewer cannot show it."""
        drawn = self.meshes.drawn(self.item)
        if drawn is None:
            return []
        url, scale, within = drawn
        element = etree.Element('visual')
        add_origin(element, 'origin', pose_from(self.pose @ within))
        etree.SubElement(etree.SubElement(element, 'geometry'), 'mesh', filename=url,
                         scale=numbers_text(scale))
        return [element]

    def _element(self, tag: str) -> Any:
        element = etree.Element(tag)
        add_origin(element, 'origin', pose_from(self.pose))
        geometry = etree.SubElement(element, 'geometry')
        if self.kind == 'box':
            etree.SubElement(geometry, 'box', size=numbers_text(2.0 * h for h in self.size))
            return element
        shape = etree.SubElement(geometry, self.kind, radius=numbers_text(self.size[:1]))
        if self.kind != 'sphere':
            shape.set('length', numbers_text([2.0 * self.size[1]]))
        return element


def read_geom(item: Item, within: Array, meshes: Meshes) -> Geom:
    """
    Return a geom.

    Parameters
    ----------
    item : Item
        The ``<geom>``.
    within : (4, 4) array
        Pose in the body of the frame it is given in.
    meshes : Meshes
        Those of the document.

    Raises
    ------
    DescriptionError
        If its type is unknown or its size has no meaning.

    """
    kind = item.choice('type', _TYPES, 'sphere')
    pose = read_pose(item)
    size = item.numbers('size', 1, 2, 3) or ()
    ends = item.numbers('fromto', 6)
    if ends is not None and kind in SOLIDS and kind != 'sphere':
        start, end = np.array(ends[:3]), np.array(ends[3:])
        length = float(np.linalg.norm(end - start))
        if length < 1e-12:
            raise item.document.error(item.element, f'{item.called()}: fromto gives two equal '
                                      'points')
        pose[:3, 3] = 0.5 * (start + end)
        pose[:3, :3] = turn_z_to((start - end) / length)
        # the first size is the half width in both directions across, whatever follows it
        size = (*size[:1] * (SOLIDS[kind][0] - 1), 0.5 * length) if size else ()
    fitted = 'mesh' in item.values and kind in SOLIDS
    if kind in SOLIDS and not fitted:
        count = SOLIDS[kind][0]
        if len(size) < count or min(size[:count]) <= 0.0:
            raise item.document.error(
                item.element, f'{item.called()} of type {kind} has the size '
                f'{" ".join(f"{s:.6g}" for s in size) or "nothing"}; allowed: {count} positive '
                f'number{"s" if count > 1 else ""}')
        size = size[:count]
    return Geom(item, kind, () if fitted else size, within @ pose, meshes)
