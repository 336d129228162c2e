"""The tracking law in machine code: from nominal and measured state to efforts."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Protocol

from mbd_ros.control.references.scalars import (
    absolute, clipped, difference, Row, smallest, square, sum_of)
from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.control.udwadia_kalaba.drives import driven_entries, driven_kernel
from mbd_ros.control.udwadia_kalaba.rank_facts import CLEARLY_FREE, FACTS, gaps, no_facts
from mbd_ros.control.udwadia_kalaba.robot_code import has_machine_code, machine_code
from mbd_ros.control.udwadia_kalaba.solvers import actuated_solver
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.execution.calls.fused import Computed, Fused, fused, Inside, KernelCall
from mbd_ros.execution.ir.trace import Operand, Symbol
from mbd_ros.model import Model
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


def fused_law(dyn: PreparedDynamics, law: Law, limits: Sequence[float],
              actuation: Actuation | None) -> Fused | None:
    """
    Return a law as machine code.

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
    Fused or None
        ``(q_n, v_n, qdd_n, effort_n, q, v)`` to effort within the limits, feedback, error, error
        rate and robust term (nv,) each; then the largest cut of an effort, the largest error of a
        joint that turns without end, and the facts about drives of loops (see ``gaps_of_law``).
        In place of ``q_n`` it takes the error (nv,) where configurations do not just add. None
        where the robot has no such machine code.

    """
    model = dyn.model
    n, robust, flat = model.nv, law.robust_rate > 0.0, is_flat(model)
    if not has_machine_code(dyn) or dyn.machine_code('inverse_dynamics') is None:
        return None
    passive = (() if actuation is None or model.loops else tuple(actuation.passive.tolist()))
    order = (*passive, *(k for k in range(n) if k not in passive))
    drive = driven_kernel(dyn, driven_entries(dyn, actuation)) if model.loops else None
    keep: list[object] = [dyn, drive]

    def call(function: str, result: str, size: int, *arguments: str) -> KernelCall:
        address, world = machine_code(dyn, function)
        return KernelCall(address, (*arguments, world), result, size)

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
            term = law.shortened(robust_term(given) if drive is None and not passive
                                 else list(given['shared'][:n]))
            effort = [x + y for x, y in zip(effort, term)]
        limited = [clipped(x, limit) for x, limit in zip(effort, limits)]
        turning = [absolute(e) for e, free in zip(error, endless(model)) if free]
        facts = no_facts() if drive is None else list(given['efforts'][n:])
        return [*limited, *difference(effort, list(given['f_n'])), *error, *rate, *term,
                -smallest([-absolute(x - y) for x, y in zip(effort, limited)]),
                -smallest([-angle for angle in turning]) if turning else 0.0, *facts]
    parts: list[KernelCall | Computed] = []
    if robust or passive:
        parts.append(call('mass_matrix', 'M', n * n, 'q'))
    if passive:
        # Their accelerations follow from what is asked of the others.
        parts += [call('bias_forces', 'h', n, 'q', 'v'), Computed(lambda given: [
            *(given['M'][n * i + k] for i in order for k in order),
            *(given['h'][k] for k in order), *(errors(given)[2][k] for k in order)],
            'system', n * n + 2 * n)]
        code = actuated_solver(n, len(passive))
        keep.append(code)

        def shared(system: str, sorted_: str, efforts: str) -> list[KernelCall | Computed]:
            """Return what lets the driven joints accelerate as a system asks for."""
            return [KernelCall(code.address, (system, Inside(system, n * n),
                                              Inside(system, n * n + n)), sorted_, n),
                    Computed(lambda given: [given[sorted_][order.index(k)] for k in range(n)],
                             efforts, n)]
        parts += shared('system', 'sorted', 'efforts')
        if robust:
            parts += [Computed(lambda given: [
                *given['system'][:n * n], *[0.0] * n,
                *(law.robust_rate * errors(given)[3][k] for k in order)],
                'robust_system', n * n + 2 * n),
                *shared('robust_system', 'robust_sorted', 'shared')]
    else:
        needed = 'efforts' if drive is None else 'tau'
        parts += [Computed(lambda given: errors(given)[2], 'wanted', n),
                  call('inverse_dynamics', needed, n, 'q', 'v', 'wanted')]
    if drive is not None:
        parts.append(KernelCall(drive.address, ('q', 'tau'), 'efforts', n + FACTS))
        if robust:
            parts += [Computed(robust_term, 'term', n),
                      KernelCall(drive.address, ('q', 'term'), 'shared', n + FACTS)]
    return fused({'q_n': model.nq if flat else n, 'v_n': n, 'a_n': n, 'f_n': n, 'q': model.nq,
                  'v': n}, [*parts, Computed(results, 'all', law_size(model))], 'tracking_law',
                 keep)


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
