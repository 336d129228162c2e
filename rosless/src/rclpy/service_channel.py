"""What clients and services share: the header of a call, and who belongs to whom."""

from __future__ import annotations

import itertools
import os
import struct
from typing import Any

HEADER = struct.Struct('<Qq')
OFFSET = 4 + HEADER.size
_numbers = itertools.count(1)


def unique_id() -> str:
    """Return the text by which the two endpoints of a client or service are recognised."""
    return '.'.join(f'{octet:x}' for octet in os.urandom(12) + next(_numbers).to_bytes(4, 'big'))


def user_data(kind: str, identifier: str) -> bytes:
    """Return the DDS user data of an endpoint; `kind` is ``'clientid'`` or ``'serviceid'``."""
    return f'{kind}={identifier};'.encode()


def identifier_of(endpoint: Any, kind: str) -> str | None:
    """Return the identifier in the user data of a discovered endpoint, or None."""
    from cyclonedds.qos import Policy

    if endpoint is None or endpoint.qos is None or Policy.Userdata not in endpoint.qos:
        return None
    text = endpoint.qos[Policy.Userdata].data.decode('ascii', 'replace')
    for part in text.split(';'):
        key, _, value = part.partition('=')
        if key == kind:
            return value
    return None
