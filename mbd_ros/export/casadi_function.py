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

"""The dynamics of a robot as functions of CasADi, with exact first derivatives."""

from __future__ import annotations

from collections.abc import Sequence
import importlib
from typing import Any

from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import DEFAULT
from mbd_ros.errors import MachineError
from mbd_ros.export.casadi_ir import name_of
from mbd_ros.export.for_process import opened, require_differentiable
from mbd_ros.model import Model


def casadi_function(model: Model, function: str, *, gravity: Sequence[float] | None = None,
                    fluid: Fluid | None = DEFAULT, ground: Ground | None = None,
                    stabilization: float = 0.0) -> Any:
    """
    Return a function of CasADi that runs machine code, and whose Jacobian does, too.

    It is ``casadi.external`` of a shared library: solvers call it without Python, and expressions
    of CasADi with it can be differentiated once, exactly, but not twice: of IPOPT take
    ``hessian_approximation='limited-memory'``, of acados Gauss and Newton's.

    Parameters
    ----------
    model : Model
        The robot; all its joints are revolute or prismatic.
    function : str
        ``'forward_dynamics'`` (q, v, tau) -> qdd or ``'inverse_dynamics'`` (q, v, qdd) -> tau.
    gravity, fluid, ground
        As in ``compile_model``.
    stabilization : float
        At which rate s forward dynamics closes loops that are open [1/s]:
        ``A qdd + bias = -2 s phi_dot - s^2 phi``, 0 where they are closed. With 0 loops stay as
        they are, and integrators let them drift apart; take some tenth of a step's inverse.

    Returns
    -------
    casadi.Function
        Takes and gives columns (nv,). It fails, as CasADi's functions do, where a state is
        singular or not finite. With closed loops see ``stabilization``.

    Raises
    ------
    InvalidValueError
        If there is no such function.
    UnsupportedError
        If joints have several coordinates, or the derivatives have no machine code.
    MachineError
        If CasADi is not installed, or nothing here links shared libraries.

    """
    require_differentiable(model, function, 'CasADi')
    try:
        casadi = importlib.import_module('casadi')
    except ImportError:
        raise MachineError("CasADi is not installed: pip install 'mbd_ros[casadi]'") from None
    place = None if gravity is None else tuple(map(float, gravity))
    library = opened(model, function, 'casadi', place, fluid, ground, stabilization)
    return casadi.external(name_of(library.symbol), str(library.shared))
