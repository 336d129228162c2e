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
Bags: what the three commands share, and between rclpy and the PyPI package `rosbags`.

They are written as version 8 of rosbag2's format: Humble reads it, since the profiles of a topic
stand in it as text, and so do the newer releases. (Version 9 has them as YAML.)

"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import contextlib
from pathlib import Path
import signal
from types import FrameType
from typing import Any, Literal

from ros2cli.bag_process import BagError
from ros2cli.bag_process import BagTopic
from ros2cli.bag_process import BoundedBag
from ros2cli.command.interface.show import message_of_field
from rosless.interfaces import interface_text
from rosless.interfaces import split_name

VERSION: Literal[8] = 8
STORAGES = ('sqlite3', 'mcap')  # the first is Humble's own, which every release reads
SEPARATOR = '\n' + '=' * 80 + '\nMSG: '
NANO = 10 ** 9
NO_HASH = 'RIHS01_' + 64 * '0'
FOREVER = 2 ** 63 - 1  # ns
LONGEST = 300  # characters of names that are shown
DEPTH = 10  # of publishers that play, as rosbag2 has it
DURATIONS = ('deadline', 'lifespan', 'liveliness_lease_duration')
SAME = ('reliability', 'durability', 'liveliness', *DURATIONS)  # history does not divide peers


def need_rosbags() -> None:
    """
    Check that the package is there.

    Raises
    ------
    RuntimeError
        If not.

    """
    try:
        import rosbags.rosbag2  # noqa: F401
    except ImportError as error:
        raise RuntimeError(f'ros2 bag needs the PyPI package rosbags ({error}): '
                           'pip install rosbags') from None


@contextlib.contextmanager
def opened(path: str) -> Iterator[BoundedBag]:
    """
    Open a bag, a folder or one of its files.

    Raises
    ------
    RuntimeError
        If there is none, or it cannot be read.

    """
    need_rosbags()
    if not Path(path).exists():
        raise RuntimeError(f"Bag path '{path}' does not exist!")
    with contextlib.ExitStack() as stack:
        try:
            bag = stack.enter_context(BoundedBag(Path(path)))
        except BagError as error:
            raise RuntimeError(f"Bag '{path}' cannot be read: {error}") from None
        yield bag


def messages(
    bag: BoundedBag, connections: Sequence[BagTopic], start: int | None = None,
) -> Iterator[tuple[BagTopic, int, bytes]]:
    """
    Yield topic, time [ns] and octets of the messages of an open bag, in the order of time.

    Raises
    ------
    RuntimeError
        If the file is damaged.

    """
    try:
        yield from bag.messages(connections, start=start)
    except BagError as error:
        raise RuntimeError(f"Bag '{bag.path}' is damaged: {error}") from None


@contextlib.contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Let SIGINT and SIGTERM end a command in good order; gives what tells whether one came."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def definition(type_name: str) -> str:
    """
    Return the definition of a message with those of its fields, as bags keep it.

    Raises
    ------
    rosless.idl.errors.InterfaceError
        If a message has no file: those of services and actions.

    """
    texts: dict[str, str] = {}
    waiting = [type_name]
    while waiting:
        name = waiting.pop(0)
        if name not in texts:
            texts[name] = interface_text(name)
            fields = (message_of_field(line, split_name(name)[0])
                      for line in texts[name].splitlines())
            waiting += filter(None, fields)
    first, *rest = texts
    return texts[first] + ''.join(
        f"{SEPARATOR}{name.replace('/msg/', '/')}\n{texts[name]}" for name in rest)


def type_hash(type_name: str, text: str) -> str:
    """Return the hash of a message, ``RIHS01_...``, from its definition; zeros if unknown."""
    from rosbags.typesys import get_types_from_msg
    from rosbags.typesys import get_typestore
    from rosbags.typesys import Stores

    store = get_typestore(Stores.EMPTY)
    try:
        store.register(get_types_from_msg(text, type_name))
        return str(store.hash_rihs01(type_name))
    except Exception:  # it knows no wstring, for one; no reason not to record
        return NO_HASH


def profile_to_bag(profile: Any) -> Any:
    """Return a `QoSProfile` as `rosbags.interfaces.Qos`."""
    from rosbags import interfaces

    times = [interfaces.QosTime(*divmod(getattr(profile, name).nanoseconds, NANO))
             for name in DURATIONS]
    return interfaces.Qos(
        interfaces.QosHistory(int(profile.history)), profile.depth,
        interfaces.QosReliability(int(profile.reliability)),
        interfaces.QosDurability(int(profile.durability)), times[0], times[1],
        interfaces.QosLiveliness(int(profile.liveliness)), times[2],
        bool(profile.avoid_ros_namespace_conventions))


def profile_to_play(offered: Sequence[Any]) -> Any | None:
    """
    Return the profile to publish with, as rosbag2 chooses it.

    Parameters
    ----------
    offered : sequence of rosbags.interfaces.Qos
        Of those who published while it was recorded.

    Returns
    -------
    QoSProfile or None
        None if they differ.

    Raises
    ------
    ValueError
        If it has a policy that is not known here, or a duration below zero.

    """
    from rclpy.duration import Duration
    from rclpy.qos import DurabilityPolicy
    from rclpy.qos import LivelinessPolicy
    from rclpy.qos import QoSProfile
    from rclpy.qos import ReliabilityPolicy

    if not offered:
        return QoSProfile(depth=DEPTH)
    first = offered[0]
    if any(getattr(other, name) != getattr(first, name) for other in offered for name in SAME):
        return None
    times = {}
    for name in DURATIONS:
        length = getattr(first, name).sec * NANO + getattr(first, name).nsec
        if length < 0:
            raise ValueError(f'{name} is {length} ns')
        times[name] = Duration(nanoseconds=min(length, FOREVER))
    return QoSProfile(
        depth=DEPTH, reliability=ReliabilityPolicy(first.reliability.value),
        durability=DurabilityPolicy(first.durability.value),
        liveliness=LivelinessPolicy(first.liveliness.value), **times)


def plain(text: str) -> str:
    """Return a text of a bag on one line, cut, with a code for what steers a terminal."""
    shown = text if len(text) <= LONGEST else f'{text[:LONGEST]}...'
    return ''.join(one if one.isprintable() else f'\\x{ord(one):02x}' for one in shown)
