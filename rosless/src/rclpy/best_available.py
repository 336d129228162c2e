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

"""The policies `BEST_AVAILABLE`: what they become depends on the other side of the topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rosless.dds.qos import (
    AUTOMATIC,
    INFINITE,
    MANUAL_BY_TOPIC,
    Profile,
    RELIABLE,
    TRANSIENT_LOCAL,
    VOLATILE,
)

from .qos import (
    DeadlineBestAvailable,
    DurabilityPolicy,
    LivelinessLeaseDurationeBestAvailable,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

BEST_EFFORT = 2


def needs_peers(profile: QoSProfile) -> bool:
    """Tell whether a policy is `BEST_AVAILABLE`."""
    return (
        profile.reliability == ReliabilityPolicy.BEST_AVAILABLE
        or profile.durability == DurabilityPolicy.BEST_AVAILABLE
        or profile.liveliness == LivelinessPolicy.BEST_AVAILABLE
        or profile.deadline == DeadlineBestAvailable
        or profile.liveliness_lease_duration == LivelinessLeaseDurationeBestAvailable
    )


def for_subscription(profile: QoSProfile, publishers: list[Profile]) -> QoSProfile:
    """Return the strictest profile that matches all publishers there are."""
    reliable = all(each.reliability == RELIABLE for each in publishers)
    latched = all(each.durability == TRANSIENT_LOCAL for each in publishers)
    manual = all(each.liveliness == MANUAL_BY_TOPIC for each in publishers)
    best = Profile(
        reliability=RELIABLE if reliable else BEST_EFFORT,
        durability=TRANSIENT_LOCAL if latched else VOLATILE,
        liveliness=MANUAL_BY_TOPIC if manual else AUTOMATIC,
        deadline=_limit(max, (each.deadline for each in publishers)),
        lease=_limit(max, (each.lease for each in publishers)),
    )
    return _filled(profile, best)


def for_publisher(profile: QoSProfile, subscriptions: list[Profile]) -> QoSProfile:
    """Return the profile that offers what any subscription may ask for."""
    manual = any(each.liveliness == MANUAL_BY_TOPIC for each in subscriptions)
    best = Profile(
        reliability=RELIABLE,
        durability=TRANSIENT_LOCAL,
        liveliness=MANUAL_BY_TOPIC if manual else AUTOMATIC,
        deadline=_limit(min, (each.deadline for each in subscriptions)),
        lease=_limit(min, (each.lease for each in subscriptions)),
    )
    return _filled(profile, best)


def for_service(profile: QoSProfile) -> QoSProfile:
    """Return the profile with the policies that services have."""
    return _filled(profile, Profile(liveliness=AUTOMATIC))


def _limit(choose: Callable[[Iterable[int]], int], durations: Iterable[int]) -> int:
    found = [duration or INFINITE for duration in durations]
    chosen = choose(found) if found else INFINITE
    return 0 if chosen == INFINITE else chosen


def _filled(profile: QoSProfile, best: Profile) -> QoSProfile:
    """Replace the policies that are `BEST_AVAILABLE`."""
    mine = profile.to_profile()
    return QoSProfile.from_profile(
        replace(
            mine,
            reliability=_or(mine.reliability, ReliabilityPolicy.BEST_AVAILABLE, best.reliability),
            durability=_or(mine.durability, DurabilityPolicy.BEST_AVAILABLE, best.durability),
            liveliness=_or(mine.liveliness, LivelinessPolicy.BEST_AVAILABLE, best.liveliness),
            deadline=_or(mine.deadline, DeadlineBestAvailable.nanoseconds, best.deadline),
            lease=_or(mine.lease, LivelinessLeaseDurationeBestAvailable.nanoseconds, best.lease),
        )
    )


def _or(value: int, placeholder: int, best: int) -> int:
    return best if value == placeholder else value
