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

"""The state of the nominal model that a tracking law follows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.simulation.manifold import Vector

NO_ROWS = np.zeros(0)


class NominalState(NamedTuple):
    """
    The nominal model at one time.

    Attributes
    ----------
    time : float
        [s].
    q, v, accelerations : Vector
        Configuration (nq,), velocity and acceleration (nv,).
    effort : Vector
        Joint efforts (nv,) that move the nominal robot so: ``applied + Q_c`` [N m or N].
    applied, constraint_force : Vector
        The two parts of the effort (nv,).
    violation_before, violation : float
        ``|phi|`` before and after the elimination that ended the last step.
    moved : float
        Way by which that elimination moved the configuration [rad or m].
    rank : int
        Number of independent constraint rows.
    conflicting : bool
        Whether the constraint cannot be satisfied at this state.
    multipliers : Vector
        ``lambda`` (m,), ``Q_c = A^T lambda``: for rows of a tool's position the force [N] on the
        tool that would do the same.

    """

    time: float
    q: Vector
    v: Vector
    accelerations: Vector
    effort: Vector
    applied: Vector
    constraint_force: Vector
    violation_before: float
    violation: float
    moved: float
    rank: int
    conflicting: bool
    multipliers: Vector = NO_ROWS

    @classmethod
    def resting(cls, time: float, q: Vector, v: Vector, effort: Vector) -> NominalState:
        """Return the state of a nominal model that follows nothing but q and v themselves."""
        rest = np.zeros_like(v)
        return cls(time, q, v, rest, effort, effort, rest, violation_before=0.0, violation=0.0,
                   moved=0.0, rank=0, conflicting=False)
