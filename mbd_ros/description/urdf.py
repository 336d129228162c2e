"""URDF to Mechanism."""

from __future__ import annotations

import io
from math import inf
from typing import Any

from lxml import etree
import numpy as np

from mbd_ros.description.finding import Source
from mbd_ros.description.mechanism import (Dynamics, Inertia, Joint, Limits, Link, Mechanism,
                                           Pose)


def read_urdf(data: bytes, file: str) -> Mechanism:
    """Read."""
    import yourdfpy
    root = etree.fromstring(data)
    armature = {joint.get('name'): float(element.get('value'))
                for joint in root.iter('joint') for element in joint
                if isinstance(element.tag, str) and element.tag.endswith('}armature')}
    robot = yourdfpy.URDF.load(io.BytesIO(data), build_scene_graph=False, load_meshes=False).robot
    links = tuple(Link(link.name, _inertia(link.inertial), Source(file)) for link in robot.links)
    joints = []
    for item in robot.joints:
        axis = np.asarray(item.axis, float)
        limit = item.limit
        dynamics = item.dynamics
        joints.append(Joint(
            item.name, item.type, item.parent, item.child, _pose(item.origin),
            tuple((axis / np.linalg.norm(axis)).tolist()),
            Limits(*(value if value is not None else default for value, default in (
                (limit.lower, 0.0), (limit.upper, 0.0), (limit.velocity, inf),
                (limit.effort, inf)))) if limit else Limits(),
            Dynamics(float(dynamics.damping or 0) if dynamics else 0.0,
                     float(dynamics.friction or 0) if dynamics else 0.0,
                     armature.get(item.name, 0.0)), source=Source(file)))
    children = {joint.child for joint in joints}
    (base,) = [link.name for link in links if link.name not in children]
    return Mechanism(robot.name, base, links, tuple(joints), file=file, text=data.decode())


def _pose(matrix: Any) -> Pose:
    if matrix is None:
        return Pose()
    rows = matrix.tolist()
    return Pose(tuple(tuple(row[:3]) for row in rows[:3]), tuple(row[3] for row in rows[:3]))


def _inertia(item: Any) -> Inertia | None:
    if item is None:
        return None
    pose = np.eye(4) if item.origin is None else item.origin
    rotation = pose[:3, :3]
    tensor = rotation @ item.inertia @ rotation.T
    return Inertia(item.mass, tuple(pose[:3, 3].tolist()),
                   tuple(tuple(row) for row in tensor.tolist()))
