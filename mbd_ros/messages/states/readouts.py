"""A state in words and figures, as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

import mbd_ros
from mbd_ros.dynamics.api.bent_links import BentLink
from mbd_ros.dynamics.loops.closure import loop_gaps, mobility
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints

Vector = NDArray[np.float64]

JOINT_HEADS = ('joint', 'position', 'velocity', 'effort', 'limits')
LOOP_HEADS = ('loop', 'open by')
MOST_ROWS = 200
"""Joints and loops that a table lists."""


def joint_rows(model: Model, q: Vector, v: Vector, effort: Vector | None
               ) -> list[tuple[str, str, str, str, str]]:
    """
    Return the rows of a table of the joints with one coordinate, as ``JOINT_HEADS``.

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
    list of tuple of str
        Position [rad or m], velocity, effort, and the limits of position and effort; at most
        ``MOST_ROWS``.

    """
    rows = []
    for name in simple_joints(model)[:MOST_ROWS]:
        joint = model.joint_index(name)
        iq, iv = model.q_offsets[joint], model.v_offsets[joint]
        low, high = model.lower[iv], model.upper[iv]
        most = model.effort_limits[iv]
        limits = [f'{low:.4g} to {high:.4g}'] if np.isfinite((low, high)).any() else []
        limits += [f'±{most:.4g}'] if np.isfinite(most) else []
        rows.append((name, f'{q[iq]:.4f}', f'{v[iv]:.4f}',
                     '' if effort is None else f'{effort[iv]:.3f}', ', '.join(limits) or 'none'))
    return rows


def loop_rows(model: Model, q: Vector) -> list[tuple[str, str]]:
    """Return the rows of a table of the loops at q (nq,), as ``LOOP_HEADS``."""
    return [(name, f'{gap:.1e}') for name, gap in [*loop_gaps(model, q).items()][:MOST_ROWS]]


def loop_figures(model: Model, q: Vector) -> Mapping[str, str]:
    """Return largest gap, rank and mobility of all loops at q (nq,); nothing without loops."""
    if not model.loops:
        return {}
    free, gaps = mobility(model, q), loop_gaps(model, q)
    equations = sum(len(loop.rows) for loop in model.loops)
    return {'loops open by': f'{max(gaps.values()):.1e}',
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


def ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Return where each joint with one coordinate can be; without limits within pi of zero."""
    places = {name: model.v_offsets[model.joint_index(name)] for name in simple_joints(model)}
    return {name: (max(float(model.lower[i]), -np.pi), min(float(model.upper[i]), np.pi))
            for name, i in places.items()}


def largest_strain(links: Mapping[str, BentLink]) -> dict[str, str]:
    """Return the largest strain of links that bend, and where; nothing if none is known."""
    known = {name: float(link.strains.max()) for name, link in links.items()
             if not link.of_points}
    if not known:
        return {}
    name = max(known, key=known.__getitem__)
    return {'largest strain': f'{100.0 * known[name]:.3f} % in {name}'}
