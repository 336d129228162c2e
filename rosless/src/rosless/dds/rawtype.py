"""
A DDS type for any ROS type: one octet as far as DDS knows, with the right name.

The octets of a sample pass as they are; the codec of `rosless.idl` makes them.

"""

from __future__ import annotations

from typing import Any

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import uint8

_types: dict[str, Any] = {}


@final
class _Octet(IdlStruct, typename='rosless::Octet'):
    value: uint8


class _Description:
    """What the wheel asks of a type, with another name."""

    def __init__(self, name: str) -> None:
        self.idl_transformed_typename = name

    def __getattr__(self, name: str) -> Any:
        return getattr(_Octet.__idl__, name)


def raw_type(name: str) -> Any:
    """Return a type for `cyclonedds.topic.Topic`, named as on the wire."""
    if name not in _types:
        _types[name] = type('Raw', (), {'__idl__': _Description(name)})
    return _types[name]
