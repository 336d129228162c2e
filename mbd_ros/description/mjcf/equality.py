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

"""Equality constraints of MJCF: loop joints, and joints that follow others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat

from mbd_ros.description.mjcf.bodies import Tree, WORLD
from mbd_ros.description.mjcf.document import Document, Item
from mbd_ros.description.mjcf.orientation import rotation_of
from mbd_ros.description.records.loop_joints import Unnamed
from mbd_ros.description.records.mechanism import LoopJoint, Mimic, Pose
from mbd_ros.description.records.poses import inverse, matrix_of, pose_from
from mbd_ros.description.records.report import nearest
from mbd_ros.description.xml.xml_tree import children
from mbd_ros.errors import UnsupportedError

Array = NDArray[np.float64]


def read_equality(document: Document, tree: Tree) -> list[LoopJoint]:
    """
    Return the loop joints, and note in the tree which joints follow others.

    Frames that are not written down are those of the pose in which the file draws the robot.

    Raises
    ------
    DescriptionError
        If a constraint names what does not exist.
    UnsupportedError
        If this package has no record for it.

    """
    loops: list[LoopJoint] = []
    names = Unnamed()
    numbers = {joint.name: k for k, joint in enumerate(tree.joints)}
    for part in document.root.iterfind('equality'):
        for element in children(part):
            item = document.item(element, 'main')
            source = document.report.source(element)
            if 'equality' in document.settings.disabled or item.text('active', 'true') != 'true':
                document.report.remark('info', f'{item.called()} is not active and not used',
                                       source)
            elif element.tag in ('connect', 'weld'):
                loops.append(_loop(item, tree, names))
            elif element.tag == 'joint' and 'joint2' not in item.values:
                loops.append(_held(item, tree, numbers, names))
            elif element.tag == 'joint':
                _follow(item, tree, numbers)
            else:
                raise UnsupportedError(f'<equality> of {item.called()}',
                                       'remove it to load the robot without it',
                                       source=source)
    return loops


def _loop(item: Item, tree: Tree, names: Unnamed) -> LoopJoint:
    tag = item.element.tag
    name = item.element.get('name') or names.new(tag)
    if 'site1' in item.values or 'site2' in item.values:
        (body1, frame1), (body2, frame2) = (_site(item, key, tree) for key in ('site1', 'site2'))
    else:
        body1, body2 = _body(item, 'body1', tree), _body(item, 'body2', tree)
        between = inverse(tree.at_start[body1]) @ tree.at_start[body2]  # second in first
        frame1, frame2 = np.eye(4), np.eye(4)
        if tag == 'connect':
            anchor = item.numbers('anchor', 3)
            if anchor is None:
                raise item.document.error(item.element, f'{item.called()} has no attribute anchor')
            frame1[:3, 3] = anchor
            frame2[:3, 3] = (inverse(between) @ frame1)[:3, 3]
        else:
            frame1 = _relative(item, between)
    if tag == 'connect':
        frame1[:3, :3] = frame2[:3, :3] = np.eye(3)
    return LoopJoint(name, 'spherical' if tag == 'connect' else 'fixed', body1, body2,
                     pose_from(frame1), pose_from(frame2),
                     source=item.document.report.source(item.element))


def _relative(item: Item, between: Array) -> Array:
    """Return the pose of the second body in the first that a weld keeps."""
    values = item.numbers('relpose', 7)
    if values is None or not any(values[3:]):
        return between
    matrix = np.eye(4)
    matrix[:3, 3] = values[:3]
    matrix[:3, :3] = rotation_of(item, values[3:])
    return matrix


def _body(item: Item, key: str, tree: Tree) -> str:
    name = item.text(key, WORLD if key == 'body2' else '')
    if name not in tree.at_start:
        raise item.document.error(item.element, f"{item.called()}: {key} '{name}' does not exist"
                                  f'{nearest(name, tree.at_start)}')
    return name


def _site(item: Item, key: str, tree: Tree) -> tuple[str, Array]:
    name = item.text(key)
    if name not in tree.sites:
        raise item.document.error(item.element, f"{item.called()}: {key} '{name}' does not exist"
                                  f'{nearest(name, tree.sites)}')
    body, pose = tree.sites[name]
    return body, pose.copy()


def _sliding(item: Item, key: str, tree: Tree, names: dict[str, int]) -> str:
    name = item.text(key)
    if name not in names or name not in tree.references:
        raise item.document.error(item.element, f"{item.called()}: joint '{name}' does not "
                                  f'exist, or does not slide or turn{nearest(name, names)}')
    return name


def _held(item: Item, tree: Tree, numbers: dict[str, int], names: Unnamed) -> LoopJoint:
    """Return the loop joint that holds a joint at ``y = y0 + a0``."""
    joint = tree.joints[numbers[_sliding(item, 'joint1', tree, numbers)]]
    position = tree.references[joint.name] + (item.numbers('polycoef', 1, 2, 3, 4, 5) or (0.0,))[0]
    moved = matrix_of(joint.origin)
    if joint.kind == 'prismatic':
        moved[:3, 3] += moved[:3, :3] @ joint.axis * position
    else:
        moved[:3, :3] = moved[:3, :3] @ axangle2mat(joint.axis, position)
    return LoopJoint(item.element.get('name') or names.new('joint'), 'fixed', joint.parent,
                     joint.child, pose_from(moved), Pose(),
                     source=item.document.report.source(item.element))


def _follow(item: Item, tree: Tree, names: dict[str, int]) -> None:
    """Note that a joint follows another: y - y0 = a0 + a1 (x - x0), else refuse it."""
    coefficients = item.numbers('polycoef', 1, 2, 3, 4, 5) or (0.0, 1.0)
    first, second = (_sliding(item, key, tree, names) for key in ('joint1', 'joint2'))
    if any(coefficients[2:]):
        raise UnsupportedError(
            f"{item.called()}, which makes joint '{first}' a polynomial of joint '{second}' "
            'of a degree above 1,', 'remove it to load the robot without it',
            source=item.document.report.source(item.element))
    a0, a1 = (*coefficients, 0.0)[:2]
    offset = tree.references[first] + a0 - a1 * tree.references[second]
    k = names[first]
    source = item.document.report.source(item.element)
    tree.joints[k] = replace(tree.joints[k], mimic=Mimic(second, a1, offset, source))
    item.document.report.follows(first, second, source)
