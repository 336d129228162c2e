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

"""Whether numbers below the smallest normal one make a batch slow, as on some processors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.robots import cases
from benchmarks.timing import interleaved
import mbd_ros

STATES = 4096
TINY = 1e-310
"""Below the smallest normal number, 2.2e-308; products of these are zero, sums are not."""


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | function | ordinary [ns/state] | velocities and third input near 1e-310 '
           '| all near 1e-310 | slower at most: median (min-max) |')
    yield '|---|---|---|---|---|---|'
    rng = np.random.default_rng(0)
    for case in cases():
        dyn, size = mbd_ros.compile(case.model), (STATES, case.model.nv)
        q = np.repeat(case.q[None], STATES, axis=0)
        v, third = rng.normal(size=size), rng.normal(size=size)
        small = TINY * v, TINY * third
        resting = q * TINY if case.model.nq == case.model.nv else q   # a quaternion has length 1
        inputs = {'ordinary': (q, v, third), 'rates': (q, *small), 'all': (resting, *small)}
        for name in ('forward_dynamics', 'inverse_dynamics'):
            function: Callable[..., object] = getattr(dyn, name)
            times = interleaved({way: (function, given) for way, given in inputs.items()},
                                fewest=3)
            figures = ' | '.join(f'{times[way].median / STATES * 1e3:.0f}' for way in inputs)
            low, middle, high = max(
                (times[way].ratio_to(times['ordinary']) for way in ('rates', 'all')),
                key=lambda ratio: ratio[1])
            yield f'| {case.name} | {name} | {figures} | **{middle:.2f}** ({low:.2f}-{high:.2f}) |'
