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

"""Quality of service from arguments of the command line, and to suit the other side."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

PROFILES = ('unknown', 'system_default', 'sensor_data', 'services_default', 'parameters',
            'parameter_events', 'action_status_default')
DURABILITIES = ('system_default', 'transient_local', 'volatile', 'unknown')
RELIABILITIES = ('system_default', 'reliable', 'best_effort', 'unknown')
HISTORIES = ('system_default', 'keep_last', 'keep_all', 'unknown')


def add_qos_arguments(parser: argparse.ArgumentParser, default: str) -> None:
    """
    Declare the arguments for quality of service.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Where to declare them.
    default : str
        Name of the profile that is used where none is given.

    """
    parser.add_argument('--qos-profile', choices=PROFILES,
                        help=f'Quality of service preset profile (default: {default})')
    parser.add_argument('--qos-depth', metavar='N', type=int, default=-1,
                        help='Queue size setting (overrides depth value of --qos-profile option)')
    parser.add_argument('--qos-history', choices=HISTORIES,
                        help='History of samples setting (overrides history value of '
                        '--qos-profile option)')
    parser.add_argument('--qos-reliability', choices=RELIABILITIES,
                        help='Quality of service reliability setting (overrides reliability '
                        'value of --qos-profile option)')
    parser.add_argument('--qos-durability', choices=DURABILITIES,
                        help='Quality of service durability setting (overrides durability value '
                        'of --qos-profile option)')


def is_given(args: argparse.Namespace) -> bool:
    """Tell whether any quality of service was asked for."""
    return args.qos_depth != -1 or any(
        (args.qos_profile, args.qos_history, args.qos_reliability, args.qos_durability))


def from_arguments(args: argparse.Namespace, default: str) -> Any:
    """Return the profile that the arguments ask for, based on a named one."""
    from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSPresetProfiles, ReliabilityPolicy

    profile = _copy(QoSPresetProfiles.get_from_short_key(args.qos_profile or default))
    if args.qos_depth != -1:
        profile.depth = args.qos_depth
    for name, policy, wanted in (
            ('history', HistoryPolicy, args.qos_history),
            ('reliability', ReliabilityPolicy, args.qos_reliability),
            ('durability', DurabilityPolicy, args.qos_durability)):
        if wanted:
            setattr(profile, name, policy.get_from_short_key(wanted))
    return profile


def to_suit_publishers(infos: Iterable[Any]) -> Any:
    """
    Return the most demanding profile that gets data from all publishers.

    Parameters
    ----------
    infos : iterable of TopicEndpointInfo
        The publishers.

    """
    from rclpy.qos import DurabilityPolicy, QoSPresetProfiles, ReliabilityPolicy

    profile = _copy(QoSPresetProfiles.get_from_short_key('sensor_data'))
    offered = [info.qos_profile for info in infos]
    if not offered:
        return profile
    for name, best, least in (
            ('reliability', ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT),
            ('durability', DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE)):
        count = sum(getattr(item, name) == best for item in offered)
        setattr(profile, name, best if count == len(offered) else least)
        if 0 < count < len(offered):
            kind = f'QoS{name.capitalize()}Policy'
            print(f'Some, but not all, publishers are offering {kind}.{best.name}. Falling back '
                  f'to {kind}.{least.name} as it will connect to all publishers')
    return profile


def _copy(profile: Any) -> Any:
    from rclpy.qos import QoSProfile

    return QoSProfile(**{name: getattr(profile, name) for name in (
        'history', 'depth', 'reliability', 'durability', 'lifespan', 'deadline', 'liveliness',
        'liveliness_lease_duration', 'avoid_ros_namespace_conventions')})
