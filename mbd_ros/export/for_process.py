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

"""Libraries that this process itself opens, in a folder that goes with it."""

from __future__ import annotations

from pathlib import Path
import shutil
import tempfile
from typing import Literal
import weakref

from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.errors import InvalidValueError, MachineError, UnsupportedError
from mbd_ros.export.write import DIFFERENTIABLE, export_library, ExportedLibrary
from mbd_ros.model import Model
from mbd_ros.model.caches import owned


class Opened:
    """
    A library with a function and its derivatives.

    Attributes
    ----------
    written : ExportedLibrary
        The library.
    shared : Path
        The shared library; valid as long as this object, and what has opened it keeps it.
    symbol, derivatives : str
        Names of the two functions.

    """

    written: ExportedLibrary
    shared: Path
    symbol: str
    derivatives: str

    def __init__(self, folder: Path) -> None:
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)


def require_differentiable(model: Model, function: str, where: str) -> None:
    """
    Check that a function with its derivatives can be handed to another library.

    Raises
    ------
    InvalidValueError, UnsupportedError
        If there is no such function, or a joint has several coordinates.

    """
    if function not in DIFFERENTIABLE:
        raise InvalidValueError('function', function, ' or '.join(map(repr, DIFFERENTIABLE)))
    if model.nq != model.nv or any(not kind.is_simple for kind in model.joint_types):
        raise UnsupportedError(
            f"'{function}' of robot '{model.name}' in {where}", 'its joints have to be revolute '
            'or prismatic')


@owned()
def opened(model: Model, function: str, binding: Literal['casadi', 'jax'],
           gravity: tuple[float, ...] | None, fluid: Fluid | None, ground: Ground | None,
           stabilization: float) -> Opened:
    """
    Return a library of a function and its derivatives, written now or earlier.

    Raises
    ------
    MbdError
        As ``export_library``, and if nothing here links shared libraries.

    """
    folder = Path(tempfile.mkdtemp(prefix='mbd_ros_'))
    found = Opened(folder)
    found.written = export_library(
        model, folder / 'library', functions=(function, f'{function}_derivatives'),
        gravity=gravity, fluid=fluid, ground=ground, stabilization=stabilization,
        bindings=(binding,))
    if found.written.shared is None:
        raise MachineError('; '.join(found.written.missing))
    found.shared = found.written.shared
    found.symbol, found.derivatives = (symbol for symbol, _ in found.written.functions)
    return found
