"""Joints that close a loop: found in every dialect, refused in this version."""

from __future__ import annotations

from typing import Any

from mbd_ros.description.report import Report, tag_name
from mbd_ros.errors import UnsupportedError

INSTEAD = 'remove it to load the spanning tree without it'

_PLAIN = ('loop_joint', 'constraint')


def refuse_loop_joints(robot: Any, report: Report) -> None:
    """
    Refuse a robot whose description closes a loop by an element of its own.

    These are ``<loop_joint>``, the ``<constraint>`` proposed to urdfdom, Drake's constraints and
    bushings, and joints inside ``<gazebo>``. The further way, a second joint onto a link, is
    found with the tree.

    Parameters
    ----------
    robot : lxml element
        The root of the description.
    report : Report
        Knows the file.

    Raises
    ------
    UnsupportedError
        With file, line and name of the first.

    """
    for element in robot.iter('*'):
        if _closes_loop(element):
            name = f" '{element.get('name')}'" if element.get('name') else ''
            raise UnsupportedError(
                f'{report.source(element)}: the closed loop of <{tag_name(element)}>{name}',
                INSTEAD)


def _closes_loop(element: Any) -> bool:
    tag = element.tag
    if tag in _PLAIN:
        return True
    if tag == 'joint':
        return element.getparent().tag == 'gazebo' and len(element) > 0
    local = tag.rpartition('}')[2].rpartition(':')[2]
    return local != tag and (local.endswith('_constraint') or local == 'linear_bushing_rpy')
