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

"""Enumerators, and the ready-made profiles, have the names and values they have in rclpy."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from rclpy import qos

ENUMERATORS = {
    'rclpy.qos.ReliabilityPolicy rclpy.qos.QoSReliabilityPolicy': (
        'SYSTEM_DEFAULT=0 RELIABLE=1 BEST_EFFORT=2 UNKNOWN=3 BEST_AVAILABLE=4'
    ),
    'rclpy.qos.HistoryPolicy rclpy.qos.QoSHistoryPolicy': (
        'SYSTEM_DEFAULT=0 KEEP_LAST=1 KEEP_ALL=2 UNKNOWN=3'
    ),
    'rclpy.qos.DurabilityPolicy rclpy.qos.QoSDurabilityPolicy': (
        'SYSTEM_DEFAULT=0 TRANSIENT_LOCAL=1 VOLATILE=2 UNKNOWN=3 BEST_AVAILABLE=4'
    ),
    'rclpy.qos.LivelinessPolicy rclpy.qos.QoSLivelinessPolicy': (
        'SYSTEM_DEFAULT=0 AUTOMATIC=1 MANUAL_BY_TOPIC=3 UNKNOWN=4 BEST_AVAILABLE=5'
    ),
    'rclpy.qos.QoSPolicyKind': (
        'INVALID=1 DURABILITY=2 DEADLINE=4 LIVELINESS=8 RELIABILITY=16 HISTORY=32 LIFESPAN=64 '
        'DEPTH=128 LIVELINESS_LEASE_DURATION=256 AVOID_ROS_NAMESPACE_CONVENTIONS=512'
    ),
    'rclpy.qos.QoSCompatibility': 'OK=0 WARNING=1 ERROR=2',
    'rclpy.topic_endpoint_info.TopicEndpointTypeEnum': 'INVALID=0 PUBLISHER=1 SUBSCRIPTION=2',
    'rclpy.impl.logging_severity.LoggingSeverity rclpy.logging.LoggingSeverity': (
        'UNSET=0 DEBUG=10 INFO=20 WARN=30 ERROR=40 FATAL=50'
    ),
    'rclpy.event_handler.QoSPublisherEventType': (
        'RCL_PUBLISHER_OFFERED_DEADLINE_MISSED=0 RCL_PUBLISHER_LIVELINESS_LOST=1 '
        'RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS=2 RCL_PUBLISHER_INCOMPATIBLE_TYPE=3 '
        'RCL_PUBLISHER_MATCHED=4'
    ),
    'rclpy.event_handler.QoSSubscriptionEventType': (
        'RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED=0 RCL_SUBSCRIPTION_LIVELINESS_CHANGED=1 '
        'RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS=2 RCL_SUBSCRIPTION_MESSAGE_LOST=3 '
        'RCL_SUBSCRIPTION_INCOMPATIBLE_TYPE=4 RCL_SUBSCRIPTION_MATCHED=5'
    ),
    'rclpy.task.FutureState': 'PENDING=PENDING CANCELLED=CANCELLED FINISHED=FINISHED',
    'rclpy.signals.SignalHandlerOptions rclpy.SignalHandlerOptions': (
        'NO=0 SIGINT=1 SIGTERM=2 ALL=3'
    ),
    'rclpy.clock.ClockChange': (
        'ROS_TIME_NO_CHANGE=1 ROS_TIME_ACTIVATED=2 ROS_TIME_DEACTIVATED=3 SYSTEM_TIME_NO_CHANGE=4'
    ),
    'rclpy.clock_type.ClockType rclpy.clock.ClockType': (
        'UNINITIALIZED=0 ROS_TIME=1 SYSTEM_TIME=2 STEADY_TIME=3'
    ),
    'rclpy.action.server.GoalResponse rclpy.action.GoalResponse': 'REJECT=1 ACCEPT=2',
    'rclpy.action.server.CancelResponse rclpy.action.CancelResponse': 'REJECT=1 ACCEPT=2',
    'rclpy.action.server.GoalEvent': 'EXECUTE=0 CANCEL_GOAL=1 SUCCEED=2 ABORT=3 CANCELED=4',
    'rclpy.lifecycle.TransitionCallbackReturn': 'SUCCESS=97 FAILURE=98 ERROR=99',
    'rclpy.parameter.Parameter.Type': (
        'NOT_SET=0 BOOL=1 INTEGER=2 DOUBLE=3 STRING=4 BYTE_ARRAY=5 BOOL_ARRAY=6 INTEGER_ARRAY=7 '
        'DOUBLE_ARRAY=8 STRING_ARRAY=9'
    ),
}
# history, depth, reliability, durability, liveliness
PROFILES = {
    'qos_profile_default DEFAULT': (1, 10, 1, 2, 0),
    'qos_profile_system_default SYSTEM_DEFAULT': (0, 0, 0, 0, 0),
    'qos_profile_unknown UNKNOWN': (3, 0, 3, 3, 4),
    'qos_profile_parameters PARAMETERS': (1, 1000, 1, 2, 0),
    'qos_profile_parameter_events PARAMETER_EVENTS': (1, 1000, 1, 2, 0),
    'qos_profile_services_default SERVICES_DEFAULT': (1, 10, 1, 2, 0),
    'qos_profile_action_status_default ACTION_STATUS_DEFAULT': (1, 1, 1, 1, 0),
    'qos_profile_sensor_data SENSOR_DATA': (1, 5, 2, 2, 0),
    'qos_profile_best_available BEST_AVAILABLE': (1, 10, 4, 4, 5),
    'qos_profile_rosout_default ROSOUT_DEFAULT': (1, 1000, 1, 1, 0),
}


def named(dotted: str) -> Any:
    """Return what a dotted name of a module's content stands for."""
    parts = dotted.split('.')
    count = next(i for i, part in enumerate(parts) if part[0].isupper())
    found: Any = importlib.import_module('.'.join(parts[:count]))
    for part in parts[count:]:
        found = getattr(found, part)
    return found


