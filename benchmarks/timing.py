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

"""Interleaved timing: every round times each candidate once, so drift hits all alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import platform
import statistics
import subprocess
import sys
import time


@dataclass(frozen=True)
class Timing:
    """Times per call of one candidate [us], one for each round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median over the rounds [us]."""
        return statistics.median(self.rounds)

    def ratio_to(self, other: Timing) -> tuple[float, float, float]:
        """Return minimum, median and maximum over the rounds of own time / other's time."""
        ratios = [mine / theirs for mine, theirs in zip(self.rounds, other.rounds)]
        return min(ratios), statistics.median(ratios), max(ratios)


def interleaved(candidates: Mapping[str, tuple[Callable[..., object], tuple[object, ...]]],
                *, rounds: int = 15, seconds: float = 0.05, fewest: int = 20,
                clock: Callable[[], float] = time.perf_counter) -> dict[str, Timing]:
    """
    Time candidates in turn.

    Parameters
    ----------
    candidates : mapping of str to tuple
        Functions with their arguments; each is called once before.
    rounds : int
        Number of rounds.
    seconds : float
        Time for each candidate in each round [s].
    fewest : int
        Calls in each round at least.
    clock : callable, optional
        The time [s]; ``time.thread_time`` leaves out what other programs take of a busy machine.

    Returns
    -------
    dict of str to Timing
        Times per call.

    """
    counts = {}
    for name, (call, arguments) in candidates.items():
        call(*arguments)
        begin = clock()
        for _ in range(fewest):
            call(*arguments)
        counts[name] = max(fewest, int(seconds / ((clock() - begin) / fewest)))
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, (call, arguments) in candidates.items():
            repeat = range(counts[name])
            begin = clock()
            for _ in repeat:
                call(*arguments)
            times[name].append((clock() - begin) / counts[name] * 1e6)
    return {name: Timing(tuple(values)) for name, values in times.items()}


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy by another program."""
    program = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
    try:
        yield
    finally:
        program.kill()
        program.wait()


def machine() -> str:
    """Return one line about the machine and the versions that matter."""
    from importlib.metadata import version

    import llvmlite.binding as llvm
    info = Path('/proc/cpuinfo')
    names = [line.split(':')[1].strip() for line in info.read_text().splitlines()
             if line.startswith('model name')] if info.exists() else []
    features = llvm.get_host_cpu_features()
    vector = next((isa for isa in ('avx512f', 'avx2', 'avx', 'sse2') if features.get(isa)), '?')
    packages = ', '.join(f'{name} {version(name)}' for name in (
        'numpy', 'llvmlite', 'pin', 'mujoco'))
    return (f'{names[0] if names else platform.processor()}, {os.cpu_count()} cores, {vector}, '
            f'{platform.system()}, Python {platform.python_version()}, {packages}')
