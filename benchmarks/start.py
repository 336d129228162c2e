"""What a process that needs two functions of a humanoid waits for, with and without the cache."""

from __future__ import annotations

from collections.abc import Iterator
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.robots import cases

SCRIPT = """
import sys, time
begin = time.perf_counter()
from mbd_ros import compile, load
imported = time.perf_counter()
model = load(sys.stdin.read(), floating_base=True)
loaded = time.perf_counter()
dyn = compile(model)
dyn.forward_dynamics, dyn.inverse_dynamics
print(imported - begin, loaded - imported, time.perf_counter() - loaded)
"""


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    text = cases()[-1].text
    yield '| cache | import [s] | load [s] | forward and inverse dynamics made ready [s] |'
    yield '|---|---|---|---|'
    with tempfile.TemporaryDirectory() as folder:
        for state, value, runs in (('off', 'off', 5), ('warm', folder, 6)):
            parts = [_start(text, value) for _ in range(runs)]
            medians = [statistics.median(part) for part in zip(*parts[-5:])]
            yield f'| {state} | ' + ' | '.join(f'{seconds:.2f}' for seconds in medians) + ' |'


def _start(text: str, cache: str) -> list[float]:
    answer = subprocess.run([sys.executable, '-c', SCRIPT], input=text, text=True, check=True,
                            capture_output=True, env={**os.environ, 'MBD_ROS_CACHE': cache})
    return [float(word) for word in answer.stdout.split()]
