"""
What evaluations cost on this machine, so that executors can choose without trying.

The time of a program is the number of its operations, counted body by body from the traces of its
steps, times the time of one operation; handing work to another thread takes a time of its own.
These few times are measured once on a machine, in less than a second, and kept with the machine
code. They say which of several ways is cheapest, not how long it takes: constants that fold make
straight-line code up to three times shorter than what is counted here.

"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
import ctypes
import functools
import os
import struct
import time
from typing import NamedTuple

import numpy as np

from mbd_ros.execution.ir.machine_code import host, MachineCode, vector_lanes
from mbd_ros.execution.ir.object_cache import key_of, object_cache
from mbd_ros.execution.ir.straight_line import SCALAR, StraightLine, Width
from mbd_ros.execution.ir.trace import Operand, Trace
from mbd_ros.execution.program.records import flatten
from mbd_ros.execution.program.sweeps import Inward, Outward, Program, Solve, Ties, Walk
from mbd_ros.execution.rolled.species import (
    Code, shape_of, Species, start_of, trace_sweep, trace_walk_start, trace_walk_step)
from mbd_ros.execution.rolled.ties import reserve
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, Rotation, Vector3


class Costs(NamedTuple):
    """
    Times on this machine [s].

    Attributes
    ----------
    hand_over : float
        To hand work to a thread that sleeps and to get its answer.
    one : float
        Of an operation of scalar code, for one state.
    batch : float
        Of an operation for one state of a batch, in lanes.

    """

    hand_over: float
    one: float
    batch: float


class Candidate(NamedTuple):
    """A way to run something: its name for answers, and how long it may take [s]."""

    name: str
    seconds: float


def cheapest(candidates: Iterable[Candidate]) -> Candidate:
    """Return the candidate that takes the least time; of equal ones the first."""
    return min(candidates, key=lambda candidate: candidate.seconds)


@functools.cache
def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def costs() -> Costs:
    """Return the times on this machine, as kept or measured now."""
    found = kept_costs()
    if found is None:
        found = measured_costs()
        cache = object_cache()
        if cache is not None:
            cache.store(_key(), struct.pack(_FORMAT, *found))
    return found


def kept_costs() -> Costs | None:
    """Return the times kept with the machine code; None where none are."""
    cache = object_cache()
    content = None if cache is None else cache.load(_key())
    return None if content is None else Costs(*struct.unpack(_FORMAT, content))


_FORMAT = f'<{len(Costs._fields)}d'


def _key() -> str:
    return key_of('costs', ' '.join(Costs._fields), str(processors()), *host())


def measured_costs() -> Costs:
    """Measure the times; takes some tenths of a second."""
    return Costs(_hand_over(), _operation(SCALAR), _operation(Width(vector_lanes())))


def _hand_over() -> float:
    times = []
    with ThreadPoolExecutor(1) as pool:
        for _ in range(30):
            begin = time.perf_counter()
            pool.submit(int).result()
            times.append(time.perf_counter() - begin)
    return float(np.median(times))


_PRODUCTS = 40
_REPEATS = 1000
PER_TIE = 300  # operations between two bodies


def _operation(width: Width) -> float:
    """Return the time of an operation in a chain of products of rotation matrices."""
    trace = Trace()
    first, second = (Rotation(*(Vector3(*(trace.input(0, 9 * matrix + 3 * column + row)
                                          for row in range(3))) for column in range(3)))
                     for matrix in range(2))
    for _ in range(_PRODUCTS):
        first = first.compose(second)
    results: list[Operand] = [entry for column in first for entry in column]
    block = StraightLine('s', {0: '%a'}, width)
    lines = ['define void @repeat(ptr %a, ptr %r) nounwind {', 'entry:', '  br label %loop',
             'loop:', '  %i = phi i64 [0, %entry], [%j, %loop]', *block.compute(trace, results)]
    for entry, value in enumerate(results):
        lines += block.store(value, '%r', entry)
    code = MachineCode('\n'.join([
        *lines, '  %j = add i64 %i, 1', f'  %more = icmp slt i64 %j, {_REPEATS}',
        '  br i1 %more, label %loop, label %done', 'done:', '  ret void', '}']))
    turned = np.repeat(np.tile(np.eye(3).ravel(), 2), width.lanes)
    out = np.empty(9 * width.lanes)
    repeat = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address('repeat'))
    best = float('inf')
    for _ in range(20):
        begin = time.perf_counter()
        repeat(turned.ctypes.data, out.ctypes.data)
        best = min(best, time.perf_counter() - begin)
    return best / (_REPEATS * width.lanes * _length(trace, results))


@functools.lru_cache(maxsize=1024)
def operations(program: Program, model: Model) -> int:
    """
    Return about how many operations a program takes for one state.

    Parameters
    ----------
    program : Program
        What runs.
    model : Model
        For which model.

    Returns
    -------
    int
        Additions, multiplications, divisions, sines and cosines.

    """
    pairs = [kind.pair for kind in model.joint_types]
    counts = _step_counts(program, tuple(sorted(set(pairs), key=lambda pair: pair.__name__)))
    total = 0
    for sweep, (steps, starts) in zip(program.sweeps, counts):
        if isinstance(sweep, Solve):
            total += model.nv ** 3 * program.extent[0] // 3
        elif isinstance(sweep, Ties):
            total += PER_TIE * (len(model.loops) + len(model.springs))
        elif isinstance(sweep, Walk):
            above = [0] * model.nb  # operations of a walk from the parent of a body to the ground
            for i, parent in enumerate(model.parents):
                above[i] = 0 if parent < 0 else above[parent] + steps[pairs[parent]]
                if program.body in (None, i):
                    total += starts[pairs[i]] + pairs[i].nv * above[i]
        else:
            total += sum(steps[pair] for pair in pairs)
    return total


@functools.lru_cache(maxsize=256)
def _step_counts(program: Program, joints: tuple[type[Joint], ...]
                 ) -> list[tuple[dict[type[Joint], int], dict[type[Joint], int]]]:
    """Return for each sweep the operations of its step, and of starting a walk, by joint type."""
    species = {joint: Species(joint) for joint in joints}
    counts, template = [], None
    for sweep in program.sweeps:
        steps: dict[type[Joint], int] = {}
        starts: dict[type[Joint], int] = {}
        for joint, one in species.items():
            if isinstance(sweep, Solve):
                continue
            if isinstance(sweep, Ties):
                one.tied = True
                reserve(one, sweep.zero, [True] * len(flatten(sweep.zero)))
            elif isinstance(sweep, Walk):
                begun = trace_walk_start(sweep, one, program)
                starts[joint] = sum(map(_size, begun))
                steps[joint] = _size(trace_walk_step(sweep, one, program, shape_of(
                    begun[0].handed)))
            else:
                handed = shape_of(sweep.zero if isinstance(sweep, Inward)
                                  else start_of(Trace(), sweep, template).hand)
                steps[joint] = _size(trace_sweep(sweep, one, program, handed))
        if isinstance(sweep, (Outward, Inward)):
            template = handed
        counts.append((steps, starts))
    return counts


def _size(code: Code) -> int:
    return _length(code.trace, [*(scalar for _, scalar in (*code.hand, *code.keep)), *code.out])


def _length(trace: Trace, results: list[Operand]) -> int:
    return sum(symbol.name != 'input' for symbol in trace.needed(results))
