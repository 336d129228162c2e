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

"""The shapes of links that bend."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
import scipy

from mbd_ros.dynamics.functions.equations_of_motion import pose as link_pose
from mbd_ros.dynamics.prepared.call import Array, checked_array
from mbd_ros.errors import ShapeError
from mbd_ros.model import Model
from mbd_ros.model.flexible.stations import link_stations, Stations

__all__ = ['bent_links', 'BentLink']


class BentLink(NamedTuple):
    """
    A flexible link in one state.

    Attributes
    ----------
    points : (k, 3) array
        Of stations from its root to its tip, in the world [m]; of a link that is given by mass
        points, these.
    rotations : (k, 3, 3) array
        Of the sections there; of mass points, that of the undeformed link.
    strains : (k,) array
        Equivalent strain (von Mises) of bending and torsion at the section's polar radius of
        gyration: 0.7 to 1 of that of the outermost fibre. NaN for mass points.
    radii : (k,) array
        That radius [m].
    pose : (4, 4) array
        Of the link's frame in the world [m]; its root rests there.

    """

    points: Array
    rotations: Array
    strains: Array
    radii: Array
    pose: Array

    @property
    def of_points(self) -> bool:
        """Whether it is given by mass points."""
        return bool(np.isnan(self.strains).any())


def bent_links(model: Model, q: ArrayLike) -> dict[str, BentLink]:
    """
    Return the shapes of all flexible links.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,).

    Returns
    -------
    dict of str to BentLink
        By link; empty for a rigid robot.

    Raises
    ------
    ShapeError, NotFiniteError
        If q is not as it should be.

    """
    place = checked_array(model, 'q', q, model.nq)
    if place.ndim != 1:
        raise ShapeError('q', place.shape, f'({model.nq},), one configuration')
    if model.elastic is None:
        return {}
    elastic = place[model.nq - len(model.elastic_names):]
    frames = {body.link: body.frame for body in model.mechanism.flexibles}
    shapes = {}
    for body in model.elastic.bodies:
        if body.is_spring:
            continue
        frame, link = frames[body.link], link_pose(model, place, body.link)
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = frame.rotation, frame.translation
        shapes[body.link] = _bent(
            link_stations(model)[body.link], elastic[body.first:body.first + body.count], link,
            local)
    return shapes


def _bent(seen: Stations, a: Array, pose: Array, local: Array) -> BentLink:
    """Return a link at a pose with the elastic coordinates a; local: the annotation's frame."""
    frame = pose @ local
    first, second = seen.pairs
    bent = seen.points + seen.shapes @ np.concatenate([a, a[first] * a[second]])
    strains = (np.full(len(bent), np.nan) if seen.strains is None
               else np.linalg.norm(seen.strains @ a, axis=1))
    turns = scipy.spatial.transform.Rotation.from_rotvec(seen.turns @ a)
    return BentLink(frame[:3, 3] + bent @ frame[:3, :3].T,
                    frame[:3, :3] @ turns.as_matrix(), strains, seen.radii, pose)
