"""Configurations on scalars: their rates, small displacements, and unit quaternions."""

from __future__ import annotations

from mbd_ros.control.scalars import length, Row, sum_of
from mbd_ros.model import Model
from mbd_ros.model.state import curved_joints
from mbd_ros.simulation.manifold import is_flat

SMALL = 1e-3
"""Displacements up to here are exact to rounding [rad or m]."""


def configuration_rate(model: Model, q: Row, v: Row) -> Row:
    """Return ``qdot`` for velocities; see ``model.state.configuration_rate``."""
    rate: Row = [0.0] * model.nq
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        if kind.is_simple:
            rate[start] = v[first]
    for joint in curved_joints(model):
        rate[joint.q] = joint.manifold.rate(tuple(q[joint.q]), tuple(v[joint.v]))
    return rate


def normalized(model: Model, q: Row) -> Row:
    """Return a configuration with its quaternions at length one."""
    found = list(q)
    for joint in curved_joints(model):
        size = length(q[joint.unit])
        found[joint.unit] = [entry / size for entry in q[joint.unit]]
    return found


def displaced(model: Model, q: Row, displacement: Row) -> Row:
    """Return what is reached with a small displacement as velocity in unit time."""
    if is_flat(model):
        return [x + d for x, d in zip(q, displacement)]
    # The rate is linear in q but for the length of quaternions, which a rate keeps to this order:
    # the classical method of Runge and Kutta errs by a fifth power.
    rates = [configuration_rate(model, q, displacement)]
    for part in (0.5, 0.5, 1.0):
        at = [x + part * r for x, r in zip(q, rates[-1])]
        rates.append(configuration_rate(model, at, displacement))
    return normalized(model, [x + sum_of(w / 6.0 * r for w, r in zip((1.0, 2.0, 2.0, 1.0), all_r))
                              for x, *all_r in zip(q, *rates)])
