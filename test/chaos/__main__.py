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

"""
Disturbs running robots and checks that they stay sound: ``make chaos [ARGS="--short restarts"]``.

Prints one table of what was tried and what failed; exit code 1 if anything failed. Only processes
that it has started are signalled, only the loopback interface and a DDS domain of its own are
used, and every random number comes from the seed.
"""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
import random
import shutil
import signal
import sys
import tempfile
import time

AREAS = {
    'restarts': 'nodes stopped, killed and started anew',
    'interrupts': 'Ctrl-C amid the first compilation of a robot',
    'ends': 'Ctrl-C of robots that run: no process dies by a signal',
    'states': 'joint states lost, late, doubled, out of order, wrong',
    'clocks': '/clock jumps and stops',
    'rivals': 'two controllers on one robot, two launches in one domain, wild efforts',
    'clients': 'many clients at once, clients killed during a call',
    'exchanges': 'robots exchanged and modules moved under requests',
    'disks': 'read-only home, full disk, corrupted cache',
    'sizes': 'messages, goals and requests of up to 48 MB; commands keep their rate',
    'strangers': 'other DDS programs: types, profiles, 300 participants; doubled nodes',
    'fairness': 'one hostile client of each kind; what others wait for their answers',
    'churn': 'goals, requests, nodes and robots by the thousand; nothing is left',
    'octets': 'octets that are no messages, on topics, services and actions of nodes',
    'libraries': 'exported libraries called with wild arguments under sanitizers, every target',
    'fuzz': 'random descriptions, task texts, messages and parameters',
}
MEASURED = ('sizes', 'strangers', 'fairness', 'churn')
"""Areas that measure rates and waits, on a machine of their own: not in the short form of all."""


def main() -> int:
    """Run the areas that the arguments name, all by default."""
    parser = argparse.ArgumentParser(
        prog='make chaos', description='Disturb running robots and check that they stay sound.',
        epilog='\n'.join(f'{name:10} {what}' for name, what in AREAS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('areas', nargs='*', metavar='AREA', help='all by default')
    parser.add_argument('--short', action='store_true',
                        help=f'as much as every change must pass: without {", ".join(MEASURED)}')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='', metavar='TEXT', help=(
        'kinds of messages or clients whose names hold a text, in sizes and fairness'))
    given = parser.parse_args()
    unknown = set(given.areas) - set(AREAS)
    if unknown:
        parser.error(f'no area {sorted(unknown)[0]!r}; known: {", ".join(AREAS)}')

    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'support'))
    for ending in (signal.SIGINT, signal.SIGTERM):   # also in the background of a shell
        signal.signal(ending, signal.default_int_handler)
    lock = importlib.import_module('domains').reserve_domain()
    folder = Path(tempfile.mkdtemp(prefix='mbd_ros_chaos_'))
    os.environ['ROS_LOG_DIR'] = str(folder / 'ros_log')
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    scoring = importlib.import_module('score')
    scores = []
    short = [name for name in AREAS if name not in MEASURED]
    for name in given.areas or (short if given.short else AREAS):
        print(f'{name}: {AREAS[name]}', flush=True)
        begin = time.monotonic()
        score = scoring.Score(name, given.short, random.Random(f'{given.seed} {name}'),
                              folder / name, given.only)
        score.folder.mkdir()
        try:
            with score.trial('the area runs to its end'):
                importlib.import_module(f'area_{name}').run(score)
        except scoring.AreaError as error:
            score.fail(f'ends after: {error}')
        score.seconds = time.monotonic() - begin
        scores.append(score)
    os.close(lock)

    failures = [(one.area, line) for one in scores for line in one.failures]
    print(f'\n{scoring.table(scores)}\nseed {given.seed}, '
          f'{"short" if given.short else "long"} form')
    for area, line in failures:
        print(f'{area}: {line}')
    if failures:
        print(f'logs: {folder}')
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
