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

"""Whatever plain data a task is made of, the answer is a task or one clear line."""

import copy
import datetime
import math

from hypothesis import given, HealthCheck, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import constraints_from_data, controller_for, path_from_data, Task
from mbd_ros.control.constraints.constraint_data import KINDS, SURFACES
from mbd_ros.control.references.path_data import KINDS as PATHS
from mbd_ros.control.tasks.task import next_task, READERS, TASKS
from mbd_ros.errors import InvalidValueError, MbdError, ShapeError, UnknownNameError

LONGEST = 2000
"""Characters of a message: two values, the allowed ones, and up to fifty names."""


def deep(levels, value=0.0):
    """Return lists within lists."""
    for _ in range(levels):
        value = [value]
    return value


CYCLE = []
CYCLE.append(CYCLE)
LINE = {'kind': 'line', 'start': [1.0, 0.0, 1.0], 'end': [1.0, 0.2, 1.0], 'duration': 2.0}
TASK = {'link': 'tool', 'path': LINE}
AXIS = {'axis': [1, 0, 0]}
VALID = [
    TASK, TASKS['three_link_arm'],
    {**TASK, 'start': 'approach', 'start_positions': [0.1, -0.8, 1.6], 'posture': [0.0, 0.1, 0.2],
     'posture_stiffness': [3.0],
     'actuated': ['joint1', 'joint2', 'joint3'], 'metric': 'euclidean', 'step': 0.01},
    {**TASK, 'path': {'kind': 'circle', 'center': [1, 0, 1], 'radius': 0.2, 'normal': [1, 0, 0]}},
    {**TASK, 'path': {'kind': 'spline', 'points': [[1, 0, 1], [1, 0.2, 1], [1, 0.2, 1.2]],
                      'duration': 3.0, 'closed': True}},
    {**TASK, 'path': {'kind': 'lissajous', 'center': [1, 0, 1], 'amplitude': [0, 0.1, 0.1],
                      'turns': [1, 1, 2], 'phase': [0, 0, 0]}},
    *({'constraints': [part]} for part in (
        {'kind': 'tool_position', 'link': 'tool', 'path': LINE, 'axes': 'xz', 'point': [0, 0, 0]},
        {'kind': 'tool_orientation', 'link': 'tool', 'orientation': [0, 0, 0, 1]},
        {'kind': 'tool_pose', 'link': 'tool', 'path': LINE,
         'orientation': {'start': [0, 0, 0, 1], 'end': [0, 0, 1, 1], 'duration': 1.0}},
        {'kind': 'tool_direction', 'link': 'tool', 'direction': [0, 0, 1], **AXIS},
        {'kind': 'on_surface', 'link': 'tool', 'surfaces': [
            {'kind': 'plane', 'point': [0, 0, 1], 'normal': [0, 0, 1]},
            {'kind': 'sphere', 'center': [0, 0, 1], 'radius': 1.0},
            {'kind': 'cylinder', 'point': [0, 0, 1], 'axis': [0, 0, 1], 'radius': 1.0}]},
        {'kind': 'joint_path', 'joints': ['joint1'], 'times': [0.0, 1.0],
         'positions': [[0.0], [0.5]], 'velocities': [[0.0], [0.0]],
         'accelerations': [[0.0], [0.0]]},
        {'kind': 'joint_coupling', 'coefficients': {'joint1': 1.0, 'joint2': -1}, 'value': 0.1},
        {'kind': 'joint_speed', 'coefficients': {'joint1': 1.0}, 'value': 0.1},
        {'kind': 'no_sideslip', 'link': 'tool', **AXIS})),
]
JUNK = [
    None, True, False, 0, -1, 3, 10**400, -10**5000, 1e300, -1e-300, math.nan, math.inf, 1j,
    'tool', 'none', '', 'x' * 5000, 'two\nlines', '1.0', b'bytes', datetime.date(2001, 2, 3),
    datetime.datetime(2001, 2, 3), [], {}, [[]], [None], ['1', '2', '3'], [1, 2], [[1, 2], [3]],
    [1.0, math.nan, 0.0], [True, False, True], [0, 0, 0], {'kind': 'line'}, {1: 2}, {None: None},
    {'kind': ['line']}, deep(5), deep(100), set(), object(), np.nan,
    np.zeros(3), np.zeros((2, 3)), np.array([None, 1]), np.array(['a']), [10**400] * 3,
    ['joint1'] * 2, ['joint1'] * 100, [{}] * 100, list(range(200_000)), deep(100_000), CYCLE,
]
KEYS = sorted({*READERS, *KINDS, *PATHS, *SURFACES, 'kind', *(
    name for kinds in (KINDS, PATHS, SURFACES) for kind in kinds.values()
    for name in (*kind.needed, *kind.optional))})


@pytest.fixture(scope='module')
def arm(three_link_arm):
    return mbd_ros.compile(three_link_arm)


@pytest.fixture(scope='module')
def three_link_arm():
    return mbd_ros.load('urdf/three_link_arm.urdf')


def answer(make, *arguments):
    """Return what a call gives, or its message, which is one line and not too long."""
    try:
        return make(*arguments)
    except MbdError as error:
        message = str(error)
        assert message.isprintable() and len(message) < LONGEST, message
        return message


def places(data, way=()):
    """Return the ways to all values within nested data."""
    yield way
    items = data.items() if isinstance(data, dict) else (
        enumerate(data) if isinstance(data, list) else ())
    for key, value in items:
        yield from places(value, (*way, key))


