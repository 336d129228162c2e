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

"""
Entities made by hand, as programs do that have a waitable of their own.

In ROS 2 these are classes of the part in C; `rclpy._rclpy_pybind11` hands them out under their
names there. Each takes the handle of a node, context or clock, and returns the handle of an entity
that no executor looks after, unless a waitable adds it to its wait set.

"""

from __future__ import annotations

from typing import Any

from .callback_groups import ReentrantCallbackGroup
from .guard_condition import GuardCondition as GuardConditionEntity
from .handle import Handle
from .qos import QoSProfile, rmw_qos_profile_t
from .timer import Timer as TimerEntity
from .waitable import WaitSet

__all__ = ['Client', 'GuardCondition', 'Publisher', 'Service', 'Subscription', 'Timer', 'WaitSet']


def Client(
    node: Handle, srv_type: Any, name: str, profile: rmw_qos_profile_t
) -> Handle:
    """Return the handle of a new client."""
    return _lent(node, node.owner.create_client(srv_type, name, qos_profile=_given(profile)))


def Service(
    node: Handle, srv_type: Any, name: str, profile: rmw_qos_profile_t
) -> Handle:
    """Return the handle of a new service."""
    made = node.owner.create_service(srv_type, name, _unused, qos_profile=_given(profile))
    return _lent(node, made)


def Subscription(
    node: Handle, msg_type: Any, name: str, profile: rmw_qos_profile_t
) -> Handle:
    """Return the handle of a new subscription."""
    return _lent(node, node.owner.create_subscription(msg_type, name, _unused, _given(profile)))


def Publisher(
    node: Handle, msg_type: Any, name: str, profile: rmw_qos_profile_t
) -> Handle:
    """Return the handle of a new publisher."""
    made: Handle = node.owner.create_publisher(msg_type, name, _given(profile)).handle
    return made


def Timer(
    clock: Handle, context: Handle, period: int, autostart: bool = True
) -> Handle:
    """Return the handle of a new timer; `period` [ns]."""
    group = ReentrantCallbackGroup()
    made: Handle = TimerEntity(None, group, period, clock.owner, None, autostart=autostart).handle
    return made


def GuardCondition(context: Handle) -> Handle:
    """Return the handle of a new guard condition."""
    group = ReentrantCallbackGroup()
    made: Handle = GuardConditionEntity(None, group, None).handle
    return made


def _given(profile: rmw_qos_profile_t) -> QoSProfile:
    return QoSProfile(**profile.to_dict())


def _unused(message: Any) -> None:
    """Stand for the callback of an entity that no executor looks after."""


def _lent(node: Handle, entity: Any) -> Handle:
    """Let no executor look after an entity; its node destroys it."""
    node.owner._lend(entity)
    handle: Handle = entity.handle
    return handle
