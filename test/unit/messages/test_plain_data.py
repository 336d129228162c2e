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

"""Texts of goals and parameters: plain values, bounded, every fault in one clear line."""

import time

from fuzz_tasks import run
from mbd_msgs.action import FollowPath
import pytest

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.task import motion_for
from mbd_ros.errors import InvalidValueError, MbdError
from mbd_ros.messages.fields.plain_data import LONGEST, read_plain
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.trajectories.path_goals import read_task


def test_scalars_are_numbers_truths_or_text():
    found = read_plain('task', '{a: 1, b: -2.5e-3, c: [true, false, null, ~], d: 2001-01-01, e: '
                               "1:30, f: '3', g: yes, h: .nan, i: 0x1F, j: \"true\", k: +.5, l: }")
    assert found == {'a': 1.0, 'b': -0.0025, 'c': [True, False, None, None], 'd': '2001-01-01',
                     'e': '1:30', 'f': '3', 'g': 'yes', 'h': '.nan', 'i': '0x1F', 'j': 'true',
                     'k': 0.5, 'l': None}
    assert read_plain('task', '') is read_plain('task', ' \n') is None


@pytest.mark.parametrize(('text', 'allowed'), [
    ('[' * 40, 'at most 16 levels deep; task:1: this is nested deeper than 16 levels'),
    ('{a: &x 1, b: *x}', r"task:1: the alias '\*x' is not allowed"),
    ('a: 1\nb: !!python/name:os.system x', "task:2: the tag 'tag:yaml.org,2002:python/name:os"),
    ('{a: 1, a: 2}', "task:1: 'a' is given twice"),
    ('--- 1\n--- 2', 'task:2: a second document begins'),
    ('{a: [1, }', 'task:1: this is not well-formed YAML'),
    ('a: \x00', 'this is not well-formed YAML'),
])
def test_what_is_not_plain_is_refused_with_its_line(text, allowed):
    with pytest.raises(InvalidValueError, match='allowed: YAML of plain values.*' + allowed):
        read_plain('task', text)


def test_a_text_of_the_greatest_length_is_read_at_once():
    text = '[' + '[0, 0], ' * (LONGEST // 8 - 1) + ']'
    begin = time.thread_time()
    assert len(read_plain('task', text)) == LONGEST // 8 - 1
    assert time.thread_time() - begin < 10.0   # s, of the processor; 0.2 on a quiet machine
    with pytest.raises(InvalidValueError, match=f'at most {LONGEST} characters'):
        read_plain('task', text + ' ' * 100)


@pytest.mark.parametrize(('text', 'message'), [
    ('{link: 2001-99-99}', 'allowed: also with path'),
    ('{path: 3}', "'path' of a task is 3.0; allowed: a mapping"),
    ('{posture: abc}', "posture is 'abc'; allowed"),
    ('{posture: [1, 2]}', r'posture has shape \(2,\)'),
    ('{link: ' + '[' * 1000, 'at most 16 levels deep'),   # PyYAML since 6.0.4, or we
    ('{path: {kind: circle, center: [0, 0, 0], normal: [0, 0, 1], radius: ' + '9' * 5000 + '}}',
     "radius is '999"),
    ('3', 'task is .3.; allowed: a mapping in YAML'),
    ('', 'allowed: a mapping in YAML'),
])
def test_tasks_that_ended_the_controller_are_refused(model, text, message):
    base = Task.from_data({'link': 'tool', 'path': {
        'kind': 'line', 'start': [1, 0, 1], 'end': [1, 1, 1], 'duration': 1}})
    with pytest.raises(MbdError, match=message) as caught:
        motion_for(mbd_ros.compile(model), read_task(
            FollowPath.Goal(task=text), base, EffortCommands(model, ())))
    assert '\n' not in str(caught.value)


def test_no_text_of_a_task_does_harm():
    assert run(150, 20261122) == (150, [])
