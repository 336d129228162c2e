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

"""How long forward dynamics takes on this machine, by each formulation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import time
from typing import NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.registry import formulations
from mbd_ros.dynamics.prepared.prepared import compile_model
from mbd_ros.model import Model
from mbd_ros.model.state import random_configuration

PATIENCE = 0.1
"""How long each is repeated at least [s]; the shortest time counts."""


class Measured(NamedTuple):
    """Time of one state [s], by a formulation on what ran it, in a call of so many states."""

    formulation: str
    executor: str
    states: int
    seconds: float


def measure(model: Model, states: int = 1) -> list[Measured]:
    """
    Return how long forward dynamics takes, the fastest formulation first.

    Parameters
    ----------
    model : Model
        The robot.
    states : int
        Number of states in a call.

    Returns
    -------
    list of Measured
        For each formulation that suits, by the executor that chooses.

    """
    rng = np.random.default_rng(1)
    q = np.array([random_configuration(model, rng) for _ in range(states)])
    v, tau = rng.normal(size=(2, states, model.nv))
    arguments = (q, v, tau) if states > 1 else (q[0], v[0], tau[0])
    found = []
    for one in formulations(model):
        dyn = compile_model(model, formulation=one.name, executor='auto')
        seconds = shortest(partial(dyn.forward_dynamics, *arguments)) / states
        found.append(Measured(one.name, dyn.how('forward_dynamics', states), states, seconds))
    return sorted(found, key=lambda measured: measured.seconds)


def shortest(call: Callable[[], object]) -> float:
    """Return the shortest time of a call [s]."""
    call()   # compiled by now
    end, best = time.perf_counter() + PATIENCE, np.inf
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return float(best)
