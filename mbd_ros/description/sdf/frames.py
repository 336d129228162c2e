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

"""The frame graph of an SDFormat model: poses of its frames with all joints at zero."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.poses import inverse
from mbd_ros.description.records.report import nearest, owner, Report
from mbd_ros.description.sdf.parts import base_of, pose_in, remark_others, text_of

Array = NDArray[np.float64]

MODEL, WORLD = '__model__', 'world'


def _plain(name: str) -> str:
    """Return the name of a frame; that of a nested model is the name of the model."""
    return name.removesuffix(f'::{MODEL}')


class _Frame(NamedTuple):
    element: Any
    base: str
    attached: str
    pose: Array


class Frames:
    """
    Links, joints and frames of a model, each given in another.

    Parameters
    ----------
    model : lxml element
        The ``<model>``.
    report : Report
        Words the errors.
    base : (4, 4) array, optional
        Pose in the world of the frame that the ``<pose>`` of the model is given in.

    Raises
    ------
    DescriptionError
        If a name is missing or given twice.

    """

    def __init__(self, model: Any, report: Report, base: Array | None = None) -> None:
        self.report = report
        self._known: dict[str, _Frame] = {}
        self._poses: dict[str, Array] = {}
        for tag in ('link', 'joint', 'frame'):
            for element in model.iterfind(tag):
                self._add(tag, element)
        self._canonical = model.get('canonical_link', '').strip() or next(
            (link.get('name', '').strip() for link in model.iterfind('link')), '')
        name = f"model '{model.get('name', '')}'"
        self._model = (np.eye(4) if base is None else base) @ pose_in(model, name, report)
        placed = model.get('placement_frame', '').strip()
        if placed:
            if any(frame.base == WORLD for frame in self._way(placed, model, 'base')):
                raise report.error(f"{name}: its placement_frame '{placed}' is given relative to "
                                   'the world', report.source(model))
            self._model = self._model @ inverse(self.pose(placed, model))
        self._poses[WORLD] = inverse(self._model)

    def _add(self, tag: str, element: Any) -> None:
        name = element.get('name', '').strip()
        if not name or name in (MODEL, WORLD) or name in self._known:
            raise self.report.error(f"{tag} '{name}' has no name, a reserved name, or that of "
                                    'another link, joint or frame', self.report.source(element))
        attached = {'link': '', 'joint': text_of(element, 'child'),
                    'frame': element.get('attached_to', '').strip() or MODEL}[tag]
        if tag == 'frame':
            remark_others(element, ('pose',), {}, f"frame '{name}'", self.report)
        base = _plain(base_of(element) or attached or MODEL)
        self._known[name] = _Frame(element, base, _plain(attached),
                                   pose_in(element, f"{tag} '{name}'", self.report))

    def pose(self, name: str, asking: Any) -> Array:
        """Return the pose of a frame in the model, (4, 4); ``asking`` is who names it."""
        name = _plain(name)
        for frame in reversed(self._way(name, asking, 'base')):
            own = str(frame.element.get('name'))
            if own not in self._poses:
                self._poses[own] = self._poses.get(frame.base, np.eye(4)) @ self._placed(frame)
        return self._poses.get(name, np.eye(4))

    def in_world(self, name: str, asking: Any) -> Array:
        """Return the pose of a frame in the world, (4, 4)."""
        return np.array(self._model @ self.pose(name, asking))

    def _placed(self, frame: _Frame) -> Array:
        """Return the pose of a frame in its base; that of a nested model may place another."""
        placed = frame.element.get('placement_frame')
        if placed is None:
            return frame.pose
        way = self._way(placed, frame.element, 'base')
        inside = [step.element for step in way]
        if frame.element not in inside:
            raise self.report.error(f"model '{frame.element.get('name')}': its placement_frame "
                                    f"'{placed}' is not in it", self.report.source(frame.element))
        within = np.eye(4)
        for step in way[:inside.index(frame.element)]:
            within = self._placed(step) @ within
        return np.array(frame.pose @ inverse(within))

    def link(self, name: str, asking: Any) -> str:
        """Return the link that carries a frame; ``world`` is carried by itself."""
        name = _plain(name)
        way = self._way(name, asking, 'attached')
        end = way[-1].attached if way else name
        if end == MODEL:
            way, end = self._way(self._canonical, asking, 'attached'), ''
        if end == WORLD:
            return WORLD
        if not way or way[-1].element.tag != 'link':
            raise self.report.error(f"{owner(asking)}'{name}' is fixed to no link",
                                    self.report.source(asking))
        return str(way[-1].element.get('name'))

    def _way(self, name: str, asking: Any, along: str) -> list[_Frame]:
        """Return the frames from one to the model, or to the link that carries it."""
        way: list[_Frame] = []
        seen: set[str] = set()
        while name and name not in (MODEL, WORLD) and not (
                along == 'base' and name in self._poses):
            if name in seen:
                raise self.report.error(f"{owner(asking)}the frame '{name}' is given relative to "
                                        'itself',
                                        self.report.source(asking))
            if name not in self._known:
                raise self.report.error(f"{owner(asking)}the frame '{name}' does not exist"
                                        f'{nearest(name, self._known)}',
                                        self.report.source(asking))
            seen.add(name)
            frame = self._known[name]
            way.append(frame)
            asking, name = frame.element, getattr(frame, along)
        return way
