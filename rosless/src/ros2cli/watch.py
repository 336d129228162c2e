"""Follow a topic and report on it once a second, as ``hz``, ``bw`` and ``delay`` do."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import time
from typing import Any

from ros2cli import qos
from ros2cli.graph import absolute
from ros2cli.graph import types_of_topic
from ros2cli.graph import wait_until
from ros2cli.values import load
from rosidl_runtime_py.utilities import get_message

REPORT_INTERVAL = 1.0  # s
SLICE = 0.2  # s: how long Ctrl-C may have to wait at most


def message_class(node: Any, topic_name: str) -> Any:
    """Return the class of the messages of a topic, waiting until somebody has the topic."""
    topic = absolute(topic_name)
    types = types_of_topic(node, topic)
    if not types:
        print(f'WARNING: topic [{topic_name}] does not appear to be published yet')
    while not types:
        types = types_of_topic(node, topic, 1.0)
    return load(get_message, types[0], 'message')


def subscribe(node: Any, kind: Any, topic_name: str, on_message: Callable[[Any], None],
              *, raw: bool) -> None:
    """Subscribe with a quality of service that gets data from all publishers."""
    topic = absolute(topic_name)
    infos = wait_until(lambda: node.get_publishers_info_by_topic(topic), 0.5)
    node.create_subscription(kind, topic, on_message, qos.to_suit_publishers(infos), raw=raw)


def report_regularly(node: Any, report: Callable[[], str]) -> None:
    """Spin, and print a text once a second unless it is empty."""
    import rclpy

    due = time.monotonic() + REPORT_INTERVAL
    while rclpy.ok():
        rclpy.spin_once(node, timeout_sec=max(0.0, min(due - time.monotonic(), SLICE)))
        if time.monotonic() >= due:
            due += REPORT_INTERVAL
            text = report()
            if text:
                print(text)


def positive(text: str) -> int:
    """Return a number of messages from the command line."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value <= 0:
        raise argparse.ArgumentTypeError('value must be a positive integer')
    return value
