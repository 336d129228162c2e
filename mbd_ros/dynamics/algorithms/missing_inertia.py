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

"""Which joint a singular mass matrix leaves without inertia."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.dynamics.algorithms.crba import mass_matrix_of
from mbd_ros.execution import Interpreted
from mbd_ros.execution.program.records import flatten
from mbd_ros.execution.program.tree import world_of
from mbd_ros.model import Model


def joint_without_inertia(model: Model, q: NDArray[np.float64]) -> str | None:
    """
    Return the joint that a singular mass matrix leaves without inertia.

    Parameters
    ----------
    model : Model
        The model.
    q : array
        (nq,) configuration.

    Returns
    -------
    str or None
        Name of the joint with the largest part in the direction of least inertia; None where the
        mass matrix is regular. Of robots with flexible links None: ``load`` has refused modes
        without mass.

    """
    if model.elastic is not None:
        return None
    kernel = Interpreted().kernel(mass_matrix_of(model), model)
    matrix = np.empty((1, model.nv, model.nv))
    kernel.run([q.reshape(1, -1)], np.array(flatten(world_of(model))), matrix)
    return joint_of_no_inertia(model, matrix[0])


def joint_of_no_inertia(model: Model, matrix: NDArray[np.float64]) -> str | None:
    """Return the joint that a mass matrix (nv, nv) leaves without inertia, if there is one."""
    if not np.isfinite(matrix).all():   # so much inertia that products of it overflow
        return None
    least = np.diag(matrix).min(initial=np.inf)
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    # A unit-diagonal matrix of order n carries rounding errors of about n times machine epsilon.
    if values[0] > 16 * model.nv * np.finfo(float).eps and least > 0.0:
        return None
    entry = int(np.argmin(np.diag(matrix))) if least <= 0.0 else int(
        np.argmax(np.abs(vectors[:, 0])))
    return model.joint_names[int(np.searchsorted(model.v_offsets, entry, side='right')) - 1]
