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

"""Large messages are read beside the callbacks, in their order, within bounds."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from mbd_ros.errors import MbdError
from mbd_ros.messages.fields.message_size import Limits
from mbd_ros.nodes.every_node.large_messages import LargeMessages

LIMITS = Limits(octets=2000, small=100)
MOST_WAITING = LIMITS.waiting
SHORT, LONG = 'a', 'x' * 500


def node():
    """Return a node whose guard conditions run when the test says so."""
    one = SimpleNamespace(refused=[], due=[])

    def wrap(name, callback):
        def guarded(*arguments):
            try:
                return callback(*arguments)
            except MbdError as error:
                one.refused.append(str(error))
        return guarded

    def create_guard_condition(callback, group):
        one.group = group
        return SimpleNamespace(trigger=lambda: one.due.append(callback))
    one.guard = SimpleNamespace(wrap=wrap)
    one.create_guard_condition = create_guard_condition
    return one


def hearing(one, prepare=None, heard=None):
    """Return what hears texts, and what was heard."""
    heard = [] if heard is None else heard
    messages = LargeMessages(one, 'topic', String, lambda message: heard.append(message.data),
                             LIMITS, 'group', prepare)
    callback = messages.callback()
    return lambda text: callback(serialize_message(String(data=text))), heard


def run(one, count):
    """Wait until so many messages have been read and hand them on."""
    end = time.monotonic() + 30.0
    while len(one.due) < count:
        assert time.monotonic() < end
        time.sleep(1e-3)
    while one.due:
        one.due.pop()()


def test_small_messages_are_read_where_they_are_used():
    one = node()
    hear, heard = hearing(one)
    hear(SHORT)
    assert heard == [SHORT] and not one.due


def test_the_order_stays_whatever_is_large():
    one = node()
    go_on = threading.Event()

    def prepare(message):
        assert go_on.wait(30.0)
        return message
    hear, heard = hearing(one, prepare)
    for text in (LONG, SHORT, f'{LONG}1', 'b'):
        hear(text)
    assert heard == []
    go_on.set()
    run(one, 4)
    assert heard == [LONG, SHORT, f'{LONG}1', 'b'] and one.group == 'group'
    hear('c')
    assert heard[-1] == 'c'   # at once again


def test_what_waits_is_bounded_and_the_newest_stays():
    one = node()
    go_on = threading.Event()

    def prepare(message):
        assert go_on.wait(30.0)
        return message
    hear, heard = hearing(one, prepare)
    hear(LONG)
    for k in range(3 * MOST_WAITING):
        hear(str(k))
    go_on.set()
    run(one, 1 + MOST_WAITING)
    assert heard in ([LONG, *map(str, range(2 * MOST_WAITING, 3 * MOST_WAITING))],
                     [*map(str, range(2 * MOST_WAITING, 3 * MOST_WAITING))])   # it had not begun
    hear('again')
    assert heard[-1] == 'again'


@pytest.mark.parametrize(('text', 'said'), [
    ('x' * 3000, 'a message with 3012 octets; allowed: 2000'), ('y' * 200, 'not so')])
def test_a_refused_message_keeps_no_other(text, said):
    def prepare(message):
        if message.data.startswith('y'):
            raise MbdError('not so')
        return message
    one = node()
    hear, heard = hearing(one, prepare)
    try:
        hear(text)
    except MbdError as error:   # the guard around a subscription takes it
        one.refused.append(str(error))
    else:
        run(one, 1)
    assert one.refused == [said] and heard == []
    hear(SHORT)
    assert heard == [SHORT]
