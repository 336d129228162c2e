"""
The implicit midpoint rule, by which stiff links do not rule the length of a step.

With the accelerations v' of forward dynamics in the middle of a step h::

    v_m = v + h/2 v'(q_m, v_m),    q_m = q + h/2 q'(q_m, v_m),    v+ = 2 v_m - v,    q+ = 2 q_m - q

Elastic and damping forces are linear in ``a_m = a + h/2 (a' + h/2 a'')``, so that they are solved
for: in the modal rows ``M + h/2 D + h^2/4 K`` is in the place of M. All else is iterated. It is of
second order, stable for modes of any frequency, and keeps their energy.

References
----------
Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, sections IV.3 and IV.6.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbd_ros.dynamics.formulations.flexible.bodies import Array, BodyTerms
from mbd_ros.dynamics.formulations.flexible.loads import place_loaded
from mbd_ros.dynamics.formulations.flexible.motion import Placed, tree_of_segments
from mbd_ros.dynamics.formulations.flexible.recursion import accelerations, base_of, small
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.sweeps import Layout
from mbd_ros.model import Model
from mbd_ros.model.joints.joint_manifold import MANIFOLDS


def midpoint(model: Model) -> ArrayProgram:
    """Return the program ``(q, v, tau, step, q_m, v_m) -> (nq + nv,)``, a better q_m and v_m."""
    return ArrayProgram('flexible_midpoint', ('q', 'v', 'tau', 'step', 'q_m', 'v_m'),
                        layout=Layout.ONE_BODY, extent=(model.nq + model.nv,), evaluate=_iterated,
                        traces=small)


def _iterated(model: Model, inputs: Mapping[str, Array], world: Array, executor: Any) -> Array:
    (q, v), (at, moving) = ((inputs[one], inputs[two]) for one, two in (
        ('q', 'v'), ('q_m', 'v_m')))
    half = 0.5 * inputs['step']
    chain = _implicit(model, place_loaded(model, at, moving, world), (q, v), (at, moving), half)
    vdot, _ = accelerations(model, chain, inputs['tau'], base_of(world))
    moving = v + half * vdot
    return np.hstack([q + half * _rates(model, at, moving), moving])


def _implicit(model: Model, chain: Sequence[Placed], start: tuple[Array, Array],
              middle: tuple[Array, Array], half: Array) -> list[Placed]:
    """Return segments whose elastic and damping forces are those at the end of half a step."""
    found = []
    shift = model.nq - model.nv
    for segment, own in zip(tree_of_segments(model).segments, chain):
        body = segment.elastic
        if body is not None:
            place_in_q = slice(own.elastic.start + shift, own.elastic.stop + shift)
            (a, rates), (a_m, rates_m) = ((q[:, place_in_q], v[:, own.elastic])
                                          for q, v in (start, middle))
            mass, bias = own.terms.mass.copy(), own.terms.bias.copy()
            h = half[:, :, None]
            mass[:, 6:, 6:] = mass[:, 6:, 6:] + h * body.damping + h * h * body.stiffness
            bias[:, 6:] = (bias[:, 6:] + (a + half * rates - a_m) @ body.stiffness
                           + (rates - rates_m) @ body.damping)
            own = own._replace(terms=BodyTerms(mass, bias))
        found.append(own)
    return found


def _rates(model: Model, q: Array, v: Array) -> Array:
    """Return the rates of all entries of q (N, nq)."""
    result = np.zeros(q.shape, np.result_type(q, v))
    shift = model.nq - len(model.elastic_names)
    result[:, shift:] = v[:, model.nv - len(model.elastic_names):]
    for kind, start, first in zip(model.joint_types, model.q_offsets, model.v_offsets):
        own = v[:, first:first + kind.nv]
        result[:, start:start + kind.nq] = own if kind.is_simple else np.stack(
            MANIFOLDS[kind].rate(tuple(q[:, start:start + kind.nq].T), tuple(own.T)), axis=1)
    return result
