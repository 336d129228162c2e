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

"""An optimal motion by ``mbd_ros.casadi``, beside the same problem in CasADi's expressions."""

import importlib
from pathlib import Path

import casadi
import numpy as np
import pinocchio as pin

import mbd_ros

ROOT = Path(__file__).resolve().parents[2]


def test_the_optimum_of_a_swing_up_is_that_of_expressions(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))   # benchmarks are not installed
    swing_up = importlib.import_module('benchmarks.swing_up')
    tree = importlib.import_module('benchmarks.casadi_tree')
    model, text, guess, goal, bounds = swing_up.arm()
    peer = pin.buildModelFromXML(text)
    q, v, tau = (casadi.SX.sym(name, 2) for name in ('q', 'v', 'tau'))
    expression = casadi.Function('aba', [q, v, tau], [tree.articulated(peer, q, v, tau)])
    found, right = (swing_up.swing_up(one, guess, goal, 0.05, bounds) for one in (
        mbd_ros.casadi(model, 'forward_dynamics'), expression))
    assert np.abs(found.tau).max() <= bounds[0] + 1e-6   # slack of IPOPT, 1e-8 of its scale
    # IPOPT ends within 1e-8 on scaled equations; a flat optimum fixes its cost better than its
    # place, which is known to the square root of that.
    assert abs(found.cost - right.cost) < 1e-6 * right.cost
    assert np.abs(found.q - right.q).max() < 1e-3
