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

from typing import Any

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
MOST_WAITING = 1000
"""Requests that wait for their turn."""
MOST_COST = 600.0
"""What these may take in all [s]."""
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


def require_room(waiting: int, cost: float) -> None:
    """Refuse a large request where too many wait."""
    if waiting >= MOST_WAITING or cost > MOST_COST:
        raise InvalidValueError(
            'large requests that wait', f'{waiting} of {cost:.0f} s in all',
            f'{MOST_WAITING} of {MOST_COST:g} s: try again later')
