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
Find subtrees of equal shape, one for each lane of a vector.

Two subtrees have equal shape if their bodies have pairwise the same type of joint: the legs of a
quadruped, the fingers of a hand, the two halves of a loop. They need not have the same parent.

"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple


class Node(NamedTuple):
    """
    Bodies that run at the same time, one in each lane.

    Only the first ``used`` lanes count: the others repeat the first, so that three legs may run
    in four lanes.
    """

    bodies: tuple[int, ...]
    used: int

    @property
    def lanes(self) -> int:
        """Return the number of lanes."""
        return len(self.bodies)


class _Shapes:
    """Shapes of the subtrees that the bodies not yet in a bundle form."""

    def __init__(self, parents: Sequence[int], kinds: Sequence[Hashable], left: set[int]) -> None:
        self.children: dict[int, list[int]] = defaultdict(list)
        self.sizes: dict[int, int] = {}
        self.shapes: dict[int, int] = {}
        numbers: dict[Hashable, int] = {}
        for i in sorted(left, reverse=True):
            below = self.children[i]
            below.sort(key=lambda child: (self.shapes[child], child))
            self.sizes[i] = 1 + sum(self.sizes[child] for child in below)
            shape = (kinds[i], tuple(self.shapes[child] for child in below))
            self.shapes[i] = numbers.setdefault(shape, len(numbers))
            self.children[parents[i]].append(i)

    def best(self, widest: int) -> list[int]:
        """Return the roots of the equal subtrees that save most steps in lanes; none if none."""
        alike: dict[int, list[int]] = defaultdict(list)
        for i in sorted(self.shapes):
            alike[self.shapes[i]].append(i)

        def saved(roots: list[int]) -> tuple[int, int]:
            size = self.sizes[roots[0]]
            return size * (len(roots) - -(-len(roots) // widest)), size

        return max(alike.values(), key=saved, default=[])

    def within(self, root: int) -> list[int]:
        """Return the bodies of a subtree, parents first; the same order for equal shapes."""
        return [root, *(i for child in self.children[root] for i in self.within(child))]


def folded(parents: Sequence[int], kinds: Sequence[Hashable], widest: int) -> list[Node]:
    """
    Return the bodies of a tree as nodes, each after those that its parents are in.

    Parameters
    ----------
    parents : sequence of int
        Parents of the bodies; -1 is the ground.
    kinds : sequence
        Types of their joints.
    widest : int
        The largest number of lanes; a power of two.

    Returns
    -------
    list of Node
        Bodies that run alone, then bundles.

    """
    left = set(range(len(parents)))
    bundles: list[list[Node]] = []
    while True:
        shapes = _Shapes(parents, kinds, left)
        roots = shapes.best(widest)
        if len(roots) < 2:
            break
        bundle = []
        for first in range(0, len(roots), widest):
            group = roots[first:first + widest]
            if len(group) == 1:
                continue
            lanes = 1 << (len(group) - 1).bit_length()
            subtrees = [shapes.within(root) for root in group]
            left.difference_update(*subtrees)
            bundle += [Node((*bodies, *bodies[:1] * (lanes - len(group))), len(group))
                       for bodies in zip(*subtrees)]
        bundles.append(bundle)
    return [*(Node((i,), 1) for i in sorted(left)),
            *(node for bundle in reversed(bundles) for node in bundle)]
