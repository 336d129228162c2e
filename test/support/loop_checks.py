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

"""Executors against the interpreted sweeps, on closed loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model, state

# Sums at the junction in another order, fused products: some roundings of the largest entry,
# amplified by the condition of the loops' rows, below 1e4 here.
TOLERANCE = 1e-11
QUESTIONS = ('forward_dynamics', 'loop_reactions')


def random_motion(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a state and efforts."""
    rng = np.random.default_rng(seed)
    return (state.random_configuration(model, rng), rng.normal(size=model.nv),
            rng.normal(size=model.nv))


def check(model: Model, executor: Any, what: str, questions: Sequence[str] = QUESTIONS) -> None:
    """Check what runs and its answers, which are the same bits from run to run."""
    q, v, tau = random_motion(model)
    program = closed_loop_dynamics(tree_of(model).slots)
    assert executor.kernel(program, model).how(1) == what
    ours, theirs = (mbd_ros.compile(model, executor=one) for one in (executor, 'interpreted'))
    for question in questions:
        found = getattr(ours, question)(q, v, tau)
        expected = getattr(theirs, question)(q, v, tau)
        np.testing.assert_allclose(found, expected, rtol=0.0,
                                   atol=TOLERANCE * max(1.0, np.abs(expected).max()))
        np.testing.assert_array_equal(found, getattr(ours, question)(q, v, tau))
