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

"""Joints by name."""

from pathlib import Path

import pytest

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.model import load
from mbd_ros.model.names import indices, simple_joints

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'
MODEL = load(LADDER / '04_generic_axis.urdf')
FLOATING = load(LADDER / '08_floating_arms.urdf', floating_base=True)


def test_places_of_the_joints_in_a_list_of_names():
    assert indices(MODEL, ['c', 'a', 'b']) == [1, 2, 0]


def test_floating_joints_are_not_named():
    assert simple_joints(FLOATING) == ('shoulder_left', 'elbow_left', 'shoulder_right')
    assert indices(FLOATING, ['shoulder_right', 'shoulder_left', 'elbow_left']) == [1, 2, 0]


@pytest.mark.parametrize(('names', 'error', 'message'), [
    (['a', 'b', 'd'], UnknownNameError, "there is no joint named 'd'; known: a, b, c"),
    (['a', 'b', 'a'], InvalidValueError,
     "joint_names is ['a', 'b', 'a']; allowed: each joint once; 'a' is there twice"),
    (['a', 'c'], InvalidValueError, "joint_names is ['a', 'c']; allowed: all joints; missing: b"),
    ([], InvalidValueError, 'joint_names is []; allowed: all joints; missing: a, b, c'),
])
def test_names_that_do_not_fit(names, error, message):
    with pytest.raises(error) as caught:
        indices(MODEL, names)
    assert str(caught.value) == message


def test_a_floating_joint_has_no_single_value():
    names = [*simple_joints(FLOATING), 'floating_base']
    with pytest.raises(InvalidValueError, match='joints with one coordinate, not floating_base'):
        indices(FLOATING, names)
