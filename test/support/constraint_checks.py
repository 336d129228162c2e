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

"""Whether the functions of a constraint belong together."""

from __future__ import annotations

import numpy as np

from mbd_ros.control import Constraint
from mbd_ros.model import Model
from mbd_ros.model.state import random_configuration
from mbd_ros.simulation.manifold import displaced


def assert_consistent(model: Model, constraint: Constraint, seed: int = 7, *,
                      time: float = 0.4) -> None:
    """Along any motion phi_dot is the rate of phi, and ``A vdot - b`` that of phi_dot."""
    rng = np.random.default_rng(seed)
    q = random_configuration(model, rng)
    v, a = rng.uniform(-1, 1, (2, model.nv))
    h = 1e-4

    def state(s):
        return displaced(model, q, s * v + 0.5 * s * s * a), v + s * a
    (q1, v1), (q2, v2) = state(-h), state(h)
    rate = constraint.violation_rate(q, v, time)
    if constraint.violation(q, time) is not None:
        found = (constraint.violation(q2, time + h) - constraint.violation(q1, time - h)) / (2 * h)
        # Central differences: h^2 / 6 times third derivatives of up to 100 in SI units.
        np.testing.assert_allclose(rate[:len(found)], found, rtol=0, atol=1e-6)
    second = (constraint.violation_rate(q2, v2, time + h)
              - constraint.violation_rate(q1, v1, time - h)) / (2 * h)
    np.testing.assert_allclose(
        (constraint.matrix(q, v, time) @ a - constraint.right_side(q, v, time))[:len(second)],
        second, rtol=0, atol=2e-5)
