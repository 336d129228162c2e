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

"""The robots that are launched to be disturbed, and their end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
import os
from pathlib import Path
import shutil
import signal
from typing import Any

from graphs import Graph
from processes import launcher, PATIENCE, Running, starting
from score import Score
from sound import answers, assert_quiet, Sound
import yaml

ROOT = Path(__file__).resolve().parents[2]
ARM = 'three_link_arm'
NODES = ('robot_state_publisher', 'dynamics_server', 'controller', 'simulator')


class Demo(Sound):
    """
    ``track.launch.py`` with the three-link arm, with what it says and sends.

    Parameters
    ----------
    start : callable
        Starts a command: of ``processes.starting``.
    graph : Graph
        Listens.
    score : Score
        Of the area.
    *arguments : str
        Further launch arguments.

    """

    def __init__(self, start: Callable[..., Running], graph: Graph, score: Score,
                 *arguments: str) -> None:
        super().__init__(graph)
        self.start = start
        self.running = launcher(start)(
            'track.launch.py', 'rviz:=false', f'config:={patient_config(score.folder)}',
            *(() if any('viewer:=' in one for one in arguments) else ('viewer:=false',)),
            *arguments)
        self.all.append(self.running)

    def process_of(self, name: str) -> int:
        """Return the process id of a node."""
        for running in reversed(self.all):
            for number, command in running.processes().items():
                if f'__node:={name} ' in command and 'ros2 launch' not in command:
                    return number
        raise AssertionError(f'{name} does not run')

    def tell(self, name: str, number: int) -> None:
        """Send a signal to a node."""
        os.kill(self.process_of(name), number)

    def kill(self, name: str) -> list[str]:
        """Kill a node and return its command."""
        process = self.process_of(name)
        command = [self._kept(word) for word in
                   Path(f'/proc/{process}/cmdline').read_text().split('\0')[:-1]]
        os.kill(process, signal.SIGKILL)
        self.graph.wait_until(
            lambda: all(process not in one.processes() for one in self.all), f'{name} is gone')
        return command

    def _kept(self, word: str) -> str:
        """Return a word of a command; parameter files, which end with the launch, are copied."""
        if 'launch_params' not in word or not Path(word).is_file():
            return word
        return shutil.copy(word, self.running.log.parent / Path(word).name)

    def restart(self, command: list[str]) -> Running:
        """Start a node that was killed anew."""
        running = self.start(*command)
        self.all.append(running)
        return running

    def sound(self, *, nodes: tuple[str, ...] = NODES) -> None:
        """Assert what has to hold at any time: nodes, logs, efforts, services."""
        for name in nodes:
            self.process_of(name)
        self.check()
        if 'dynamics_server' in nodes:
            answers(self.graph)


def patient_config(folder: Path) -> Path:
    """Return a parameter file of the arm with which a busy machine loses no message."""
    settings = yaml.safe_load((ROOT / 'config' / f'{ARM}.yaml').read_text())
    settings['/**/controller']['ros__parameters']['state_timeout'] = 2.0
    settings['/**/simulator']['ros__parameters']['lockstep_timeout'] = 4.0
    file = folder / f'{ARM}.yaml'
    file.write_text(yaml.safe_dump(settings))
    return file


@contextmanager
def stage(score: Score) -> Iterator[tuple[Callable[..., Running], Graph]]:
    """Give what starts commands and a node that listens; end both, and check that they ended."""
    folder = score.folder / f'stage{len(list(score.folder.glob("stage*")))}'
    folder.mkdir()
    begun: list[Running] = []
    graph = Graph()
    # Closed at once where the run is interrupted: nothing that was started may outlive it.
    with closing(starting(folder)) as starters:
        start = next(starters)

        def begin(*command: Any, **more: Any) -> Running:
            begun.append(start(*command, **more))
            return begun[-1]

        try:
            yield begin, graph
            for running in reversed(begun):
                with score.trial(f'Ctrl-C ends {Path(running.log).name} quietly, nothing is left'):
                    end(running, graph)
        finally:
            graph.close()


def end(running: Running, graph: Graph) -> None:
    """Press Ctrl-C and assert that everything ends quietly and completely."""
    if running.up:
        running.interrupt(PATIENCE)
    graph.wait_until(lambda: not running.processes(), 'no process is left')
    assert_quiet(running)
    assert 'escalating' not in running.output, 'a process did not end at Ctrl-C'
