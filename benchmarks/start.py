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

"""What a process that needs two functions of a robot waits for, with and without the cache."""

from __future__ import annotations

from collections.abc import Iterator
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.robots import Case, cases

RUNS = 5
SCRIPT = """
import sys, time
begin = time.perf_counter()
from mbd_ros import compile, load
imported = time.perf_counter()
model = load(sys.stdin.read(), floating_base=sys.argv[1] == 'True')
loaded = time.perf_counter()
dyn = compile(model)
dyn.forward_dynamics, dyn.inverse_dynamics
end = time.perf_counter()
print(imported - begin, loaded - imported, end - loaded, end - begin)
"""


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| robot | cache | import, NumPy included [s] | load [s] | forward and inverse '
           'dynamics made ready [s] | together [s] |')
    yield '|---|---|---|---|---|---|'
    robots = cases()
    for case in (robots[0], robots[-1]):
        with tempfile.TemporaryDirectory() as folder:
            for state, value in (('off', 'off'), ('warm', folder)):
                parts = [_start(case, value) for _ in range(RUNS + 1)][1:]   # the first one fills
                medians = [statistics.median(part) for part in zip(*parts)]
                yield f'| {case.name} | {state} | ' + ' | '.join(
                    f'{seconds:.2f}' for seconds in medians) + ' |'


def _start(case: Case, cache: str) -> list[float]:
    answer = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(case.floating)], input=case.text, text=True, check=True,
        capture_output=True, env={**os.environ, 'MBD_ROS_CACHE': cache})
    return [float(word) for word in answer.stdout.split()]
