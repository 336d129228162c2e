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

"""Which DDS domain, and who may be spoken to: from the environment variables of ROS 2."""

from __future__ import annotations

from collections.abc import Mapping
import functools
import html
import os
import sys

MAX_PARTICIPANTS = 100
RANGES = ('LOCALHOST', 'SUBNET', 'OFF', 'SYSTEM_DEFAULT')
MAX_DOMAIN_ID = 232
# Longer than a service of a few lines takes to answer.
POLL_MICROSECONDS = '500'
MOST_ELEMENTS = '1048576'
"""
Strings and messages in the sequences of one message: some 420 MB of objects, which 25 MB on the
wire can be. Numbers are kept in arrays and do not count.
"""
# How long a writer that is deleted waits for readers that have not confirmed its last samples;
# they may have been killed, and Ctrl-C should not take longer for it. The default is one second.
LINGER = '100 ms'
# A large message travels in datagrams; what finds the reader's buffer full is lost and sent again.
# As much room as the kernel grants (net.core.rmem_max) avoids that, and asking at once, not after
# the default of 100 ms, mends it. On the loopback interface datagrams are as large as UDP allows,
# and so are those sent again. On a busy machine 20 MB of plain
# data took a third of the time.
TRANSFER = (
    '<NackDelay>10 ms</NackDelay><SocketReceiveBufferSize min="default" max="8 MB"/>'
    '<HeartbeatInterval min="5 ms" minsched="5 ms">10 ms</HeartbeatInterval>'
)
DATAGRAMS = (
    '<MaxMessageSize>65500 B</MaxMessageSize><MaxRexmitMessageSize>65500 B</MaxRexmitMessageSize>'
    '<FragmentSize>64000 B</FragmentSize>'
)


class ConfigurationError(ValueError):
    """An environment variable has a value that cannot be used."""


def domain_id(environment: Mapping[str, str] | None = None) -> int:
    """
    Return the domain from ``ROS_DOMAIN_ID``, 0 if it is not set.

    Raises
    ------
    ConfigurationError
        If the variable is not a number from 0 to 232.

    """
    text = (os.environ if environment is None else environment).get('ROS_DOMAIN_ID', '').strip()
    if not text:
        return 0
    if not text.isdigit() or int(text) > MAX_DOMAIN_ID:
        raise ConfigurationError(
            f'ROS_DOMAIN_ID={text!r} is not a number from 0 to {MAX_DOMAIN_ID}'
        )
    return int(text)


def poll_time(environment: Mapping[str, str] | None = None) -> int:
    """
    Return how long [ns] a thread looks for an answer before it sleeps; 0.5 ms by default.

    Raises
    ------
    ConfigurationError
        If ``ROSLESS_POLL_US`` is not a number of microseconds.

    """
    env = os.environ if environment is None else environment
    text = env.get('ROSLESS_POLL_US', '').strip() or POLL_MICROSECONDS
    if not text.isdecimal():
        raise ConfigurationError(f'ROSLESS_POLL_US={text!r} is not a number of microseconds')
    return int(text) * 1000


def check_security(environment: Mapping[str, str] | None = None) -> str:
    """
    Look whether DDS Security is asked for, which the wheel of Cyclone DDS has no plugins for.

    Returns
    -------
    str
        A warning if it is wanted where it is there (``ROS_SECURITY_STRATEGY=Permissive``), else
        empty.

    Raises
    ------
    ConfigurationError
        If it is demanded (``Enforce``): nothing is encrypted, and nobody is kept out.

    """
    env = os.environ if environment is None else environment
    if env.get('ROS_SECURITY_ENABLE', '') != 'true':
        return ''
    strategy = env.get('ROS_SECURITY_STRATEGY', '')
    found = (
        f'ROS_SECURITY_ENABLE=true with ROS_SECURITY_STRATEGY={strategy!r}: rosless has no DDS '
        'Security'
    )
    if strategy == 'Enforce':
        raise ConfigurationError(
            f'{found}; allowed: Permissive, or ROS_SECURITY_ENABLE=false, and a firewall in its '
            'place, or ROS 2 itself'
        )
    return f'{found}; nothing is encrypted, and nobody is kept out'


@functools.cache
def most_elements() -> int:
    """
    Return how many strings and messages the sequences of a message that comes may hold in all.

    Raises
    ------
    ConfigurationError
        If ``ROSLESS_MOST_ELEMENTS`` is not a number above 0.

    """
    text = os.environ.get('ROSLESS_MOST_ELEMENTS', '').strip() or MOST_ELEMENTS
    if not text.isdecimal() or int(text) == 0:
        raise ConfigurationError(f'ROSLESS_MOST_ELEMENTS={text!r} is not a number above 0')
    return int(text)


def configuration(environment: Mapping[str, str] | None = None) -> str | None:
    """
    Return the Cyclone DDS configuration as XML, or None to leave it to Cyclone DDS.

    ``CYCLONEDDS_URI`` has the last word. Otherwise ``ROS_AUTOMATIC_DISCOVERY_RANGE`` decides:
    ``LOCALHOST`` (the default: loopback only), ``SUBNET``, ``OFF`` or ``SYSTEM_DEFAULT``.
    ``ROS_STATIC_PEERS`` (separated by semicolons) adds addresses; ``ROS_LOCALHOST_ONLY=1`` of
    older releases means ``LOCALHOST`` without any peers.

    Raises
    ------
    ConfigurationError
        If the range is not one of the four.

    """
    env = os.environ if environment is None else environment
    if env.get('CYCLONEDDS_URI', '').strip():
        return None
    reach = env.get('ROS_AUTOMATIC_DISCOVERY_RANGE', '').strip().upper() or 'LOCALHOST'
    peers = [peer.strip() for peer in env.get('ROS_STATIC_PEERS', '').split(';') if peer.strip()]
    if env.get('ROS_LOCALHOST_ONLY', '').strip() == '1':
        reach, peers = 'LOCALHOST', []
    if reach not in RANGES:
        raise ConfigurationError(
            f'ROS_AUTOMATIC_DISCOVERY_RANGE={reach!r} is not one of {", ".join(RANGES)}'
        )
    if reach == 'SYSTEM_DEFAULT':
        return None
    if reach == 'OFF':
        return _xml(loopback=True, peers=[])
    if reach == 'LOCALHOST':
        return _xml(loopback=not peers, peers=['127.0.0.1', *peers])
    return _xml(loopback=False, peers=peers, multicast=True)


def _xml(*, loopback: bool, peers: list[str], multicast: bool = False) -> str:
    name = 'lo0' if sys.platform == 'darwin' else 'lo'
    interface = (
        f'<Interfaces><NetworkInterface name="{name}" multicast="false"/></Interfaces>'
        if loopback
        else ''
    )
    allow = '' if multicast else '<AllowMulticast>false</AllowMulticast>'
    peer_list = ''.join(f'<Peer address="{html.escape(peer)}"/>' for peer in peers)
    return (
        '<CycloneDDS><Domain>'
        f'<General>{interface}{allow}{DATAGRAMS if loopback else ""}</General>'
        '<Discovery><ParticipantIndex>auto</ParticipantIndex>'
        f'<MaxAutoParticipantIndex>{MAX_PARTICIPANTS}</MaxAutoParticipantIndex>'
        f'<Peers>{peer_list}</Peers></Discovery>'
        f'<Internal>{TRANSFER}<WriterLingerDuration>{LINGER}</WriterLingerDuration></Internal>'
        '</Domain></CycloneDDS>'
    )
