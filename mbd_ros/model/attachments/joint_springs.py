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


"""Springs along the coordinates of a model's joints."""

from __future__ import annotations

from dataclasses import dataclass

from mbd_ros.description.records.mechanism import Joint
from mbd_ros.errors import DescriptionError

AT_REST = {'revolute': (0.0,), 'continuous': (0.0,), 'prismatic': (0.0,),
           'spherical': (0.0, 0.0, 0.0, 1.0), 'floating': (0.0,) * 6 + (1.0,)}
"""Coordinates at which a spring without a reference is free of force, by the kind of its joint."""


@dataclass(frozen=True, slots=True)
class SprungJoint:
    """
    A spring along the coordinates of a joint, see ``JointSpring``.

    Attributes
    ----------
    body : int
        The body that the joint moves.
    stiffness : tuple of float
        c1, c2, c3 without zeros at the end.
    reference : tuple of float
        (nq,) coordinates at which it is free of force.
    slack : float
        How far beyond it is free, too [rad, m].

    """

    body: int
    stiffness: tuple[float, ...]
    reference: tuple[float, ...]
    slack: float = 0.0


def make_joint_springs(joint: Joint, body: int) -> tuple[SprungJoint, ...]:
    """
    Return the springs along a joint's coordinates.

    Raises
    ------
    DescriptionError
        If a joint of that kind has none, or a reference does not suit it.

    """
    found = []
    for spring in joint.dynamics.springs:
        rest = AT_REST.get(joint.kind)
        if rest is None or len(spring.reference) not in (0, len(rest)) or (
                spring.slack and len(rest) > 1):
            raise DescriptionError(
                f"joint '{joint.name}' of type {joint.kind} has a spring with "
                f'{len(spring.reference)} reference coordinates and the slack '
                f'{spring.slack:.9g}; allowed: {", ".join(AT_REST)}, the reference with as many '
                'numbers as the joint has coordinates, slack where that is one',
                file=spring.source.file, line=spring.source.line)
        stiffness = tuple(float(one) for one in spring.stiffness)
        while stiffness and not stiffness[-1]:
            stiffness = stiffness[:-1]
        if stiffness:
            found.append(SprungJoint(body, stiffness, tuple(map(float, spring.reference or rest)),
                                     float(spring.slack)))
    return tuple(found)
