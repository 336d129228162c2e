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

"""Loop joints and springs as they act between the bodies of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.budget import look
from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import Joint, LoopJoint, LoopKind, Pose, SpringDamper
from mbd_ros.description.records.report import nearest
from mbd_ros.errors import DescriptionError
from mbd_ros.model.link_frame import LinkFrame

Array = NDArray[np.float64]

_POINT, _LOCKED = ('x', 'y', 'z'), ('yx', 'zy', 'xz')
ROWS: dict[LoopKind, tuple[str, ...]] = {
    'spherical': _POINT, 'revolute': (*_POINT, 'zx', 'zy'), 'universal': (*_POINT, 'xy'),
    'fixed': (*_POINT, *_LOCKED), 'prismatic': ('x', 'y', *_LOCKED),
    'planar': ('z', 'zx', 'zy'), 'distance': ('distance',)}
"""
The rows of each kind of loop joint. One letter: the distance of the two origins along an axis, of
the world where both points coincide, else of the first frame. Two: the product of that axis of the
first frame with that of the second.
"""
MOST_ROWS = 200
"""Rows along a body at once, of robots that come by topics and services."""
COUPLED = ('revolute', 'continuous', 'prismatic')
"""Kinds of joints that can follow others, and be followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """
    A cut joint.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        As in ``LoopJoint``; or ``'mimic'``: the joint of the first body follows the second's,
        ``q_1 = multiplier q_2 + offset``.
    frame1, frame2 : LinkFrame
        The frames it connects, on the bodies that carry them.
    junction : int
        The body where the branches to the two frames meet; -1 for the ground.
    rows : tuple of str
        Names of its constraint equations, see ``ROWS``.
    distance : float
        Of a ``'distance'`` joint [m], else 0.
    coupling : tuple of float
        Multiplier and offset of a ``'mimic'`` row, and ``Mimic.powers`` if it has them; else 0.
    source : Source
        Where it was written.

    """

    name: str
    kind: LoopKind | Literal['mimic']
    frame1: LinkFrame
    frame2: LinkFrame
    junction: int
    rows: tuple[str, ...]
    distance: float = 0.0
    source: Source = Source()
    coupling: tuple[float, ...] = (0.0, 0.0)

    @property
    def body1(self) -> int:
        """Body of the first frame, -1 for the ground."""
        return self.frame1.body

    @property
    def body2(self) -> int:
        """Body of the second frame, -1 for the ground."""
        return self.frame2.body

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows with that of the joint, for reports."""
        return tuple(f'{self.name}.{row}' for row in self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Spring:
    """
    A spring with a damper between two bodies.

    Attributes
    ----------
    name : str
        Its name.
    frame1, frame2 : LinkFrame
        The points it connects; their axes do not matter.
    stiffness, damping, length, slack : float
        [N/m], [N s/m], the length without force, and how much longer it may be without [m].

    """

    name: str
    frame1: LinkFrame
    frame2: LinkFrame
    stiffness: float
    damping: float
    length: float
    slack: float = 0.0


def make_loop(joint: LoopJoint, frames: Mapping[str, LinkFrame], parents: Sequence[int],
              bends: bool = False) -> Loop:
    """
    Return the cut joint of a model.

    Parameters
    ----------
    joint : LoopJoint
        As described.
    frames : mapping of str to LinkFrame
        Where each link sits.
    parents : sequence of int
        Parent body of each body.
    bends : bool
        Whether what is one body here may bend, so that its parts move against each other.

    Returns
    -------
    Loop
        With frames on bodies.

    Raises
    ------
    DescriptionError
        If it has the wrong kind or distance, or connects a body with itself.

    """
    if joint.kind not in ROWS:
        raise _refused(joint, f"is of kind '{joint.kind}'; allowed: {', '.join(ROWS)}")
    first = placed_frame(joint.frame1, frames[joint.link1])
    second = placed_frame(joint.frame2, frames[joint.link2])
    if first.body == second.body and not bends:
        raise _refused(joint, f"connects '{joint.link1}' and '{joint.link2}', which are fixed to "
                       'each other; allowed: links that move against each other')
    distance = 0.0
    if joint.kind == 'distance':
        if joint.distance is None or not 0.0 < joint.distance < np.inf:
            raise _refused(joint, f'keeps the distance {joint.distance}; allowed: a positive '
                           'length [m], or a spherical joint where it is zero')
        distance = joint.distance
    return Loop(joint.name, joint.kind, first, second,
                lowest_common_ancestor(first.body, second.body, parents), ROWS[joint.kind],
                distance, joint.source)


def make_coupling(joints: Sequence[Joint], follower: int, parents: Sequence[int],
                  leaders: Mapping[str, int]) -> Loop:
    """
    Return the row that couples a mimic joint to the joint it follows.

    Parameters
    ----------
    joints : sequence of Joint
        Those that move, in the order of the bodies.
    follower : int
        Number of the mimic joint.
    parents : sequence of int
        Parent body of each body.
    leaders : mapping of str to int
        Numbers of the joints that can be followed.

    Raises
    ------
    DescriptionError
        If it follows what does not move, itself, or a joint of several coordinates.

    """
    joint = joints[follower]
    mimic = joint.mimic
    assert mimic is not None
    look(mimic.source.file, mimic.source.line)
    leader = leaders.get(mimic.joint, follower)
    if joint.kind not in COUPLED or leader == follower:
        known = (name for name in leaders if name != joint.name)
        raise DescriptionError(
            f"joint '{joint.name}' of type {joint.kind} cannot mimic '{mimic.joint}'; allowed: "
            f'revolute, continuous and prismatic joints{nearest(mimic.joint, known)}',
            file=mimic.source.file, line=mimic.source.line)
    first, second = (LinkFrame(k, np.eye(3), np.zeros(3)) for k in (follower, leader))
    return Loop(joint.name, 'mimic', first, second,
                lowest_common_ancestor(parents[follower], parents[leader], parents),
                ('coupling',), source=mimic.source, coupling=(
                    mimic.multiplier, mimic.offset, *mimic.powers))


def make_spring(spring: SpringDamper, frames: Mapping[str, LinkFrame]) -> Spring:
    """Return a spring with its points on bodies."""
    ends = [placed_frame(Pose(translation=point), frames[link]) for link, point in
            ((spring.link1, spring.point1), (spring.link2, spring.point2))]
    return Spring(spring.name, ends[0], ends[1], spring.stiffness, spring.damping, spring.length,
                  spring.slack)


def placed_frame(pose: Pose, link: LinkFrame) -> LinkFrame:
    """Return a frame given in a link as one on the body that carries the link."""
    return LinkFrame(link.body, link.rotation @ np.array(pose.rotation),
                     link.translation + link.rotation @ np.array(pose.translation))


def lowest_common_ancestor(first: int, second: int, parents: Sequence[int]) -> int:
    """Return the body outermost on both ways to the ground; -1 for the ground."""
    while first != second:
        if first > second:
            first = parents[first]
        else:
            second = parents[second]
    return first


def branches(loop: Loop, parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the bodies from each frame of a loop to its junction, without the junction."""
    ways = []
    for body in (loop.body1, loop.body2):
        way = []
        while body != loop.junction:
            way.append(body)
            body = parents[body]
        ways.append(way)
    return ways[0], ways[1]


