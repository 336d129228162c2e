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

"""Trajectories of joints are held against limits where they are worst."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.control.constraints.joint_paths import JointPaths
from mbd_ros.control.references.splines import trajectory
from mbd_ros.control.tasks.feasibility import check_joints
from mbd_ros.errors import InfeasibleError


@settings(max_examples=60, deadline=None, derandomize=True)
@given(count=st.integers(2, 6), n=st.integers(1, 3), given_rows=st.integers(0, 2),
       shortest=st.sampled_from([1e-6, 1e-2, 1.0]), seed=st.integers(0, 2**16))
def test_extremes_bound_every_instant(count, n, given_rows, shortest, seed):
    """Splines, cubics and quintics with segments of very different length."""
    rng = np.random.default_rng(seed)
    spans = np.maximum(shortest, rng.uniform(size=count - 1) ** 8)
    rows = rng.normal(size=(1 + given_rows, count, n))
    path = trajectory(0.5 + np.append(0.0, np.cumsum(spans)), *rows)
    extremes = [path.at(time) for time in path.extremes()]
    assert len(extremes) <= 4 * n
    times = np.concatenate([np.linspace(*pair, 50) for pair in zip(path.times, path.times[1:])])
    points = [path.at(time) for time in times.tolist()]
    for k in range(2):
        found, every = (np.array([point[k] for point in some]) for some in (extremes, points))
        # 1e-9: coefficients of short segments are large, and cancel.
        room = 1e-9 * (1.0 + np.abs(every).max())
        assert (every.max(0) <= found.max(0) + room).all()
        assert (every.min(0) >= found.min(0) - room).all()


@pytest.fixture(scope='module')
def dyn():
    return mbd_ros.compile(mbd_ros.load(chain(2, 1)))   # limits: 3 rad, 10 rad/s


@settings(max_examples=60, deadline=None, derandomize=True)
@given(span=st.floats(1e-5, 0.4), rest=st.floats(1.0, 1000.0), excess=st.sampled_from(
    [0.999, 1.001]), grouped=st.booleans())
def test_no_segment_is_too_short_to_be_seen(dyn, span, rest, excess, grouped):
    """The greatest rate of a cubic from rest to rest is 3/2 of its mean."""
    way = excess * 10.0 * span / 1.5 * np.array([0.0, -1.0])
    joints = dyn.model.joint_names
    path = trajectory([0.0, span, span + rest], [[0, 0], way, way], np.zeros((3, 2)))
    path = JointPaths([(joints, path)]) if grouped else path
    if excess < 1.0:
        check_joints(dyn, joints, path, span + rest, np.zeros(2))
        return
    # The first sample that is beyond: where segments are long, one before the greatest rate.
    with pytest.raises(InfeasibleError, match=(
            rf"velocity -10(\.01)? rad/s of joint '{joints[1]}' is beyond its limits, -10 to 10 "
            'rad/s')):
        check_joints(dyn, joints, path, span + rest, np.zeros(2))


def test_a_place_between_way_points_is_seen(dyn):
    """A cubic overshoots its way-points by 4/27 of rate times span, for 1e-4 of the time."""
    path = trajectory([0.0, 1.0, 1.02, 99.0], [[0, 0], [2.99, 0], [2.99, 0], [0, 0]],
                      [[0, 0], [5.0, 0], [0, 0], [0, 0]])
    top = 2.99 + 4.0 / 27.0 * 5.0 * 0.02
    with pytest.raises(InfeasibleError, match=f'position {top:.4g} rad of joint'):
        check_joints(dyn, dyn.model.joint_names, path, 99.0, np.zeros(2))
