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

"""
Choose the tree joint of a link that several joints lead to; the others close loops.

The tree grows from the root. A link is decided when all links that joints to it come from are
placed, so that no circle can arise; where joints lead around a circle, the first link of the file
that can be placed is decided by those of its joints whose parents are.

"""

from __future__ import annotations

from collections.abc import Collection, Sequence
import heapq
from math import inf

from mbd_ros.description.records.mechanism import Dynamics, Joint, JointKind

FREEDOMS: dict[JointKind, int] = {'fixed': 0, 'revolute': 1, 'continuous': 1, 'prismatic': 1,
                                  'planar': 3, 'spherical': 3}
"""Of the joints that can close loops."""


def carriers(root: str, joints: Sequence[Joint], driven: Collection[str] = (),
             kept: Collection[str] = ()) -> dict[str, Joint]:
    """
    Return the joint that carries each link.

    Of several that lead to a link this is, in this order: one that cannot close a loop, such as a
    screw; the one whose coordinate is needed most
    (a joint that is driven, has a limited effort, mimics another or is mimicked, then one with
    damping, friction or armature); the one with the fewest freedoms, so that the cut has the
    fewest rows; the one with the fewest joints to the root, so that the branches of the loop are
    nearly of one length; the first of the file. Where a floating joint is among them it is the
    first of the file.

    Parameters
    ----------
    root : str
        The link that none carries.
    joints : sequence of Joint
        In the order of the file.
    driven : collection of str
        Names of joints that transmissions and the like drive.
    kept : collection of str
        Names of joints that cannot close loops.

    Returns
    -------
    dict of str to Joint
        By the child; links in the order of the file, by the joints that carry them. Links that no
        way from the root leads to are carried by the first joint of the file.

    """
    coming: dict[str, list[Joint]] = {}
    going: dict[str, list[Joint]] = {}
    for joint in joints:
        if joint.child != root:
            coming.setdefault(joint.child, []).append(joint)
            going.setdefault(joint.parent, []).append(joint)
    order = {name: number for number, name in enumerate(coming)}
    needed = {*driven, *(joint.mimic.joint for joint in joints if joint.mimic is not None)}
    missing = {child: len(ways) for child, ways in coming.items()}
    depth = {root: 0}
    carried: dict[str, Joint] = {}
    ready: list[tuple[bool, int, str]] = []

    def reach(link: str) -> None:
        for joint in going.get(link, ()):
            missing[joint.child] -= 1
            heapq.heappush(ready, (missing[joint.child] > 0, order[joint.child], joint.child))

    reach(root)
    while ready:
        link = heapq.heappop(ready)[2]
        if link in depth:
            continue
        ways = [joint for joint in coming[link] if joint.parent in depth]
        if any(joint.kind not in FREEDOMS for joint in ways):
            best = ways[0]
        else:
            best = min(ways, key=lambda joint: (joint.name not in kept,
                                                *_dispensable(joint, needed),
                                                FREEDOMS[joint.kind], depth[joint.parent]))
        carried[link], depth[link] = best, depth[best.parent] + 1
        reach(link)
    chosen = {id(carried.get(child, ways[0])) for child, ways in coming.items()}
    return {joint.child: joint for joint in joints if id(joint) in chosen}


def _dispensable(joint: Joint, needed: Collection[str]) -> tuple[bool, bool]:
    """Return whether a joint needs no coordinate to be driven, and none for what resists it."""
    feel = joint.dynamics
    return (not (joint.name in needed or joint.mimic is not None
                 or 0.0 < joint.limits.effort < inf),
            feel == Dynamics())
