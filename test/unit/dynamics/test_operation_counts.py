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

"""Operations of straight-line code: what a change of a formulation must not add."""

from pathlib import Path

from loop_models import case_model
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.registry import formulation_for
from mbd_ros.execution.unrolled.code import trace_program

URDF = Path(__file__).resolve().parents[3] / 'urdf'
# Additions, multiplications, divisions, sines and cosines, counted when each was at its least.
MOST = {
    'puma560': {'forward_dynamics': 891, 'inverse_dynamics': 410, 'bias_forces': 366,
                'mass_matrix': 245},
    'panda': {'forward_dynamics': 1589, 'inverse_dynamics': 726, 'bias_forces': 694,
              'mass_matrix': 446},
    'fourbar_revolute': {'forward_dynamics': 218, 'inverse_dynamics': 53, 'bias_forces': 38},
    'ngon15_random': {'forward_dynamics': 1589, 'inverse_dynamics': 388, 'bias_forces': 292}}


@pytest.mark.parametrize(('robot', 'function'), [
    (robot, function) for robot, functions in MOST.items() for function in functions])
def test_operations_do_not_rise(robot, function):
    path = URDF / f'{robot}.urdf'
    model = mbd_ros.load(path) if path.exists() else case_model(robot)
    program = formulation_for(model).programs(model)[function]
    trace, results = trace_program(program, model)
    assert len(trace.needed(results)) <= MOST[robot][function]
