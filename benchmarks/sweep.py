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

"""Millions of states of an arm through pools in bounded memory: streamed, and swept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
import fcntl
import functools
import multiprocessing
import os
from pathlib import Path
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.robots import Case, cases
import mbd_ros
from mbd_ros.cli.sweep import COMBINE, random_states, summary

STATES, BATCH, WORKERS = 10_000_000, 50_000, 2
ROBOT = Path(__file__).resolve().parents[1] / 'urdf' / 'panda.urdf'
ROWS, SHARES = 50_000, 100
SPAWN = multiprocessing.get_context('spawn')
ALONE = ('unshare', '--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child',
         '--mount-proc')
"""What gives a command a network of its own."""
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    case = cases()[0]
    yield '| pool of two | time [s] | ns/state | memory of this process: before, at most [MB] |'
    yield '|---|---|---|---|'
    spawned = ProcessPoolExecutor(WORKERS, SPAWN)
    for name, pool in (('threads', ThreadPoolExecutor(WORKERS)), ('processes', spawned)):
        with pool:
            list(_streamed(case, pool, WORKERS))  # starts the workers
            before, begin = _memory(), time.perf_counter()
            with tqdm(total=STATES, unit='state', unit_scale=True, leave=False) as bar:
                states = sum(map(len, _streamed(case, pool, STATES // BATCH, bar.update)))
            seconds = time.perf_counter() - begin
            yield (f'| {name} | {seconds:.2f} | {1e9 * seconds / states:.0f} '
                   f'| {before:.0f}, {_memory():.0f} |')


def sweeps() -> Iterator[str]:
    """Yield a Markdown table of sweeps, whose states and summaries are made by workers."""
    model = mbd_ros.load(ROBOT)
    yield ('| workers | states | time [s] | processor time of this process, of workers [s] '
           '| of this process for a share [ms] | memory of this process: before, at most [MB] |')
    yield '|---|---|---|---|---|---|'
    for workers, killed in ((0, False), (1, False), (2, False), (2, True)):
        make = functools.partial(ProcessPoolExecutor, workers, SPAWN) if workers else None
        own = _processor_time(resource.RUSAGE_SELF)
        _swept(model, make, 1, SHARES)   # shares of one state
        empty = _processor_time(resource.RUSAGE_SELF) - own
        before, times = _memory(), [_processor_time(who) for who in WHO]
        seconds = _swept(model, make, ROWS, SHARES, killed)
        spent = [_processor_time(who) - time for who, time in zip(WHO, times)]
        yield (f'| {workers or "none"}{", one killed" * killed} | {ROWS * SHARES:.0e} | '
               f'{seconds:.1f} | {spent[0]:.2f}, {spent[1]:.2f} | {1e3 * empty / SHARES:.2f} | '
               f'{before:.0f}, {_memory():.0f} |')


def pools() -> Iterator[str]:
    """Yield a Markdown table of the same sweep by processes, dask.distributed and Ray."""
    yield ('| pool | workers | a share of one state, there and back [ms] '
           f'| {ROWS * SHARES:.0e} states [s] | states per second | the same, a worker killed [s] '
           '| memory of this process: before, after [MB] '
           '| of a worker at most: after 10 shares, at the end [MB] |')
    yield '|---|---|---|---|---|---|---|---|'
    yield from _pool_rows('processes', _processes)
    yield from _pool_rows('dask.distributed', _dask)
    # Some of Ray's ports listen on all interfaces, so it gets a network with loopback alone.
    program = 'from benchmarks import sweep; sweep.rows_of_ray()'
    with subprocess.Popen([*ALONE, sys.executable, '-c', program], text=True,
                          stdout=subprocess.PIPE) as alone:
        assert alone.stdout is not None
        yield from (line.rstrip() for line in alone.stdout if line.startswith('|'))
    if alone.returncode:
        yield f'| Ray | not run: {" ".join(ALONE)} ended with {alone.returncode} |'


def rows_of_ray() -> None:
    """Print the rows of Ray, in a network in which loopback is not up yet."""
    with socket.socket() as one:
        fcntl.ioctl(one, SIOCSIFFLAGS, struct.pack('16sh14x', b'lo', IFF_UP))
    for line in _pool_rows('Ray', _ray):
        print(line, flush=True)


def _pool_rows(name: str, make: Callable[[int], Any]) -> Iterator[str]:
    """Yield the rows of one kind of pool, which is made with a number of workers."""
    model = mbd_ros.load(ROBOT)
    for workers in (1, 2):
        with make(workers) as (pool, mending):
            _reduced(model, pool, 1, 40)   # starts the workers
            small, _ = _reduced(model, pool, 1, 400)
            _, first = _reduced(model, pool, ROWS, 10)
            before = _memory_now()
            seconds, last = _reduced(model, pool, ROWS, SHARES)
            after = _memory_now()
            killed = '–'
            if workers > 1:
                killed = f'{_reduced(model, mending, ROWS, SHARES, killed=True)[0]:.1f}'
        yield (f'| {name} | {workers} | {1e3 * small / 400:.2f} | {seconds:.1f} | '
               f'{ROWS * SHARES / seconds:.2g} | {killed} | {before:.0f}, {after:.0f} | '
               f'{first:.0f}, {last:.0f} |')


@contextmanager
def _processes(workers: int) -> Iterator[tuple[Any, Any]]:
    """Give a pool of processes, and what makes one anew where a worker is lost."""
    with ProcessPoolExecutor(workers, SPAWN) as pool:
        yield pool, functools.partial(ProcessPoolExecutor, workers, SPAWN)


@contextmanager
def _dask(workers: int) -> Iterator[tuple[Any, Any]]:
    """Give a cluster on this machine, twice: it replaces workers itself."""
    import distributed
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None,
                                  host='127.0.0.1', silence_logs=50) as cluster:
        with distributed.Client(cluster) as client:
            yield (client.get_executor(),) * 2


@contextmanager
def _ray(workers: int) -> Iterator[tuple[Any, Any]]:
    """Give Ray by the adapter of docs/executors.md, twice: it begins lost tasks anew."""
    import ray
    page = (Path(__file__).resolve().parents[1] / 'docs' / 'executors.md').read_text()
    names: dict[str, Any] = {}
    exec(re.search(r'```text\n(import functools.*?)```', page, re.DOTALL)[1], names)
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False,
             _node_ip_address='127.0.0.2')
    yield (names['RayPool'](),) * 2
    ray.shutdown()


def _reduced(model: mbd_ros.Model, pool: Any, rows: int, shares: int, *, killed: bool = False
             ) -> tuple[float, float]:
    """Sweep; return the time it took [s] and the largest memory of a worker so far [MB]."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        totals = mbd_ros.sweep(
            model, 'inverse_dynamics', functools.partial(
                _states, model, rows, Path(folder) if killed else None),
            shares, reduce=_with_memory, pool=pool,
            combine={**COMBINE, 'memory': np.maximum})
    return time.perf_counter() - begin, float(totals['memory'])


