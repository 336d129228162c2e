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

"""Paths: derivatives, shapes, and data that do not describe one."""

import math

import numpy as np
import pytest

from mbd_ros.control import (
    circle, Ellipse, Line, Lissajous, path_from_data, spline, trajectory)
from mbd_ros.control.references.path_data import KINDS, moved_path, place_of
from mbd_ros.errors import (
    InvalidValueError, MbdError, NotFiniteError, ShapeError, UnknownNameError)

PATHS = {
    'ellipse': Ellipse([1, 0, 1], [0.25, 0.3, 0], [0, 1, 0.5]),
    'quick ellipse': Ellipse([1, 2, 3], [0.1, 0.2, 0.3], [0.3, -0.1, 0], 1.7),
    'circle': circle([0.5, 0, 0.2], 0.3, [1, -2, 2], period=3.0),
    'line': Line([0, 0, 0], [1, -2, 0.5], 2.0, begin=0.3),
    'lissajous': Lissajous([0.5, 0, 0.2], [0.3, 0.2, 0.1], [1, 2, 3], [0, 0.5, 0], 3.0),
    'spline': spline([[0, 0, 0], [0.3, 0, 0.1], [0.3, 0.4, 0]], 2.0, begin=0.3),
    'closed spline': spline([[0, 0, 0], [0.3, 0, 0.1], [0.3, 0.4, 0]], 3.0, closed=True),
    'quintics': trajectory([0.3, 1, 2], [[0, 1], [0.2, 0], [1, 1]], [[0, 0], [1, -1], [0, 0]],
                           [[0, 0], [0, 2], [0, 0]]),
    'joint spline': trajectory([-1, 1, 3, 6], [[0, 1], [0.2, 0], [1, 1], [0, 0.5]]),
}


@pytest.mark.parametrize('name', PATHS)
@pytest.mark.parametrize('time', [0.0, 0.31, 0.9, 1.7, 2.2999, 5.0])
def test_derivatives_match_differences(name, time):
    """Velocity and acceleration are those of the position."""
    path, h = PATHS[name], 1e-4
    before, now, after = path.at(time - h), path.at(time), path.at(time + h)
    # Central differences: h^2 / 6 times third derivatives of up to 60 m/s^3; at the ends of the
    # line the third derivative jumps, which costs h times that.
    np.testing.assert_allclose(
        (after.position - before.position) / (2 * h), now.velocity, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        (after.velocity - before.velocity) / (2 * h), now.acceleration, rtol=0, atol=5e-3)


def test_paper_ellipse():
    """Section 3.4: x = 1 + 0.25 cos t, y = 0.3 cos t + sin t, z = 1 + 0.5 sin t."""
    for t in (0.0, 0.7, 4.0):
        c, s = math.cos(t), math.sin(t)
        point = PATHS['ellipse'].at(t)
        np.testing.assert_allclose(
            point.position, [1 + 0.25 * c, 0.3 * c + s, 1 + 0.5 * s], rtol=0, atol=1e-15)
        np.testing.assert_allclose(
            point.velocity, [-0.25 * s, c - 0.3 * s, 0.5 * c], rtol=0, atol=1e-15)
        np.testing.assert_allclose(
            point.acceleration, [-0.25 * c, -0.3 * c - s, -0.5 * s], rtol=0, atol=1e-15)


def test_circle_is_round_and_flat():
    """Radius, plane and sense of turning."""
    path, normal = PATHS['circle'], np.array([1, -2, 2]) / 3
    for t in np.linspace(0, 3, 7):
        point = path.at(t)
        arm = point.position - [0.5, 0, 0.2]
        assert np.linalg.norm(arm) == pytest.approx(0.3, abs=1e-15)
        assert arm @ normal == pytest.approx(0, abs=1e-15)
        assert np.cross(arm, point.velocity) @ normal > 0
    np.testing.assert_allclose(path.at(0).position, path.at(3).position, rtol=0, atol=1e-15)


def test_line_rests_at_both_ends():
    """Before the start and after the end nothing moves."""
    path = PATHS['line']
    for t, place in ((-1.0, [0, 0, 0]), (0.3, [0, 0, 0]), (2.3, [1, -2, 0.5]), (9, [1, -2, 0.5])):
        point = path.at(t)
        np.testing.assert_allclose(point.position, place, rtol=0, atol=1e-14)
        np.testing.assert_allclose(point.velocity, 0, atol=1e-14)
        np.testing.assert_allclose(point.acceleration, 0, atol=1e-14)


