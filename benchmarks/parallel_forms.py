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

"""The formulations in NumPy: long chains solved in three ways, one and two threads, batches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.timing import interleaved
from benchmarks.within_state import chain
import mbd_ros
from mbd_ros import Lanes, Threads


def chains() -> Iterator[str]:
    """Yield a table: forward dynamics of chains by the augmented form, against the recursion."""
    yield ('| bodies | recursion [us] | chunks, one thread [us] | chunks, two threads [us] '
           '| cyclic reduction [us] | block Thomas [us] | one / two threads: median (min-max) '
           '| best of them / recursion |')
    yield '|---|---|---|---|---|---|---|---|'
    for count in (6, 100, 1000, 2000, 10_000):
        text, state = chain(count)
        model = mbd_ros.load(text)
        ways = {'recursion': mbd_ros.compile(model)}
        ways.update({name: mbd_ros.compile(model, formulation='augmented', executor=executor)
                     for name, executor in (('one', Threads(1)), ('two', Threads(2)),
                                            ('cyclic', Lanes()), ('thomas', None))})
        times = interleaved({name: (dyn.forward_dynamics, state) for name, dyn in ways.items()},
                            fewest=2)
        figures = ' | '.join(f'{times[name].median:.3g}' for name in (
            'recursion', 'one', 'two', 'cyclic', 'thomas'))
        low, middle, high = times['one'].ratio_to(times['two'])
        best = min(time.median for name, time in times.items() if name != 'recursion')
        yield (f'| {count} | {figures} | **{middle:.2f}** ({low:.2f}-{high:.2f}) '
               f'| {best / times["recursion"].median:.3g} |')


def batches() -> Iterator[str]:
    """Yield a table: 10,000 states of a chain of six by every formulation."""
    yield '| formulation | one state [us] | 10,000 states [us per state] |'
    yield '|---|---|---|'
    text, _ = chain(6)
    model = mbd_ros.load(text)
    rng = np.random.default_rng(1)
    many = tuple(rng.normal(size=(3, 10_000, 6)))
    one = tuple(array[0] for array in many)
    for name in ('recursive', 'jourdain', 'augmented', 'kane'):
        call = mbd_ros.compile(model, formulation=name).forward_dynamics
        single, batch = (interleaved({name: (call, state)}, rounds=5, fewest=2)[name].median
                         for state in (one, many))
        yield f'| {name} | {single:.3g} | {batch / 10_000:.3g} |'
