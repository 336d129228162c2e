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
A constrained motion and a step of it: one text, on arrays of one state and on recorded symbols.

``ConstrainedMotion`` and ``NominalModel`` hand over arrays, and whatever solver the rank needs;
``MotionKernels`` hands over symbols, whose record becomes machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mbd_ros.model import Model
from mbd_ros.simulation.integrators import rk4_step

Solution = TypeVar('Solution', covariant=True)
Correction = TypeVar('Correction')


class Terms(Protocol[Solution]):
    """What the equations of a constrained motion consist of, at one state."""

    def rows(self) -> tuple[Any, Any]:
        """Return A (m, nv) and b (m,), the rows of closed loops first."""

    def mass_matrix(self) -> Any:
        """Return M (nv, nv)."""

    def bias_forces(self) -> Any:
        """Return h (nv,), velocity and gravity terms [N m or N]."""

    def applied_force(self, M: Any) -> tuple[Any, Any]:
        """
        Return what acts beside the constraint force: ``f - m vdot``.

        f (nv,) [N m or N], and m (nv,) [kg m^2 or kg] or None.
        """

    def solve(self, M: Any, Q: Any, A: Any, b: Any) -> Solution:
        """Return the motion of ``M vdot = Q + Q_c`` under ``A vdot = b``."""

    def accelerations(self, solution: Any) -> Any:
        """Return vdot (nv,) of a motion."""


def constrained_motion(terms: Terms[Solution]) -> tuple[Any, Solution]:
    """Return the applied force (nv,) and the motion: ``M vdot = applied - h + Q_c``."""
    A, b = terms.rows()
    M = terms.mass_matrix()
    h = terms.bias_forces()
    applied, ahead = terms.applied_force(M)
    if ahead is None:
        return applied, terms.solve(M, applied - h, A, b)
    entries = range(len(ahead))
    M = M.copy()
    M[entries, entries] += ahead
    solved = terms.solve(M, applied - h, A, b)
    return applied - ahead * terms.accelerations(solved), solved


def corrected_step(
    model: Model,
    acceleration: Callable[[Any, Any, Any], Any],
    corrected: Callable[[Any, Any], tuple[Any, Any, Correction]],
    t: Any, q: Any, v: Any, h: Any, first: Any,
) -> tuple[Any, Any, Correction]:
    """
    Return the state after a step of RK4, corrected onto the constraint, and the correction.

    Parameters
    ----------
    model : Model
        The robot.
    acceleration : callable
        (t, q, v) to vdot (nv,).
    corrected : callable
        (q, v) after the step to those on the constraint, and what there is to say of it.
    t, q, v, h : float and array
        Begin [s], state (nq,), (nv,), and length of the step [s].
    first : array
        vdot (nv,) at its begin.

    """
    q, v = rk4_step(model, acceleration, t, q, v, h, first=first)
    return corrected(q, v)
