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

"""Linear constraints on joints: couplings, and relations of velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbd_ros.control.constraints.recorded import CompiledRows, Known, Rows
from mbd_ros.control.references.arguments import finite, require, require_model
from mbd_ros.control.references.scalars import sum_of
from mbd_ros.control.references.time_code import TimeCode, unchanging
from mbd_ros.errors import InvalidValueError, UnsupportedError
from mbd_ros.model import Model


class JointCoupling(CompiledRows):
    """
    Keep a linear relation between joints: ``phi = sum_j c_j q_j - value``.

    Parameters
    ----------
    model : Model
        The robot.
    coefficients : mapping of str to float
        ``c_j`` by joint: ``{'left': 1, 'right': -1}`` keeps two joints equal.
    value : float, optional
        Right-hand side.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known or moves more ways than one, or the coefficients are all zero or
        not finite.

    """

    holonomic = True
    reference_size = 1

    def __init__(self, model: Model, coefficients: Mapping[str, float], value: float = 0.0
                 ) -> None:
        require('coefficients', coefficients, ('keys', 'values'),
                'a number for each joint by name')
        weights = np.array([finite(f"coefficient of '{name}'", weight)
                            for name, weight in coefficients.items()])
        require_model(model)
        self._places = joint_places(model, list(coefficients))[0 if self.holonomic else 1].tolist()
        self._weights = weights.tolist()
        super().__init__(model, 1, model.joint_types, tuple(self._places),
                         tuple(self._weights), holonomic=self.holonomic)
        if not weights.any():
            raise InvalidValueError('coefficients', dict(coefficients),
                                    'finite numbers, not all of them zero')
        self._constant = finite('value', value)

    def _made(self) -> TimeCode:
        return unchanging((self._constant,))

    def rows(self, known: Known) -> Rows:
        """Return the row at a state."""
        entries = known.q if self.holonomic else known.v
        total = sum_of(c * entries[place] for c, place in zip(self._weights, self._places))
        return self.differentiated(known, [total - known.reference[0][0]], {})


class JointSpeed(JointCoupling):
    """
    Keep a linear relation between joint velocities: ``psi = sum_j c_j v_j - value``.

    Parameters
    ----------
    model, coefficients, value
        As in ``JointCoupling``, with velocities [rad/s or m/s].

    """

    holonomic = False


def joint_places(model: Model, joints: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """
    Return where joints stand in q and in v.

    Raises
    ------
    UnknownNameError, UnsupportedError, InvalidValueError
        If a joint is not known, has more than one coordinate, or is named twice.

    """
    indices = [model.joint_index(name) for name in joints]
    if not indices or len(set(indices)) < len(indices):
        raise InvalidValueError('joints', list(joints), 'each joint at most once, at least one')
    for name, index in zip(joints, indices):
        if not model.joint_types[index].is_simple:
            raise UnsupportedError(f"a constraint on the coordinates of joint '{name}'",
                                   'name revolute and prismatic joints, or constrain its link')
    return (np.array([model.q_offsets[index] for index in indices], dtype=np.intp),
            np.array([model.v_offsets[index] for index in indices], dtype=np.intp))
