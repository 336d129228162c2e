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

"""Events about quality of service: deadlines, liveliness, incompatible or lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from .absent import Absent, NotInRosless
from .qos import qos_policy_name_from_kind, QoSPolicyKind
from .rcl_errors import UnsupportedEventTypeError


class QoSPublisherEventType(IntEnum):
    """Events of publishers."""

    RCL_PUBLISHER_OFFERED_DEADLINE_MISSED = 0
    RCL_PUBLISHER_LIVELINESS_LOST = 1
    RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS = 2
    RCL_PUBLISHER_INCOMPATIBLE_TYPE = 3
    RCL_PUBLISHER_MATCHED = 4


class QoSSubscriptionEventType(IntEnum):
    """Events of subscriptions."""

    RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED = 0
    RCL_SUBSCRIPTION_LIVELINESS_CHANGED = 1
    RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS = 2
    RCL_SUBSCRIPTION_MESSAGE_LOST = 3
    RCL_SUBSCRIPTION_INCOMPATIBLE_TYPE = 4
    RCL_SUBSCRIPTION_MATCHED = 5


@dataclass
class QoSDeadlineMissedInfo:
    """How often a deadline was missed."""

    total_count: int
    total_count_change: int


QoSOfferedDeadlineMissedInfo = QoSDeadlineMissedInfo
QoSRequestedDeadlineMissedInfo = QoSDeadlineMissedInfo


@dataclass
class QoSLivelinessLostInfo:
    """How often liveliness was lost."""

    total_count: int
    total_count_change: int


@dataclass
class QoSLivelinessChangedInfo:
    """How many publishers are alive."""

    alive_count: int
    not_alive_count: int
    alive_count_change: int
    not_alive_count_change: int


@dataclass
class QoSIncompatibleInfo:
    """How many peers were met whose profile does not fit, and the last policy that did not."""

    total_count: int
    total_count_change: int
    last_policy_kind: QoSPolicyKind


QoSOfferedIncompatibleQoSInfo = QoSIncompatibleInfo
QoSRequestedIncompatibleQoSInfo = QoSIncompatibleInfo


@dataclass
class QoSMessageLostInfo:
    """How many messages were lost."""

    total_count: int
    total_count_change: int


@dataclass
class QoSMatchedInfo:
    """How many peers are matched, and how many have been in all."""

    total_count: int
    total_count_change: int
    current_count: int
    current_count_change: int


QoSPublisherMatchedInfo = QoSMatchedInfo
QoSSubscriptionMatchedInfo = QoSMatchedInfo


@dataclass
class IncompatibleTypeInfo:
    """How many peers were met whose type differs; DDS does not tell here."""

    total_count: int
    total_count_change: int


class EventHandler(Absent):
    """Waits for an event."""

    why = 'executors of rosless look after the events of publishers and subscriptions themselves'


QoSEventHandler = EventHandler


# ids of policies in DDS
_POLICY_IDS = {
    2: QoSPolicyKind.DURABILITY,
    4: QoSPolicyKind.DEADLINE,
    8: QoSPolicyKind.LIVELINESS,
    11: QoSPolicyKind.RELIABILITY,
    13: QoSPolicyKind.HISTORY,
    21: QoSPolicyKind.LIFESPAN,
}


def _counts(cls: type) -> Callable[[Any], Any]:
    return lambda status: cls(status.total_count, status.total_count_change)


def _incompatible(status: Any) -> QoSIncompatibleInfo:
    kind = _POLICY_IDS.get(status.last_policy_id, QoSPolicyKind.INVALID)
    return QoSIncompatibleInfo(status.total_count, status.total_count_change, kind)


def _liveliness(status: Any) -> QoSLivelinessChangedInfo:
    return QoSLivelinessChangedInfo(
        status.alive_count,
        status.not_alive_count,
        status.alive_count_change,
        status.not_alive_count_change,
    )


def _matched(status: Any) -> QoSMatchedInfo:
    return QoSMatchedInfo(
        status.total_count,
        status.total_count_change,
        status.current_count,
        status.current_count_change,
    )


# DDS status bit -> (attribute with the callback, how to read the status, how to convert it)
PUBLISHER_EVENTS = {
    1 << 1: ('deadline', 'get_offered_deadline_missed_status', _counts(QoSDeadlineMissedInfo)),
    1 << 3: ('incompatible_qos', 'get_offered_incompatible_qos_status', _incompatible),
    1 << 9: ('liveliness', 'get_liveliness_lost_status', _counts(QoSLivelinessLostInfo)),
    1 << 11: ('matched', 'get_publication_matched_status', _matched),
}
SUBSCRIPTION_EVENTS = {
    1 << 2: ('deadline', 'get_requested_deadline_missed_status', _counts(QoSDeadlineMissedInfo)),
    1 << 4: ('incompatible_qos', 'get_requested_incompatible_qos_status', _incompatible),
    1 << 5: ('message_lost', 'get_sample_lost_status', _counts(QoSMessageLostInfo)),
    1 << 10: ('liveliness', 'get_liveliness_changed_status', _liveliness),
    1 << 12: ('matched', 'get_subscription_matched_status', _matched),
}


class EventCallbacks:
    """Base of the sets of event callbacks."""

    table: dict[int, tuple[str, str, Callable[[Any], Any]]] = {}
    use_default_callbacks = True

    def create_event_handlers(self, *_: Any) -> Any:
        """Not in rosless."""
        raise NotInRosless(f'create_event_handlers: {EventHandler.why}')

    def _refuse(self, incompatible_type: Any) -> None:
        if incompatible_type is not None:
            raise UnsupportedEventTypeError(
                'incompatible_type: DDS does not tell of peers whose type differs; they do not '
                'match, which `matched` and `get_publisher_count` show'
            )

    def mask(self) -> int:
        """Return the DDS statuses that are of interest."""
        return sum(
            bit
            for bit, (name, _, _) in self.table.items()
            if getattr(self, name) is not None
            or (name == 'incompatible_qos' and self.use_default_callbacks)
        )

    def run(
        self, statuses: int, entity: Any, default: Callable[[str], None], executor: Any
    ) -> None:
        """Run the callbacks of the DDS statuses that changed."""
        for bit, (name, getter, convert) in self.table.items():
            if not statuses & bit or entity is None:
                continue
            info = convert(getattr(entity, getter)())
            callback = getattr(self, name)
            if callback is not None:
                executor.create_task(callback, info)
            elif name == 'incompatible_qos' and self.use_default_callbacks:
                default(qos_policy_name_from_kind(info.last_policy_kind))


class SubscriptionEventCallbacks(EventCallbacks):
    """
    Callbacks of a subscription; each gets the info object of its event.

    Without a callback for incompatible profiles a warning is logged, unless
    `use_default_callbacks` is false.

    """

    table = SUBSCRIPTION_EVENTS

    def __init__(
        self,
        *,
        deadline: Callable[[QoSRequestedDeadlineMissedInfo], None] | None = None,
        liveliness: Callable[[QoSLivelinessChangedInfo], None] | None = None,
        message_lost: Callable[[QoSMessageLostInfo], None] | None = None,
        incompatible_qos: Callable[[QoSRequestedIncompatibleQoSInfo], None] | None = None,
        incompatible_type: Callable[[IncompatibleTypeInfo], None] | None = None,
        matched: Callable[[QoSSubscriptionMatchedInfo], None] | None = None,
        use_default_callbacks: bool = True,
    ) -> None:
        self.deadline = deadline
        self.liveliness = liveliness
        self.message_lost = message_lost
        self.incompatible_qos = incompatible_qos
        self.incompatible_type = incompatible_type
        self.matched = matched
        self.use_default_callbacks = use_default_callbacks
        self._refuse(incompatible_type)


class PublisherEventCallbacks(EventCallbacks):
    """Callbacks of a publisher; see `SubscriptionEventCallbacks`."""

    table = PUBLISHER_EVENTS

    def __init__(
        self,
        *,
        deadline: Callable[[QoSOfferedDeadlineMissedInfo], None] | None = None,
        liveliness: Callable[[QoSLivelinessLostInfo], None] | None = None,
        incompatible_qos: Callable[[QoSOfferedIncompatibleQoSInfo], None] | None = None,
        incompatible_type: Callable[[IncompatibleTypeInfo], None] | None = None,
        matched: Callable[[QoSPublisherMatchedInfo], None] | None = None,
        use_default_callbacks: bool = True,
    ) -> None:
        self.deadline = deadline
        self.liveliness = liveliness
        self.incompatible_qos = incompatible_qos
        self.incompatible_type = incompatible_type
        self.matched = matched
        self.use_default_callbacks = use_default_callbacks
        self._refuse(incompatible_type)
