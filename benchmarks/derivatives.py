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

"""
Derivatives of inverse and forward dynamics: one call from Python, one thread.

Our calls return three new matrices (nv, nv); Pinocchio's return references to its work space.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.robots import Case, cases
from benchmarks.timing import interleaved
import mbd_ros


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | derivatives of | prepared [us] | module function [us] | Pinocchio [us] '
           '| Pinocchio / prepared: median (min-max) |')
    yield '|---|---|---|---|---|---|'
    for case in cases():
        for label, candidates in _calls(case).items():
            times = interleaved(candidates)
            low, middle, high = times['Pinocchio'].ratio_to(times['prepared'])
            figures = ' | '.join(f'{times[name].median:.3g}' for name in candidates)
            yield (f'| {case.name} | {label} | {figures} '
                   f'| **{middle:.1f}** ({low:.1f}-{high:.1f}) |')


def _calls(case: Case) -> dict[str, dict[str, tuple[Callable[..., object], tuple[object, ...]]]]:
    model, peer = case.model, case.peer
    dyn, data = mbd_ros.compile(model), peer.createData()
    ours = (case.q, case.v, case.third)
    theirs = (peer, data, *ours)
    _check(dyn.inverse_dynamics_derivatives(*ours), pin.computeRNEADerivatives(*theirs))
    _check(dyn.forward_dynamics_derivatives(*ours), pin.computeABADerivatives(*theirs))
    return {
        'inverse dynamics': {
            'prepared': (dyn.inverse_dynamics_derivatives, ours),
            'module function': (mbd_ros.inverse_dynamics_derivatives, (model, *ours)),
            'Pinocchio': (pin.computeRNEADerivatives, theirs)},
        'forward dynamics': {
            'prepared': (dyn.forward_dynamics_derivatives, ours),
            'module function': (mbd_ros.forward_dynamics_derivatives, (model, *ours)),
            'Pinocchio': (pin.computeABADerivatives, theirs)}}


def _check(ours: Any, theirs: Any) -> None:
    """Compare the results, of whose last one Pinocchio may fill the upper triangle only."""
    for k, (mine, other) in enumerate(zip(ours, theirs)):
        part = np.triu if k == 2 else np.asarray
        scale = np.abs(mine).max()
        np.testing.assert_allclose(part(mine), part(other), rtol=0.0, atol=1e-8 * scale)
