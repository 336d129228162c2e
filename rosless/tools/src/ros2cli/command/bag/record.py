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

"""``ros2 bag record``."""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path
import re
import time
from typing import Any

from ros2cli import bags
from ros2cli import qos
from ros2cli.graph import absolute
from ros2cli.graph import graph_node
from ros2cli.graph import is_hidden
from ros2cli.values import load
from ros2cli.watch import SLICE
from rosidl_runtime_py.utilities import get_message
from rosless.names import topic_from_wire

DEPTH = 1000  # messages that wait here while others are written
DELAY = 10 ** 10  # ns that a message may be on its way, most of it waiting for a busy recorder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('-a', '--all', action='store_true',
                        help='Record all topics. Required if no explicit topic list or regex '
                        'filters.')
    parser.add_argument('topics', nargs='*', default=[], help='List of topics to record.')
    parser.add_argument('--topics', nargs='+', default=[], dest='more', metavar='TOPIC',
                        help='The same, as newer releases write it.')
    parser.add_argument('-e', '--regex', default='',
                        help='Record only topics containing provided regular expression. '
                        'Overrides --all, applies on top of topics list.')
    parser.add_argument('-x', '--exclude', default='',
                        help='Exclude topics containing provided regular expression. Works on '
                        'top of --all, --regex, or topics list.')
    parser.add_argument('--include-unpublished-topics', action='store_true',
                        help='Discover and record topics which have no publisher.')
    parser.add_argument('--include-hidden-topics', action='store_true',
                        help='Discover and record hidden topics as well.')
    parser.add_argument('-o', '--output',
                        help='Destination of the bagfile to create, defaults to a timestamped '
                        'folder in the current directory.')
    parser.add_argument('-s', '--storage', choices=bags.STORAGES, default=bags.STORAGES[0],
                        help=f"Storage identifier to be used, defaults to '{bags.STORAGES[0]}'.")
    parser.add_argument('-f', '--serialization-format', choices=('cdr',), default='cdr',
                        help='The serialization format in which the messages are saved.')
    parser.add_argument('--no-discovery', action='store_true',
                        help='Disables topic auto discovery during recording: only topics '
                        'present at startup will be recorded.')
    parser.add_argument('-p', '--polling-interval', type=int, default=100,
                        help='Time in ms to wait between querying available topics for '
                        'recording. It has no effect if --no-discovery is enabled.')
    parser.add_argument('--use-sim-time', action='store_true',
                        help='Use simulation time for message timestamps by subscribing to the '
                        '/clock topic. Until first /clock message is received, no messages will '
                        'be written to bag.')


def main(args: argparse.Namespace) -> str | None:
    """Record topics until Ctrl-C."""
    bags.need_rosbags()
    args.topics = [absolute(name) for name in (*args.topics, *args.more)]
    if not (args.all or args.topics or args.regex):
        return ('Invalid choice: Must specify topic(s) or one of --all, --regex to record')
    try:
        patterns = re.compile(args.regex), re.compile(args.exclude)
    except re.error as error:
        return f'Invalid regular expression: {error}'
    path = Path(args.output or datetime.datetime.now().strftime('rosbag2_%Y_%m_%d-%H_%M_%S'))
    if path.exists():
        return f"Output folder '{path}' already exists."
    with bags.until_interrupted() as interrupted, graph_node(
            args, 'rosbag2_recorder', own_signals=True) as node:
        from rclpy.executors import SingleThreadedExecutor

        recorder = Recorder(node, path, args, patterns)
        try:
            executor = SingleThreadedExecutor()
            executor.add_node(node)
            while not interrupted():
                executor.spin_once(timeout_sec=SLICE)
        finally:
            recorder.close()
    return None


