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

"""``mbd_ros sweep``: extremes and means of a function over random states."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

from mbd_ros.cli.robot_file import add_robot, reading
from mbd_ros.dynamics.functions.sweep import sweep
from mbd_ros.errors import InvalidValueError, MbdError, UnsupportedError
from mbd_ros.model import load, Model
from mbd_ros.model.state import random_configuration

FUNCTIONS = {'inverse_dynamics': 'qdd', 'forward_dynamics': 'tau', 'bias_forces': ''}
"""What can be swept, and the name of the third argument."""
COMBINE = {'count': np.add, 'sum': np.add, 'squares': np.add, 'least': np.minimum,
           'largest': np.maximum}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand to its parser."""
    parser.description = (
        'Draws positions within their limits, and velocities and accelerations or '
        'efforts within theirs, else within 1 (evenly), and prints what the function is for each '
        'joint. Workers make the states; memory does not grow with their number.')
    add_robot(parser)
    parser.add_argument('function', choices=tuple(FUNCTIONS))
    parser.add_argument('--states', type=float, default=1e6, metavar='N', help='default: 1e6')
    parser.add_argument('--share', type=int, default=50_000, metavar='N',
                        help='states that a worker makes at once (default: 50000)')
    parser.add_argument('--workers', type=int, default=1, metavar='N',
                        help='processes (default: 1, this one)')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--dissipation', action='store_true',
                        help='with damping and dry friction of the joints')
    parser.add_argument('--force', nargs=4, action='append', default=[],
                        metavar=('LINK', 'FX', 'FY', 'FZ'),
                        help='at the origin of a link, in world axes [N]; may be said again')
    parser.add_argument('--floating-base', action='store_true', help='the root link moves freely')
    parser.add_argument('--checkpoint', metavar='FILE.npz',
                        help='written on the way; the same command goes on from it')
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Sweep, and print a table."""
    for name, value, most in (('--states', arguments.states, 1e15),
                              ('--share', arguments.share, 10**7),
                              ('--workers', arguments.workers, 1024),
                              ('--seed', arguments.seed + 1, 2**63)):
        if not 1 <= value <= most:
            raise InvalidValueError(name, value, f'a number from 1 to {most:g}')
    model = load(arguments.file, **reading(arguments), floating_base=arguments.floating_base)
    if model.loops:
        raise UnsupportedError(f"a sweep over random states of robot '{model.name}', whose closed "
                               'loops they would leave open', 'mbd_ros.sweep in Python, with '
                               'states that close_loops gives')
    count = int(arguments.states)
    shares = -(-count // arguments.share)
    make = functools.partial(random_states, model, arguments.function, arguments.share, count,
                             arguments.seed, {'dissipation': arguments.dissipation,
                                              'external_forces': forces(arguments.force)})
    progress = _Progress(shares)
    begin = time.perf_counter()
    try:
        totals = sweep(
            model, arguments.function, make, shares, reduce=summary, combine=COMBINE,
            pool=None if arguments.workers == 1 else functools.partial(
                processes, arguments.workers),
            in_flight=4 * arguments.workers, checkpoint=arguments.checkpoint, progress=progress)
    except BrokenExecutor as error:
        raise MbdError(f'workers ended again and again ({error}); with less memory for each, '
                       'by --share or --workers, they may not') from None
    rate = (count - progress.known * arguments.share) / (time.perf_counter() - begin)
    print(f'{arguments.function} of {count} states, ' + (
        f'{rate:.3g} a second' if rate > 0.0 else 'all from the checkpoint'))
    print(f'{"":20}{"least":>12}{"mean":>12}{"largest":>12}{"rms":>12}')
    for row in zip(model.coordinate_names, totals['least'], totals['sum'] / count,
                   totals['largest'], np.sqrt(totals['squares'] / count)):
        print(f'{row[0]:20}' + ''.join(f'{value:12.5g}' for value in row[1:]))
    return 0


def forces(words: Sequence[Sequence[str]]) -> dict[str, list[float]]:
    """Return the wrench (6,) on each link, for links and the forces on them in words [N]."""
    found: dict[str, list[float]] = {}
    for link, *given in words:
        if link in found:
            raise InvalidValueError('--force', f"link '{link}' twice", 'each link once')
        try:
            found[link] = [*map(float, given), 0.0, 0.0, 0.0]
        except ValueError:
            raise InvalidValueError('--force', ' '.join((link, *given)),
                                    'the name of a link and three numbers') from None
    return found


def processes(count: int) -> ProcessPoolExecutor:
    """Return a pool of processes that leave Ctrl-C to this one, and end where it is killed."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)   # they inherit it
    try:
        pool = ProcessPoolExecutor(count, multiprocessing.get_context('spawn'), _settle)
        for _ in range(count):   # each starts a process
            pool.submit(int)
        return pool
    finally:
        signal.signal(signal.SIGINT, before)


def _settle() -> None:
    """Make this process one of a pool: also one that is made later leaves Ctrl-C to the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:   # else it would wait for shares for ever
        parent.join()
        os._exit(1)
    threading.Thread(target=follow, daemon=True).start()


def random_states(model: Model, function: str, rows: int, count: int, seed: int,
                  keywords: Mapping[str, Any], share: int) -> dict[str, Any]:
    """
    Return random arguments of a function; the same for the same seed and share.

    Shares have as many rows, but for the last, which has what is left of the count.
    """
    rng, rows = np.random.default_rng((seed, share)), min(rows, count - share * rows)
    third = FUNCTIONS[function]
    found: dict[str, Any] = {'q': random_configuration(model, rng, rows)}
    limits = {'v': model.velocity_limits, 'qdd': np.full(model.nv, np.inf),
              'tau': model.effort_limits}
    for name in ('v', third):
        if name:
            bounds = np.where(np.isfinite(limits[name]), limits[name], 1.0)
            found[name] = rng.uniform(-bounds, bounds, (rows, model.nv))
    return {**found, **keywords}


def summary(_: Mapping[str, Any], result: Any) -> dict[str, Any]:
    """Return what is kept of a share."""
    return {'count': len(result), 'sum': result.sum(axis=0), 'squares': (result**2).sum(axis=0),
            'least': result.min(axis=0), 'largest': result.max(axis=0)}


class _Progress:
    """A line on the terminal that says how far a sweep is."""

    def __init__(self, shares: int) -> None:
        self._shares, self._done, self._begin = shares, 0, time.monotonic()
        self.known: int = -1   # of a checkpoint, said first: they took no time

    def __call__(self, count: int) -> None:
        self.known = count if self.known < 0 else self.known
        self._done += count
        if not sys.stderr.isatty():
            return
        left = (time.monotonic() - self._begin) * (self._shares - self._done) / max(
            1, self._done - self.known)
        end = '\n' if self._done == self._shares else ''
        sys.stderr.write(f'\r{self._done} of {self._shares} shares, {left:.0f} s left   {end}')
        sys.stderr.flush()
