"""The tracking law of a robot in machine code: everything between a nominal state and efforts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from mbd_ros.control.regular_case import LARGEST
from mbd_ros.control.scalars import (
    absolute, clipped, difference, Row, smallest, square, sum_of)
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.fused import Computed, fused, KernelCall
from mbd_ros.execution.trace import Operand, Symbol
from mbd_ros.simulation.manifold import endless, is_flat


class Law(Protocol):
    """The parts of a tracking law, on scalars."""

    robust_rate: float

    def wanted(self, error: Row, error_rate: Row, accelerations: Row, /) -> tuple[Row, Row]:
        """Return the accelerations asked for, and s."""
        ...

    def shortened(self, term: Row, /) -> Row:
        """Return a robust term within its bounds."""
        ...


def fused_law(dyn: PreparedDynamics, law: Law, limits: Sequence[float]
              ) -> Callable[..., Any] | None:
    """
    Return a law as machine code.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics of a robot without closed loops whose joints all have actuators.
    law : Law
        The law.
    limits : sequence of float
        Largest efforts (nv,) [N m or N].

    Returns
    -------
    callable or None
        ``(q_n, v_n, qdd_n, effort_n, q, v)`` to effort within the limits, feedback, error, error
        rate and robust term (nv,) each; then the largest cut of an effort, and the largest error
        of a joint that turns without end. None where the robot has no such machine code.

    """
    model = dyn.model
    n, robust = model.nv, law.robust_rate > 0.0
    if not is_flat(model) or model.loops or not 0 < n <= LARGEST:
        return None
    inverse, mass = dyn.machine_code('inverse_dynamics'), dyn.machine_code('mass_matrix')
    if inverse is None or mass is None:
        return None

    def errors(given: dict[str, list[Symbol]]) -> tuple[Row, Row, Row, Row]:
        """Return error, its rate, the accelerations asked for, and s."""
        error = difference(list(given['q_n']), list(given['q']))
        rate = difference(list(given['v_n']), list(given['v']))
        return (error, rate, *law.wanted(error, rate, list(given['a_n'])))

    def results(given: dict[str, list[Symbol]]) -> list[Operand]:
        error, rate, _, s = errors(given)
        effort: Row = list(given['tau'])
        term: Row = [0.0] * n
        if robust:
            term = law.shortened([law.robust_rate * sum_of(m * x for m, x in zip(row, s))
                                  for row in square(given['M'], n)])
            effort = [x + y for x, y in zip(effort, term)]
        limited = [clipped(x, limit) for x, limit in zip(effort, limits)]
        turning = [absolute(e) for e, free in zip(error, endless(model)) if free]
        return [*limited, *difference(effort, list(given['f_n'])), *error, *rate, *term,
                -smallest([-absolute(x - y) for x, y in zip(effort, limited)]),
                -smallest([-angle for angle in turning]) if turning else 0.0]
    parts: list[KernelCall | Computed] = [
        Computed(lambda given: errors(given)[2], 'wanted', n),
        KernelCall(inverse[0], ('q', 'v', 'wanted', inverse[1]), 'tau', n)]
    if robust:
        parts.append(KernelCall(mass[0], ('q', mass[1]), 'M', n * n))
    return fused(dict.fromkeys(('q_n', 'v_n', 'a_n', 'f_n', 'q', 'v'), n),
                 [*parts, Computed(results, 'all', 5 * n + 2)], 'tracking_law', dyn).call
