"""
Recursive O(n) forward dynamics with closed loops: cut joints, exact elimination of both branches.

From the tips inwards a branch hands its articulated inertia and, for each row r of a loop that it
carries, the equation that the row has become in the acceleration a of the body::

    Phi_r . a + rest_r + sum_s G_rs lambda_s = 0      f = I a + p - sum_r Phi_r lambda_r

An axis of a joint is a pivot: with d its inertia and f_r the part of Phi_r along it, ``G_rs +=
f_r f_s / d``. Where the branches of a loop meet, all is known that its rows need: a row is a pivot
of the same elimination, ``lambda_r = -(Phi_r . a + rest_r + ...) / G_rr``, and is handed on no
further. G is the inverse inertia of the cut, ``A M^-1 A^T``. A row whose G_rr is nothing but
rounding beside what it was made of depends on others; it takes no force.

References
----------
Bae, Haug, A recursive formulation for constrained mechanical system dynamics, 1987; Malczyk,
Fraczek, Dynamic analysis of complex closed loop kinematic chains; Featherstone, Rigid Body
Dynamics Algorithms, 2008, table 7.1. Here ``M qdd = Q + A^T lambda``, as there lambda has the
other sign.

"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from mbd_ros.dynamics.loop_rows import coordinate, in_body, Row, rows_of, Seen, side, Visible
from mbd_ros.dynamics.recursive import Moving, Pivot, rise, turn
from mbd_ros.dynamics.spring_force import pull
from mbd_ros.execution.sweeps import Body, Inward, Layout, Outward, Program, Step, Tie, Ties, World
from mbd_ros.spatial import (
    ArticulatedInertia, IDENTITY, inverse_above, Joint, Link, Scalar, Twist, Wrench, ZERO3,
    ZERO_TWIST, ZERO_WRENCH)
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA

LARGEST_STRAIGHT = 45000
"""Operations of straight-line code, compiled in 3 s: a planar ring of 301 links."""
INDEPENDENT = 1e-9
"""Part of a row's inverse inertia that must be independent of the rows before. An angle of 3e-5;
rounding leaves about 1e-15, on long chains 1e-12."""


class CutRow(NamedTuple):
    """
    A row of a loop on its way inwards.

    Attributes
    ----------
    wrench : Wrench
        Phi_r, what a unit multiplier does to the body and all it carries.
    rest : Scalar
        What does not depend on the body's acceleration.
    size : Scalar
        What G_rr would be if all moments or forces of the row acted along the joints.

    """

    wrench: Wrench
    rest: Scalar
    size: Scalar

    def __add__(self, other: CutRow) -> CutRow:  # type: ignore[override]
        """Return the row of two branches."""
        return CutRow(self.wrench + other.wrench, self.rest + other.rest, self.size + other.size)


NO_ROW = CutRow(ZERO_WRENCH, 0.0, 0.0)
Balance = Callable[[World, Tie, Row, Any, Any], Scalar]
"""What the motion of a row's two bodies must balance."""
Couplings = tuple[tuple[Scalar, ...], ...]
"""The lower triangle of G."""


class Held(NamedTuple):
    """What ties do to a body: a load, rows of loop joints, what these do along its own joint."""

    load: Wrench
    rows: tuple[CutRow, ...]
    efforts: tuple[Scalar, ...]

    def __add__(self, other: Held) -> Held:  # type: ignore[override]
        """Return what both do."""
        return Held(self.load + other.load, added(self.rows, other.rows),
                    tuple(a + b for a, b in zip(self.efforts, other.efforts)))

    def in_slots(self, order: Sequence[int]) -> Held:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(rows=reordered(self.rows, order))


class Branch(NamedTuple):
    """What the subtree from a body outwards is to its parent."""

    inertia: ArticulatedInertia
    wrench: Wrench
    rows: tuple[CutRow, ...]
    couplings: Couplings

    def __add__(self, other: Branch) -> Branch:  # type: ignore[override]
        """Return two subtrees on the same parent as one."""
        return Branch(self.inertia + other.inertia, self.wrench + other.wrench,
                      added(self.rows, other.rows), tuple(
                          tuple(a + b for a, b in zip(*pair))
                          for pair in zip(self.couplings, other.couplings)))

    def in_slots(self, order: Sequence[int]) -> Branch:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(rows=reordered(self.rows, order), couplings=tuple(
            tuple(self.coupling(r, s) if min(r, s) >= 0 else 0.0 for s in order[:k + 1])
            for k, r in enumerate(order)))

    def coupling(self, r: int, s: int) -> Scalar:
        """Return an entry of G."""
        return self.couplings[max(r, s)][min(r, s)]


