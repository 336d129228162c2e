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
Newton's method on constraints, ``q <- q + dq`` with ``A dq = -phi``: plain, and damped.

What ``dq`` is, the least displacement in which metric and with which rank, is the caller's; so
is how a configuration is displaced. The plain method also takes symbols, with a fixed number of
steps, which is how corrections in machine code come of the same text.

References
----------
Nocedal, Wright, Numerical Optimization, 2006, sections 10.3 and 11.2.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Step = TypeVar('Step')


def newton(q: Any, step: Callable[[Any], Step], displaced: Callable[[Any, Step], Any], *,
           most: int, small: Callable[[Step], bool]) -> Iterator[tuple[Any, Step]]:
    """
    Yield where plain Newton steps lead, and the step from there.

    Parameters
    ----------
    q : array
        (nq,) where they begin.
    step : callable
        q to the step there, an array or whatever the two others read.
    displaced : callable
        (q, step) to the next q.
    most : int
        Number of steps at most, 1 or more.
    small : callable
        Whether a step is so small, or what it removes, that none follows.

    Yields
    ------
    q : array
        (nq,).
    step : array
        From it. The last is small, or there were as many as allowed: it is still to be taken.

    """
    for _ in range(most):
        found = step(q)
        yield q, found
        if small(found):
            return
        q = displaced(q, found)


class Reached(NamedTuple):
    """
    Where damped steps have led.

    Attributes
    ----------
    q : array
        (nq,).
    phi : array
        (m,) violation there.
    steps, trials : int
        Steps taken, and tried.
    way : float
        Length of all steps taken [rad or m].

    """

    q: Array
    phi: Array
    steps: int
    trials: int
    way: float


class DampedProblem(Protocol):
    """What ``damped_newton`` solves, with its damping."""

    def violation(self, q: Array) -> Array:
        """Return phi (m,) at q (nq,)."""

    def goes_on(self, now: Reached) -> bool:
        """Return whether another step is wanted."""

    def step(self, q: Array, phi: Array) -> Array:
        """Return the damped step from q, (nv,)."""

    def displaced(self, q: Array, step: Array) -> Array:
        """Return q after a step."""

    def accepts(self, trial: Array, phi: Array) -> bool:
        """Return whether a violation is a progress."""

    def relax(self) -> None:
        """Damp less, after a step that was taken."""

    def tighten(self, step: Array, phi: Array) -> bool:
        """Damp more, after one that was not taken; return whether that is worth trying."""

    def aside(self) -> Array | None:
        """Return a step (nv,) that is taken in any case, None to end; the damping is reset."""


def damped_newton(problem: DampedProblem, q: Array, phi: Array | None = None) -> Reached:
    """
    Return where steps lead that each reduce the violation.

    A step that does not is tried again with more damping. Where that is of no use, at a singular
    configuration, the problem may step aside. Of the start (nq,) the violation (m,) may be known.
    """
    now = Reached(q, problem.violation(q) if phi is None else phi, 0, 0, 0.0)
    while problem.goes_on(now):
        step = problem.step(now.q, now.phi)
        candidate = problem.displaced(now.q, step)
        trial, tried = problem.violation(candidate), now.trials + 1
        if problem.accepts(trial, now.phi):
            problem.relax()
        elif problem.tighten(step, now.phi):
            now = now._replace(trials=tried)
            continue
        else:
            turn = problem.aside()
            if turn is None:
                return now._replace(trials=tried)
            step, candidate = turn, problem.displaced(now.q, turn)
            trial = problem.violation(candidate)
        now = Reached(candidate, trial, now.steps + 1, tried, now.way + length(step))
    return now


def length(vector: Array) -> float:
    """Return the Euclidean norm."""
    return float(np.sqrt(vector.dot(vector)))


def turned_aside(size: float, count: int) -> Array:
    """Return a step (count,) in a pattern that no mechanism is singular along [rad or m]."""
    return size * np.cos(np.arange(1.0, count + 1.0))
