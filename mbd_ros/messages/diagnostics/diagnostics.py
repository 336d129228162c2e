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

"""Diagnostics of nodes as ``diagnostic_msgs/DiagnosticArray``."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from mbd_ros.messages.fields.times import to_stamp

LONGEST_NUMBER = 6   # digits
LEVELS = (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR)
READY_IN = 'ready in about [s]'
"""Figure of a node that compiles a robot."""


def diagnostics(
    nanoseconds: int, node: str, level: int, message: str, values: Mapping[str, object],
) -> DiagnosticArray:
    """
    Return the diagnostics of one node.

    Parameters
    ----------
    nanoseconds : int
        Time of the message.
    node : str
        Full name of the node.
    level : int
        0 well, 1 warning, 2 error.
    message : str
        How it is, in words.
    values : mapping of str to object
        Figures by name.

    Returns
    -------
    DiagnosticArray
        With one status.

    """
    status = DiagnosticStatus(
        level=LEVELS[level], name=node, message=message, hardware_id='',
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
    answer = DiagnosticArray(status=[status])
    answer.header.stamp = to_stamp(nanoseconds)
    return answer


def ready_in(message: DiagnosticArray) -> dict[str, int]:
    """
    Return about how long nodes will still compile [s], by their full names.

    Parameters
    ----------
    message : DiagnosticArray
        Of any node; what is no number of seconds up to a day is passed over.

    """
    found = {}
    for status in message.status:
        for pair in status.values:
            if pair.key == READY_IN and pair.value.isascii() and pair.value.isdecimal() and (
                    len(pair.value) < LONGEST_NUMBER):
                found[status.name] = int(pair.value)
    return found
