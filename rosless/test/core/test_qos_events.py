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

"""Events of publishers and subscriptions, and policies that follow the other side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rclpy.duration import Duration
from rclpy.event_handler import (
    IncompatibleTypeInfo,
    PublisherEventCallbacks,
    QoSLivelinessChangedInfo,
    QoSPublisherMatchedInfo,
    QoSSubscriptionMatchedInfo,
    SubscriptionEventCallbacks,
    UnsupportedEventTypeError,
)
from rclpy.qos import (
    DurabilityPolicy,
    LivelinessPolicy,
    qos_check_compatible,
    qos_profile_best_available,
    QoSCompatibility,
    QoSPolicyKind,
    QoSPresetProfiles,
    QoSProfile,
    ReliabilityPolicy,
)
from std_msgs.msg import String
from std_srvs.srv import Empty

Make = Callable[..., Any]
MANUAL = QoSProfile(
    depth=1,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    deadline=Duration(seconds=2),
    liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
    liveliness_lease_duration=Duration(seconds=3),
)


def test_matched(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    of_publisher: list[Any] = []
    of_subscription: list[Any] = []
    publisher = node.create_publisher(
        String, 'talk', 1, event_callbacks=PublisherEventCallbacks(matched=of_publisher.append)
    )
    events = SubscriptionEventCallbacks(matched=of_subscription.append)
    subscription = node.create_subscription(
        String, 'talk', lambda _: None, 1, event_callbacks=events
    )
    assert spin_until(executor, lambda: of_publisher and of_subscription)
    assert publisher.get_subscription_count() == 1  # asking does not use the event up
    assert of_publisher == [QoSPublisherMatchedInfo(1, 1, 1, 1)]
    assert of_subscription == [QoSSubscriptionMatchedInfo(1, 1, 1, 1)]
    subscription.destroy()
    assert spin_until(executor, lambda: len(of_publisher) == 2)
    assert of_publisher[1] == QoSPublisherMatchedInfo(1, 0, 0, -1)


def test_deadlines_are_missed_on_both_sides(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    profile = QoSProfile(depth=1, deadline=Duration(nanoseconds=50_000_000))
    missed: dict[str, Any] = {}
    publisher = node.create_publisher(
        String,
        'talk',
        profile,
        event_callbacks=PublisherEventCallbacks(
            deadline=lambda info: missed.__setitem__('publisher', info)
        ),
    )
    node.create_subscription(
        String,
        'talk',
        lambda _: None,
        profile,
        event_callbacks=SubscriptionEventCallbacks(
            deadline=lambda info: missed.__setitem__('subscription', info)
        ),
    )
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String())
    assert spin_until(executor, lambda: len(missed) == 2)
    assert all(info.total_count >= 1 for info in missed.values())


def test_liveliness_changes(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    profile = QoSProfile(
        depth=1,
        liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
        liveliness_lease_duration=Duration(nanoseconds=100_000_000),
    )
    alive: list[QoSLivelinessChangedInfo] = []
    lost: list[Any] = []
    node.create_subscription(
        String,
        'talk',
        lambda _: None,
        profile,
        event_callbacks=SubscriptionEventCallbacks(liveliness=alive.append),
    )
    publisher = node.create_publisher(
        String, 'talk', profile, event_callbacks=PublisherEventCallbacks(liveliness=lost.append)
    )

    def heard_alive() -> bool:
        publisher.assert_liveliness()  # again and again: the executor may be late
        return bool(alive) and alive[-1].alive_count == 1

    assert spin_until(executor, heard_alive)
    assert spin_until(executor, lambda: alive[-1].not_alive_count == 1 and lost)
    assert lost[-1].total_count >= 1


def test_the_policy_that_does_not_fit(make_node: Make, executor: Any, spin_until: Make) -> None:
    node, kinds = make_node(), []
    executor.add_node(node)

    def told(info: Any) -> None:
        kinds.append(info.last_policy_kind)

    node.create_publisher(String, 'talk', QoSProfile(
        depth=1, reliability=ReliabilityPolicy.BEST_EFFORT
    ), event_callbacks=PublisherEventCallbacks(incompatible_qos=told))
    node.create_subscription(
        String, 'talk', lambda _: None, 1,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=told))
    assert spin_until(executor, lambda: len(kinds) == 2)
    for kind in kinds:   # `int` first, as a real rclpy asks for
        assert QoSPolicyKind(int(kind)) is QoSPolicyKind.RELIABILITY


def test_types_that_differ_cannot_be_told() -> None:
    with pytest.raises(UnsupportedEventTypeError, match='incompatible_type: DDS does not tell'):
        SubscriptionEventCallbacks(incompatible_type=lambda info: None)
    assert IncompatibleTypeInfo(1, 1).total_count == 1


def policies(info: Any) -> tuple[str, str, str, int, int]:
    """Return the policies of an endpoint that may be the best available ones; times in s."""
    profile = info.qos_profile
    times = (profile.deadline, profile.liveliness_lease_duration)
    return (
        profile.reliability.name,
        profile.durability.name,
        profile.liveliness.name,
        *(0 if t.nanoseconds == 2**63 - 1 else t.nanoseconds // 10**9 for t in times),
    )


@pytest.mark.parametrize(
    ('publishers', 'expected'),
    [  # as rmw_fastrtps_cpp of Kilted has it
        ([], ('RELIABLE', 'TRANSIENT_LOCAL', 'MANUAL_BY_TOPIC', 0, 0)),
        ([QoSProfile(depth=1)], ('RELIABLE', 'VOLATILE', 'AUTOMATIC', 0, 0)),
        ([MANUAL], ('RELIABLE', 'TRANSIENT_LOCAL', 'MANUAL_BY_TOPIC', 2, 3)),
        (
            [MANUAL, QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)],
            ('BEST_EFFORT', 'VOLATILE', 'AUTOMATIC', 0, 0),
        ),
    ],
)
def test_the_best_a_subscription_can_get(
    make_node: Make, wait_until: Make, publishers: list[QoSProfile], expected: Any
) -> None:
    node = make_node()
    for profile in publishers:
        node.create_publisher(String, 'talk', profile)
    assert wait_until(lambda: node.count_publishers('talk') == len(publishers))
    node.create_subscription(String, 'talk', lambda _: None, qos_profile_best_available)
    assert wait_until(lambda: node.count_subscribers('talk') == 1)
    (found,) = node.get_subscriptions_info_by_topic('talk')
    assert policies(found) == expected


@pytest.mark.parametrize(
    ('subscriptions', 'expected'),
    [
        ([], ('RELIABLE', 'TRANSIENT_LOCAL', 'AUTOMATIC', 0, 0)),
        ([MANUAL], ('RELIABLE', 'TRANSIENT_LOCAL', 'MANUAL_BY_TOPIC', 2, 3)),
    ],
)
def test_the_best_a_publisher_can_offer(
    make_node: Make, wait_until: Make, subscriptions: list[QoSProfile], expected: Any
) -> None:
    node = make_node()
    for profile in subscriptions:
        node.create_subscription(String, 'talk', lambda _: None, profile)
    assert wait_until(lambda: node.count_subscribers('talk') == len(subscriptions))
    node.create_publisher(String, 'talk', QoSPresetProfiles.BEST_AVAILABLE.value)
    assert wait_until(lambda: node.count_publishers('talk') == 1)
    (found,) = node.get_publishers_info_by_topic('talk')
    assert policies(found) == expected


def test_the_best_for_services(make_node: Make) -> None:
    node = make_node()
    node.create_service(Empty, 'go', lambda _, r: r, qos_profile=qos_profile_best_available)
    client = node.create_client(Empty, 'go', qos_profile=qos_profile_best_available)
    assert client.wait_for_service(60.0)
    assert client.qos_profile.durability == DurabilityPolicy.VOLATILE


def test_whether_it_fits_is_not_known_before() -> None:
    found, reason = qos_check_compatible(QoSProfile(depth=1), qos_profile_best_available)
    assert found == QoSCompatibility.WARNING
    assert 'reliability' in reason
