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

"""Robots of many modules, from the file to the first answers, without a cache of machine code."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import random
import statistics
import subprocess
import sys
import tempfile

EXAMPLE = Path(__file__).parents[1] / 'config' / 'modules' / 'nine_modules.yaml'
PORTS, STARTS = ('front', 'left', 'right'), ('roll', 'pitch', 'yaw')
RUNS = 3

SCRIPT = """
import sys, time
import mbd_ros
from mbd_ros.description.modules import assemble, read_module_graph_file
begin = time.perf_counter()
graph = read_module_graph_file(sys.argv[1])
read = time.perf_counter()
assemble(graph)
assembled = time.perf_counter()
model = mbd_ros.load(sys.argv[1])
loaded = time.perf_counter()
dyn = mbd_ros.compile(model)
dyn.forward_dynamics, dyn.inverse_dynamics
compiled = time.perf_counter()
print(read - begin, assembled - read, loaded - assembled, compiled - loaded)
"""


def graph(count: int) -> str:
    """Return a robot of so many modules as YAML: branches of modules docked at random."""
    chosen = random.Random(1)
    types = EXAMPLE.read_text(encoding='utf-8').partition('instances:')[0]
    free = [('m0', port) for port in PORTS]
    connections = []
    for index in range(1, count):
        parent, port = free.pop(chosen.randrange(max(0, len(free) - 50), len(free)))
        connections.append(f'  - {{parent: {parent}.{port}, child: m{index}.'
                           f'{chosen.choice(STARTS)}}}')
        free.extend((f'm{index}', port) for port in PORTS)
    instances = [f'  m{index}: neutral' for index in range(count)]
    return '\n'.join([types + 'instances:', *instances, 'connections:', *connections,
                      'base: {module: m0, motion: floating}', ''])


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    yield ('| modules | read the graph [s] | assemble, write URDF [s] | `load` in all [s] | '
           'forward and inverse dynamics made ready [s] | `load` and compile [s] |')
    yield '|---|---|---|---|---|---|'
    with tempfile.TemporaryDirectory() as folder:
        for count in (100, 1000, 10_000):
            file = Path(folder, f'{count}.yaml')
            file.write_text(graph(count), encoding='utf-8')
            parts = [_start(file) for _ in range(RUNS)]
            medians = [statistics.median(part) for part in zip(*parts)]
            whole = statistics.median(part[2] + part[3] for part in parts)
            yield (f'| {count} | ' + ' | '.join(f'{seconds:.3f}' for seconds in medians)
                   + f' | {whole:.3f} |')


def _start(file: Path) -> list[float]:
    answer = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(file)], text=True, check=True, capture_output=True,
        env={**os.environ, 'MBD_ROS_CACHE': 'off'})
    return [float(word) for word in answer.stdout.split()]
