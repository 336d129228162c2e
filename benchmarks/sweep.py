"""Inverse dynamics of ten million states of an arm, streamed through a pool in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
import multiprocessing
import resource
import time

import numpy as np
from tqdm import tqdm

from benchmarks.robots import Case, cases
import mbd_ros

STATES, BATCH, WORKERS = 10_000_000, 50_000, 2


def rows() -> Iterator[str]:
    """Yield a Markdown table, line by line."""
    case = cases()[0]
    yield '| pool of two | time [s] | ns/state | memory of this process: before, at most [MB] |'
    yield '|---|---|---|---|'
    spawned = ProcessPoolExecutor(WORKERS, multiprocessing.get_context('spawn'))
    for name, pool in (('threads', ThreadPoolExecutor(WORKERS)), ('processes', spawned)):
        with pool:
            list(_streamed(case, pool, WORKERS))  # starts the workers
            before, begin = _memory(), time.perf_counter()
            with tqdm(total=STATES, unit='state', unit_scale=True, leave=False) as bar:
                states = sum(map(len, _streamed(case, pool, STATES // BATCH, bar.update)))
            seconds = time.perf_counter() - begin
            yield (f'| {name} | {seconds:.2f} | {1e9 * seconds / states:.0f} '
                   f'| {before:.0f}, {_memory():.0f} |')


def _streamed(case: Case, pool: Executor, count: int,
              progress: Callable[[int], object] | None = None) -> Iterator[np.ndarray]:
    states = np.random.default_rng(0).normal(size=(3, BATCH, case.model.nv))
    batches = (tuple(states + 1e-3 * k) for k in range(count))
    return mbd_ros.stream(case.model, 'inverse_dynamics', batches, pool=pool,
                          progress=progress)


def _memory() -> float:
    """Return the largest memory that this process has had so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
