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


"""Files compared one after the other, each in a process of its own for a bounded time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
import os
import signal
import traceback

from mbd_ros.cli.comparison.verdict import Case, compare, FAILED, UNCOMPARED, Verdict

_PRELOADED = [
    'mbd_ros.cli.comparison.verdict', 'mbd_ros.dynamics.functions.equations_of_motion',
    'pinocchio', 'mujoco', 'xacro']
"""Imported once, in the process that the others are copies of; what is missing is left out."""


def verdicts(cases: Sequence[Case], seconds: float) -> Iterator[Verdict]:
    """
    Yield the verdict on each file.

    A process that crashes or takes too long gives one, too.

    Parameters
    ----------
    cases : sequence of Case
        The files.
    seconds : float
        For each.

    """
    context = get_context('forkserver')
    context.set_forkserver_preload(_PRELOADED)
    for case in cases:
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=_compare, args=(case, writer), daemon=True)
        process.start()
        writer.close()
        at, verdict = 'reading', None
        try:
            while verdict is None and reader.poll(seconds):
                said = reader.recv()
                at, verdict = (said, None) if isinstance(said, str) else (at, said)
            if verdict is None:
                process.kill()
                verdict = _ended(case, at, f'took more than {seconds:g} s')
        except EOFError:
            process.join()
            code = process.exitcode or 0
            how = signal.Signals(-code).name if code < 0 else f'exit code {code}'
            verdict = _ended(case, at, f'ended by {how}')
        finally:
            process.kill()
            process.join()
            reader.close()
        yield verdict


def _ended(case: Case, at: str, how: str) -> Verdict:
    """Return the verdict on a file that gave none."""
    status, who = (UNCOMPARED, 'the peer ') if at == 'peer' else (FAILED, '')
    return Verdict(case.file, case.source, case.format, status, f'{who}{how}, while {at}')


def _compare(case: Case, writer: Connection) -> None:
    """Compare a file in this process, whose output says nothing to the user."""
    with open(os.devnull, 'w') as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        writer.send(compare(case, writer.send))
    except Exception as error:
        writer.send(Verdict(case.file, case.source, case.format, FAILED, ' '.join(
            traceback.format_exception_only(error)).strip()))
