"""Messages as octets."""

from __future__ import annotations

from typing import Any

from rosless.idl import codec


def serialize_message(message: Any) -> bytes:
    """Return a message as CDR octets."""
    return bytes(codec.serialize(message))


def deserialize_message(serialized_message: bytes, message_type: Any) -> Any:
    """Return the message of type `message_type` that CDR octets encode."""
    return codec.deserialize(bytes(serialized_message), message_type)
