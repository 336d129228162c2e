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

"""What nodes say of themselves: log messages and diagnostics, one after the other."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import Log

from mbd_ros.messages.fields.times import SECOND, to_nanoseconds

LOUDEST = 'error'
LEVELS = {'debug': 10, 'info': 20, 'warning': 30, LOUDEST: 40}
KEPT = 200
"""Reports that are kept; the oldest are forgotten."""
LONGEST = 600
"""Characters of a report that are kept."""


class Report(NamedTuple):
    """
    One thing that a node said.

    Attributes
    ----------
    nanoseconds : int
        When, on the node's clock.
    level : str
        One of ``LEVELS``.
    node : str
        Its name.
    text : str
        What it said; ``LONGEST`` characters at most.
    times : int
        How often it said it in a row.

    """

    nanoseconds: int
    level: str
    node: str
    text: str
    times: int = 1


class Reports:
    """
    The newest reports of all nodes that were heard.

    Log messages are reports as they come. A diagnostic status is one where a node's level or
    words are not those of its status before; figures are not compared.

    """

    def __init__(self) -> None:
        self._kept: deque[Report] = deque(maxlen=KEPT)
        self._status: dict[str, tuple[str, str]] = {}

    def take_log(self, message: Log) -> list[str]:
        """Take a log message and return its level; those below ``info`` are passed over."""
        if message.level < LEVELS['info']:
            return []
        level = max((name for name, least in LEVELS.items() if message.level >= least),
                    key=LEVELS.__getitem__)
        self._add(Report(to_nanoseconds(message.stamp), level, message.name[:LONGEST],
                         message.msg[:LONGEST]))
        return [level]

    def take_diagnostics(self, message: DiagnosticArray) -> list[str]:
        """Take the status of nodes and return the levels of those that are reports."""
        levels = []
        for status in message.status[:KEPT]:
            level = level_of(status)
            name = status.name[:LONGEST]
            now, before = (level, status.message[:LONGEST]), self._status.get(name)
            if now == before or (before is None and len(self._status) >= KEPT):
                continue
            self._status[name] = now
            if before is not None or level != 'info':   # nobody waits for "ready"
                self._add(Report(to_nanoseconds(message.header.stamp), level,
                                 name.lstrip('/'), now[1]))
                levels.append(level)
        return levels

    def newest(self, level: str = 'info') -> list[Report]:
        """Return the reports of a level and above, the newest first."""
        return [one for one in reversed(self._kept) if LEVELS[one.level] >= LEVELS[level]]

    def clear(self) -> None:
        """Forget all reports; what the nodes' status is stays known."""
        self._kept.clear()

    def _add(self, report: Report) -> None:
        last = self._kept[-1] if self._kept else None
        if last is not None and last[1:4] == report[1:4]:
            self._kept[-1] = report._replace(times=last.times + 1)
        else:
            self._kept.append(report)


def level_of(status: DiagnosticStatus) -> str:
    """Return the level of a diagnostic status as one of those of log messages."""
    levels = {DiagnosticStatus.OK: 'info', DiagnosticStatus.WARN: 'warning'}
    return levels.get(status.level, LOUDEST)


def clock_of(report: Report) -> str:
    """Return the time of a report: of the day (UTC), or seconds of simulated time."""
    seconds = report.nanoseconds // SECOND
    if seconds < 1_000_000_000:   # no clock of this century: simulated
        return f'{seconds} s'
    hours, rest = divmod(seconds % 86400, 3600)
    return f'{hours:02d}:{rest // 60:02d}:{rest % 60:02d}'
