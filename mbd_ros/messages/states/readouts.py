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

"""A state in words and figures, as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

import mbd_ros
from mbd_ros.dynamics.functions.bent_links import BentLink
from mbd_ros.dynamics.loops.closure import loop_gaps, mobility
from mbd_ros.model import JointType, Model
from mbd_ros.model.names import simple_joints

Vector = NDArray[np.float64]
Entry: TypeAlias = 'str | tuple[str, ...]'
"""Of a table: one line of text, or several; a line break within a text makes no other line."""

LOOP_HEADS = ('loop', 'open by [m or 1]', 'equations')
MOST_ROWS = 200
"""Joints and loops that a table lists."""
NEAR = 0.02
"""Part of a range or a limit that is near its end."""
MOST_NAMES = 4
"""Joints that one line names."""
HARD = '\u00a0'
"""A space at which no line ends."""
WIDEST = 4.0 * np.pi
"""Limits beyond this are none to a slider [rad or m]."""
PARTS = 1000
"""A slider has at least as many places."""
FINEST = 12
"""Decimals of a slider at most."""


class Units(NamedTuple):
    """Units of the joints with one coordinate, such as ``rad``, ``m`` or ``rad or m``."""

    position: str
    velocity: str
    effort: str


TURNING, SLIDING = Units('rad', 'rad/s', 'N m'), Units('m', 'm/s', 'N')


def joint_units(model: Model) -> dict[str, Units]:
    """Return the units of each joint with one coordinate."""
    return {name: SLIDING if model.joint_types[model.joint_index(name)] is JointType.PRISMATIC
            else TURNING for name in simple_joints(model)}


def units(model: Model) -> Units:
    """Return the units of all joints with one coordinate; of none, those of both kinds."""
    present = set(joint_units(model).values()) or {TURNING, SLIDING}
    return Units(*(' or '.join(getattr(kind, quantity) for kind in (TURNING, SLIDING)
                               if kind in present) for quantity in Units._fields))


def joint_heads(model: Model) -> tuple[Entry, ...]:
    """Return the heads of ``joint_rows``, with the units of the joints that a model has."""
    place, speed, effort = units(model)
    return ('joint', (f'position [{place}]', 'range'), f'velocity [{speed}]',
            (f'effort [{effort}]'.replace('N m', f'N{HARD}m'), 'limit'))


def joint_rows(model: Model, q: Vector, v: Vector, effort: Vector | None
               ) -> list[tuple[Entry, ...]]:
    """
    Return the rows of a table of the joints with one coordinate, as ``joint_heads``.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : Vector
        (nq,), (nv,).
    effort : Vector or None
        (nv,); None where it is not known.

    Returns
    -------
    list of tuple of Entry
        Position, velocity, effort; on a second line of position and effort their limits, where
        there are any: columns of their own find no place on the page. At most ``MOST_ROWS``.

    """
    rows: list[tuple[Entry, ...]] = []
    for name in simple_joints(model)[:MOST_ROWS]:
        joint = model.joint_index(name)
        iq, iv = model.q_offsets[joint], model.v_offsets[joint]
        low, high = model.lower[iv], model.upper[iv]
        most = model.effort_limits[iv]
        within = (f'{low:.3g} to{HARD}{high:.3g}',) if np.isfinite((low, high)).any() else ()
        at_most = (f'{most:.4g}',) if np.isfinite(most) else ()
        rows.append((name, (_figure(q[iq], 4), *within), _figure(v[iv], 3),
                     ('' if effort is None else _figure(effort[iv], 2), *at_most)))
    return rows


def _figure(value: float, decimals: int) -> str:
    """Return a number with so many decimals; zero has no sign."""
    return f'{round(float(value), decimals) + 0.0:.{decimals}f}'


def near_limits(model: Model, q: Vector, v: Vector, effort: Vector | None) -> str:
    """
    Return which joints are near a limit, or beyond, and of what.

    Parameters
    ----------
    model : Model
        The robot.
    q, v : Vector
        (nq,), (nv,).
    effort : Vector or None
        (nv,); None where it is not known.

    Returns
    -------
    str
        Such as ``joint2 (position), joint3 (effort)``; empty if none is: a position within
        ``NEAR`` of its range from one of its ends, a velocity or an effort within ``NEAR`` of its
        limit. At most ``MOST_NAMES`` joints.

    """
    found = []
    for name in simple_joints(model):
        joint = model.joint_index(name)
        iq, iv = model.q_offsets[joint], model.v_offsets[joint]
        low, high = model.lower[iv], model.upper[iv]
        close = NEAR * (high - low) if np.isfinite(high - low) else 0.0
        reached = [quantity for quantity, is_near in (
            ('position', not low + close <= q[iq] <= high - close and low < high),
            ('velocity', _uses_up(v[iv], model.velocity_limits[iv])),
            ('effort', effort is not None and _uses_up(effort[iv], model.effort_limits[iv])),
        ) if is_near]
        if reached:
            found.append(f'{name} ({", ".join(reached)})')
    more = f' and {len(found) - MOST_NAMES} more' if len(found) > MOST_NAMES else ''
    return ', '.join(found[:MOST_NAMES]) + more


def _uses_up(value: float, limit: float) -> bool:
    """Tell whether a value is within ``NEAR`` of its limit; a limit of zero is none."""
    return bool(0.0 < limit < np.inf and abs(value) > (1.0 - NEAR) * limit)


def loop_rows(model: Model, q: Vector) -> list[tuple[str, str, str]]:
    """Return the rows of a table of the loops at q (nq,), as ``LOOP_HEADS``."""
    gaps = loop_gaps(model, q)
    return [(loop.name, f'{gaps[loop.name]:.1e}', str(len(loop.rows)))
            for loop in model.loops[:MOST_ROWS]]


def loop_figures(model: Model, q: Vector) -> Mapping[str, str]:
    """Return largest gap, rank and mobility of all loops at q (nq,); nothing without loops."""
    if not model.loops:
        return {}
    free, gaps = mobility(model, q), loop_gaps(model, q)
    equations = sum(len(loop.rows) for loop in model.loops)
    return {'loops open by [m or 1]': f'{max(gaps.values()):.1e}',
            'loop equations': f'{equations}, rank {model.nv - free}',
            'mobility': str(free)}


def energies(model: Model, q: Vector, v: Vector, gravity: Sequence[float]) -> dict[str, float]:
    """
    Return the energies of a robot by their kind [J].

    Parameters
    ----------
    model : Model
        The robot.
    q, v : Vector
        (nq,), (nv,).
    gravity : sequence of float
        (3,) in world axes [m/s^2].

    Returns
    -------
    dict of str to float
        ``kinetic``, ``potential`` (of weight and springs) and ``sum``.

    """
    parts = mbd_ros.energy(model, q, v, gravity=gravity)
    return {'kinetic': float(parts.kinetic), 'potential': float(parts.potential),
            'sum': float(parts.kinetic + parts.potential)}


def by_joint(model: Model, values: Vector, offsets: Sequence[int] | None = None
             ) -> dict[str, float]:
    """
    Return values of the joints with one coordinate, by name.

    Parameters
    ----------
    model : Model
        The robot.
    values : Vector
        (nv,), or (nq,) with offsets of the model's q.
    offsets : sequence of int, optional
        Of each joint among the values; those of v if left out.

    """
    places = model.v_offsets if offsets is None else offsets
    return {name: float(values[places[model.joint_index(name)]])
            for name in simple_joints(model)}


class Range(NamedTuple):
    """Where a slider can be: from ``low`` to ``high`` [rad or m], with so many decimals."""

    low: float
    high: float
    decimals: int

    def nearest(self, value: float) -> float:
        """Return the place next to a value."""
        return min(max(round(value, self.decimals), self.low), self.high)


def ranges(model: Model) -> dict[str, Range]:
    """
    Return where each joint with one coordinate can be put, rounded inward to steps in decimals.

    A limit that is missing, or is beyond ``WIDEST``, is half a turn from zero, or from the other
    limit where that is further away. A range too narrow for ``FINEST`` is the place in its middle.

    """
    found = {}
    for name in simple_joints(model):
        i = model.v_offsets[model.joint_index(name)]
        lower, upper = float(model.lower[i]), float(model.upper[i])
        low = lower if abs(lower) <= WIDEST else max(lower, min(upper, 0.0) - np.pi)
        high = upper if abs(upper) <= WIDEST else min(upper, max(lower, 0.0) + np.pi)
        decimals = 3
        if high - low > PARTS * 10.0 ** -FINEST:
            decimals = math.ceil(math.log10(PARTS / (high - low)))
            scale = 10.0 ** decimals
            # Beyond 1e12 rounding would leave the limits.
            low, high = (max(low, min(math.ceil(low * scale) / scale, high)),
                         min(high, max(math.floor(high * scale) / scale, low)))
        else:   # it cannot move, or hardly
            low = high = low + 0.5 * (high - low)
        found[name] = Range(low, high, decimals)
    return found


def largest_strain(links: Mapping[str, BentLink]) -> dict[str, str]:
    """Return the largest strain of links that bend, and where; nothing if none is known."""
    known = {name: float(link.strains.max()) for name, link in links.items()
             if not link.of_points}
    if not known:
        return {}
    name = max(known, key=known.__getitem__)
    return {'largest strain': f'{100.0 * known[name]:.3f} % in {name}'}
