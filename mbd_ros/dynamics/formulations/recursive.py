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
Recursive O(n) forward dynamics of trees and closed loops by articulated bodies.

Loops are cut at a joint, and both branches are eliminated exactly; trees are loops with no rows.

The steps are in ``steps.py``.

References
----------
Bae, Haug, A recursive formulation for constrained mechanical system dynamics, 1987; Malczyk,
Fraczek, Dynamic analysis of complex closed loop kinematic chains; Featherstone, Rigid Body
Dynamics Algorithms, 2008, table 7.1. Here ``M qdd = Q + A^T lambda``, as there lambda has the
other sign.

"""

from __future__ import annotations

from functools import lru_cache, partial

from mbd_ros.dynamics.formulations.branches import Branch, NO_ROW
from mbd_ros.dynamics.formulations.motion import base_acceleration, no_rotation, velocities
from mbd_ros.dynamics.formulations.segments import BetweenSegments
from mbd_ros.dynamics.formulations.steps import (
    accelerate, articulate, at_rest, base_reaction, on_ground, see, see_still, settle)
from mbd_ros.dynamics.formulations.ties import Balance, Held, phi_of, rate_of, required, tie_down
from mbd_ros.execution.program.sweeps import Inward, Layout, Outward, Program, Ties
from mbd_ros.spatial import ZERO_WRENCH
from mbd_ros.spatial.inertia import NO_ARTICULATED_INERTIA

LARGEST_STRAIGHT = 45000
"""Operations of straight-line code, compiled in 3 s: a planar ring of 301 links."""


def _program(name: str, slots: int, balance: Balance, *, reports: bool = False,
             moves: bool = True) -> Program:
    no_rows = (NO_ROW,) * slots
    nothing = Branch(NO_ARTICULATED_INERTIA, ZERO_WRENCH, no_rows, tuple(
        (0.0,) * (r + 1) for r in range(slots)))
    ground = base_acceleration if moves else at_rest
    return Program(f'{name} with {slots} rows', ('q', 'v', 'tau') if moves else ('q', 'v'), (
        Outward(see if moves else see_still, on_ground),
        Ties(partial(tie_down, slots, balance, moves, not reports),
             Held(ZERO_WRENCH, no_rows, (0.0,) * slots)),
        Inward(articulate, nothing),
        Outward(partial(accelerate, reports), partial(settle, slots, reports, ground),
                settles=True)), Layout.MOTION if reports else Layout.JOINTS,
        largest_folded=LARGEST_STRAIGHT,
        segments=partial(BetweenSegments, balance) if moves and not reports else None)


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

    Independence is 1, and 0 where those before it imply the row, so that it takes no force.
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


FORWARD_DYNAMICS = Program('forward_dynamics', ('q', 'v', 'tau'), (
    Outward(velocities, no_rotation),
    Inward(articulate, Branch(NO_ARTICULATED_INERTIA, ZERO_WRENCH, (), ())),
    Outward(partial(accelerate, False), base_reaction)), segments=partial(BetweenSegments, None))
"""Of trees without springs: no ties, so that bodies hand on no poses."""
