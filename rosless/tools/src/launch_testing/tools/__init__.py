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

"""Processes that a test starts itself, and their output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
import contextlib
from pathlib import Path
import re
from typing import Any

from launch import LaunchDescription
from launch.events import IncludeLaunchDescription
from launch.events import matches_action
from launch.events.process import ProcessExited
from launch.events.process import ProcessStarted
from launch.events.process import ShutdownProcess

__all__ = [
    'basic_output_filter', 'expect_output', 'expected_output_from_file', 'launch_process',
    'ProcessProxy',
]


class ProcessProxy:
    """
    A process of a test; made by ``launch_process``.

    Parameters
    ----------
    process_action : ExecuteProcess
        Starts it.
    proc_info : ActiveProcInfoHandler
        Of the test.
    proc_output : ActiveIoHandler
        Of the test.
    output_filter : callable, optional
        Takes and returns output before anybody sees it.

    """

    def __init__(self, process_action: Any, proc_info: Any, proc_output: Any, *,
                 output_filter: Callable[[str], str] | None = None) -> None:
        self.target_process_action = process_action
        self._info, self._output, self._filter = proc_info, proc_output, output_filter

    def wait_for_shutdown(self, timeout: float | None = None) -> bool:
        """Wait for its end, at most a time [s]; return whether it came."""
        with self._info.proc_event:
            return bool(self._info.proc_event.wait_for(lambda: self.terminated, timeout))

    def wait_for_output(self, condition: Callable[[str], Any] | None = None,
                        timeout: float | None = None) -> bool:
        """Wait for output, or for some that meets a condition; return whether it came."""
        def met() -> bool:
            output = self.output
            return bool(output if condition is None else condition(output))

        with self._output.io_event:
            return bool(self._output.io_event.wait_for(met, timeout))

    @property
    def stdout(self) -> str:
        """Its standard output so far."""
        return self._text('from_stdout')

    @property
    def stderr(self) -> str:
        """Its standard error so far."""
        return self._text('from_stderr')

    @property
    def output(self) -> str:
        """Both, as they came."""
        return self._text('text')

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return isinstance(self._event(), ProcessStarted)

    @property
    def terminated(self) -> bool:
        """Whether it has ended."""
        return isinstance(self._event(), ProcessExited)

    @property
    def exit_code(self) -> int:
        """Its exit code."""
        return int(self._info[self.target_process_action].returncode)

    def _event(self) -> Any:
        action = self.target_process_action
        return self._info[action] if action in self._info.processes() else None

    def _text(self, wanted: str) -> str:
        data = b''.join(event.text for event in self._output
                        if event.action is self.target_process_action and getattr(event, wanted))
        text = data.decode(errors='replace')
        return text if self._filter is None else self._filter(text)


@contextlib.contextmanager
def launch_process(
    launch_service: Any, process_action: Any, proc_info: Any, proc_output: Any, **kwargs: Any,
) -> Iterator[ProcessProxy]:
    """
    Run a process while a block of a test runs.

    Parameters
    ----------
    launch_service : LaunchService
        Of the test, as are ``proc_info`` and ``proc_output``.
    process_action : ExecuteProcess
        Starts the process.
    proc_info, proc_output, **kwargs
        As for ``ProcessProxy``.

    """
    launch_service.emit_event(IncludeLaunchDescription(LaunchDescription([process_action])))
    proxy = ProcessProxy(process_action, proc_info, proc_output, **kwargs)
    try:
        yield proxy
    finally:
        if not proxy.terminated:
            launch_service.emit_event(
                ShutdownProcess(process_matcher=matches_action(process_action)))


def basic_output_filter(
    filtered_prefixes: Iterable[str] | None = None, filtered_patterns: Iterable[str] | None = None,
) -> Callable[[str], str]:
    """Return a function that takes lines out: with these beginnings, or matching a pattern."""
    prefixes = tuple(('pid', 'rc') if filtered_prefixes is None else filtered_prefixes)
    patterns = [re.compile(pattern) for pattern in filtered_patterns or ()]

    def kept(output: str) -> str:
        return ''.join(line for line in output.splitlines(keepends=True)
                       if not line.startswith(prefixes)
                       and not any(pattern.match(line) for pattern in patterns))

    return kept


def expected_output_from_file(path: str, encoding: str | None = None) -> list[Any]:
    """Return the lines of ``path.txt``, or the patterns of ``path.regex``."""
    for suffix, read in (('.txt', str), ('.regex', re.compile)):
        file = Path(f'{path}{suffix}')
        if file.is_file():
            return [read(line) for line in file.read_text(encoding).splitlines()]
    raise RuntimeError(f'could not find output check file: {path}')


def expect_output(
    *, expected_text: Any = None, expected_lines: Sequence[Any] | None = None,
    text: str | None = None, lines: Sequence[str] | None = None, strict: bool = False,
) -> bool:
    """
    Tell whether output is as expected.

    Parameters
    ----------
    expected_text : str or pattern, optional
        A text that is in it, or a pattern that is found.
    expected_lines : sequence of str or pattern, optional
        Lines that follow each other in it, with others in between; instead of the text.
    text : str, optional
        The output.
    lines : sequence of str, optional
        Its lines; instead of the text.
    strict : bool
        Whether nothing else may be there.

    Raises
    ------
    ValueError
        If not exactly one of each pair is given.

    """
    if (expected_text is None) == (expected_lines is None) or (text is None) == (lines is None):
        raise ValueError('give one of expected_text and expected_lines, and one of text and lines')
    whole = '\n'.join(lines) if text is None else text  # type: ignore[arg-type]
    found = whole.splitlines()
    if expected_text is not None:
        if hasattr(expected_text, 'search'):
            wanted = expected_text.fullmatch if strict else expected_text.search
            return wanted(whole) is not None
        return bool(expected_text == whole if strict else expected_text in whole)
    assert expected_lines is not None
    if strict:
        return len(found) == len(expected_lines) and all(
            _is_line(one, line) for one, line in zip(expected_lines, found))
    rest = iter(found)
    return all(any(_is_line(one, line) for line in rest) for one in expected_lines)


def _is_line(expected: Any, line: str) -> bool:
    return bool(expected.match(line)) if hasattr(expected, 'match') else bool(expected == line)
