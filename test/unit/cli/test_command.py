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

"""The command itself: what it says of its subcommands, and what it loads for that."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

from mbd_ros.cli import command

HEAVY = ('numpy', 'scipy', 'lxml', 'llvmlite', 'mbd_ros.model', 'mbd_ros.description')


PROGRAM = f"""
import json, sys
from mbd_ros.cli.command import main
try:
    main()
finally:
    print(json.dumps([one for one in {HEAVY!r} if one in sys.modules]))
"""


def loaded(*words: str) -> tuple[int, str, list[str]]:
    """Return exit code, output and heavy modules of a process that runs the command."""
    done = subprocess.run([sys.executable, '-c', PROGRAM, *words], capture_output=True, text=True,
                          check=False)
    *said, modules = done.stdout.splitlines()
    return done.returncode, '\n'.join(said) + done.stderr, json.loads(modules)


@pytest.mark.parametrize(('words', 'code'), [
    (('--version',), 0), (('--help',), 0), ((), 2), (('chek', 'robot.urdf'), 2),
    (('--nothing',), 2)])
def test_what_is_about_no_robot_loads_nothing_for_robots(words, code):
    """Each of these took seconds once: numerical packages are ten times the rest."""
    found, said, heavy = loaded(*words)
    assert (found, heavy) == (code, []), said


def test_help_has_a_line_for_each_subcommand():
    code, said, _ = loaded('--help')
    assert code == 0
    for name, what in command.SUBCOMMANDS.items():
        assert name in said
        assert ' '.join(what.split()[:3]) in said


def test_each_subcommand_is_a_file_and_each_file_a_subcommand():
    files = {path.stem for path in Path(command.__file__).parent.glob('*.py')
             if 'def add_to(parser' in path.read_text()}
    assert files == set(command.SUBCOMMANDS)


@pytest.mark.parametrize('name', command.SUBCOMMANDS)
def test_each_subcommand_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as end:
        command.main([name, '--help'])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f'usage: mbd_ros {name}')


def test_a_reader_that_stops_reading_is_no_error():
    """As `mbd_ros info robot.urdf | head -1`; here nobody reads from the beginning."""
    robot = Path(__file__).resolve().parents[3] / 'urdf' / 'pendulum.urdf.xacro'
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run(
            [sys.executable, '-c', 'import sys; from mbd_ros.cli.command import main; '
             'sys.exit(main())', 'info', str(robot)], stdout=theirs, stderr=subprocess.PIPE,
            text=True, check=False)
    finally:
        os.close(theirs)
    assert (done.returncode, done.stderr) == (command.CLOSED, '')
