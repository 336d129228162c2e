"""Joints by name."""

from pathlib import Path

import numpy as np
import pytest

from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError
from mbd_ros.model import load
from mbd_ros.model.names import indices, reorder, simple_joints

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'
MODEL = load(LADDER / '04_generic_axis.urdf')
FLOATING = load(LADDER / '08_floating_arms.urdf', floating_base=True)


def test_one_state():
    assert reorder(MODEL, ['c', 'a', 'b'], [3.0, 1.0, 2.0]).tolist() == [1.0, 2.0, 3.0]


def test_many_states():
    values = np.arange(6.0).reshape(2, 3)
    assert reorder(MODEL, ['b', 'c', 'a'], values).tolist() == [[2, 0, 1], [5, 3, 4]]


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
        reorder(MODEL, names, np.zeros(len(names)))
    assert str(caught.value) == message


def test_a_floating_joint_has_no_single_value():
    names = [*simple_joints(FLOATING), 'floating_base']
    with pytest.raises(InvalidValueError, match='joints with one coordinate, not floating_base'):
        reorder(FLOATING, names, np.zeros(4))


def test_values_that_do_not_fit():
    with pytest.raises(ShapeError) as caught:
        reorder(MODEL, ['a', 'b', 'c'], [1.0, 2.0], what='position')
    assert str(caught.value) == 'position has shape (2,); allowed: (3,) or (N, 3), one per name'
