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

"""Between the QoS profiles of ROS 2 and the policies of DDS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cyclonedds.qos import Policy, Qos

INFINITE = 0x7FFFFFFFFFFFFFFF
UNLIMITED = -1
# Writes that cannot be queued return at once and are tried again, so that the GIL is not held.
MAX_BLOCKING_TIME = 0  # ns

KEEP_LAST, KEEP_ALL = 1, 2
RELIABLE, BEST_EFFORT = 1, 2
TRANSIENT_LOCAL, VOLATILE = 1, 2
AUTOMATIC, MANUAL_BY_TOPIC = 1, 3


@dataclass(frozen=True)
class Profile:
    """
    A QoS profile in numbers, those of rmw; 0 is the default of DDS.

    Attributes
    ----------
    history, depth, reliability, durability, liveliness : int
        Enumerators as in rmw/types.h.
    deadline, lifespan, lease : int
        Durations [ns]; 0 is the default, `INFINITE` is infinite.

    """

    history: int = KEEP_LAST
    depth: int = 10
    reliability: int = RELIABLE
    durability: int = VOLATILE
    liveliness: int = 0
    deadline: int = 0
    lifespan: int = 0
    lease: int = 0


def to_dds(profile: Profile, *, writer: bool, user_data: bytes = b'') -> Qos:
    """Return the DDS policies of a writer or reader with this profile."""
    policies: list[Any] = [Policy.DataRepresentation(use_cdrv0_representation=True)]
    if writer:
        policies.append(Policy.WriterDataLifecycle(autodispose=False))
    depth = max(profile.depth, 1)
    keep_all = profile.history == KEEP_ALL
    if profile.history in (KEEP_LAST, KEEP_ALL):
        policies.append(Policy.History.KeepAll if keep_all else Policy.History.KeepLast(depth))
    if profile.reliability == RELIABLE:
        policies.append(Policy.Reliability.Reliable(MAX_BLOCKING_TIME))
    elif profile.reliability == BEST_EFFORT:
        policies.append(Policy.Reliability.BestEffort)
    if profile.durability == TRANSIENT_LOCAL:
        policies.append(Policy.Durability.TransientLocal)
        if writer:
            history = Policy.History.KeepAll if keep_all else Policy.History.KeepLast(depth)
            policies.append(Policy.DurabilityService(0, history, UNLIMITED, UNLIMITED, UNLIMITED))
    elif profile.durability == VOLATILE:
        policies.append(Policy.Durability.Volatile)
    if profile.deadline:
        policies.append(Policy.Deadline(profile.deadline))
    if profile.lifespan and writer:
        policies.append(Policy.Lifespan(profile.lifespan))
    lease = profile.lease or INFINITE
    if profile.liveliness == MANUAL_BY_TOPIC:
        policies.append(Policy.Liveliness.ManualByTopic(lease))
    elif profile.liveliness == AUTOMATIC or profile.lease:
        policies.append(Policy.Liveliness.Automatic(lease))
    if user_data:
        policies.append(Policy.Userdata(user_data))
    return Qos(*policies)


def from_dds(qos: Qos) -> Profile:
    """Return the profile of a discovered endpoint; history and depth are not on the wire (0)."""
    history, depth = 0, 0
    if Policy.History in qos:
        policy = qos[Policy.History]
        keep_all = policy == Policy.History.KeepAll
        history, depth = (KEEP_ALL, 0) if keep_all else (KEEP_LAST, policy.depth)
    reliable = (
        Policy.Reliability in qos and qos[Policy.Reliability] != Policy.Reliability.BestEffort
    )
    latched = Policy.Durability in qos and qos[Policy.Durability] != Policy.Durability.Volatile
    liveliness, lease = AUTOMATIC, INFINITE
    if Policy.Liveliness in qos:
        policy = qos[Policy.Liveliness]
        lease = policy.lease_duration
        if isinstance(policy, Policy.Liveliness.ManualByTopic):
            liveliness = MANUAL_BY_TOPIC
    return Profile(
        history=history,
        depth=depth,
        reliability=RELIABLE if reliable else BEST_EFFORT,
        durability=TRANSIENT_LOCAL if latched else VOLATILE,
        liveliness=liveliness,
        deadline=qos[Policy.Deadline].deadline if Policy.Deadline in qos else INFINITE,
        lifespan=qos[Policy.Lifespan].lifespan if Policy.Lifespan in qos else INFINITE,
        lease=lease,
    )


def user_data(qos: Qos | None) -> dict[str, str]:
    """Return the user data of a discovered entity, which have the form ``key=value;...``."""
    if qos is None or Policy.Userdata not in qos:
        return {}
    text = qos[Policy.Userdata].data.decode('ascii', 'replace')
    return {key: value for key, _, value in (part.partition('=') for part in text.split(';'))}
