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

from mbd_ros.description.records.report import nearest, owner, Report
from mbd_ros.description.sdf.parts import base_of, pose_in, remark_others, text_of

Array = NDArray[np.float64]

MODEL, WORLD = '__model__', 'world'


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

    Raises
    ------
    DescriptionError
        If a name is missing or given twice.

    """

    def __init__(self, model: Any, report: Report) -> None:
        self.report = report
        self._known: dict[str, _Frame] = {}
        self._poses: dict[str, Array] = {}
        for tag in ('link', 'joint', 'frame'):
            for element in model.iterfind(tag):
                self._add(tag, element)

    def _add(self, tag: str, element: Any) -> None:
        name = element.get('name', '').strip()
        if not name or name in (MODEL, WORLD) or name in self._known:
            raise self.report.error(f"{tag} '{name}' has no name, a reserved name, or that of "
                                    'another link, joint or frame', self.report.source(element))
        attached = {'link': '', 'joint': text_of(element, 'child'),
                    'frame': element.get('attached_to', '').strip() or MODEL}[tag]
        if tag == 'frame':
            remark_others(element, ('pose',), {}, f"frame '{name}'", self.report)
        base = base_of(element) or attached or MODEL
        self._known[name] = _Frame(element, base, attached,
                                   pose_in(element, f"{tag} '{name}'", self.report))

    def pose(self, name: str, asking: Any) -> Array:
        """Return the pose of a frame in the model, (4, 4); ``asking`` is who names it."""
        for frame in reversed(self._way(name, asking, 'base')):
            own = str(frame.element.get('name'))
            if own not in self._poses:
                self._poses[own] = self._poses.get(frame.base, np.eye(4)) @ frame.pose
        return self._poses.get(name, np.eye(4))

    def link(self, name: str, asking: Any) -> str:
        """Return the link that carries a frame; ``world`` is carried by itself."""
        if name == WORLD:
            return WORLD
        way = self._way(name, asking, 'attached')
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
