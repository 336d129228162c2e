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

"""Shapes of modules as elements of URDF."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Any

from lxml import etree

from mbd_ros.description.modules.records import ModuleGraph, Visual
from mbd_ros.description.write.loops import add_origin, numbers_text


def shapes_of(graph: ModuleGraph) -> Mapping[str, list[Any]]:
    """Return the ``<visual>`` elements of all bodies, by the name of their link."""
    return {f'{name}/{body.name}': [copy(_element(one)) for one in body.visuals]
            for name, instance in graph.instances.items()
            for body in graph.types[instance.type].bodies.values() if body.visuals}


@lru_cache(maxsize=1024)
def _element(visual: Visual) -> Any:
    """Return the element, to be copied; robots of many equal modules have few of them."""
    element = etree.Element('visual')
    add_origin(element, 'origin', visual.pose)
    shape = etree.SubElement(etree.SubElement(element, 'geometry'), visual.kind)
    if visual.kind == 'mesh':
        shape.set('filename', visual.file)
        shape.set('scale', numbers_text(visual.size))
    elif visual.kind == 'box':
        shape.set('size', numbers_text(visual.size))
    else:
        for name, value in zip(('radius', 'length'), visual.size):
            shape.set(name, numbers_text([value]))
    if visual.color is not None:
        etree.SubElement(etree.SubElement(element, 'material', name=''), 'color',
                         rgba=numbers_text(visual.color))
    return element