def test_from_data_gives_the_same_paths():
    """What a parameter file holds."""
    pairs = [
        ({'kind': 'ellipse', 'center': [1, 0, 1], 'a': [0.25, 0.3, 0], 'b': [0, 1, 0.5]},
         PATHS['ellipse']),
        ({'kind': 'circle', 'center': [0.5, 0, 0.2], 'radius': 0.3, 'normal': [1, -2, 2],
          'period': 3.0}, PATHS['circle']),
        ({'kind': 'line', 'start': [0, 0, 0], 'end': [1, -2, 0.5], 'duration': 2.0,
          'begin': 0.3}, PATHS['line']),
    ]
    for data, expected in pairs:
        for t in (0.0, 1.1):
            np.testing.assert_array_equal(path_from_data(data).at(t), expected.at(t))


MOVABLE = {
    'ellipse': {'center': [1, 0, 1], 'a': [0.25, 0.3, 0], 'b': [0, 1, 0.5], 'period': 3.0},
    'circle': {'center': (1.0, 0.0, 1.0), 'radius': 0.3, 'normal': [1, -2, 2]},
    'lissajous': {'center': [1, 0, 1], 'amplitude': [0.3, 0.2, 0.1], 'turns': [1, 2, 3],
                  'phase': [0, 0.5, 0]},
    'spline': {'points': [[1, 0, 1], [1.3, 0, 0.1], [0.3, 0.4, 0]], 'duration': 3.0,
               'closed': True},
    'line': {'start': [1, 0, 1], 'end': [1, -2, 0.5], 'duration': 2.0, 'begin': 0.3},
}


def test_a_path_by_a_timetable_is_moved_without_it():
    # Its speeds are those that the efforts of the robot allow where it was.
    data = {'kind': 'timetable', 'path': {'kind': 'ellipse', **MOVABLE['ellipse']},
            'times': [0.0, 2.0], 'places': [0.0, 3.0], 'speeds': [0.0, 0.0]}
    place = np.array([0.5, 2.0, 1.25])
    assert place_of(data).tolist() == [1.0, 0.0, 1.0]
    assert moved_path(data, place) == moved_path(data['path'], place)


@pytest.mark.parametrize('kind', [kind for kind in KINDS if kind != 'timetable'])
def test_a_path_of_any_kind_is_moved_as_a_whole(kind):
    data = {'kind': kind, **MOVABLE[kind]}
    assert place_of(data).tolist() == [1.0, 0.0, 1.0]
    moved = moved_path(data, np.array([0.5, 2.0, 1.25]))
    assert place_of(moved).tolist() == [0.5, 2.0, 1.25]
    before, after = path_from_data(data), path_from_data(moved)
    for time in (0.0, 0.9, 2.2):
        one, other = before.at(time), after.at(time)
        # Rounding of numbers around 1, and of what a spline solves for: some 1e-15.
        np.testing.assert_allclose(other.position - one.position, [-0.5, 2.0, 0.25], rtol=0,
                                   atol=1e-12)
        np.testing.assert_allclose(other.velocity, one.velocity, rtol=0, atol=1e-12)
    assert data == {'kind': kind, **MOVABLE[kind]}   # which is left as it was


@pytest.mark.parametrize(('data', 'text'), [
    ({'kind': 'none'}, "no kind of path named 'none'"), (3.0, 'path is 3.0; allowed: a mapping'),
    ({'kind': 'circle', 'center': [0, 0, 0], 'radius': 1.0}, 'allowed: also with normal'),
    ({'kind': 'spline', 'points': [[0, 1], [1, 1], [2, 0]], 'duration': 1.0},
     r'points has shape \(3, 2\); allowed: \(k, 3\)'),
])
def test_what_is_no_path_in_space_has_no_place(data, text):
    with pytest.raises(MbdError, match=text):
        place_of(data)


