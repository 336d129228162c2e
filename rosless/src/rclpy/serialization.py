"""Messages as octets."""

from __future__ import annotations

from typing import Any

from rosless.idl import codec
from rosless.idl.errors import DeserializationError

from ._rclpy_pybind11 import RMWError


def serialize_message(message: Any) -> bytes:
    """Return a message as CDR octets."""
    return bytes(codec.serialize(message))


def deserialize_message(serialized_message: bytes, message_type: Any) -> Any:
    """
    Return the message of type `message_type` that CDR octets encode.

    Raises
    ------
    RMWError
        If they do not encode such a message; the text says why.

    """
    try:
        return codec.deserialize(bytes(serialized_message), message_type)
    except DeserializationError as error:
        raise RMWError(f'failed to deserialize ROS message: {error}') from error
