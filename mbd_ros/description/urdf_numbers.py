"""The numbers of URDF 1.0, read by yourdfpy."""

from __future__ import annotations

from copy import deepcopy
import io
from typing import Any

from lxml import etree

from mbd_ros.description.xml_tree import children

_LINK_PARTS = ('inertial',)
_JOINT_PARTS = ('parent', 'child', 'origin', 'axis', 'limit', 'mimic')


def numbers_of(robot: Any) -> Any:
    """
    Return yourdfpy's records of a robot that has passed the strict pass.

    It is handed only the parts it is asked about: shapes, foreign elements and everything it
    reads otherwise than URDF 1.2 means are left out.

    Parameters
    ----------
    robot : lxml element
        The root of the description.

    Returns
    -------
    yourdfpy.Robot
        ``links`` and ``joints`` in the order of the file.

    """
    from yourdfpy import URDF  # half a second of imports, which only readers should pay for

    reduced = etree.Element('robot', name='robot')
    for element in robot.findall('link'):
        _copy_parts(element, _LINK_PARTS, reduced)
    for element in robot.findall('joint'):
        _copy_parts(element, _JOINT_PARTS, reduced)
    return URDF.load(io.BytesIO(etree.tostring(reduced)), build_scene_graph=False,
                     load_meshes=False).robot


def _copy_parts(element: Any, parts: tuple[str, ...], target: Any) -> None:
    copy = etree.SubElement(target, element.tag, name=element.get('name'),
                            type=element.get('type', ''))
    copy.extend(deepcopy(child) for child in children(element) if child.tag in parts)
