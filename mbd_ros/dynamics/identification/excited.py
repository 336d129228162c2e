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


"""Combinations of inertial parameters that motions excite: of a recording, and of any motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.finding import Finding
from mbd_ros.dynamics.functions.whole_robot import inertial_parameters, regressor
from mbd_ros.dynamics.identification.bodies import as_body
from mbd_ros.dynamics.identification.equations import bare
from mbd_ros.dynamics.identification.recording import Recording
from mbd_ros.model import Model, state

Array = NDArray[np.float64]
EXCITED = 1e-6
"""
Singular values of the regressor below this part of the largest count as zero: efforts of some
100 N m that are known to 0.1 mN m say nothing below it.
"""
COUNTED = 2000
"""States of which the rank is taken."""


def excitation(model: Model, recorded: Recording, gravity: Array
               ) -> tuple[int, int, tuple[Finding, ...]]:
    """Return the rank of the motion, that of any motion, and what is missing."""
    robot, sizes = bare(model), parameter_sizes(model)
    possible = possible_directions(model, gravity)
    every = -(-sum(len(run.q) for run in recorded.runs) // COUNTED)
    excited = _directions(np.concatenate([
        regressor(robot, run.q[::every], run.v[::every], run.qdd[::every], gravity=gravity)
        for run in recorded.runs]), sizes)
    missing = possible - possible @ excited.T @ excited
    shares = np.sqrt((missing * missing).reshape(len(possible), model.nb, 10).sum(axis=(0, 2)))
    if len(excited) >= len(possible):
        return len(excited), len(possible), ()
    links = [model.body_names[i] for i in np.argsort(-shares) if shares[i] > 0.1]
    return len(excited), len(possible), (Finding(
        'warning', f'the motion excites {len(excited)} of {len(possible)} combinations of '
        'inertial parameters; what it leaves open is mostly of the links '
        f"{', '.join(links[:5])}, whose parameters stay near those of the description",
        model.mechanism.file),)


def parameter_sizes(model: Model) -> Array:
    """Return units (10 nb,) of parameters, so that what is small there is not taken for zero."""
    pseudo = np.array([as_body(row) for row in inertial_parameters(model)])
    return np.concatenate([np.repeat((p[3, 3], np.sqrt(p[3, 3] * np.trace(p[:3, :3])),
                                      np.trace(p[:3, :3])), (1, 3, 6)) for p in pseudo])


def possible_directions(model: Model, gravity: Array | None) -> Array:
    """Return the combinations (k, 10 nb) of parameters in their units that motions can excite."""
    rng = np.random.default_rng(0)
    count = 20 + 3 * model.nb
    q = np.array([state.random_configuration(model, rng) for _ in range(count)])
    v, qdd = rng.normal(size=(2, count, model.nv))
    return _directions(regressor(bare(model), q, v, qdd, gravity=gravity), parameter_sizes(model))


def _directions(rows: Array, sizes: Array) -> Array:
    flat = rows.reshape(-1, rows.shape[2]) * sizes
    _, values, right = np.linalg.svd(np.linalg.qr(flat, mode='r'))
    return np.asarray(right[:len(values)][values > EXCITED * values[0]])