@pytest.mark.parametrize(('data', 'error', 'text'), [
    ({}, UnknownNameError,
     "there is no kind of path named ''; known: ellipse, circle, lissajous, spline, line"),
    ({'kind': 'elipse'}, UnknownNameError, "did you mean 'ellipse'?"),
    ({'kind': 'ellipse', 'centre': 1}, UnknownNameError,
     "there is no datum of a path of kind ellipse named 'centre'; known: a, b, center, period; "
     "did you mean 'center'?"),
    ({'kind': 'line', 'start': [0, 0, 0]}, InvalidValueError,
     "path of kind line is ['start']; allowed: also with duration, end"),
    ({'kind': 'line', 'start': [0, 0], 'end': [1, 1, 1], 'duration': 1.0}, ShapeError,
     'start has shape (2,); allowed: (3,)'),
    ({'kind': 'line', 'start': [0, math.nan, 0], 'end': [1, 1, 1], 'duration': 1.0},
     NotFiniteError, 'start of y is nan; allowed: finite numbers'),
    ({'kind': 'line', 'start': ['a', 0, 0], 'end': [1, 1, 1], 'duration': 1.0},
     InvalidValueError, "start is ['a', 0, 0]; allowed: three numbers"),
    ({'kind': 'line', 'start': [0, 0, 0], 'end': [1, 1, 1], 'duration': 0}, InvalidValueError,
     'duration is 0; allowed: a positive number'),
    ({'kind': 'line', 'start': [0, 0, 0], 'end': [1, 1, 1], 'duration': 1, 'begin': math.inf},
     InvalidValueError, 'begin is inf; allowed: a number, at most 1e+12'),
    ({'kind': 'circle', 'center': [0, 0, 0], 'radius': -1.0, 'normal': [0, 0, 1]},
     InvalidValueError, 'radius is -1.0; allowed: a positive number'),
    ({'kind': 'circle', 'center': [0, 0, 0], 'radius': 1.0, 'normal': [0, 0, 0]},
     InvalidValueError, 'normal is [0.0, 0.0, 0.0]; allowed: a vector that is not zero'),
    ({'kind': 'ellipse', 'center': [0, 0, 0], 'a': [1, 0, 0], 'b': [0, 1, 0], 'period': 'slow'},
     InvalidValueError, "period is 'slow'; allowed: a positive number"),
])
def test_bad_data_are_named(data, error, text):
    """Each message has the datum, what was found and what is allowed."""
    with pytest.raises(MbdError) as caught:
        path_from_data(data)
    assert type(caught.value) is error
    assert text in str(caught.value)


def test_data_are_copied():
    """A list that changes later does not bend the path."""
    center = np.zeros(3)
    path = Ellipse(center, [1, 0, 0], [0, 1, 0])
    center[:] = 7
    np.testing.assert_array_equal(path.at(0).position, [1, 0, 0])


def test_splines_go_through_their_points():
    """And rest at both ends; the closed one comes back."""
    points = np.array([[0, 0, 0], [0.3, 0, 0.1], [0.3, 0.4, 0]])
    path = PATHS['spline']
    np.testing.assert_array_equal(path.at(0.0).position, points[0])
    np.testing.assert_allclose(path.at(2.3).position, points[-1], rtol=0, atol=1e-15)
    for t in (0.3, 2.3, 9.0):
        assert np.abs(path.at(t).velocity).max() < 1e-12
    nearest = min(np.linalg.norm(path.at(t).position - points[1])
                  for t in np.linspace(0.3, 2.3, 2001))
    assert nearest < 2e-4   # half of the way between two of the samples
    closed = PATHS['closed spline']
    np.testing.assert_allclose(closed.at(0.0).position, closed.at(3.0).position, atol=1e-15)
    np.testing.assert_allclose(closed.at(3.0 - 1e-9).velocity, closed.at(0.0).velocity, atol=1e-7)


def test_trajectories_take_velocities_and_accelerations_of_their_points():
    path = PATHS['quintics']
    point = path.at(1.0)
    assert point.position.tolist() == [0.2, 0.0]
    assert point.velocity.tolist() == [1.0, -1.0]
    assert point.acceleration.tolist() == [0.0, 2.0]
    before = path.at(1.0 - 1e-12)
    np.testing.assert_allclose(before.acceleration, point.acceleration, rtol=0, atol=1e-9)
    cubics = trajectory([0, 1, 2], [[0], [1], [0]], [[0], [0.5], [0]])
    assert cubics.at(1.0).velocity.tolist() == [0.5]
    assert cubics.at(0.5).position[0] == pytest.approx(0.5 - 0.5 / 8)   # Hermite's midpoint
    assert (path.begin, path.duration) == (0.3, 1.7)


@pytest.mark.parametrize(('arguments', 'error', 'text'), [
    (([0, 1], [[0], [1], [2]]), ShapeError, 'positions has shape (3, 1); allowed: (2, n)'),
    (([0], [[0]]), InvalidValueError, 'at least two'),
    (([0, 1], [[0], [math.nan]]), NotFiniteError, 'positions of point 1 is nan'),
    (([0, 1], [[0], [1]], None, [[0], [0]]), InvalidValueError, 'velocities beside them'),
    (([0, 1], [[0], [1]], [[0, 0], [0, 0]]), ShapeError, 'velocities has shape (2, 2)'),
])
def test_trajectories_that_are_none(arguments, error, text):
    with pytest.raises(error) as caught:
        trajectory(*arguments)
    assert text in str(caught.value)


def test_way_points_differ():
    with pytest.raises(InvalidValueError, match='neighbours that differ'):
        spline([[0, 0, 0], [0, 0, 0], [1, 0, 0]], 1.0)
