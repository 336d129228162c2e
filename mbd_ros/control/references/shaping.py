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
Input shaping: trajectories that leave no vibration of known frequencies behind.

A shaped trajectory is the sum of the original one and delayed copies of it, each with a weight;
the vibrations that they excite cancel. Weights are positive and sum to 1, so that neither the
entries of a path nor their rates reach further than those of the original. Of quaternions this
says nothing of the rotation: their mean may be short.

References
----------
Singer, Seering, "Preshaping command inputs to reduce system vibration", Journal of Dynamic
Systems, Measurement, and Control 112, 1990.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbd_ros.control.references.joining import in_pieces, knots_of
from mbd_ros.control.references.splines import PiecewisePolynomial
from mbd_ros.errors import InvalidValueError
from mbd_ros.simulation.manifold import Vector

MOST_FREQUENCIES = 3
"""Each one doubles or triples the number of copies."""
MOST_PIECES = 100_000
"""Segments of a shaped trajectory times the number of its copies: 0.1 s of computing."""
REST = 1e-9
"""Rate of an entry that counts as rest [rad/s or m/s]: rounding of a spline."""


class Impulses(NamedTuple):
    """Delays (k,) [s], the first one 0, and weights (k,), which sum to 1."""

    delays: Vector
    weights: Vector


def impulses(frequencies: Sequence[float], damping_ratio: float = 0.0, *, robust: bool = True
             ) -> Impulses:
    """
    Return how a trajectory is to be shaped.

    Two impulses cancel a vibration of just the frequency (zero vibration, ZV), three with their
    derivative by the frequency, too (ZVD): 5 % of the vibration are left where the frequency is
    off by 14 %, of two impulses where it is off by 3 %. Several frequencies are shaped one after
    another.

    Parameters
    ----------
    frequencies : sequence of float
        Natural frequencies [Hz], more than 0; at most ``MOST_FREQUENCIES``.
    damping_ratio : float, optional
        Of all, from 0 to less than 1.
    robust : bool, optional
        Whether there are three impulses for each.

    Returns
    -------
    Impulses
        A trajectory becomes longer by the last delay: half a period for each frequency, with
        ``robust`` a whole one.

    Raises
    ------
    InvalidValueError
        If an argument is out of its bounds.

    """
    if not 0 < len(frequencies) <= MOST_FREQUENCIES or not all(
            0.0 < one < np.inf for one in frequencies):
        raise InvalidValueError('frequencies', list(frequencies), (
            f'1 to {MOST_FREQUENCIES} numbers of more than 0 Hz'))
    if not 0.0 <= damping_ratio < 1.0:
        raise InvalidValueError('damping_ratio', damping_ratio, 'from 0 to less than 1')
    damped = np.sqrt(1.0 - damping_ratio ** 2)
    decay = np.exp(-np.pi * damping_ratio / damped)   # of a vibration in half a period
    two = np.array([1.0, decay]) / (1.0 + decay)
    one = np.convolve(two, two) if robust else two
    delays, weights = np.zeros(1), np.ones(1)
    for frequency in frequencies:
        later = np.arange(len(one)) * 0.5 / (frequency * damped)
        delays = np.add.outer(delays, later).ravel()
        weights = np.multiply.outer(weights, one).ravel()
    order = np.argsort(delays, kind='stable')
    return Impulses(delays[order], weights[order])


def begins_at_rest(path: PiecewisePolynomial) -> bool:
    """Return whether a path of joints begins without velocity, as one must to be shaped."""
    return bool(np.abs(path.at(path.begin).velocity).max(initial=0.0) <= REST)


def shaped(path: PiecewisePolynomial, by: Impulses) -> PiecewisePolynomial:
    """
    Return a path of joints that is the sum of delayed copies of another.

    Parameters
    ----------
    path : PiecewisePolynomial
        It begins at rest, since its copies rest before they begin.
    by : Impulses
        Delays and weights.

    Returns
    -------
    PiecewisePolynomial
        It begins with the path and ends by the last delay later.

    Raises
    ------
    InvalidValueError
        If the path begins in motion, or is too long to be shaped.

    """
    if not begins_at_rest(path):
        raise InvalidValueError('trajectory', 'in motion where it begins', 'one that begins at '
                                'rest, if it is to be shaped')
    times = np.array(path.times)
    if len(by.delays) ** 2 * len(times) > MOST_PIECES:
        raise InvalidValueError('trajectory', f'{len(times)} points', (
            f'at most {MOST_PIECES // len(by.delays) ** 2}, if it is to be shaped by '
            f'{len(by.delays)} impulses'))
    knots = knots_of(np.add.outer(by.delays, times))
    middles = 0.5 * (knots[:-1] + knots[1:])
    coefficients = sum(
        weight * in_pieces(path, knots[:-1] - delay, middles - delay)
        for delay, weight in zip(by.delays.tolist(), by.weights.tolist()))
    return PiecewisePolynomial(knots, coefficients, arrives=path.arrives + float(by.delays[-1]))
