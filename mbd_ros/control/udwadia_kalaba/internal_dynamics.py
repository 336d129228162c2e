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
What moves inside a robot while its actuators keep a constraint.

A robot with m rows and more coordinates than that keeps moving where the rows see nothing: links
bend. About a state of rest, with the stiffness K and damping D of the equations of motion, S what
the actuators reach and ``A vdot = 0``,

    vdot = -P (K dq + D v),    P = M^-1 - M^-1 S^T (A M^-1 S^T)^+ A M^-1.

Where that has roots of positive real part the constraint is kept by efforts that grow with them:
from the joints to the tip of a link that bends the robot is not of minimum phase.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.control.udwadia_kalaba.actuation import Actuation
from mbd_ros.dynamics.functions.current_fields import met_at
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import ShapeError, UnsupportedError
from mbd_ros.model import Model


def internal_dynamics(model: Model, q: ArrayLike, A: ArrayLike, *,
                      actuated: Sequence[str] | None = None, gravity: ArrayLike | None = None,
                      fluid: Fluid | None = DEFAULT, ground: Ground | None = None
                      ) -> NDArray[np.complex128]:
    """
    Return the roots of the motions that are left while actuated joints keep ``A vdot = 0``.

    Parameters
    ----------
    model : Model
        The robot, without closed loops.
    q : array_like
        (nq,): where it is at rest, links bent by the weight they carry (``static_deflection``).
    A : array_like
        (m, nv): rows of the constraint, as a Jacobian of a tool.
    actuated : sequence of str, optional
        Joints with an actuator; all if not given. Elastic coordinates have none.
    gravity, fluid, ground
        As in ``forward_dynamics``.

    Returns
    -------
    array of complex
        (2 nv,) [1/s], the fastest growing first; zero for each row and its rate. A positive real
        part is a motion that grows: efforts from the present state cannot keep the constraint.

    Raises
    ------
    ShapeError, NotFiniteError, UnknownNameError, UnsupportedError
        If an argument is not as it should be, or the robot has closed loops.

    References
    ----------
    Isidori, Nonlinear Control Systems, 1995, section 4.3 (zero dynamics).

    """
    if model.loops:
        raise UnsupportedError(f"internal_dynamics of '{model.name}', which has closed loops,",
                               'open the loops')
    place = checked_array(model, 'q', q, model.nq)
    if place.ndim != 1:
        raise ShapeError('q', place.shape, f'({model.nq},), one configuration')
    dyn = compile_model(model, gravity=gravity, fluid=met_at(fluid, model, place), ground=ground)
    rows = checked_array(model, 'A', A, model.nv)
    if rows.ndim != 2:
        raise ShapeError('A', rows.shape, f'(m, {model.nv})')
    n, rest = model.nv, np.zeros(model.nv)
    drives = Actuation(model, model.joint_names if actuated is None else actuated).active
    M = dyn.mass_matrix(place)
    push = np.linalg.solve(M, np.eye(n)[:, drives])
    P = np.linalg.inv(M)
    P = P - push @ np.linalg.pinv(rows @ push) @ rows @ P
    slopes = dyn.inverse_dynamics_derivatives(place, rest, rest)
    roots = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)],
                                        [-P @ slopes.dq, -P @ slopes.dv]]))
    return np.asarray(roots[np.argsort(-roots.real)], np.complex128)
