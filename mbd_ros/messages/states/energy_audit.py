"""The audit of energy as a message."""

from __future__ import annotations

from collections.abc import Mapping

from mbd_msgs.msg import EnergyAudit

from mbd_ros.messages.basics.times import to_stamp

BALANCE = 'balance'


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
    """Return the parts of a message and their balance [J]; of names without a number none."""
    return {**dict(zip(message.names, message.energies)), BALANCE: message.balance}
