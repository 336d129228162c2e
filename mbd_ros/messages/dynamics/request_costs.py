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

"""What a request is expected to take, known before it runs: from counts alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model

SMALL = 3e-3
"""What is answered at once [s]; 1000 points of an arm take 2 ms."""
BUDGET = 60.0
"""Of one request [s]: a million points of an arm take 2 s, 6 MB of a description this long."""
OCTETS = 1 << 15
"""Of a request that is handed on unread: more than any small one has."""
OCTET = 5e-7
"""Reading, computing and writing what an octet of a request stands for [s]."""
POINT, NUMBER = 1e-6, 1e-7
"""Reading, computing and writing a point, and each of its numbers [s] (docs/benchmarks.md)."""
INTERPRETED = 3e-4
"""A point by the interpreter, for each joint [s]."""
COMPILATION, LINK = 1.0, 0.05
"""Code that no request has used before, and each link of its robot [s]."""
CHARACTER = 1e-5
"""Of a description that is looked at [s]: much markup; the reader has a time limit of its own."""


def octets_unread(request: Any) -> int:
    """Return how many octets a request has that was not read yet, 0 if it was."""
    return int(getattr(request, 'octets_unread', 0))


def cost_of_octets(octets: int) -> float:
    """Return what a request that was not read yet is expected to take, by its size [s]."""
    return octets * OCTET


def cost_of(request: Any, model: Model | None, *, compiled: bool = True,
            executor: str = '') -> float:
    """
    Return what a request to the dynamics server is expected to take [s].

    Parameters
    ----------
    request : Request
        Of any of its services.
    model : Model or None
        The robot in use.
    compiled : bool, optional
        Whether the code that it runs is there.
    executor : str, optional
        Name of the one that the node forces; empty: what the request says.

    Returns
    -------
    float
        An estimate; which request is large depends on it, no result does.

    """
    if hasattr(request, 'robot_description'):
        text = request.robot_description.strip() or (
            '' if model is None else model.mechanism.text)
        return CHARACTER * len(text)
    points, nv = len(request.points), 0 if model is None else model.nv
    each = POINT + NUMBER * (nv + len(getattr(request, 'wrench_links', ())))
    if 'interpreted' in str(executor or request.executor).lower():
        each += INTERPRETED * (nv + 1)
    if not hasattr(request, 'base_twists'):   # a matrix for each
        each += NUMBER * nv * nv
    if getattr(request, 'separate_terms', False):
        each *= 5.0
    return points * each + (0.0 if compiled else COMPILATION + LINK * nv)


def code_of(request: Any) -> tuple[str, str, str]:
    """Return what tells the machine code apart that requests run."""
    return (type(request).__name__, getattr(request, 'formulation', ''),
            getattr(request, 'executor', ''))


def require_affordable(cost: float, request: Any) -> None:
    """Refuse a request beyond the budget."""
    if cost <= BUDGET:
        return
    if hasattr(request, 'robot_description'):
        raise InvalidValueError(
            'robot_description', f'{len(request.robot_description)} characters',
            f'{BUDGET / CHARACTER:.0f}; the command mbd_ros check reads longer ones')
    raise InvalidValueError(
        'points', len(request.points), f'as many as take {BUDGET:g} s, and these are expected to '
        f'take {cost:.0f} s: several requests')


class Load(NamedTuple):
    """Large requests that wait or are answered: how many, what they take [s], their octets."""

    requests: int = 0
    cost: float = 0.0
    octets: int = 0

    def with_more(self, other: Load) -> Load:
        """Return both."""
        return Load(self.requests + other.requests, self.cost + other.cost,
                    self.octets + other.octets)

    def without(self, other: Load) -> Load:
        """Return the rest."""
        return Load(self.requests - other.requests, self.cost - other.cost,
                    self.octets - other.octets)


MOST = Load(1000, 600.0, 256 << 20)
"""Of all clients, for one process."""


def require_room(new: Load, own: Load, others: Load) -> None:
    """
    Refuse a large request where too many wait.

    A client may have half of what others leave, so that one alone never fills the queue.

    Parameters
    ----------
    new, own, others : Load
        The request, and what waits of its client and of others.

    """
    for most, more, mine, theirs in zip(MOST, new, own, others):
        if theirs + more > most or (mine and mine + more > (most - theirs) / 2):
            raise InvalidValueError(
                'large requests that wait', f'{own.requests} of {own.cost:.0f} s, {own.octets} '
                f'octets of this client, {others.requests} of {others.cost:.0f} s, '
                f'{others.octets} octets of others', f'half of what others leave of '
                f'{MOST.requests}, {MOST.cost:g} s, {MOST.octets} octets: try again later')
