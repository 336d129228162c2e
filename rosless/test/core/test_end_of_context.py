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

"""A context that ends amid the calls of others: at any moment, for whatever is being done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import random
import subprocess
import sys
import threading
from types import FrameType
from typing import Any

import pytest

MOMENTS = 25   # of each kind, drawn from the lines that run
PATIENCE = 0.02   # s; the end waits for who holds a lock, then for us: it ends after the call


class EndAmid:
    """Ends a context, from another thread, before a line of rclpy or rosless is run."""

    def __init__(self, context: Any, line: int | None) -> None:
        self.lines = 0
        self._line = line
        self._ending = threading.Thread(target=context.try_shutdown)

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        """Count lines; what `sys.settrace` wants."""
        if not frame.f_globals.get('__name__', '').startswith(('rclpy', 'rosless')):
            return None
        if event == 'line':
            if self.lines == self._line:
                self._ending.start()
                self._ending.join(PATIENCE)
            self.lines += 1
        return self

    def __enter__(self) -> EndAmid:
        self._before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        if self._ending.ident is not None:
            self._ending.join(60.0)
            assert not self._ending.is_alive()


def _populate(node: Any) -> list[Any]:
    from example_interfaces.action import Fibonacci
    from example_interfaces.srv import AddTwoInts
    from rclpy.action import ActionClient, ActionServer
    from std_msgs.msg import String

    node.create_guard_condition(lambda: None)
    node.create_rate(10.0)
    return [
        node.create_publisher(String, 'topic', 1),
        node.create_subscription(String, 'topic', lambda message: None, 1),
        node.create_service(AddTwoInts, 'service', lambda request, response: response),
        node.create_client(AddTwoInts, 'service'),
        node.create_timer(1.0, lambda: None),
        ActionServer(node, Fibonacci, 'fibonacci', lambda goal: Fibonacci.Result()),
        ActionClient(node, Fibonacci, 'fibonacci'),
    ]


def _destroy_node(node: Any, entities: list[Any]) -> None:
    node.destroy_node()


def _destroy_each(node: Any, entities: list[Any]) -> None:
    for entity in entities:
        entity.destroy()


def _run(action: Any, line: int | None) -> int:
    """Return how many lines of ours the action takes, when the context ends at one of them."""
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node

    context = Context()
    context.init(args=[])
    try:
        node = Node('node', context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        entities = _populate(node)
        with EndAmid(context, line) as ending:
            action(node, entities)
        node.destroy_node()
        executor.shutdown()
    finally:
        context.try_shutdown()
    return ending.lines


@pytest.mark.parametrize('action', [_destroy_node, _destroy_each])
def test_what_is_destroyed_is_gone_whenever_the_context_ends(action: Any) -> None:
    lines = _run(action, None)
    assert lines > MOMENTS
    for line in sorted(random.Random(lines).sample(range(lines), MOMENTS)):
        _run(action, line)


def _calls(node: Any, entities: list[Any]) -> Iterator[Callable[[], Any]]:
    from example_interfaces.action import Fibonacci
    from example_interfaces.srv import AddTwoInts
    from rclpy.node import Node
    from std_msgs.msg import String

    publisher, _, _, client, timer, _, action_client = entities
    yield lambda: publisher.publish(String(data='text'))
    yield lambda: client.call_async(AddTwoInts.Request())
    yield lambda: client.wait_for_service(0.0)
    yield lambda: action_client.send_goal_async(Fibonacci.Goal(order=1))
    yield lambda: node.executor.spin_once(0.0)
    yield node.get_topic_names_and_types
    yield node.get_node_names
    yield lambda: node.get_publishers_info_by_topic('/topic')
    yield lambda: node.declare_parameter('parameter', 1)
    yield timer.reset
    yield lambda: _populate(node)
    yield lambda: Node('other', context=node.context)


def _use(node: Any, entities: list[Any]) -> None:
    from rclpy._rclpy_pybind11 import InvalidHandle, RCLError
    from rclpy.exceptions import NotInitializedException
    from rclpy.executors import ExternalShutdownException

    for call in _calls(node, entities):
        try:
            call()
        except (ExternalShutdownException, InvalidHandle, NotInitializedException, RCLError):
            pass


def test_whatever_is_called_fails_in_words_of_rclpy_when_the_context_ends() -> None:
    test_what_is_destroyed_is_gone_whenever_the_context_ends(_use)


STORM = """
import os, threading
from rosless.dds import participant
from rosless.dds.waiter import wake_all, Waiter

def wake():
    while True:
        wake_all()

for _ in range(2):
    threading.Thread(target=wake, daemon=True).start()
for _ in range(40):   # as a program ends, as often as that can be had in one process
    one = participant.Participant(int(os.environ.get('ROS_DOMAIN_ID', 0)))
    waiter = Waiter(one.ref)
    participant.close_all()
    participant._domains.clear()
print('alive')
"""


def test_threads_may_call_dds_while_a_program_ends() -> None:
    # As the thread of signals does at a second SIGTERM. Before the library was kept initialised
    # 9 of 12 runs of 40 ends died by SIGSEGV or SIGABRT.
    ended = subprocess.run([sys.executable, '-X', 'faulthandler', '-c', STORM],
                           capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, 'alive\n'), ended.stderr


def test_the_library_stays_initialised_when_all_participants_have_gone() -> None:
    script = ("import rclpy; rclpy.init(); rclpy.node.Node('node'); rclpy.shutdown(); "
              'from rosless.dds import library, participant; participant.close_all(); '
              'print(library.c.dds_set_guardcondition(1, True))')
    ended = subprocess.run([sys.executable, '-c', f'import rclpy.node; {script}'],
                           capture_output=True, text=True)
    # BAD_PARAMETER: there is no such entity; PRECONDITION_NOT_MET (-4) were no library
    assert (ended.returncode, ended.stdout) == (0, '-3\n'), ended.stderr
