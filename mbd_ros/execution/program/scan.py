"""
Scans: running products and sums along the paths of a tree, all bodies of an array at once.

A scan gives each body its element combined with those of all bodies on its way from the ground; a
suffix sum gives it the sum over all bodies that it carries. On a chain they run on stretches of
equal length side by side, which are shared among threads; on a tree level by level.

References
----------
Blelloch, Prefix sums and their applications, 1990; Lu, Zhang and Chen, Parallel computing strategy
for the forward dynamics of manipulators based on a non-recursive formulation, 1997.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.stacks import Stack

Operator = Callable[[Stack, Stack], Stack]
"""Associative: ``(inboard, outboard) -> both`` on stacks."""

SHORT = 32
"""Bodies up to which a chain is one stretch."""


@functools.lru_cache(maxsize=64)
def is_chain(parents: tuple[int, ...]) -> bool:
    """Return whether each body hangs on the one before it or on the ground."""
    return all(parent in (i - 1, -1) for i, parent in enumerate(parents))


def share(threads: int, count: int, work: Callable[[slice], None]) -> None:
    """
    Share the numbers 0 to count among threads, the caller's included.

    Parameters
    ----------
    threads : int
        How many.
    count : int
        Numbers to be shared.
    work : callable
        Is called with consecutive slices; NumPy leaves the interpreter's lock within them.

    """
    cuts = [count * k // threads for k in range(threads + 1)]
    shares = [slice(a, b) for a, b in itertools.pairwise(cuts) if b > a]
    others = [_pool(threads).submit(work, part) for part in shares[1:]]
    for part in shares[:1]:
        work(part)
    for one in others:
        one.result()


@functools.lru_cache(maxsize=8)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, 'mbd_ros arrays')


def scan(operator: Operator, elements: Stack, parents: Sequence[int], threads: int = 1) -> Stack:
    """
    Combine each element with those of all bodies on its way from the ground.

    Parameters
    ----------
    operator : callable
        See ``Operator``.
    elements : array
        (n, ...).
    parents : sequence of int
        Parent of each body, ``parents[i] < i``; -1 for the ground.
    threads : int
        Among which the stretches of a chain are shared.

    Returns
    -------
    array
        (n, ...): ``y_i = operator(y_parent, x_i)``, and ``x_i`` where the parent is the ground.

    """
    if len(parents) > SHORT and tuple(parents) == _line(len(parents)):
        return _along(operator, elements, threads)
    found = np.array(elements)
    for bodies in levels(tuple(parents))[1:]:
        inboard = np.asarray(parents)[bodies]
        found[bodies] = operator(found[inboard], found[bodies])
    return found


def suffix_sum(elements: Stack, parents: Sequence[int], threads: int = 1) -> Stack:
    """
    Return for each body the sum of its element and those of all bodies that it carries.

    Parameters and result are shaped as those of ``scan``.
    """
    if len(parents) > SHORT and tuple(parents) == _line(len(parents)):
        return _along(np.add, elements[::-1], threads)[::-1]
    found = np.array(elements)
    for bodies in levels(tuple(parents))[:0:-1]:
        np.add.at(found, np.asarray(parents)[bodies], found[bodies])
    return found


def sum_children(elements: Stack, parents: Sequence[int]) -> Stack:
    """Return for each body the sum of the elements of its children, zero where there are none."""
    found = np.zeros_like(elements)
    inboard = np.asarray(parents)
    children = np.flatnonzero(inboard >= 0)
    if is_chain(tuple(parents)):   # one child at most
        found[inboard[children]] = elements[children]
    else:
        np.add.at(found, inboard[children], elements[children])
    return found


@functools.lru_cache(maxsize=64)
def levels(parents: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return the bodies by their number of ancestors."""
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    order = np.argsort(depths, kind='stable')
    return np.split(order, np.cumsum(np.bincount(depths))[:-1])


@functools.lru_cache(maxsize=8)
def _line(count: int) -> tuple[int, ...]:
    return tuple(range(-1, count - 1))


def _along(operator: Operator, elements: Stack, threads: int) -> Stack:
    """
    Scan a chain: stretches side by side, then their ends, then what lies before each.

    Stretches are as long as there are many, so that as few stacks as possible are handled one
    after the other. What fills up the last one stands behind all others.
    """
    if len(elements) <= SHORT:
        return scan(operator, elements, range(-1, len(elements) - 1))
    length = math.isqrt(len(elements))
    count = -(-len(elements) // length)
    fill = np.broadcast_to(elements[-1:], (count * length - len(elements), *elements.shape[1:]))
    found = np.concatenate([elements, fill]).reshape(count, length, *elements.shape[1:])

    def within(part: slice) -> None:
        for k in range(1, length):
            found[part, k] = operator(found[part, k - 1], found[part, k])

    share(threads, count, within)
    before = _along(operator, found[:, -1].copy(), 1)

    def carry_over(part: slice) -> None:
        part = slice(max(part.start, 1), part.stop)
        found[part] = operator(before[part.start - 1:part.stop - 1, None], found[part])

    share(threads, count, carry_over)
    return found.reshape(-1, *elements.shape[1:])[:len(elements)]
