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

"""Nominal model of a trajectory that prescribes every joint: no integration is needed."""

from __future__ import annotations

import math

import numpy as np

from mbd_ros.control.control_step.nominal_model import LazyState
from mbd_ros.control.references.paths import Path
from mbd_ros.control.references.time_code import time_code_of, TimeCode
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import ShapeError, UnsupportedError
from mbd_ros.simulation.manifold import is_flat


class JointReference(LazyState):
    """
    All joints on a path of time.

    With as many independent rows as joints the constrained motion is the path itself, and the
    constraint force is that of inverse dynamics, ``Q_c = M qdd_d + h``. ``path`` gives positions,
    velocities and accelerations (nv,) in the order of the model; it begins at ``time`` [s]. Raises
    UnsupportedError or ShapeError if a joint has several coordinates or the path does not fit.
    """

    step = math.inf

    def __init__(self, dyn: PreparedDynamics, path: Path, *, time: float = 0.0) -> None:
        if not is_flat(dyn.model):
            raise UnsupportedError('a joint trajectory of a robot with a floating base',
                                   'constrain its links')
        found = path.at(time).position.shape
        if found != (dyn.model.nv,):
            raise ShapeError('path of joints', found, f'({dyn.model.nv},)')
        self.dyn = dyn
        self.path = path
        self._none = np.zeros(0)
        self._rest = np.zeros(dyn.model.nv)
        super().__init__(self._at(time))

    def time_code(self) -> TimeCode | None:
        """Return the path as machine code, None if it has none."""
        return time_code_of(self.path)

    def advance_to(self, time: float) -> NominalState:
        """Return the state at a time [s]."""
        return self.state if time == self.time else self._reach(self._at(time))

    def _at(self, time: float) -> NominalState:
        q, v, a = self.path.at(time)
        effort = self.dyn.inverse_dynamics(q, v, a)
        return NominalState(
            time, q, v, a, effort, self._rest, effort, violation_before=0.0, violation=0.0,
            moved=0.0, rank=len(v), conflicting=False, multipliers=self._none)