def _with_memory(arguments: Mapping[str, Any], result: Any) -> dict[str, Any]:
    """Return the summary of a share, with the largest memory of this worker so far [MB]."""
    return {**summary(arguments, result), 'memory': np.array(_memory())}


def _memory_now() -> float:
    """Return the memory of this process [MB]."""
    pages = int(Path('/proc/self/statm').read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _processor_time(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def _swept(model: mbd_ros.Model, pool: Callable[[], Executor] | None, rows: int, shares: int,
           killed: bool = False) -> float:
    """Sweep, and return the time it took [s]."""
    begin, made = time.perf_counter(), []

    def kept() -> Executor:
        assert pool is not None
        made.append(pool())
        return made[-1]
    with tempfile.TemporaryDirectory() as folder:
        mbd_ros.sweep(
            model, 'inverse_dynamics', functools.partial(
                _states, model, rows, Path(folder) if killed else None),
            shares, reduce=summary, combine=COMBINE, pool=kept if pool else None)
    for one in made:   # so that the workers' processor time is known
        one.shutdown()
    return time.perf_counter() - begin


def _states(model: mbd_ros.Model, rows: int, folder: Path | None, share: int) -> dict[str, Any]:
    """Return random states of a share; the first worker that makes share 50 dies of it."""
    if folder is not None and share == SHARES // 2 and not (folder / 'died').exists():
        (folder / 'died').touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return random_states(model, 'inverse_dynamics', rows, rows * (share + 1), 0, {}, share)


def _streamed(case: Case, pool: Executor, count: int,
              progress: Callable[[int], object] | None = None) -> Iterator[np.ndarray]:
    states = np.random.default_rng(0).normal(size=(3, BATCH, case.model.nv))
    batches = (tuple(states + 1e-3 * k) for k in range(count))
    return mbd_ros.stream(case.model, 'inverse_dynamics', batches, pool=pool,
                          progress=progress)


def _memory() -> float:
    """Return the largest memory that this process has had so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