def replaced(data, way, value):
    """Return a copy of nested data with another value at a place."""
    if not way:
        return value
    data = copy.deepcopy(data)
    inner = data
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return data


def carried_out(dyn, data):
    """Return nominal model and law of plain data, as a controller makes them."""
    return controller_for(dyn, Task.from_data(data))


@pytest.mark.parametrize('data', VALID)
def test_tasks_that_are_well_formed_are_carried_out(arm, data):
    assert not isinstance(carried_out(arm, data), str)


@pytest.mark.parametrize('junk', range(len(JUNK)))
def test_junk_in_place_of_any_value_gets_one_clear_line(arm, junk):
    for data in VALID:
        for way in places(data):
            answer(carried_out, arm, replaced(data, way, JUNK[junk]))


@pytest.mark.parametrize('junk', range(len(JUNK)))
def test_junk_is_refused_by_every_way_in(arm, junk):
    for make in (Task.from_data, path_from_data, lambda data: next_task(Task(), data),
                 lambda data: constraints_from_data(arm, data),
                 lambda data: constraints_from_data(arm, [data])):
        answer(make, JUNK[junk])


LEAVES = st.one_of(   # by number, since not all junk can be printed; the last is too deep to copy
    st.sampled_from(KEYS), st.integers(0, len(JUNK) - 4).map(lambda k: JUNK[k]), st.floats(),
    st.integers(), st.text(max_size=20), st.booleans(), st.none())
NESTED = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=5), max_leaves=20)


@settings(max_examples=200, deadline=None, suppress_health_check=[
    HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_nested_data_of_any_kind_get_one_clear_line(arm, data):
    base = VALID[data.draw(st.integers(0, len(VALID) - 1))]
    for _ in range(data.draw(st.integers(1, 3))):
        ways = [way for way in places(base) if way] or [()]
        way = ways[data.draw(st.integers(0, len(ways) - 1))]
        base = replaced(base, way, data.draw(NESTED))
    answer(carried_out, arm, base)


@pytest.mark.parametrize(('data', 'message'), [
    ({**TASK, 'link': datetime.date(2001, 2, 3)},
     "'link' of a task is datetime.date(2001, 2, 3); allowed: text of at most 200 characters"),
    ({**TASK, 'path': 3}, "'path' of a task is 3; allowed: a mapping of names to values"),
    ({**TASK, 'posture': 'abc'}, "'posture' of a task is 'abc'; allowed: a list of numbers"),
    ({**TASK, 'posture': deep(100_000)},
     "'posture' of a task is a value of type list that is too long to be shown; "
     'allowed: a list of numbers'),
    ({**TASK, 'step': 10**5000},
     "'step' of a task is a value of type int that is too long to be shown; allowed: a positive "
     'number, 1e-12 to 1e+12'),
    ({**TASK, 'step': 0}, "'step' of a task is 0; allowed: a positive number, 1e-12 to 1e+12"),
    ({**TASK, 'robust_rate': -1e-9},
     "'robust_rate' of a task is -1e-09; allowed: a number not below zero, at most 1e+12"),
    ({**TASK, 'constraints': 'all'},
     "'constraints' of a task is 'all'; allowed: a list of mappings, at most 64 of them"),
    ({**TASK, 'actuated': 'joint1'},
     "'actuated' of a task is 'joint1'; allowed: a list of names, at most 64 of them"),
    ({**TASK, 'path': {**LINE, 'begin': '0'}},
     "begin is '0'; allowed: a number, at most 1e+12"),
    ({**TASK, 'path': {**LINE, 'start': [1e13, 0, 0]}},
     'start is 10000000000000.0; allowed: a number, at most 1e+12'),
    ({**TASK, 'path': {**LINE, 'start': [1, 0]}}, 'start has shape (2,); allowed: (3,), three '
     'numbers'),
    ({'constraints': [3]}, "entry 0 of 'constraints' of a task is 3; allowed: a mapping of names "
     'to values'),
    ({'constraints': [{'kind': ['tool_pose']}]},
     "kind of constraint 1 is ['tool_pose']; allowed: text of at most 200 characters"),
])
def test_messages_say_what_was_found_and_what_is_allowed(arm, data, message):
    with pytest.raises((InvalidValueError, ShapeError, UnknownNameError)) as caught:
        carried_out(arm, data)
    assert str(caught.value) == message


def test_numbers_at_both_ends_of_their_range_are_taken_or_refused():
    for name, least, most in (('step', 1e-12, 1e12), ('bandwidth', 1e-12, 1e12)):
        for value in (least * 1.001, most * 0.999):
            assert getattr(Task.from_data({**TASK, name: value}), name) == value
        for value in (least * 0.999, most * 1.001, 0.0, -1.0):
            with pytest.raises(InvalidValueError):
                Task.from_data({**TASK, name: value})
    assert Task.from_data({**TASK, 'robust_rate': 0}).robust_rate == 0.0
    assert len(Task.from_data({**TASK, 'actuated': ['j'] * 64}).actuated) == 64
    with pytest.raises(InvalidValueError, match='at most 64'):
        Task.from_data({**TASK, 'actuated': ['j'] * 65})
    assert Task.from_data({**TASK, 'link': 'x' * 200}).link
    with pytest.raises(InvalidValueError, match='200 characters'):
        Task.from_data({**TASK, 'link': 'x' * 201})
