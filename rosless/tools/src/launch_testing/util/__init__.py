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

"""Find processes, and keep a launch alive."""

from __future__ import annotations

from collections.abc import Iterable
import sys
from typing import Any

from launch.actions import ExecuteLocal
from launch.actions import ExecuteProcess
from launch.substitutions import TextSubstitution

NO_CMD_ARGS: Any = object()
__all__ = ['KeepAliveProc', 'NO_CMD_ARGS', 'NoMatchingProcessException', 'resolveProcesses']


class NoMatchingProcessException(Exception):
    """No process is meant."""


def KeepAliveProc() -> ExecuteProcess:
    """Return a process that runs until the tests are done, for when all others end before."""
    script = 'import signal\nsignal.signal(signal.SIGINT, lambda *_: exit())\nsignal.pause()'
    return ExecuteProcess(cmd=[sys.executable, '-c', script])


def resolveProcesses(
    info_obj: Any, *, process: ExecuteLocal | str | None = None,
    cmd_args: str | Iterable[str] | None = None, strict_proc_matching: bool = True,
) -> list[ExecuteLocal]:
    """
    Return the processes that are meant.

    Parameters
    ----------
    info_obj : ProcInfoHandler or IoHandler
        Knows processes.
    process : ExecuteLocal or str, optional
        One, or a part of the name of some; all if left out.
    cmd_args : str or iterable of str, optional
        Arguments that those of this name must have; NO_CMD_ARGS for none.
    strict_proc_matching : bool
        Whether a name may mean one process only.

    Raises
    ------
    NoMatchingProcessException
        If there is none.
    Exception
        If there are several, but only one may be meant.
    TypeError
        If `process` is something else.

    """
    known = list(info_obj.processes())
    if process is None:
        found = known
    elif isinstance(process, ExecuteLocal):
        found = [one for one in known if one is process]
    elif isinstance(process, str):
        found = [one for one in known if process in one.process_details['name']
                 and _has_arguments(one.process_details['cmd'][1:], cmd_args)]
    else:
        raise TypeError(f"proc argument must be 'ExecuteProcess' or 'str' not {type(process)}")
    names = ', '.join(sorted(' '.join((one.process_details['name'],
                                       *one.process_details['cmd'][1:])) for one in known
                             if getattr(one, 'process_details', None)))
    if not found:
        if isinstance(process, ExecuteLocal):
            raise NoMatchingProcessException(
                f'Did not find the process of the action {_command(process)}. Procs: {names}')
        raise NoMatchingProcessException(
            f"Did not find any processes matching name '{process}' and args '{cmd_args}'. "
            f'Procs: {names}')
    if isinstance(process, str) and strict_proc_matching and len(found) > 1:
        raise Exception(f"Found multiple processes matching name '{process}' and cmd_args "
                        f"'{cmd_args}'. Procs: {names}")
    return found


def _command(action: ExecuteLocal) -> str:
    """Return a command that holds no substitutions; ``Unknown`` otherwise."""
    parts = [part for word in action.process_description.cmd for part in word]
    if not all(isinstance(part, TextSubstitution) for part in parts):
        return 'Unknown'
    return ' '.join(''.join(part.text for part in word)
                    for word in action.process_description.cmd)


def _has_arguments(given: list[str], wanted: Any) -> bool:
    if wanted is None:
        return True
    if wanted is NO_CMD_ARGS:
        return not given
    return all(word in given for word in ([wanted] if isinstance(wanted, str) else wanted))
