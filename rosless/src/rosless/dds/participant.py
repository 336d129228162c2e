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

"""The DDS participant of a process (one per ROS context)."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Any

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.qos import Policy, Qos
from cyclonedds.topic import Topic

from .config import check_security, configuration, most_elements
from .endpoints import discovery_lock, Reader, Writer
from .library import c, keep_initialized
from .qos import Profile, to_dds
from .rawtype import make_topic

_lock = threading.RLock()
_domains: dict[int, Domain] = {}
_open: list[Participant] = []


class Participant:
    """
    A DDS participant that makes raw readers and writers.

    Parameters
    ----------
    domain_id : int
        The DDS domain.
    enclave : str
        The security enclave that is announced.

    """

    def __init__(self, domain_id: int, enclave: str = '/') -> None:
        warning = check_security()
        with _lock:
            if domain_id not in _domains:
                keep_initialized()
                if warning:
                    print(f'[WARN] {warning}', file=sys.stderr)
                most_elements()  # says what is wrong with it now, not at the first message
                text = configuration()
                if text is None:
                    text = os.environ.get('CYCLONEDDS_URI', '')
                _domains[domain_id] = Domain(domain_id, text)
            data = Policy.Userdata(f'enclave={enclave};'.encode())
            self._entity = DomainParticipant(domain_id, Qos(data))
            _open.append(self)
        self.domain_id = domain_id
        self.ref: int = self._entity._ref
        self.gid: bytes = self._entity.guid.bytes
        self.closed = False
        self._topics: dict[tuple[str, str], Topic[Any]] = {}
        self._closing: list[Any] = []

    @property
    def entity(self) -> DomainParticipant:
        """Return the participant object of the wheel."""
        return self._entity

    def on_close(self, function: Any) -> None:
        """Call the function before the participant is deleted."""
        self._closing.append(function)

    def writer(
        self, topic: str, type_name: str, profile: Profile, user_data: bytes = b''
    ) -> Writer:
        """Return a new writer; names as on the wire."""
        qos = to_dds(profile, writer=True, user_data=user_data)
        with _lock:
            made = self._topic(topic, type_name)
            return Writer(self._entity, made, (topic, type_name), qos)

    def reader(
        self, topic: str, type_name: str, profile: Profile, user_data: bytes = b''
    ) -> Reader:
        """Return a new reader; names as on the wire."""
        qos = to_dds(profile, writer=False, user_data=user_data)
        with _lock:
            made = self._topic(topic, type_name)
            return Reader(self._entity, made, (topic, type_name), qos)

    def close(self) -> None:
        """
        Delete the participant and all that belongs to it; peers see it vanish at once.

        A participant that is not deleted lingers in the graph of others for about ten seconds.

        """
        with _lock:
            if self.closed:
                return
            self.closed = True
            _open.remove(self)
        for function in self._closing:
            function()
        self._closing.clear()
        with discovery_lock:   # readers of peers' QoS look into what is deleted here
            c.dds_delete(self.ref)
        self._topics.clear()

    def _topic(self, name: str, type_name: str) -> Topic[Any]:
        key = name, type_name
        if key not in self._topics:
            self._topics[key] = make_topic(self._entity, self.domain_id, name, type_name)
        return self._topics[key]


@atexit.register
def close_all() -> None:
    """
    Delete all participants of the process, and wait until they have taken their leave.

    The library itself stays (``keep_initialized``): other threads may still call it.

    """
    for participant in list(_open):
        participant.close()
    for domain in _domains.values():
        c.dds_delete(domain._ref)
