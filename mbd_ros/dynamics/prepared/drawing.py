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


"""Random configurations in machine code."""

from __future__ import annotations

from collections.abc import Callable
import os

import numpy as np

from mbd_ros.dynamics.prepared.call import Array
from mbd_ros.execution.compiled_calls.fast_call import fast_call
from mbd_ros.execution.ir.machine_code import address_of, MachineCode
from mbd_ros.execution.ir.random_ir import uniform_ir
from mbd_ros.model import Model, state
from mbd_ros.model.caches import OwnedTable

_SEED = np.zeros(1, np.uint64)
"""State of the random numbers of machine code, one for all robots of a process."""
_fresh = np.random.default_rng()


def _sow() -> None:
    """Begin anew, also in a process that was forked: or two would draw the same."""
    global _fresh
    _fresh = np.random.default_rng()
    _SEED[0] = _fresh.integers(2 ** 64, dtype=np.uint64)


_sow()
os.register_at_fork(after_in_child=_sow)


def generator() -> np.random.Generator:
    """Return NumPy's generator for who names none."""
    return _fresh


def _drawing(model: Model) -> Callable[[], Array]:
    """Return a callable that draws a configuration, each an array of its own."""
    def drawn() -> Array:
        return state.random_configuration(model, _fresh)
    parts = state.joints_drawn(model)
    if len(parts) != 1 or not isinstance(parts[0], state.Ranges) or model.nq != len(
            parts[0].lower) or not model.nq:
        return drawn
    ranges = np.column_stack((parts[0].lower, parts[0].span))
    code = MachineCode(uniform_ir(model.nq))
    drawn.__dict__['kept'] = code, ranges
    return fast_call(code.address('kernel'), [], [address_of(_SEED), address_of(ranges)],
                     (model.nq,), drawn, 'random_configuration', drawn.__doc__ or '')


DRAWN = OwnedTable(_drawing)