def require_compilable(loops: Sequence[Loop], parents: Sequence[int], names: Sequence[str]
                       ) -> None:
    """
    Raise if machine code for the loops of a robot would take too much time and memory.

    Both grow with the cube of the number of rows that are carried along a body at once, of loops
    whose branches pass it or meet there: 20 s and half a gigabyte for ``MOST_ROWS`` of them.

    Parameters
    ----------
    loops : sequence of Loop
        The loops of a robot.
    parents : sequence of int
        Parent of each body, -1 for the ground.
    names : sequence of str
        Links that the joints move, in the order of the bodies.

    Raises
    ------
    DescriptionError
        With file, line and name of the loop that is one too many.

    """
    carried: Counter[int] = Counter()
    for loop in loops:
        for body in (*(body for way in branches(loop, parents) for body in way),
                     loop.junction):
            carried[body] += len(loop.rows)
            if carried[body] > MOST_ROWS:
                where = 'the ground' if body < 0 else f"link '{names[body]}'"
                raise DescriptionError(
                    f"loop '{loop.name}' is one too many: {carried[body]} constraint equations "
                    f'of loops and couplings pass or meet at {where}; allowed: {MOST_ROWS} of a '
                    'description from a topic or service, or in a saved run; mbd_ros.load reads '
                    'more from a file', file=loop.source.file, line=loop.source.line)


def _refused(joint: LoopJoint, what: str) -> DescriptionError:
    return DescriptionError(f"loop joint '{joint.name}' {what}", file=joint.source.file,
                            line=joint.source.line)
