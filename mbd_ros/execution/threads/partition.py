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

"""Partition of a tree into subtrees of balanced work and their common trunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SMALLEST_TREE = 20
"""Bodies from which on shares of one state repay their hand-over."""
LARGEST_COUNT = 32
"""Of subtrees: the code that runs them grows with their number."""


class Part(NamedTuple):
    """Bodies ``first`` to ``last - 1``: subtrees with the same parent body, for one thread."""

    first: int
    last: int
    parent: int
    share: int


class Partition(NamedTuple):
    """The bodies of the trunk, in order, and the parts; whether the robot's constants fold."""

    trunk: tuple[int, ...]
    parts: tuple[Part, ...]
    folded: bool = False


def partition(parents: Sequence[int], weights: Sequence[float], shares: int) -> Partition | None:
    """
    Cut a tree into shares of about equal work.

    Parameters
    ----------
    parents : sequence of int
        Parents of the bodies, depth first; -1 is the ground.
    weights : sequence of float
        Work for each body.
    shares : int
        Number of threads.

    Returns
    -------
    Partition or None
        None if the tree is small or its work cannot be shared well: less than a quarter would be
        saved.

    """
    if len(parents) < SMALLEST_TREE or shares < 2:
        return None
    children: dict[int, list[int]] = {i: [] for i in range(-1, len(parents))}
    sizes, work = [1] * len(parents), list(weights)
    for i in reversed(range(len(parents))):
        children[parents[i]].append(i)
        if parents[i] >= 0:
            sizes[parents[i]] += sizes[i]
            work[parents[i]] += work[i]
    roots, trunk = list(children[-1]), 0.0
    best_time, best_roots = 0.75 * sum(weights), list[int]()
    while roots and len(roots) <= 4 * LARGEST_COUNT:
        time = trunk + max(_bins(roots, work, shares)[1])
        if time < best_time:
            best_time, best_roots = time, list(roots)
        largest = max(roots, key=lambda i: (work[i], -i))
        roots.remove(largest)
        roots += children[largest]
        trunk += weights[largest]
    if not best_roots:
        return None
    place, _ = _bins(best_roots, work, shares)
    parts: list[Part] = []
    for i in sorted(best_roots):
        part = Part(i, i + sizes[i], parents[i], place[i])
        if parts and parts[-1][1:] == (i, part.parent, part.share):
            part = part._replace(first=parts.pop().first)
        parts.append(part)
    if len(parts) > LARGEST_COUNT:
        return None
    covered = {i for part in parts for i in range(part.first, part.last)}
    return Partition(tuple(i for i in range(len(parents)) if i not in covered), tuple(parts))


def _bins(roots: Sequence[int], work: Sequence[float], shares: int
          ) -> tuple[dict[int, int], list[float]]:
    """
    Return the share of each subtree and the work of each share.

    Neighbours stay together where that is nearly as good as the largest first.
    """
    total, done = sum(work[i] for i in roots), 0.0
    near: dict[int, int] = {}
    for i in sorted(roots):
        near[i] = min(shares - 1, int(shares * (done + 0.5 * work[i]) / total))
        done += work[i]
    loads, far = [0.0] * shares, dict[int, int]()
    for i in sorted(roots, key=lambda i: (-work[i], i)):
        far[i] = loads.index(min(loads))
        loads[far[i]] += work[i]
    together = [sum(work[i] for i in roots if near[i] == share) for share in range(shares)]
    return (near, together) if max(together) < 1.05 * max(loads) else (far, loads)
