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

"""``ros2 bag play``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import sys
import time
from typing import Any

from ros2cli import bags
from ros2cli.graph import absolute
from ros2cli.graph import graph_node
from ros2cli.values import load
from ros2cli.watch import SLICE
from rosidl_runtime_py.utilities import get_message

LAST = 1.0  # s at most for subscriptions to get the last messages before the publishers go
CLOCK = '/clock'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('bag_path', help='Bag to open')
    parser.add_argument('-s', '--storage', choices=bags.STORAGES,
                        help='Storage implementation of bag. By default attempts to detect '
                        'automatically - use this argument to override.')
    parser.add_argument('--read-ahead-queue-size', type=int, default=1000,
                        help='Accepted for compatibility: messages are read as they are played')
    parser.add_argument('-r', '--rate', type=_positive, default=1.0,
                        help='rate at which to play back messages. Valid range > 0.0.')
    parser.add_argument('--topics', default=[], nargs='+',
                        help='topics to replay, separated by space. If none specified, all '
                        'topics will be replayed.')
    parser.add_argument('-l', '--loop', action='store_true',
                        help='enables loop playback when playing a bagfile: it starts back at '
                        'the beginning on reaching the end and plays indefinitely.')
    parser.add_argument('--remap', '-m', default=[], nargs='+',
                        help='list of topics to be remapped: in the form '
                        '"old_topic1:=new_topic1 old_topic2:=new_topic2 etc." ')
    parser.add_argument('--clock', type=_positive, nargs='?', const=40.0, default=0.0,
                        help='Publish to /clock at a specific frequency in Hz, to act as a ROS '
                        'Time Source. Value must be positive. Defaults to not publishing.')
    parser.add_argument('-d', '--delay', type=_positive, default=0.0,
                        help='Sleep duration before play (each loop), in seconds.')
    parser.add_argument('--disable-keyboard-controls', action='store_true',
                        help='Accepted for compatibility: there are none')
    parser.add_argument('--start-offset', type=_not_negative, default=0.0,
                        help='Start the playback player this many seconds into the bag file.')


def main(args: argparse.Namespace) -> str | None:
    """Publish what a bag holds, as it was published."""
    with bags.opened(args.bag_path) as reader, bags.until_interrupted() as interrupted:
        wanted = {absolute(name) for name in args.topics}
        missing = wanted - {connection.topic for connection in reader.connections}
        if missing:
            return f"Bag '{args.bag_path}' has no topic {', '.join(sorted(missing))}"
        chosen = [connection for connection in reader.connections
                  if (not wanted or connection.topic in wanted)
                  and not (args.clock and connection.topic == CLOCK)]
        with graph_node(args, 'rosbag2_player', own_signals=True) as node:
            Player(node, reader, chosen, args, interrupted).play()
    return None


class Player:
    """
    Publishes the messages of a bag in their time.

    Parameters
    ----------
    node : Node
        The node that publishes.
    reader : BoundedBag
        The bag, open.
    connections : list of BagTopic
        The topics to play.
    args : argparse.Namespace
        What the user wants.
    interrupted : callable
        Tells whether to end.

    """

    def __init__(self, node: Any, reader: Any, connections: list[Any],
                 args: argparse.Namespace, interrupted: Callable[[], bool]) -> None:
        self._reader, self._args, self._interrupted = reader, args, interrupted
        self._log = node.get_logger()
        names = _remapping(args.remap)
        self._publishers: dict[int, Any] = {}
        for connection in connections:
            publisher = self._publisher(node, connection, names)
            if publisher is not None:
                self._publishers[connection.id] = publisher
        self._connections = [each for each in connections if each.id in self._publishers]
        self._clock: Any = None
        self._next_tick = 0.0
        if args.clock:
            from rclpy.qos import QoSProfile
            from rosgraph_msgs.msg import Clock

            self._clock = node.create_publisher(Clock, CLOCK, QoSProfile(depth=bags.DEPTH))
            self._tick = Clock()

    def play(self) -> None:
        """Play once, or until it is interrupted."""
        start = min(max(self._reader.start_time + round(self._args.start_offset * bags.NANO),
                        -bags.FOREVER), bags.FOREVER)
        again = bool(self._connections and self._reader.message_count)
        while again:
            if not self._wait(time.monotonic() + self._args.delay):
                return
            if not self._play_from(start):
                return
            again = self._args.loop and start < self._reader.end_time
        from rclpy.duration import Duration

        for publisher in self._publishers.values():
            publisher.wait_for_all_acked(Duration(seconds=LAST))

    def _play_from(self, start: int) -> bool:
        """Play from a time [ns] of the bag; return whether the end was reached."""
        begin = time.monotonic()
        for connection, stamp, data in bags.messages(self._reader, self._connections, start):
            due = begin + (stamp - start) / bags.NANO / self._args.rate
            if not self._wait(due, (begin, start)):
                return False
            self._publishers[connection.id].publish(bytes(data))
        return True

    def _wait(self, due: float, origin: tuple[float, int] | None = None) -> bool:
        """
        Wait for a time, and let the clock tick meanwhile.

        Parameters
        ----------
        due : float
            Of the monotonic clock [s].
        origin : tuple, optional
            A time of the monotonic clock [s] and that of the bag [ns] then; no clock without it.

        Returns
        -------
        bool
            False if the user does not want to wait any longer.

        """
        while not self._interrupted():
            now = time.monotonic()
            until = min(due, now + SLICE)
            if self._clock is not None and origin is not None:
                if now >= self._next_tick:
                    stamp = origin[1] + round((now - origin[0]) * self._args.rate * bags.NANO)
                    seconds, self._tick.clock.nanosec = divmod(stamp, bags.NANO)
                    self._tick.clock.sec = min(max(seconds, -2 ** 31), 2 ** 31 - 1)
                    self._clock.publish(self._tick)
                    self._next_tick = max(self._next_tick, now - 1.0) + 1.0 / self._args.clock
                until = min(until, self._next_tick)
            if now >= due:
                return True
            time.sleep(max(0.0, until - time.monotonic()))
        return False

    def _publisher(self, node: Any, connection: Any, names: dict[str, str]) -> Any:
        """Return the publisher of a topic; None if its type is not known here."""
        from rclpy.qos import QoSProfile

        name = names.get(connection.topic, connection.topic)
        topic = bags.plain(name)
        try:
            profile = bags.profile_to_play(connection.offered_qos_profiles)
        except ValueError as error:
            self._log.warning(f"The QoS profile of topic '{topic}' cannot be offered: {error}. "
                              'Falling back to the default publisher offer.')
            profile = QoSProfile(depth=bags.DEPTH)
        if profile is None:
            self._log.warning(
                f"Not all original publishers on topic '{topic}' offered the same QoS profiles. "
                'Falling back to the default publisher offer.')
            profile = QoSProfile(depth=bags.DEPTH)
        try:
            kind = load(get_message, connection.msgtype, 'message')
            return node.create_publisher(kind, name, profile)
        except Exception as error:  # of names and types, which a bag may have of any kind
            self._log.warning(f"Ignoring a topic '{topic}', reason: {bags.plain(str(error))}.")
            return None


def _remapping(rules: list[str]) -> dict[str, str]:
    """Return the new names of topics by the old ones."""
    found = {}
    for rule in rules:
        old, sign, new = rule.partition(':=')
        if not (old and sign and new):
            raise RuntimeError(f"Invalid remapping '{rule}', expected old_topic:=new_topic")
        found[absolute(old)] = absolute(new)
    return found


def _positive(text: str) -> float:
    value = _not_negative(text)
    if value == 0.0:
        raise argparse.ArgumentTypeError(f'{text} is not in the valid range (> 0.0)')
    return value


def _not_negative(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0.0 <= value <= sys.float_info.max:
        raise argparse.ArgumentTypeError(f'{text} is not in the valid range (>= 0.0)')
    return value
