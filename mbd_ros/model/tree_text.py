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

"""The tree of a robot in lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, isinf
from typing import TYPE_CHECKING

from mbd_ros.description.records.mechanism import Joint

if TYPE_CHECKING:
    from mbd_ros.model.model import Model


def tree_lines(model: Model) -> Iterator[str]:
    """
    Yield a line for each link of a robot, the root first.

    Parameters
    ----------
    model : Model
        The robot.

    Yields
    ------
    str
        The joint with its limits, the link and its mass, indented by what carries it.

    """
    mechanism = model.mechanism
    children: dict[str, list[Joint]] = {}
    for joint in sorted(mechanism.joints, key=lambda joint: joint.name):
        children.setdefault(joint.parent, []).append(joint)
    masses = {link.name: link.inertia.mass for link in mechanism.links if link.inertia}
    yield mechanism.root + _kilograms(masses, mechanism.root)
    waiting = [(joint, '', k == 0) for k, joint in enumerate(reversed(
        children.get(mechanism.root, [])))]
    while waiting:
        joint, indent, last = waiting.pop()
        yield (f'{indent}{"└" if last else "├"}─ {joint.name} ({_describe(joint)}) ─ '
               f'{joint.child}{_kilograms(masses, joint.child)}')
        deeper = indent + ('   ' if last else '│  ')
        waiting += [(below, deeper, k == 0) for k, below in enumerate(reversed(
            children.get(joint.child, [])))]


def _kilograms(masses: dict[str, float], link: str) -> str:
    return f', {masses[link]:.4g} kg' if masses.get(link) else ''


def _describe(joint: Joint) -> str:
    limits = joint.limits
    if joint.kind not in ('revolute', 'prismatic') or isinf(limits.lower) or isinf(limits.upper):
        return joint.kind
    if joint.kind == 'revolute':
        return f'revolute, {degrees(limits.lower):.4g} to {degrees(limits.upper):.4g} deg'
    return f'prismatic, {limits.lower:.4g} to {limits.upper:.4g} m'
