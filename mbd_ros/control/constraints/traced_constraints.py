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
Constraints from one function: ``phi(q, t) = 0`` or ``psi(q, v, t) = 0``, written on scalars.

The function is recorded once on symbols and differentiated there, exactly; what the controller
calls is machine code for ``phi``, ``phi_dot``, ``A`` and ``b``. What it may use is said in
``user_functions.ALLOWED``; a branch on a coordinate it may not have, since that is not known while
it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mbd_ros.control.constraints.recorded import CompiledRows, Known, Rows
from mbd_ros.control.references.arguments import require_model
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.control.references.user_functions import UserFunction
from mbd_ros.model import Model
from mbd_ros.spatial import Scalar

Scalars: TypeAlias = Sequence[Scalar]


class _Traced(CompiledRows):
    """What both kinds have in common; a subclass says what its function is called with."""

    reference_size = 1

    def __init__(self, model: Model, function: UserFunction, *, holonomic: bool) -> None:
        self._function = function
        super().__init__(model, function.size, model.joint_types, function.text,
                         holonomic=holonomic)

    def _made(self) -> TimeCode:
        return closed_form(_time_itself, (), 1)

    def rows(self, known: Known) -> Rows:
        """Return the rows at a state."""
        time, = known.reference
        state = (known.q,) if self.counts[0] else (known.q, known.v)
        return self.differentiated(known, self._function(*state, time), {time[0]: 1.0})


def _time_itself(time: Scalar, _: Scalars) -> Scalars:
    return [time]


class TracedConstraint(_Traced):
    """
    A constraint on configurations, ``phi(q, t) = 0``, with traced derivatives.

    ``A = d phi / dq`` along the velocities, ``b = -(phi_ddot at vdot = 0)``.

    Parameters
    ----------
    model : Model
        The robot.
    phi : callable
        ``(q, t)`` to a sequence of scalars, in which q is a list of nq scalars in the order of
        the model and t the time [s].

    Raises
    ------
    InvalidValueError
        If the function does what cannot be recorded, or returns nothing.

    Examples
    --------
    Two joints of a robot that turn against each other::

        TracedConstraint(model, lambda q, t: [q[1] + q[2] - 0.3 * sine(2.0 * t)])

    """

    def __init__(self, model: Model, phi: Callable[[Scalars, Scalar], Scalars]) -> None:
        require_model(model)
        super().__init__(model, UserFunction(
            phi, lambda phi, q, time: phi(q, *time), (model.nq, 1)), holonomic=True)


class TracedVelocityConstraint(_Traced):
    """
    A constraint on velocities, ``psi(q, v, t) = 0``, with traced derivatives.

    ``A = d psi / dv``, ``b = -(d psi / dq) qdot - d psi / dt``; ``psi`` need not be linear in v.

    Parameters
    ----------
    model : Model
        The robot.
    psi : callable
        ``(q, v, t)`` to a sequence of scalars.

    Raises
    ------
    InvalidValueError
        If the function does what cannot be recorded, or returns nothing.

    """

    def __init__(self, model: Model, psi: Callable[[Scalars, Scalars, Scalar], Scalars]) -> None:
        require_model(model)
        super().__init__(model, UserFunction(
            psi, lambda psi, q, v, time: psi(q, v, *time), (model.nq, model.nv, 1)),
            holonomic=False)
