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
The programs of forward dynamics, and of corrections onto loops, by articulated bodies.

Of trees alone they are the passes of ``aba.py``; with springs, force laws or closed loops those of
``aba_loops.py``. Long chains are cut by ``segments.py``.

"""

from __future__ import annotations

from functools import lru_cache, partial

from mbd_ros.dynamics.algorithms.aba import ARTICULATED_BODIES
from mbd_ros.dynamics.algorithms.aba_loops import (
    accelerate,
    articulate,
    carried_nothing,
    close_at_ground,
    no_loop_loads,
)
from mbd_ros.dynamics.algorithms.body_motion import (
    base_acceleration,
    base_at_rest,
    ground_state,
    states,
    states_at_rest,
)
from mbd_ros.dynamics.algorithms.loop_rows import apply_tie, Balance, baumgarte, phi_of, rate_of
from mbd_ros.dynamics.algorithms.segments import BetweenSegments
from mbd_ros.execution.program.sweeps import Inward, Layout, Outward, Program, Ties

LARGEST_STRAIGHT = 45000
"""Operations of straight-line code, compiled in 3 s: a planar ring of 301 links."""

FORWARD_DYNAMICS = Program('forward_dynamics', ('q', 'v', 'tau'), ARTICULATED_BODIES,
                           segments=partial(BetweenSegments, None))
"""Of trees without springs: no ties, so that bodies hand on no poses."""


def _program(name: str, slots: int, balance: Balance, *, reports: bool = False,
             moves: bool = True) -> Program:
    base = base_acceleration if moves else base_at_rest
    return Program(f'{name} with {slots} rows', ('q', 'v', 'tau') if moves else ('q', 'v'), (
        Outward(states if moves else states_at_rest, ground_state),
        Ties(partial(apply_tie, slots, balance, moves, not reports), no_loop_loads(slots)),
        Inward(articulate, carried_nothing(slots)),
        Outward(partial(accelerate, reports), partial(close_at_ground, slots, reports, base),
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
    return _program(f'closed_loop_dynamics {alpha} {beta}', slots, partial(baumgarte, alpha, beta))


@lru_cache(maxsize=64)
def closed_loop_reactions(slots: int) -> Program:
    """
    Return the program that gives accelerations, and for each row multiplier and independence.

    Independence is 1, and 0 where those before it imply the row, so that it takes no force.
    """
    return _program('closed_loop_reactions', slots, partial(baumgarte, 0.0, 0.0), reports=True)


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
