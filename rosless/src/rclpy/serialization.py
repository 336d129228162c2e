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

"""Messages as octets."""

from __future__ import annotations

from typing import Any

from rosless.idl import codec
from rosless.idl.errors import DeserializationError
from rosless.idl.unread import unread

from .rcl_errors import RMWError

LARGE = 1 << 14  # octets of an answer that is not read at once


def serialize_message(message: Any) -> bytes:
    """Return a message as CDR octets."""
    return bytes(codec.serialize(message))


def deserialize_message(serialized_message: bytes, message_type: Any) -> Any:
    """
    Return the message of type `message_type` that CDR octets encode.

    A large answer of a service is read when a field of it is asked for: who only hands it on does
    not make objects of it.

    Raises
    ------
    RMWError
        If they do not encode such a message; the text says why.

    """
    try:
        data = bytes(serialized_message)
        if len(data) > LARGE and message_type._definition.name.endswith('_Response'):
            return unread(data, message_type)
        return codec.deserialize(data, message_type)
    except DeserializationError as error:
        raise RMWError(f'failed to deserialize ROS message: {error}') from error
