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

"""How long a process waits for its first answer: compiled before it, or behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
import subprocess
import sys
import tempfile

from benchmarks.robots import Case, cases

SCRIPT = """
import sys, time
import mbd_ros
from mbd_ros.model.state import neutral
model = mbd_ros.load(sys.stdin.read(), floating_base=sys.argv[1] == 'True')
q, v = neutral(model), [0.0] * model.nv
begin = time.perf_counter()
mbd_ros.forward_dynamics(model, q, v, v, executor=sys.argv[2])
print(time.perf_counter() - begin)
"""
ROUNDS = 5


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    robots = cases()
    with tempfile.TemporaryDirectory() as parent:
        folder, full = (tempfile.mkdtemp(dir=parent) for _ in range(2))
        for case in robots:
            _answer(case, 'rolled', folder)   # as any robot with these types of joints leaves it
            _answer(case, 'compiled', full)
        ways: dict[str, tuple[str, Callable[[], str]]] = {
            '`compiled`, nothing kept': ('compiled', lambda: 'off'),
            '`auto`, rolled code of these joints kept': (
                'auto', lambda: _copied(folder, parent)),
            '`compiled`, its code kept': ('compiled', lambda: full)}
        yield f'| first answer [s], best of {ROUNDS} | ' + ' | '.join(
            case.name for case in robots) + ' |'
        yield '|---|' + '---|' * len(robots)
        for name, (executor, cache) in ways.items():
            times = [min(_answer(case, executor, cache()) for _ in range(ROUNDS))
                     for case in robots]
            yield f'| {name} | ' + ' | '.join(f'{seconds:.3f}' for seconds in times) + ' |'


def _copied(folder: str, parent: str) -> str:
    """Return a copy of a folder, so that a run leaves nothing for the next one."""
    copy = tempfile.mkdtemp(dir=parent)
    for name in os.listdir(folder):
        os.link(os.path.join(folder, name), os.path.join(copy, name))
    return copy


def _answer(case: Case, executor: str, cache: str) -> float:
    """Return the time from the call to its answer, the model loaded [s]."""
    answer = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(case.floating), executor], input=case.text, text=True,
        check=True, capture_output=True, env={**os.environ, 'MBD_ROS_CACHE': cache})
    return float(answer.stdout)