class LoopPivot(NamedTuple):
    """One axis of a joint, eliminated: qdd = drive - column . a + sum_r pulls_r lambda_r."""

    pivot: Pivot
    pulls: tuple[Scalar, ...]


class Closed(NamedTuple):
    """A row, eliminated: lambda = -(wrench . a + rest + couplings . lambda) inverse."""

    wrench: Wrench
    rest: Scalar
    couplings: tuple[Scalar, ...]
    inverse: Scalar
    independence: Scalar


class Reaction(NamedTuple):
    """What a body hands outwards: its acceleration and the multipliers."""

    acceleration: Twist
    multipliers: tuple[Scalar, ...]

    def in_slots(self, order: Sequence[int]) -> Reaction:
        """Return this with slot ``order[k]`` as slot k, none where it is negative."""
        return self._replace(multipliers=tuple(
            self.multipliers[slot] if slot >= 0 else 0.0 for slot in order))


def added(rows: tuple[CutRow, ...], others: tuple[CutRow, ...]) -> tuple[CutRow, ...]:
    """Return the sums of rows."""
    return tuple(row + other for row, other in zip(rows, others))


def reordered(rows: tuple[CutRow, ...], order: Sequence[int]) -> tuple[CutRow, ...]:
    """Return the rows that the slots of an order name, none where they are negative."""
    return tuple(rows[slot] if slot >= 0 else NO_ROW for slot in order)


def on_ground(world: World) -> Seen:
    """Return the ground as others see it."""
    return Seen(Link(IDENTITY, ZERO3), ZERO_TWIST)


