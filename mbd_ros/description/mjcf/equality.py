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

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
from transforms3d.axangles import axangle2mat

from mbd_ros.description.mjcf.bodies import Tree, WORLD
from mbd_ros.description.mjcf.copies import section
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
    for item in section('equality', tree.documents):
        element, source = item.element, document.report.source(item.element)
        if 'equality' in document.settings.disabled or item.text('active', 'true') != 'true':
            document.report.remark('info', f'{item.called()} is not active and not used',
                                   source)
        elif element.tag in ('connect', 'weld'):
            loops.append(_loop(item, tree, names))
        elif element.tag == 'joint' and 'joint2' not in item.values:
            loops.append(_held(item, tree, numbers, names))
        elif element.tag == 'joint':
            _follow(item, tree, numbers)
        elif element.tag == 'tendon':
            _tie(item, tree, numbers)
        else:
            raise UnsupportedError(f'<equality> of {item.called()}',
                                   'remove it to load the robot without it',
                                   source=source)
    return loops


def _loop(item: Item, tree: Tree, names: Unnamed) -> LoopJoint:
    tag = item.element.tag
    name = item.name or names.new(tag)
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
    name = item.reference(key, WORLD if key == 'body2' else '')
    if name not in tree.at_start:
        raise item.document.error(item.element, f"{item.called()}: {key} '{name}' does not exist"
                                  f'{nearest(name, tree.at_start)}')
    return name


def _site(item: Item, key: str, tree: Tree) -> tuple[str, Array]:
    name = item.reference(key)
    if name not in tree.sites:
        raise item.document.error(item.element, f"{item.called()}: {key} '{name}' does not exist"
                                  f'{nearest(name, tree.sites)}')
    body, pose = tree.sites[name]
    return body, pose.copy()


def _sliding(item: Item, key: str, tree: Tree, names: dict[str, int]) -> str:
    name = item.reference(key)
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
    return LoopJoint(item.name or names.new('joint'), 'fixed', joint.parent,
                     joint.child, pose_from(moved), Pose(),
                     source=item.document.report.source(item.element))


def _follow(item: Item, tree: Tree, names: dict[str, int]) -> None:
    """Note that a joint follows another: ``y - y0 = a0 + a1 (x - x0) + a2 (x - x0)^2 + ...``."""
    coefficients = item.numbers('polycoef', 1, 2, 3, 4, 5) or (0.0, 1.0)
    first, second = (_sliding(item, key, tree, names) for key in ('joint1', 'joint2'))
    if any(coefficients[2:]):
        _bend(item, first, second, coefficients, tree, names)
        return
    a0, a1 = (*coefficients, 0.0)[:2]
    _couple(item, (1.0, first), (-a1, second), a0, tree, names)


def _bend(item: Item, y: str, x: str, coefficients: Sequence[float], tree: Tree,
          names: dict[str, int]) -> None:
    """Note that y follows x by a polynomial of what x is away from its reference."""
    source, k = item.document.report.source(item.element), names[y]
    if tree.joints[k].mimic is not None or y in _leaders(x, tree, names):
        raise _tied(item, y, x)
    moved = Polynomial(coefficients)(Polynomial((-tree.references[x], 1.0)))
    offset, multiplier, *powers = np.pad(moved.coef, (0, 5 - len(moved.coef))).tolist()
    tree.joints[k] = replace(tree.joints[k], mimic=Mimic(
        x, multiplier, tree.references[y] + offset, source, powers=tuple(powers)))
    item.document.report.follows(y, x, source)


def _tie(item: Item, tree: Tree, names: dict[str, int]) -> None:
    """Note that two joints of one fixed tendon, or of two of one joint each, are coupled."""
    tendons = {element.get('name'): element
               for part in item.document.root.iterfind('tendon') for element in children(part)}
    coefficients = item.numbers('polycoef', 1, 2, 3, 4, 5) or (0.0, 1.0)
    given = [item.text(key) for key in ('tendon1', 'tendon2') if key in item.values]
    for name in given:
        if name not in tendons:
            raise item.document.error(item.element, f"{item.called()}: tendon '{name}' does not "
                                      f'exist{nearest(name, filter(None, tendons))}')
    terms: list[tuple[float, str]] = []
    counts = []
    bent = len(given) == 2 and any(coefficients[2:])
    for name, factor in zip(given, (1.0, 1.0 if bent else -(*coefficients, 0.0)[1])):
        for part in children(tendons[name]):
            one = Item(part, dict(part.attrib), item.document)
            if part.tag == 'joint':
                terms.append((factor * one.number('coef', 1.0),
                              _sliding(one, 'joint', tree, names)))
        counts.append(len(terms))
    if len(terms) != 2 or (bent and counts[0] != 1) or any(
            tendons[name].tag != 'fixed' for name in given) or (
            not terms[0][0] or not terms[1][0] or terms[0][1] == terms[1][1]):
        raise UnsupportedError(f'{item.called()} between tendons that have not two joints '
                               'together,', 'remove it to load the robot without it',
                               source=item.document.report.source(item.element))
    (c1, y), (c2, x) = terms
    if bent:   # one joint each: c1 (y - y0) = a0 + a1 c2 (x - x0) + ...
        _bend(item, y, x, [a * c2**k / c1 for k, a in enumerate(coefficients)], tree, names)
        return
    _couple(item, terms[0], terms[1], coefficients[0], tree, names)


def _couple(item: Item, first: tuple[float, str], second: tuple[float, str], a0: float,
            tree: Tree, names: dict[str, int]) -> None:
    """Note that c1 (y - y0) + c2 (x - x0) = a0, by letting y follow x, or x follow y."""
    for (c1, y), (c2, x) in ((first, second), (second, first)):
        k = names[y]
        if c1 and tree.joints[k].mimic is None and y not in _leaders(x, tree, names):
            ratio = -c2 / c1
            source = item.document.report.source(item.element)
            tree.joints[k] = replace(tree.joints[k], mimic=Mimic(
                x, ratio + 0.0, tree.references[y] + a0 / c1 - ratio * tree.references[x], source))
            item.document.report.follows(y, x, source)
            return
    raise _tied(item, first[1], second[1])


def _tied(item: Item, y: str, x: str) -> UnsupportedError:
    return UnsupportedError(
        f"{item.called()} of the joints '{y}' and '{x}', which follow others already,",
        'remove it, or write one equality for each joint that follows',
        source=item.document.report.source(item.element))


def _leaders(name: str, tree: Tree, names: dict[str, int]) -> set[str]:
    """Return a joint and all that it follows."""
    found = {name}
    while (mimic := tree.joints[names[name]].mimic) is not None and mimic.joint not in found:
        name = mimic.joint
        found.add(name)
    return found
