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

"""What DDS itself tells of participants, readers and writers, as far as they are alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cyclonedds._clayer import (
    ddspy_read_endpoint,
    ddspy_read_participant,
    ddspy_take_endpoint,
    ddspy_take_participant,
)
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsParticipant
from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState

MANY = 8192  # samples that are read or taken at once
GONE = (
    SampleState.Any
    | ViewState.Any
    | InstanceState.NotAliveDisposed
    | InstanceState.NotAliveNoWriters
)
Construct = Callable[..., Any]


class BuiltinReader:
    """
    Reads what is alive; DDS keeps the samples of what has gone until they are taken.

    Without that, memory would grow with each endpoint that ever was, and reading would take longer
    and longer.

    Parameters
    ----------
    entity : DomainParticipant
        The participant that looks.
    topic : BuiltinTopic
        At what.

    """

    def __init__(self, entity: Any, topic: Any) -> None:
        self._reader = BuiltinDataReader(entity, topic)
        self._gone = ReadCondition(self._reader, GONE)
        participants = topic is BuiltinTopicDcpsParticipant
        self._read = ddspy_read_participant if participants else ddspy_read_endpoint
        self._take = ddspy_take_participant if participants else ddspy_take_endpoint

    @property
    def ref(self) -> int:
        """Return the DDS reader."""
        return int(self._reader._ref)

    def read(self, construct: Construct, convert: Callable[[int], Any]) -> list[Any]:
        """Return what `construct` makes of each sample; drop what has gone for good."""
        while len(self._take(self._gone._ref, MANY, _nothing, _no_qos)) == MANY:
            pass
        many = MANY
        while True:
            found: list[Any] = self._read(self._reader._ref, many, construct, convert)
            if len(found) < many:
                return found
            many *= 2


def _nothing(*_: Any) -> None:
    return None


def _no_qos(pointer: int) -> None:
    return None
