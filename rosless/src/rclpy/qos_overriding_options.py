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

"""Letting parameters change the QoS profile of a publisher or subscription."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rosless.idl.build import interface_class

from .duration import Duration
from .exceptions import ParameterAlreadyDeclaredException
from .qos import QoSPolicyKind, QoSProfile

DURATIONS = ('deadline', 'lifespan', 'liveliness_lease_duration')
POLICIES = ('history', 'reliability', 'durability', 'liveliness')


class InvalidQosOverridesError(Exception):
    """The overriding parameters give a profile that the callback refuses."""


class QosCallbackResult:
    """What a callback that checks a profile returns."""

    def __init__(self, successful: bool = True, reason: str = '') -> None:
        self.successful = successful
        self.reason = reason


class QoSOverridingOptions:
    """
    Which policies can be changed by parameters ``qos_overrides.<topic>.<entity>.<policy>``.

    Parameters
    ----------
    policy_kinds : Iterable[QoSPolicyKind]
        The policies.
    callback : Callable, optional
        Gets the resulting profile, and returns an object with `successful` and `reason`.
    entity_id : str, optional
        Tells apart several publishers or subscriptions of a topic in one node.

    """

    policy_kinds: Any
    callback: Any
    entity_id: Any

    def __init__(
        self,
        policy_kinds: Iterable[QoSPolicyKind],
        *,
        callback: Callable[[QoSProfile], Any] | None = None,
        entity_id: str | None = None,
    ) -> None:
        self.policy_kinds = tuple(policy_kinds)
        self.callback = callback
        self.entity_id = entity_id

    @classmethod
    def with_default_policies(
        cls,
        *,
        callback: Callable[[QoSProfile], Any] | None = None,
        entity_id: str | None = None,
    ) -> QoSOverridingOptions:
        """Return options for history, depth and reliability."""
        kinds = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY)
        return cls(kinds, callback=callback, entity_id=entity_id)


def declare_qos_overrides(
    node: Any,
    options: QoSOverridingOptions,
    topic: str,
    profile: QoSProfile,
    *,
    is_publisher: bool,
) -> QoSProfile:
    """
    Declare the parameters, and return the profile they give.

    Raises
    ------
    InvalidQosOverridesError
        If the callback refuses it.

    """
    entity = 'publisher' if is_publisher else 'subscription'
    if options.entity_id:
        entity += f'_{options.entity_id}'
    cls = interface_class('rcl_interfaces/msg/ParameterDescriptor')
    values = {name: getattr(profile, name) for name in QoSProfile.__slots__}
    for kind in options.policy_kinds:
        policy = kind.name.lower()
        if policy == 'lifespan' and not is_publisher:
            continue
        name = f'qos_overrides.{topic}.{entity}.{policy}'
        try:
            value = node.declare_parameter(
                name, _as_parameter(policy, values[policy]), cls(read_only=True)
            ).value
        except ParameterAlreadyDeclaredException:
            value = node.get_parameter(name).value
        values[policy] = _from_parameter(policy, value, type(values[policy]), name)
    result = QoSProfile(**values)
    if options.callback is not None:
        answer = options.callback(result)
        if not answer.successful:
            raise InvalidQosOverridesError(
                f"{answer.reason or 'Provided QoS overrides are not valid'}, in topic '{topic}'"
            )
    return result


def _declare_qos_parameters(
    entity_type: type, node: Any, topic_name: str, qos: QoSProfile, options: QoSOverridingOptions
) -> QoSProfile:
    """Do what `declare_qos_overrides` does, under the name that it has in rclpy."""
    is_publisher = hasattr(entity_type, 'publish')
    return declare_qos_overrides(node, options, topic_name, qos, is_publisher=is_publisher)


def _get_qos_policy_parameter(qos: QoSProfile, policy_kind: QoSPolicyKind) -> Any:
    """Return the value of the parameter that stands for a policy of a profile."""
    policy = policy_kind.name.lower()
    return _as_parameter(policy, getattr(qos, policy))


def _as_parameter(policy: str, value: Any) -> Any:
    if policy in DURATIONS:
        return value.nanoseconds
    return value.short_key if policy in POLICIES else value


def _from_parameter(policy: str, value: Any, kind: Any, name: str) -> Any:
    if policy in DURATIONS:
        return Duration(nanoseconds=value)
    if policy not in POLICIES:
        return value
    try:
        return kind(kind.get_from_short_key(value))
    except KeyError:
        raise InvalidQosOverridesError(
            f'parameter {name!r}: {value!r} is not one of {", ".join(kind.short_keys())}'
        ) from None
