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

"""Rotor inertia, damping and friction that joints have from MJCF's actuators and tendons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mbd_ros.description.mjcf.copies import section
from mbd_ros.description.mjcf.document import Item
from mbd_ros.description.mjcf.springs import along_joint, between, places_of
from mbd_ros.description.records.report import nearest
from mbd_ros.description.xml.xml_tree import children

if TYPE_CHECKING:
    from mbd_ros.description.mjcf.bodies import Tree

DAMPINGS = ('damping', 'quadratic_damping', 'cubic_damping')
_RATES = ('armature', 'damping', 'frictionloss')
_ON_JOINTS = ('joint', 'jointinparent')


def dampings(item: Item) -> dict[str, float]:
    """
    Return the damping of a joint, tendon or actuator, by the names that ``Dynamics`` has.

    Raises
    ------
    DescriptionError
        If a coefficient is negative: the motion would gain energy.

    """
    values = item.polynomial('damping')
    if min(values) < 0.0:
        raise item.document.error(item.element, f'{item.called()}: damping='
                                  f'"{item.text("damping")}" has a negative number')
    if 'damper' in item.document.settings.disabled:
        values = (0.0, 0.0, 0.0)
    return dict(zip(DAMPINGS, values))


def read_transmissions(tree: Tree) -> None:
    """
    Add to joints what actuators and tendons of one joint do to their motion.

    An actuator of gear ratio g has ``g^2`` times its ``armature`` and ``damping`` at its joint, a
    tendon with the coefficient c ``c^2`` times its own. A spring or damper along a straight
    tendon between two sites is a ``SpringDamper``.

    Raises
    ------
    DescriptionError
        If an actuator or tendon names what does not exist.
    UnsupportedError
        If one couples the accelerations or rates of several joints.

    """
    numbers = {joint.name: k for k, joint in enumerate(tree.joints)}
    ratios: dict[str, tuple[str, float]] = {}
    places = places_of(tree, tree.rests) if section('tendon', tree.documents) else {}
    for item in section('tendon', tree.documents):
        item.document.names.add(item.element.get('name', ''))
        joint = _joint_of(item, numbers)
        if joint is not None:
            ratios[item.name] = joint
        _tendon(item, joint, tree, numbers, places)
    for item in section('actuator', tree.documents):
        _actuator(item, ratios, tree, numbers)


def _joint_of(item: Item, numbers: dict[str, int]) -> tuple[str, float] | None:
    """Return joint and coefficient of a tendon that has one joint."""
    parts = children(item.element)
    if item.element.tag != 'fixed' or len(parts) != 1 or parts[0].tag != 'joint':
        return None
    part = Item(parts[0], dict(parts[0].attrib), item.document)
    return _known(part, part.reference('joint'), numbers), part.number('coef', 1.0)


def _known(item: Item, name: str, numbers: dict[str, int]) -> str:
    if name not in numbers:
        raise item.document.error(item.element, f"{item.called()}: joint '{name}' does not exist"
                                  f'{nearest(name, numbers)}')
    return name


def _tendon(item: Item, joint: tuple[str, float] | None, tree: Tree,
            numbers: dict[str, int], places: dict[str, np.ndarray]) -> None:
    values = _values(item)
    off = item.document.settings.disabled
    stiffness = (0.0, 0.0, 0.0) if 'spring' in off else item.polynomial('stiffness')
    grows = any((*stiffness[1:], values['quadratic_damping'], values['cubic_damping']))
    ends = None if grows else _ends(item, tree)
    if ends is not None:
        at = [places[link] @ [*point, 1.0] for link, point in ends]
        between(item, ends, float(np.linalg.norm(at[1] - at[0])), values['damping'], tree)
        stiffness, values['damping'] = (0.0, 0.0, 0.0), 0.0
    if any(stiffness) and joint is not None:
        name, coefficient = joint
        spring = along_joint(item, coefficient, coefficient * tree.rests.get(name, 0.0))
        own = tree.joints[numbers[name]]
        if spring is not None:
            tree.joints[numbers[name]] = replace(own, dynamics=replace(
                own.dynamics, springs=(*own.dynamics.springs, spring)))
        stiffness = (0.0, 0.0, 0.0)
    if any(stiffness):
        item.document.report.leave_out(
            'tendons', f'the spring of {item.called()}, which is neither a straight one between '
            'two sites with one stiffness nor of a single joint,',
            item.document.report.source(item.element))
    if any(values.values()):
        ratio = 0.0 if joint is None else abs(joint[1])   # the tendon's own speed counts
        values['quadratic_damping'] *= ratio
        values['cubic_damping'] *= ratio**2
        _add(item, values, joint, tree, numbers)
    if 'limit' not in off and item.text('range') and item.text('limited', 'auto') != 'false':
        item.document.report.remark(
            'warning', f'{item.called()}: its range is not used; limits are those of joints',
            item.document.report.source(item.element))


def _ends(item: Item, tree: Tree) -> list[tuple[str, np.ndarray]] | None:
    """Return links and points of a straight tendon between two sites."""
    parts = children(item.element)
    if [part.tag for part in parts] != ['site', 'site']:
        return None
    found = []
    for part in parts:
        name = Item(part, dict(part.attrib), item.document).reference('site')
        if name not in tree.sites:
            raise item.document.error(part, f"{item.called()}: site '{name}' does not exist"
                                      f'{nearest(name, tree.sites)}')
        link, pose = tree.sites[name]
        found.append((link, pose[:3, 3]))
    return found


def _actuator(item: Item, ratios: dict[str, tuple[str, float]], tree: Tree,
              numbers: dict[str, int]) -> None:
    values = _values(item)
    if not any(values.values()):
        return
    gear = (item.numbers('gear', 1, 2, 3, 4, 5, 6) or (1.0,))[0]
    name = next((item.reference(way) for way in _ON_JOINTS if way in item.values), None)
    if name is not None:
        target: tuple[str, float] | None = _known(item, name, numbers), gear
    else:
        joint, coefficient = ratios.get(item.reference('tendon'), ('', 0.0))
        target = (joint, gear * coefficient) if joint else None
        values['quadratic_damping'] *= abs(coefficient)
        values['cubic_damping'] *= coefficient**2
    _add(item, values, target, tree, numbers)


def _values(item: Item) -> dict[str, float]:
    values = {name: item.number(name, 0.0) for name in ('armature', 'frictionloss')}
    values.update(dampings(item))
    for name, value in values.items():
        if value < 0.0:
            raise item.document.error(item.element, f'{item.called()}: {name}={value:.9g} is '
                                      'negative')
    if 'frictionloss' in item.document.settings.disabled:
        values['frictionloss'] = 0.0
    return values


def _add(item: Item, values: dict[str, float], target: tuple[str, float] | None, tree: Tree,
         numbers: dict[str, int]) -> None:
    """Add the resistance of a tendon or actuator to that of its one joint."""
    k = -1 if target is None else numbers[target[0]]
    if target is None or tree.joints[k].kind not in ('revolute', 'continuous', 'prismatic'):
        item.document.report.leave_out(
            'actuators' if item.element.getparent().tag == 'actuator' else 'tendons',
            f'{" and ".join(_nonzero(values))} of {item.called()}, which acts on more than a '
            'single hinge or slide joint,', item.document.report.source(item.element))
        return
    ratio = abs(target[1])
    joint = tree.joints[k]
    own = joint.dynamics
    tree.joints[k] = replace(joint, dynamics=replace(
        own, friction=own.friction + ratio * values['frictionloss'],
        **{name: getattr(own, name) + ratio**2 * values[name]
           for name in ('armature', *DAMPINGS)}))


def _nonzero(values: dict[str, float]) -> list[str]:
    """Return the attributes that have an effect."""
    growing = any(values[name] for name in DAMPINGS)
    return [name for name in _RATES if values[name] or (name == 'damping' and growing)]
