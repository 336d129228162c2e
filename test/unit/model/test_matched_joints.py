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

"""Where the joints of a robot begin that takes the place of another one."""

import math

from described import bare, joint, link, robot
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError, UnknownNameError
from mbd_ros.model.joints.matched_joints import (
    _within, matched_configuration, matched_rates, unmoved)
from mbd_ros.model.state import random_configuration

ANGLES = st.floats(-math.pi, math.pi)


def placed(xyz=(0.0, 0.0, 0.0), rpy=(0.0, 0.0, 0.0), more=''):
    """Return what stands inside a joint."""
    return (f'<origin xyz="{" ".join(map(repr, xyz))}" rpy="{" ".join(map(repr, rpy))}"/>'
            f'<axis xyz="0 0 1"/>{more}')


def limits(lower, upper):
    return f'<limit lower="{lower!r}" upper="{upper!r}" effort="1" velocity="1"/>'


def chain(kind, inside, *more):
    """Return a robot with a turning table, and a joint of a kind on it."""
    return mbd_ros.load(robot(
        bare('base'), link('table'), link('arm'),
        joint('turn', 'continuous', 'base', 'table'), joint('j', kind, 'table', 'arm', inside),
        *more))


def links_of(model, q):
    return {name: mbd_ros.pose(model, q, name) for name in model.links}


def matched(old, q, new, **positions):
    return matched_configuration(old, q, links_of(old, q), new, positions,
                                 links_of(new, unmoved(old, q, new)))


@settings(max_examples=20)   # each compiles two robots
@given(angle=ANGLES, shift=ANGLES, turns=st.integers(-3, 3))
def test_a_hinge_whose_origin_was_turned_keeps_its_link_in_place(angle, shift, turns):
    """A joint that is as it was keeps whole turns, too."""
    old, new = (chain('continuous', placed(rpy=(0.0, 0.0, turn))) for turn in (0.0, shift))
    q = np.array([0.3 + math.tau * turns, angle])
    found = matched(old, q, new)
    assert found[0] == q[0]
    assert math.cos(found[1] - (angle - shift)) == pytest.approx(1.0)
    assert matched(old, q, old).tolist() == q.tolist()


@settings(max_examples=20)
@given(place=st.floats(-1.0, 1.0), shift=st.floats(-1.0, 1.0))
def test_a_slide_whose_origin_was_moved_keeps_its_link_in_place_within_limits(place, shift):
    old, new = (chain('prismatic', placed((0.0, 0.0, way), more=limits(-1.0, 1.0)))
                for way in (0.0, shift))
    found = matched(old, np.array([0.0, place]), new)
    assert found[1] == pytest.approx(min(max(place - shift, -1.0), 1.0), abs=1e-15)


@pytest.mark.parametrize('kind', ['spherical', 'floating', 'planar'])
def test_joints_with_several_coordinates_keep_their_link_in_place(kind):
    rng = np.random.default_rng(5)
    # A plane cannot be tilted back, and a ball cannot be moved back.
    rpy = (0.0, 0.0, 0.7) if kind == 'planar' else (0.2, -0.4, 0.7)
    xyz = (0.0, 0.0, 0.0) if kind == 'spherical' else (0.3, -0.2, 0.0)
    old, new = chain(kind, placed()), chain(kind, placed(xyz, rpy))
    for _ in range(5):
        q = random_configuration(old, rng)
        found = matched(old, q, new)
        assert mbd_ros.pose(new, found, 'arm') == pytest.approx(
            mbd_ros.pose(old, q, 'arm'), abs=1e-12)


def test_new_links_begin_at_zero():
    old = chain('continuous', placed())
    new = chain('continuous', placed(), link('hand'), joint('k', 'continuous', 'arm', 'hand'))
    assert matched(old, np.array([0.1, 0.2]), new).tolist() == [0.1, 0.2, 0.0]
    assert matched_rates(old, np.array([1.0, 2.0]), new).tolist() == [1.0, 2.0, 0.0]
    assert matched_rates(new, np.array([1.0, 2.0, 3.0]), old).tolist() == [1.0, 2.0]


def test_given_positions_have_precedence_up_to_the_limits():
    old = chain('revolute', placed(more=limits(-0.5, 0.75)))
    q = np.array([0.0, 0.2])
    for value in (-0.5, 0.75, 0.0):
        assert matched(old, q, old, j=value).tolist() == [0.0, value]
    for value in (-0.5000001, 0.7500001):
        with pytest.raises(InvalidValueError, match=(
                r"^the position of joint 'j' is -?0\.\d+; allowed: -0\.5 to 0\.75$")):
            matched(old, q, old, j=value)
    with pytest.raises(NotFiniteError, match=r"the position of joint 'j' is nan"):
        matched(old, q, old, j=math.nan)
    with pytest.raises(UnknownNameError, match="'jj'; known: turn, j; did you mean 'j'"):
        matched(old, q, old, jj=0.0)
    ball = chain('spherical', placed())
    with pytest.raises(InvalidValueError, match='joints with one coordinate'):
        matched(ball, np.array([0.0, 0.0, 0.0, 0.0, 1.0]), ball, j=0.0)


@given(angle=ANGLES, lower=st.floats(-9.0, 9.0), width=st.floats(0.0, 9.0))
def test_an_angle_is_turned_into_its_limits_or_to_the_nearer_one(angle, lower, width):
    upper = lower + width
    found = _within(angle, lower, upper)
    inside = [angle + math.tau * k for k in range(-4, 5)
              if lower <= angle + math.tau * k <= upper]
    if inside:
        assert found == pytest.approx(min(inside, key=lambda one: abs(one - angle)))
    else:
        assert found in (lower, upper)
        assert math.cos(found - angle) == pytest.approx(
            max(math.cos(lower - angle), math.cos(upper - angle)))
