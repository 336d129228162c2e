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
Runs every launch of the README for minutes: ``make soak [ARGS="--minutes 10 panda loops"]``.

Prints one table of how far each came, how well it followed and what it said; exit code 1 if a
process died, an end was not clean, or a robot no longer does what it does at first. Only
processes that it has started are signalled, in a DDS domain of its own, on this machine.
"""

from __future__ import annotations

import argparse
from contextlib import closing
import importlib
import os
from pathlib import Path
import re
import shutil
import signal
import sys
import tempfile
import time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TRACK, LOOPS, SWIM = ('track.launch.py',), ('loops.launch.py',), ('swim.launch.py',)
CONTROLLED = (*TRACK, 'flexible.launch.py')
LAUNCHES: dict[str, tuple[str, ...]] = {
    **{f'track {robot}': (*TRACK, f'robot:={robot}') for robot in (
        'three_link_arm', 'puma560', 'panda', 'five_bar', 'delta', 'dual_arm', 'space_robot',
        'flexible_arm')},
    'track heavier': (*TRACK, 'robot:=puma560', 'mass_scale:=1.2', 'robust_rate:=60'),
    'track my robot': (*TRACK, f'description:={ROOT / "docs/tutorials/my_arm.urdf"}',
                       'link:=tip'),
    'track left': (*TRACK, 'robot:=panda', 'namespace:=left'),
    **{f'loops {robot}': (*LOOPS, f'robot:={robot}') for robot in (
        'stewart', 'delta', 'five_bar', 'four_bar', 'slider_crank', 'bricard')},
    'dynamics_server': ('dynamics_server.launch.py',),
    'flexible': ('flexible.launch.py',),
    'flexible, rigid': ('flexible.launch.py', 'flexible:=false'),
    'modules': ('modules.launch.py', 'robot:=nine_modules'),
    'modules quadruped': ('modules.launch.py', 'robot:=quadruped'),
    **{f'swim {robot}': (*SWIM, f'robot:={robot}') for robot in (
        'quadruped', 'nine_modules', 'rov')},
    'swim on land': (*SWIM, 'robot:=quadruped', 'water:=false'),
}
"""What is run, by name: the launches of the README, with every robot that they can have."""

SETTLED = 10.0
"""Time on the path after which errors count [s]."""
START = 300.0
"""Longest time until nodes say how they are; their robot may have to be compiled [s]."""
LEVELED = re.compile(r'\[(DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]')
INTERRUPTED = 'user interrupted with ctrl-c'
"""What the launch says of our Ctrl-C at the end."""
HEAD = ('launch', 'minutes', 'robot moved [s]', 'worst error [mm]', 'states not tracking',
        'died', 'warnings', 'errors', 'other lines', 'exit code')


class Watch:
    """What is heard of a launch: how far its robot came and how well it follows its path."""

    def __init__(self, graph: Any, namespace: str) -> None:
        from diagnostic_msgs.msg import DiagnosticArray
        from mbd_msgs.msg import ControllerState
        self._tracking = ControllerState.MODE_TRACKING
        self.moved = 0.0
        self.worst: float | None = None
        self.count = self.others = 0
        self._begin: float | None = None
        self.healths: dict[str, str] = {}
        graph.node.create_subscription(
            ControllerState, f'{namespace}/controller/state', self._follow, 100)
        graph.node.create_subscription(DiagnosticArray, '/diagnostics', self._look, 100)

    def _follow(self, state: Any) -> None:
        if state.mode != self._tracking:
            self.others += self._begin is not None   # it has been on its path before
            return
        self.count += 1
        self._begin = state.path_time if self._begin is None else self._begin
        if state.path_time - self._begin > SETTLED:
            self.worst = max(self.worst or 0.0, *(tool.error for tool in state.tools))

    def _look(self, array: Any) -> None:
        for status in array.status:
            self.healths[status.name] = status.message
            for entry in status.values:
                if entry.key == 'simulated time [s]':
                    self.moved = max(self.moved, float(entry.value))


def soak(name: str, minutes: float, folder: Path) -> tuple[list[str], bool]:
    """Run a launch for some minutes; return its row of the table and whether all is well."""
    from graphs import Graph
    from processes import launcher, starting
    arguments = LAUNCHES[name]
    namespace = next((f'/{word.removeprefix("namespace:=")}' for word in arguments
                      if word.startswith('namespace:=')), '')
    with closing(Graph()) as graph, closing(starting(folder)) as starters:
        watch = Watch(graph, namespace)
        page = () if name == 'dynamics_server' else (f'port:={free_port()}',)
        running = launcher(next(starters))(*arguments, *page)
        controlled = arguments[0] in CONTROLLED or name == 'swim rov'
        graph.wait_until(lambda: not running.up or (
            f'{namespace}/controller' in watch.healths if controlled else watch.healths),
            f'{name} begins', START)
        end = time.monotonic() + 60.0 * minutes
        while time.monotonic() < end and running.up:
            time.sleep(0.5)
        died = running.output.count('process has died')
        up, healths = running.up, dict(watch.healths)
        if up:
            running.interrupt(120.0)
        lines = [line for line in running.output.splitlines()
                 if line.strip() and INTERRUPTED not in line]
        levels = [found[1] if found else '' for found in map(LEVELED.search, lines)]
        warnings = levels.count('WARN') + levels.count('WARNING')
        errors = levels.count('ERROR') + levels.count('FATAL')
        followed = bool(watch.count)
        row = [name, f'{minutes:g}', f'{watch.moved:.0f}',
               '–' if watch.worst is None else f'{1e3 * watch.worst:.3g}',
               str(watch.others) if followed else '–', str(died), str(warnings), str(errors),
               str(levels.count('')), str(running.process.returncode)]
        for line, level in zip(lines, levels):
            if level not in ('INFO', 'DEBUG'):
                print(f'    {line[:200]}')
        print(f'    {healths}', flush=True)
        tracked = (healths.get(f'{namespace}/controller') == 'tracking' if followed else
                   not controlled or name == 'track my robot')   # which is weightless
        well = up and tracked and not (died or errors or running.process.returncode)
        return row, well


def free_port() -> int:
    """Return a port of this machine for the page."""
    import socket
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])


def main() -> int:
    """Run the launches whose names begin with the arguments, all by default."""
    parser = argparse.ArgumentParser(
        prog='make soak', description='Run every launch of the README for minutes.',
        epilog='launches: ' + ', '.join(LAUNCHES))
    parser.add_argument('launches', nargs='*', metavar='LAUNCH',
                        help='beginnings of names; all by default')
    parser.add_argument('--minutes', type=float, default=10.0)
    given = parser.parse_args()
    chosen = [name for name in LAUNCHES
              if not given.launches or any(name.startswith(one) for one in given.launches)]
    if not chosen:
        parser.error(f'no launch begins so; there are: {", ".join(LAUNCHES)}')
    sys.path.insert(0, str(ROOT / 'test' / 'support'))
    for ending in (signal.SIGINT, signal.SIGTERM):   # also in the background of a shell
        signal.signal(ending, signal.default_int_handler)
    lock = importlib.import_module('domains').reserve_domain()
    folder = Path(tempfile.mkdtemp(prefix='mbd_ros_soak_'))
    os.environ['ROS_LOG_DIR'] = str(folder / 'ros_log')
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    rows, failed = [], []
    for name in chosen:
        print(f'{name}: {" ".join(LAUNCHES[name])}', flush=True)
        logs = folder / name.replace(' ', '_')
        logs.mkdir()
        try:
            row, well = soak(name, given.minutes, logs)
        except AssertionError as error:   # it did not begin
            row, well = [name, *'–' * (len(HEAD) - 1)], False
            print(f'    {error}')
        rows.append(row)
        if not well:
            failed.append(name)
    os.close(lock)
    print()
    for row in (HEAD, ['---'] * len(HEAD), *rows):
        print(f'| {" | ".join(row)} |')
    if failed:
        print(f'\nnot well: {", ".join(failed)}; logs: {folder}')
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
