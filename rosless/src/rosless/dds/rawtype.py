"""
A DDS type for any ROS type: one octet as far as DDS knows, with the right name.

The octets of a sample pass as they are; the codec of `rosless.idl` makes them. ROS 2 compares
types by name. Between two processes of ours DDS compares the structure instead, and the name of
the type counts for nothing there; so the member carries it, and endpoints of different types do
not match.

"""

from __future__ import annotations

import re
from typing import Any

from cyclonedds.idl import make_idl_struct
from cyclonedds.idl.types import uint8

_types: dict[str, Any] = {}


def raw_type(name: str) -> Any:
    """Return a type for `cyclonedds.topic.Topic`; its name is as on the wire."""
    if name not in _types:
        member = re.sub(r'\W', '_', name)
        _types[name] = make_idl_struct('Raw', name, {member: uint8})
    return _types[name]
