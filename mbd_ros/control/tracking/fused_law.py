"""The parts of the tracking law: from nominal and measured state to efforts."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Protocol

from mbd_ros.control.references.scalars import (
    absolute, clipped, difference, Row, smallest, square, sum_of)
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.drives import drive_call
from mbd_ros.control.udwadia_kalaba.rank_facts import CLEARLY_FREE, FACTS, gaps, no_facts
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, robot_call
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.calls.fused import Computed, Fused, fused, KernelCall
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import endless, is_flat


class Law(Protocol):
    """What depends on the settings of a tracking law, on scalars."""

    robust_rate: float

    def wanted(self, error: Row, error_rate: Row, accelerations: Row, /) -> tuple[Row, Row]:
        """Return the accelerations asked for, and s."""
        ...

    def shortened(self, term: Row, /) -> Row:
        """Return a robust term within its bounds."""
        ...


def law_parts(dyn: PreparedDynamics, law: Law, limits: Sequence[float],
              actuation: Actuation | None) -> tuple[dict[str, int], list[KernelCall | Computed]]:
    """
    Return the inputs of a law with their sizes, and its parts.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics.
    law : Law
        The law.
    limits : sequence of float
        Largest efforts (nv,) [N m or N].
    actuation : Actuation or None
        Which joints have an actuator; all if None.

    Returns
    -------
    dict of str to int, list of KernelCall or Computed
        ``(q_n, v_n, qdd_n, effort_n, q, v)`` to effort within the limits, feedback, error, error
        rate and robust term (nv,) each; then the largest cut of an effort, the largest error of a
        joint that turns without end, and the facts about drives (see ``gaps_of_law``). In place
        of ``q_n`` it takes the error (nv,) where configurations do not just add.

    """
    model = dyn.model
    n, robust, flat = model.nv, law.robust_rate > 0.0, is_flat(model)
    shared = bool(model.loops) or actuation is not None

    def errors(given: dict[str, list[Symbol]]) -> tuple[Row, Row, Row, Row]:
        """Return error, its rate, the accelerations asked for, and s."""
        error = list(given['q_n'])
        if flat:
            error = difference(error, list(given['q']))
        rate = difference(list(given['v_n']), list(given['v']))
        return (error, rate, *law.wanted(error, rate, list(given['a_n'])))

    def robust_term(given: dict[str, list[Symbol]]) -> Row:
        """Return ``kappa M s``."""
        return [law.robust_rate * sum_of(m * x for m, x in zip(row, errors(given)[3]))
                for row in square(given['M'], n)]

    def results(given: dict[str, list[Symbol]]) -> list[Operand]:
        error, rate, _, _ = errors(given)
        effort: Row = list(given['efforts'][:n])
        term: Row = [0.0] * n
        if robust:
            term = law.shortened(list(given['robust'][:n]))
            effort = [x + y for x, y in zip(effort, term)]
        limited = [clipped(x, limit) for x, limit in zip(effort, limits)]
        turning = [absolute(e) for e, free in zip(error, endless(model)) if free]
        facts = list(given['efforts'][n:]) if shared else no_facts()
        return [*limited, *difference(effort, list(given['f_n'])), *error, *rate, *term,
                -smallest([-absolute(x - y) for x, y in zip(effort, limited)]),
                -smallest([-angle for angle in turning]) if turning else 0.0, *facts]
    parts: list[KernelCall | Computed] = [
        Computed(lambda given: errors(given)[2], 'wanted', n),
        robot_call(dyn, 'inverse_dynamics', 'tau' if shared else 'efforts', n, 'q', 'v', 'wanted')]
    if shared:
        parts.append(drive_call(dyn, actuation, 'q', 'tau', 'efforts'))
    if robust:
        parts += [robot_call(dyn, 'mass_matrix', 'M', n * n, 'q'),
                  Computed(robust_term, 'term' if shared else 'robust', n)]
        if shared:
            parts.append(drive_call(dyn, actuation, 'q', 'term', 'robust'))
    return ({'q_n': model.nq if flat else n, 'v_n': n, 'a_n': n, 'f_n': n, 'q': model.nq, 'v': n},
            [*parts, Computed(results, 'all', law_size(model))])


def fused_law(dyn: PreparedDynamics, law: Law, limits: Sequence[float],
              actuation: Actuation | None) -> Fused | None:
    """Return ``law_parts`` as machine code, None where the robot has none."""
    if not has_machine_code(dyn) or dyn.machine_code('inverse_dynamics') is None:
        return None
    inputs, parts = law_parts(dyn, law, limits, actuation)
    return fused(inputs, parts, 'tracking_law', (dyn, parts))


def law_size(model: Model) -> int:
    """Return the number of entries that the machine code of a law gives."""
    return 5 * model.nv + 2 + FACTS


def gaps_of_law(facts: Row) -> Row:
    """
    Return what is positive where the machine code of a law is right.

    Parameters
    ----------
    facts : Row
        What follows its five vectors.

    Returns
    -------
    Row
        How far no endless joint is from half a turn away [rad], and how clear it is which motions
        of the loops the actuators control.

    """
    _, turned, *drives = facts
    return [math.pi - turned, *gaps(drives, CLEARLY_FREE)]
