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
Scans: running products and sums along the paths of a tree, all bodies of an array at once.

A scan gives each body its element combined with those of all bodies on its path from the ground; a
suffix sum gives it the sum over all bodies that it carries. A long chain is cut into stretches of
equal length, which run side by side; on a tree they run level by level.

References
----------
Blelloch, Prefix sums and their applications, 1990; Lu, Zhang and Chen, Parallel computing strategy
for the forward dynamics of manipulators based on a non-recursive formulation, 1997.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.stacks.steps import along, each, Stack, Step

Operator = Callable[[Stack, Stack], Stack]
"""Associative: ``(inboard, outboard) -> both`` on stacks."""

SHORT = 32
"""Bodies up to which a chain is one stretch."""
STRETCHES = 32
"""Into which a long chain is cut: enough for two threads with eight lanes each."""


class Paths(NamedTuple):
    """
    Who hangs on whom.

    Attributes
    ----------
    parents : array of int
        Parent of each body, ``parents[i] < i``; -1 for the ground.
    line : bool
        Whether each body hangs on the one before it, the first on the ground.
    chains : bool
        Whether the parent of each body is the one before it, or the ground.
    levels : list of array of int
        The bodies by their number of ancestors.

    """

    parents: NDArray[np.int64]
    line: bool
    chains: bool
    levels: list[NDArray[np.int64]]


def paths(parents: Sequence[int]) -> Paths:
    """Return the paths of a tree from the parent of each body."""
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    order = np.argsort(depths, kind='stable')
    array, before = np.array(parents, dtype=np.int64), np.arange(-1, len(parents) - 1)
    return Paths(array, bool((array == before).all()),
                 bool(((array == before) | (array < 0)).all()),
                 np.split(order, np.cumsum(np.bincount(depths))[:-1]))


def inboard(stack: Stack, tree: Paths, ground: Stack | float = 0.0) -> Stack:
    """Return for each body its parent's element; what stands for the ground is given."""
    first = np.empty_like(stack[:1])
    first[...] = ground
    if tree.line:
        return np.concatenate([first, stack[:-1]])
    found: Stack = np.concatenate([stack, first])[tree.parents]
    return found


def outward(step: Step, ground: Sequence[Stack], stacks: Sequence[Stack], tree: Paths,
            threads: int = 1) -> tuple[Stack, ...]:
    """
    Run a step from the ground outwards, at each body on what its parent hands on.

    Parameters
    ----------
    step : callable
        ``(*from the parent, *elements)`` to a tuple: what is handed on, then further results.
    ground : sequence of array
        (N, ...) what the ground hands on.
    stacks : sequence of array
        (n, N, ...).
    tree : Paths
        Of the bodies.
    threads : int
        Among which the N are shared.

    Returns
    -------
    tuple of array
        (n, N, ...) what the bodies hand on, then further results.

    """
    if tree.line:
        return along(_recorded(step, len(ground)), ground, stacks, threads=threads)[1]
    found: list[Stack] = []
    for bodies in tree.levels:
        parents = tree.parents[bodies]
        given = [one[None] if parents[0] < 0 else stack[parents]
                 for one, stack in zip(ground, found or ground)]
        results = each(step)(*given, *(stack[bodies] for stack in stacks), threads=threads)
        found = found or [np.empty((len(tree.parents), *one.shape[1:]), np.result_type(
            one.dtype, *(stack.dtype for stack in stacks))) for one in results]
        for stack, one in zip(found, results):
            stack[bodies] = one
    return tuple(found)


@functools.lru_cache(maxsize=64)
def _recorded(step: Step, handed: int) -> Step:
    """Return a step that gives out what it hands on, too."""
    def recorded(*values: Stack) -> tuple[Stack, ...]:
        found = step(*values)
        return (*found[:handed], *found)
    return recorded


def scan(operator: Operator, elements: Stack, tree: Paths, threads: int = 1) -> Stack:
    """
    Combine each element with those of all bodies on its path from the ground.

    Parameters
    ----------
    operator : callable
        See ``Operator``.
    elements : array
        (n, N, ...).
    tree : Paths
        Of the bodies.
    threads : int
        Among which the stretches of a chain are shared.

    Returns
    -------
    array
        (n, N, ...): ``y_i = operator(y_parent, x_i)``, and ``x_i`` where the parent is the ground.

    """
    if tree.line and len(elements) > SHORT:
        return _along(operator, elements, threads)
    found = np.array(elements)
    for bodies in tree.levels[1:]:
        found[bodies] = operator(found[tree.parents[bodies]], found[bodies])
    return found


def suffix_sum(elements: Stack, tree: Paths, threads: int = 1) -> Stack:
    """
    Return for each body the sum of its element and those of all bodies that it carries.

    Parameters and result are shaped as those of ``scan``.
    """
    if tree.line and len(elements) > SHORT:
        return _along(np.add, elements[::-1], threads)[::-1]
    found = np.array(elements)
    for bodies in tree.levels[:0:-1]:
        np.add.at(found, tree.parents[bodies], found[bodies])
    return found


def sum_children(elements: Stack, tree: Paths) -> Stack:
    """Return for each body the sum of the elements of its children, zero where there are none."""
    if tree.line:
        return np.concatenate([elements[1:], np.zeros_like(elements[:1])])
    found = np.zeros_like(elements)
    children = np.flatnonzero(tree.parents >= 0)
    np.add.at(found, tree.parents[children], elements[children])
    return found


@functools.lru_cache(maxsize=8)
def _running(operator: Operator) -> Step:
    """Return the step of a scan, which hands its result on."""
    def step(inboard: Stack, outboard: Stack) -> tuple[Stack, Stack]:
        both = operator(inboard, outboard)
        return both, both
    return step


def _along(operator: Operator, elements: Stack, threads: int) -> Stack:
    """
    Scan a chain; of one state in stretches side by side, of which a survey first gives the ends.

    What is left over of the stretches stands before them.
    """
    step, n, many = _running(operator), *elements.shape[:2]
    count = STRETCHES if many == 1 and n > SHORT * STRETCHES else 0
    length = (n - 1) // max(1, count)
    left = n - count * length
    (end,), (head,) = along(step, (elements[0],), (elements[1:left],), threads=threads)
    head = np.concatenate([elements[:1], head])
    if not count:
        return head
    core = elements.shape[2:]
    stretches = np.swapaxes(elements[left:].reshape(count, length, *core), 0, 1)
    (ends,), _ = along(step, (stretches[0],), (stretches[1:],), threads=threads)
    _, (before,) = along(step, (end,), (ends[:-1, None],))
    _, (found,) = along(step, (np.concatenate([end, before[:, 0]]),), (stretches,),
                        threads=threads)
    return np.concatenate([head, np.swapaxes(found, 0, 1).reshape(-1, 1, *core)])