def see(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: pose and velocity, for ties; what velocities alone say."""
    link = joint.link(body.placement)
    velocity, coriolis = turn(joint, link, parent.velocity.angular)
    linear = (link.twist_to_child(parent.velocity) + joint.span(joint.v)).linear
    return Step(hand=Seen(parent.pose.compose(link), Twist(velocity, linear), *coordinate(joint)),
                keep=Moving(link, coriolis, body.inertia.gyroscopic(velocity)))


def see_still(body: Body, joint: Joint, parent: Seen) -> Step:
    """Outward: as ``see``, for a question in which velocities cause no accelerations."""
    step = see(body, joint, parent)
    return step._replace(keep=Moving(step.keep.link, ZERO_TWIST, ZERO_WRENCH))


def required(alpha: float, beta: float, world: World, tie: Tie, row: Row, first: Visible,
             second: Visible) -> Scalar:
    """
    Return what the accelerations of a row's bodies must balance.

    That is ``phi'' + 2 alpha phi' + beta^2 phi``: the second derivative alone where alpha and beta
    are zero, else Baumgarte's stabilization.
    """
    rest = row.bias + row.phi * (beta * beta)
    if alpha:
        rest = rest + rate_of(world, tie, row, first, second) * (2.0 * alpha)
    for body, wrench in ((tie.first, row.first), (tie.second, row.second)):
        if body < 0:
            rest = rest + wrench.dot(rise(world))
    return rest


def phi_of(world: World, tie: Tie, row: Row, first: Visible, second: Visible) -> Scalar:
    """Return how far a row is from zero: what a displacement must balance."""
    return row.phi


def rate_of(world: World, tie: Tie, row: Row, first: Visible, second: Visible) -> Scalar:
    """Return the rate of a row: what a change of velocity must balance."""
    return (in_body(first, row.first).dot(first.velocity)
            + in_body(second, row.second).dot(second.velocity) + row.rate)


def tie_down(slots: int, balance: Balance, springs: bool, tie: Tie, world: World, first: Visible,
             second: Visible) -> tuple[Held, Held, tuple[()]]:
    """Return what a tie does to its two bodies."""
    one, other = side(first, tie.frame1), side(second, tie.frame2)
    if tie.kind == 'spring':
        none = (NO_ROW,) * slots, (0.0,) * slots
        force = pull(tie, one, other) if springs else ZERO3
        return (Held(in_body(first, one.push(force)), *none),
                Held(in_body(second, other.push(force * -1.0)), *none), ())
    rows, others = [NO_ROW] * slots, [NO_ROW] * slots
    efforts: tuple[list[Scalar], list[Scalar]] = [0.0] * slots, [0.0] * slots
    for slot, row in zip(tie.slots if slots else (), rows_of(tie, one, other)):
        # What does not depend on the bodies travels with the end that is not on the ground.
        rest = balance(world, tie, row, first, second)
        here, there = (0.0, rest) if tie.first < 0 else (rest, 0.0)
        rows[slot] = CutRow(in_body(first, row.first), here, 0.0)
        others[slot] = CutRow(in_body(second, row.second), there, 0.0)
        efforts[0][slot], efforts[1][slot] = row.efforts
    return (Held(ZERO_WRENCH, tuple(rows), tuple(efforts[0])),
            Held(ZERO_WRENCH, tuple(others), tuple(efforts[1])), ())


def close(branch: Branch, slot: int) -> tuple[Branch, Closed]:
    """Eliminate a row at the body where the branches of its loop meet."""
    row, slots = branch.rows[slot], range(len(branch.rows))
    own = branch.coupling(slot, slot)
    inverse = inverse_above(own, row.size * INDEPENDENT)
    couplings = tuple(branch.coupling(slot, s) if s != slot else 0.0 for s in slots)
    scaled = [coupling * inverse for coupling in couplings]
    rows = tuple(NO_ROW if s == slot else CutRow(
        other.wrench + row.wrench * -scaled[s], other.rest - row.rest * scaled[s], other.size)
        for s, other in enumerate(branch.rows))
    left = tuple(tuple(0.0 if slot in (r, s) else branch.coupling(r, s) - scaled[r] * couplings[s]
                       for s in range(r + 1)) for r in slots)
    closed = Closed(row.wrench, row.rest, couplings, inverse, own * inverse_above(row.size, 0.0))
    return Branch(branch.inertia.minus_square(row.wrench, -inverse),
                  branch.wrench + row.wrench * (row.rest * inverse), rows, left), closed


def yield_to(branch: Branch, axis: int, effort: Scalar, rotor: Scalar,
             own: tuple[Scalar, ...]) -> tuple[Branch, LoopPivot]:
    """Free one axis of the joint that carries a branch; rows have efforts of their own on it."""
    column = branch.inertia.column(axis)
    compliance = 1.0 / (column.along(axis) + rotor)
    drive = (effort - branch.wrench.along(axis)) * compliance
    along = [row.wrench.along(axis) + part for row, part in zip(branch.rows, own)]
    pulls = tuple(part * compliance for part in along)
    rows = tuple(CutRow(row.wrench + column * -pull, row.rest + part * drive,
                        row.size + (_square_like(row.wrench, axis) + mine * mine) * compliance)
                 for row, part, pull, mine in zip(branch.rows, along, pulls, own))
    couplings = tuple(tuple(entry + along[r] * pulls[s] for s, entry in enumerate(line))
                      for r, line in enumerate(branch.couplings))
    freed = Branch(branch.inertia.minus_square(column, compliance), branch.wrench + column * drive,
                   rows, couplings)
    return freed, LoopPivot(Pivot(axis, column * compliance, drive), pulls)


def _square_like(wrench: Wrench, axis: int) -> Scalar:
    """Return the squared moment for an axis of rotation, the squared force for one of sliding."""
    part = wrench.moment if axis < 3 else wrench.force
    return part.dot(part)


def articulate(body: Body, joint: Joint, children: Branch, moving: Moving, held: Held) -> Step:
    """Inward: close the loops whose branches meet here, then free the joint axis by axis."""
    branch = Branch(body.inertia.articulated() + children.inertia,
                    moving.wrench + children.wrench + held.load * -1.0,
                    added(children.rows, held.rows), children.couplings)
    closed = []
    for slot in body.closes:
        branch, row = close(branch, slot)
        closed.append(row)
    branch = branch._replace(
        wrench=branch.wrench + branch.inertia.apply(moving.coriolis),
        rows=tuple(row._replace(rest=row.rest + row.wrench.dot(moving.coriolis))
                   for row in branch.rows))
    pivots = []
    for axis, effort, rotor in zip(joint.axes, joint.tau, body.armature):
        branch, pivot = yield_to(branch, axis, effort, rotor, held.efforts)
        pivots.append(pivot)
    link = moving.link
    return Step(hand=Branch(link.articulated_to_parent(branch.inertia),
                            link.wrench_to_parent(branch.wrench),
                            tuple(row._replace(wrench=link.wrench_to_parent(row.wrench))
                                  for row in branch.rows), branch.couplings),
                keep=(tuple(pivots), tuple(closed)))


def react(closed: Closed, acceleration: Twist, multipliers: tuple[Scalar, ...]) -> Scalar:
    """Return the multiplier of a row where the acceleration of its junction is known."""
    total = closed.wrench.dot(acceleration) + closed.rest
    for coupling, multiplier in zip(closed.couplings, multipliers):
        total = total + coupling * multiplier
    return total * closed.inverse * -1.0


def at_rest(world: World) -> Twist:
    """Return the acceleration of a ground where there is no weight."""
    return ZERO_TWIST


def settle(slots: int, reports: bool, ground: Callable[[World], Twist], world: World,
           branch: Branch) -> Step:
    """Close the loops that meet at the ground; it accelerates upwards instead of weight."""
    closed = []
    for slot in range(slots):
        branch, row = close(branch, slot)
        closed.append(row)
    return _react_all(slots, reports, Reaction(ground(world), (0.0,) * slots),
                      tuple(zip(range(slots), closed)), ())


def accelerate(reports: bool, body: Body, joint: Joint, parent: Reaction, moving: Moving,
               held: Held, freed: tuple[tuple[LoopPivot, ...], tuple[Closed, ...]]) -> Step:
    """Outward: the joint's accelerations, then the multipliers of the loops that meet here."""
    pivots, closed = freed
    acceleration = moving.link.twist_to_child(parent.acceleration)
    rates = []
    for (axis, column, drive), pulls in reversed(pivots):
        rate = drive - column.dot(acceleration)
        for pull_r, multiplier in zip(pulls, parent.multipliers):
            rate = rate + pull_r * multiplier
        acceleration = acceleration.plus_along(axis, rate)
        rates.append(rate)
    reaction = Reaction(acceleration + moving.coriolis, parent.multipliers)
    return _react_all(len(parent.multipliers), reports, reaction,
                      tuple(zip(body.closes, closed)), tuple(reversed(rates)))


def _react_all(slots: int, reports: bool, reaction: Reaction,
               closed: tuple[tuple[int, Closed], ...], rates: tuple[Scalar, ...]) -> Step:
    """Return the step of a body once the multipliers of the rows closed there are known."""
    multipliers, report = list(reaction.multipliers), [0.0] * (2 * slots)
    for slot, _ in closed:
        multipliers[slot] = 0.0
    for slot, row in reversed(closed):
        multipliers[slot] = react(row, reaction.acceleration, tuple(multipliers))
        report[2 * slot:2 * slot + 2] = multipliers[slot], row.independence
    return Step(hand=reaction._replace(multipliers=tuple(multipliers)),
                out=(*rates, *report) if reports else rates)


def _program(name: str, slots: int, balance: Balance, *, reports: bool = False,
             moves: bool = True) -> Program:
    no_rows = (NO_ROW,) * slots
    nothing = Branch(NO_ARTICULATED_INERTIA, ZERO_WRENCH, no_rows, tuple(
        (0.0,) * (r + 1) for r in range(slots)))
    ground = rise if moves else at_rest
    return Program(f'{name} with {slots} rows', ('q', 'v', 'tau') if moves else ('q', 'v'), (
        Outward(see if moves else see_still, on_ground),
        Ties(partial(tie_down, slots, balance, moves), Held(ZERO_WRENCH, no_rows, (0.0,) * slots)),
        Inward(articulate, nothing),
        Outward(partial(accelerate, reports), partial(settle, slots, reports, ground),
                settles=True)), Layout.MOTION if reports else Layout.JOINTS,
        largest_folded=LARGEST_STRAIGHT)


@lru_cache(maxsize=64)
def closed_loop_dynamics(slots: int, alpha: float = 0.0, beta: float = 0.0) -> Program:
    """
    Return the program that gives accelerations.

    Parameters
    ----------
    slots : int
        Number of rows carried at a time.
    alpha, beta : float
        Of Baumgarte's stabilization [1/s].

    """
    return _program(f'closed_loop_dynamics {alpha} {beta}', slots, partial(required, alpha, beta))


@lru_cache(maxsize=64)
def closed_loop_reactions(slots: int) -> Program:
    """
    Return the program that gives accelerations, and for each row multiplier and independence.

    Independence is the part of its inverse inertia that a row has beside those before it; below
    ``INDEPENDENT`` it takes no force.
    """
    return _program('closed_loop_reactions', slots, partial(required, 0.0, 0.0), reports=True)


@lru_cache(maxsize=64)
def position_correction(slots: int) -> Program:
    """
    Return the program that gives the least displacement dq with ``A dq = -phi``.

    Least in the metric of the mass matrix: a displacement obeys the equations that accelerations
    from rest without forces do.
    """
    return _program('position_correction', slots, phi_of, moves=False)


@lru_cache(maxsize=64)
def velocity_correction(slots: int) -> Program:
    """Return the program that gives the least change of velocity dv with ``A (v + dv) = 0``."""
    return _program('velocity_correction', slots, rate_of, moves=False)