def test_values_of_enumerators() -> None:
    for names, members in ENUMERATORS.items():
        for name in names.split():
            enumeration = named(name)
            found = {member.name: str(member.value) for member in enumeration}
            assert found == dict(member.split('=') for member in members.split()), name


def test_ready_made_profiles() -> None:
    for names, expected in PROFILES.items():
        variable, member = names.split()
        profile = getattr(qos, variable)
        assert qos.QoSPresetProfiles[member].value == profile
        assert qos.QoSPresetProfiles.get_from_short_key(member.lower()) == profile
        found = profile.to_profile()
        numbers = found.history, found.depth, found.reliability, found.durability
        assert (*numbers, found.liveliness) == expected, variable
        assert not profile.avoid_ros_namespace_conventions
    assert qos.qos_profile_rosout_default.lifespan.nanoseconds == 10 * 10**9
    assert qos.qos_profile_best_available.deadline == qos.DeadlineBestAvailable
    lease = qos.qos_profile_best_available.liveliness_lease_duration
    assert lease == qos.LivelinessLeaseDurationeBestAvailable
    assert qos.DeadlineBestAvailable.nanoseconds == 2**63 - 2


def test_policies_have_short_keys() -> None:
    assert issubclass(qos.ReliabilityPolicy, qos.QoSPolicyEnum)
    assert qos.ReliabilityPolicy.short_keys() == [
        'system_default',
        'reliable',
        'best_effort',
        'unknown',
        'best_available',
    ]
    assert qos.HistoryPolicy.get_from_short_key('keep_all') == qos.HistoryPolicy.KEEP_ALL.value
    assert qos.DurabilityPolicy.VOLATILE.short_key == 'volatile'
    assert qos.qos_policy_name_from_kind(qos.QoSPolicyKind.DEADLINE) == 'DEADLINE'
    assert qos.QoSProfile(depth=1, avoid_ros_namespace_conventions=True) != qos.QoSProfile(depth=1)
    with pytest.raises(qos.InvalidQoSProfileException, match='History and/or depth'):
        qos.QoSProfile(lifespan=qos.qos_profile_default.lifespan)
