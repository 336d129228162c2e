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

"""One state, one call from Python, one thread: forward and inverse dynamics of real robots."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.robots import Case, cases
from benchmarks.timing import interleaved
import mbd_ros


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | call | prepared [us] | module function [us] | Pinocchio [us] | MuJoCo [us] '
           '| Pinocchio / prepared: median (min-max) | MuJoCo / prepared |')
    yield '|---|---|---|---|---|---|---|---|'
    for case in cases():
        for label, candidates in _calls(case).items():
            times = interleaved(candidates)
            low, middle, high = times['Pinocchio'].ratio_to(times['prepared'])
            figures = ' | '.join(f'{times[name].median:.3g}' for name in candidates)
            mujoco_ratio = times['MuJoCo'].ratio_to(times['prepared'])[1]
            yield (f'| {case.name} | {label} | {figures} | **{middle:.1f}** ({low:.1f}-{high:.1f})'
                   f' | {mujoco_ratio:.1f} |')


def _calls(case: Case) -> dict[str, dict[str, tuple[Callable[..., object], tuple[object, ...]]]]:
    model, peer, q, v, third = case.model, case.peer, case.q, case.v, case.third
    dyn, data = mbd_ros.compile(model), peer.createData()
    if model.nq != peer.nq:
        raise SystemExit(f'{case.name}: continuous joints have another layout in Pinocchio')
    forward, inverse = dyn.forward_dynamics, dyn.inverse_dynamics
    np.testing.assert_allclose(forward(q, v, third), pin.aba(peer, data, q, v, third), rtol=1e-6)
    mj_model, mj_data = case.mujoco()
    if mj_model.nv != model.nv:
        raise SystemExit(f'{case.name}: MuJoCo reads {mj_model.nv} velocities, not {model.nv}')
    ours, theirs = (q, v, third), (peer, data, q, v, third)
    return {
        'forward dynamics (ABA)': {
            'prepared': (forward, ours),
            'module function': (mbd_ros.forward_dynamics, (model, *ours)),
            'Pinocchio': (pin.aba, theirs),
            'MuJoCo': (mujoco.mj_forward, (mj_model, mj_data))},
        'inverse dynamics (RNEA)': {
            'prepared': (inverse, ours),
            'module function': (mbd_ros.inverse_dynamics, (model, *ours)),
            'Pinocchio': (pin.rnea, theirs),
            'MuJoCo': (mujoco.mj_rne, (mj_model, mj_data, 1, np.zeros(mj_model.nv)))}}
