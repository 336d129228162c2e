"""Loop joints and springs in a YAML file beside a URDF: ``arm.loops.yaml`` for ``arm.urdf``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mbd_ros.description.loop_joints import KINDS
from mbd_ros.description.loops_urdf import Found
from mbd_ros.description.mechanism import LoopJoint, Pose, SpringDamper, Vector3
from mbd_ros.description.poses import pose_of
from mbd_ros.description.report import Report
from mbd_ros.description.yaml_tree import (
    choice, mapping, number, numbers, parse_yaml, sequence, source_of, text)

SUFFIX = '.loops.yaml'

_END = ('link', 'xyz', 'rpy')


def stem_of(path: Path) -> str:
    """Return the name of a description's file without its endings."""
    stem = path.name
    for suffix in ('.xacro', '.urdf', '.xml', '.mjcf', '.sdf'):
        stem = stem.removesuffix(suffix)
    return stem


def side_file(path: Path) -> Path:
    """Return the name of the file beside a description that closes its loops."""
    return path.with_name(stem_of(path) + SUFFIX)


def read_loops_yaml(data: bytes, report: Report) -> Found:
    """
    Return the loop joints and springs of a side file.

    Parameters
    ----------
    data : bytes
        The YAML document.
    report : Report
        With the name of the side file; takes the findings.

    Returns
    -------
    Found
        In the order of the file.

    Raises
    ------
    DescriptionError
        With file, line and name.

    """
    root = mapping(parse_yaml(data, report), 'the file', ('version', 'loop_joints', 'springs'),
                   report, required=('version',))
    if text(root['version'], 'version', report) != '1':
        raise report.error(f"version is '{root['version'].value}'; allowed: 1",
                           source_of(root['version'], report))
    found = Found()
    for node in sequence(root['loop_joints'], 'loop_joints', report) if (
            'loop_joints' in root) else []:
        found.loop_joints.append(_loop_joint(node, report))
    for node in sequence(root['springs'], 'springs', report) if 'springs' in root else []:
        found.springs.append(_spring(node, report))
    return found


def _loop_joint(node: Any, report: Report) -> LoopJoint:
    items = mapping(node, 'a loop joint', ('name', 'type', 'link1', 'link2', 'distance'), report,
                    required=('name', 'type', 'link1', 'link2'))
    name = text(items['name'], 'name of a loop joint', report)
    what = f"loop joint '{name}'"
    kind = KINDS[choice(items['type'], f'type of {what}', KINDS, report)]
    (link1, frame1), (link2, frame2) = (
        _end(items[end], f'{end} of {what}', report) for end in ('link1', 'link2'))
    distance = None
    if kind == 'distance':
        if 'distance' not in items:
            raise report.error(f"{what} of type 'distance' has no 'distance'",
                               source_of(node, report))
        distance = number(items['distance'], f'distance of {what}', report)
        if distance <= 0.0:
            raise report.error(f'{what}: the distance is {distance:.9g} m; allowed: more than 0, '
                               'or a spherical joint', source_of(items['distance'], report))
    elif 'distance' in items:
        report.remark('warning', f"{what}: the key 'distance' has no meaning for a {kind} joint "
                      'and is not used', source_of(items['distance'], report))
    return LoopJoint(name, kind, link1, link2, frame1, frame2, distance, source_of(node, report))


def _end(node: Any, what: str, report: Report) -> tuple[str, Pose]:
    items = mapping(node, what, _END, report, required=('link',))
    xyz, rpy = (numbers(items[key], 3, f'{key} of {what}', report) if key in items
                else (0.0, 0.0, 0.0) for key in ('xyz', 'rpy'))
    return text(items['link'], f'link of {what}', report), pose_of(xyz, rpy)


def _spring(node: Any, report: Report) -> SpringDamper:
    items = mapping(node, 'a spring', ('name', 'link1', 'link2', 'stiffness', 'damping', 'length'),
                    report, required=('name', 'link1', 'link2'))
    name = text(items['name'], 'name of a spring', report)
    links: list[str] = []
    points: list[Vector3] = []
    for key in ('link1', 'link2'):
        end = mapping(items[key], f"{key} of spring '{name}'", ('link', 'xyz'), report,
                      required=('link',))
        links.append(text(end['link'], f"link of spring '{name}'", report))
        x, y, z = (numbers(end['xyz'], 3, f"xyz of spring '{name}'", report) if 'xyz' in end
                   else (0.0, 0.0, 0.0))
        points.append((x, y, z))
    values = {key: number(items[key], f"{key} of spring '{name}'", report)
              for key in ('stiffness', 'damping', 'length') if key in items}
    return SpringDamper(name, links[0], links[1], points[0], points[1],
                        source=source_of(node, report), **values)