class Recorder:
    """
    Subscribes to what is wanted as soon as it appears, and writes what comes.

    Parameters
    ----------
    node : Node
        The node that subscribes.
    path : Path
        Folder to make.
    args : argparse.Namespace
        What the user wants.
    patterns : tuple of re.Pattern
        Of the topics to record and to leave out.

    Raises
    ------
    RuntimeError
        If the folder cannot be made.

    """

    def __init__(self, node: Any, path: Path, args: argparse.Namespace,
                 patterns: tuple[re.Pattern[str], re.Pattern[str]]) -> None:
        from rclpy.clock import Clock
        from rclpy.clock import ClockType
        from rosbags.rosbag2 import StoragePlugin
        from rosbags.rosbag2 import Writer

        self._node, self._args, self._patterns = node, args, patterns
        self._seen: set[str] = set()
        self._lost: dict[str, int] = {}
        self._connections: dict[str, Any] = {}
        self._times = Times(time.time_ns())
        self._log = node.get_logger()
        self._writer = Writer(path, version=bags.VERSION,
                              storage_plugin=StoragePlugin[args.storage.upper()])
        try:
            self._writer.open()
        except OSError as error:
            raise RuntimeError(f"'{path}' cannot be written: {error.strerror}") from None
        self._log.info('Listening for topics...')
        self._timer = node.create_timer(
            args.polling_interval / 1000.0, self._look,
            clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Complete the bag, and say what it lacks."""
        self._writer.close()
        if self._lost:
            worst = max(self._lost, key=self._lost.__getitem__)
            self._log.warning(
                f'{sum(self._lost.values())} messages were lost on their way, most of them, '
                f"{self._lost[worst]}, of '{worst}': record fewer topics, or on a machine that is "
                'less busy')

    def _look(self) -> None:
        """Subscribe to what is new, and then, as hashes take time, enter it in the bag."""
        entries = []
        if self._args.no_discovery:
            self._timer.cancel()
        # One look at who publishes; more only where something is new: each costs milliseconds.
        new = {topic for topic in self._offered() - self._seen if self._is_wanted(topic)}
        every = self._node.get_topic_names_and_types() if new else []
        for topic, types in every:
            if topic not in new:
                continue
            infos = self._node.get_publishers_info_by_topic(topic)
            if infos or self._args.include_unpublished_topics:
                self._seen.add(topic)
                text = self._subscribe(topic, types, infos)
                if text is not None:
                    entries.append((topic, types[0], text, infos))
        for topic, kind, text, infos in entries:
            self._connections[topic] = self._writer.add_connection(
                topic, kind, msgdef=text, rihs01=bags.type_hash(kind, text),
                offered_qos_profiles=[bags.profile_to_bag(info.qos_profile) for info in infos])
        if self._args.topics and not self._timer.is_canceled() and (
                set(self._args.topics) <= self._seen and not self._args.regex):
            self._log.info('All requested topics are subscribed. Stopping discovery...')
            self._timer.cancel()

    def _offered(self) -> set[str]:
        """Return the topics that can be recorded: those with a publisher, or all if asked for."""
        if self._args.include_unpublished_topics:
            return {topic for topic, _ in self._node.get_topic_names_and_types()}
        writers = self._node.context.graph.writers()
        return {topic for topic in (topic_from_wire(one.topic) for one in writers) if topic}

    def _is_wanted(self, topic: str) -> bool:
        args, (wanted, unwanted) = self._args, self._patterns
        if args.exclude and unwanted.search(topic):
            return False
        if args.topics:
            return topic in args.topics or bool(args.regex and wanted.search(topic))
        if is_hidden(topic) and not args.include_hidden_topics:
            return False
        return bool(wanted.search(topic))

    def _subscribe(self, topic: str, types: list[str], infos: list[Any]) -> str | None:
        """Subscribe to a topic; return the definition of its messages, None if that fails."""
        if len(types) > 1:
            self._log.warning(f"Topic '{topic}' has several types associated. Only topics with "
                              'one type are supported')
            return None
        try:
            kind = load(get_message, types[0], 'message')
            text = bags.definition(types[0])
        except Exception as error:
            self._log.warning(f"Topic '{topic}' has unknown type '{types[0]}'. Only topics with "
                              f'known type are supported. Reason: {error}')
            return None
        from rclpy.event_handler import SubscriptionEventCallbacks

        profile = qos.to_suit_publishers(infos)
        profile.depth = DEPTH

        def keep(data: bytes, stamps: dict[str, int]) -> None:
            at = self._times.when(topic, stamps['source_timestamp'], stamps['received_timestamp'])
            if self._args.use_sim_time:
                at = self._node.get_clock().now().nanoseconds
            if at:
                self._writer.write(self._connections[topic], at, data)

        def lose(event: Any) -> None:
            self._lost[topic] = event.total_count

        self._node.create_subscription(
            kind, topic, keep, profile, raw=True,
            event_callbacks=SubscriptionEventCallbacks(message_lost=lose))
        self._log.info(f"Subscribed to topic '{topic}'")
        return text


class Times:
    """
    Times of messages in a bag.

    Parameters
    ----------
    begin : int
        When the recorder began [ns].

    """

    def __init__(self, begin: int) -> None:
        self._begin = begin
        self._newest: dict[str, int] = {}

    def when(self, topic: str, sent: int, received: int) -> int:
        """
        Return the time [ns] of the next message of a topic in the bag.

        That it was sent at, so that a busy recorder does not blur what is played; that it came at
        if it was sent before the begin, as a latched one, by a clock that differs, or before the
        time of the one before; always later than that.

        """
        newest = self._newest.get(topic, 0)
        known = max(self._begin, received - DELAY, newest) < sent <= received
        found = sent if known else max(received, newest + 1)
        self._newest[topic] = found
        return found
