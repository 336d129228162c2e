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

"""Assertions on output and exit codes; AssertionError where they do not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import contextlib
import re
from typing import Any

from launch_testing.util import NO_CMD_ARGS
from launch_testing.util import resolveProcesses

EXIT_OK, EXIT_SIGINT, EXIT_SIGQUIT, EXIT_SIGKILL, EXIT_SIGSEGV = 0, 130, 131, 137, 139
ESCAPES = re.compile(r'\x1b\[[0-9;?]*[A-Za-z]')
__all__ = [
    'assertExitCodes', 'assertInStderr', 'assertInStdout', 'assertInStream',
    'assertSequentialStdout', 'EXIT_OK', 'EXIT_SIGINT', 'EXIT_SIGKILL', 'EXIT_SIGQUIT',
    'EXIT_SIGSEGV', 'NO_CMD_ARGS', 'SequentialTextChecker',
]


def assertExitCodes(
    proc_info: Any, allowable_exit_codes: Sequence[int] = (EXIT_OK,), process: Any = None,
    cmd_args: Any = None, *, strict_proc_matching: bool = True,
) -> None:
    """
    Assert that processes have ended with certain exit codes.

    Parameters
    ----------
    proc_info : ProcInfoHandler
        What is known of the processes.
    allowable_exit_codes : sequence of int
        Those codes.
    process, cmd_args, strict_proc_matching
        Which processes, as for ``resolveProcesses``; all if left out.

    """
    for code in allowable_exit_codes:
        assert isinstance(code, int), f'Provided exit code {code} is not an int'
    for one in resolveProcesses(proc_info, process=process, cmd_args=cmd_args,
                                strict_proc_matching=strict_proc_matching):
        info = proc_info[one]
        code = getattr(info, 'returncode', None)
        how = 'runs' if code is None else f'exited with code {code}'
        assert code in allowable_exit_codes, f'Proc {info.process_name} {how}'


def assertInStream(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, *,
    output_filter: Any = None, strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True, stream: str = 'stderr',
) -> None:
    """
    Assert that a process has written something.

    Parameters
    ----------
    proc_output : IoHandler
        What was written.
    expected_output : str, pattern, or a sequence of these
        A text in it; a pattern to search for; lines that follow each other, with others in
        between; patterns to find one behind the other.
    process, cmd_args, strict_proc_matching
        Which process, as for ``resolveProcesses``.
    output_filter : callable, optional
        Takes and returns all the output before it is looked at.
    strip_ansi_escape_sequences : bool
        Whether colours are taken out first.
    stream : {'stderr', 'stdout'}
        Where it was written.

    """
    if stream not in ('stdout', 'stderr'):
        raise ValueError("Invalid value for stream; must be 'stdout' or 'stderr'")
    if output_filter is not None and not callable(output_filter):
        raise ValueError('output_filter is not callable')
    found = resolveProcesses(proc_output, process=process, cmd_args=cmd_args,
                             strict_proc_matching=strict_proc_matching)
    for one in found:
        text = b''.join(event.text for event in proc_output[one]
                        if getattr(event, f'from_{stream}')).decode(errors='replace')
        if strip_ansi_escape_sequences:
            text = ESCAPES.sub('', text)
        if output_filter is not None:
            text = output_filter(text)
        if _matches(expected_output, text):
            return
    names = ', '.join(sorted(one.process_details['name'] for one in found))
    raise AssertionError(f"Did not find '{expected_output}' in output for any of the matching "
                         f'processes: {names}')


def assertInStdout(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **kwargs: Any,
) -> None:
    """Assert that a process has written something to its standard output."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream='stdout', **kwargs)


def assertInStderr(
    proc_output: Any, expected_output: Any, process: Any, cmd_args: Any = None, **kwargs: Any,
) -> None:
    """Assert that a process has written something to its standard error, such as log lines."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream='stderr', **kwargs)


class SequentialTextChecker:
    """
    Asserts that texts follow each other.

    Parameters
    ----------
    output : iterable of str
        Where to look for them.

    """

    def __init__(self, output: Any) -> None:
        self._text = ''.join(output)
        self._place = 0
        self._begin = -1

    def assertInText(self, msg: str) -> None:
        """Assert that a text comes after the one before."""
        place = self._text.find(msg, self._place)
        if place < 0:
            raise AssertionError(f"'{msg}' not found in sequence after previous match.  These are "
                                 f'the lines around it:\n{self.get_nearby_lines()}')
        self._place = place + len(msg)
        self._begin = place

    def get_nearby_lines(self) -> str:
        """Return the line of the last match, with two before and two after it."""
        lines = self._text.splitlines()
        number = 0 if self._begin < 0 else self._text.count('\n', 0, self._begin)
        return '\n'.join(lines[max(number - 2, 0):number + 3])

    assertInStdout = assertInText  # noqa: N815


@contextlib.contextmanager
def assertSequentialStdout(
    proc_output: Any, process: Any, cmd_args: Any = None,
) -> Iterator[SequentialTextChecker]:
    """Give a checker of the order in which one process has written texts."""
    (one,) = resolveProcesses(proc_output, process=process, cmd_args=cmd_args)
    yield SequentialTextChecker(event.text.decode(errors='replace')
                                for event in proc_output[one])


def _matches(expected: Any, text: str) -> bool:
    if isinstance(expected, str):
        return expected in text
    if hasattr(expected, 'search'):
        return expected.search(text) is not None
    if not isinstance(expected, (list, tuple)) or not expected:
        raise ValueError('Unknown format for expected output')
    if isinstance(expected[0], str):
        lines = iter(text.splitlines())
        return all(line in lines for line in expected)
    place = 0
    for pattern in expected:
        match = pattern.search(text, place)
        if match is None:
            return False
        place = match.end()
    return True
