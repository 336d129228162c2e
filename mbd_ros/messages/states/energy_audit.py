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

"""The audit of energy as a message."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from mbd_msgs.msg import EnergyAudit

from mbd_ros.messages.fields.times import to_stamp

BALANCE = 'balance'
MOST_PARTS = 20
"""Parts that are read: twice as many as there are."""


def energy_audit(nanoseconds: int, parts: Mapping[str, float]) -> EnergyAudit:
    """
    Return the audit of a time as a message.

    Parameters
    ----------
    nanoseconds : int
        The time.
    parts : mapping of str to float
        As ``Stepper.energies`` gives them [J].

    Returns
    -------
    EnergyAudit
        With the balance apart.

    """
    message = EnergyAudit(balance=parts[BALANCE])
    message.header.stamp = to_stamp(nanoseconds)
    named = {name: value for name, value in parts.items() if name != BALANCE}
    message.names, message.energies = list(named), list(named.values())
    return message


def energy_parts(message: EnergyAudit) -> dict[str, float]:
    """Return the first parts of a message, of those with a number, and their balance [J]."""
    named = islice(zip(message.names, message.energies), MOST_PARTS)
    return {**dict(named), BALANCE: message.balance}
