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

"""Transforms of fixed and simple joints, put together, give the poses of the links."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import random_state, trees
from transforms3d.quaternions import quat2mat

import mbd_ros
from mbd_ros.messages.states.link_transforms import fixed_transforms, simple_transforms


def matrix(message):
    shift, turn = message.transform.translation, message.transform.rotation
    result = np.eye(4)
    result[:3, :3] = quat2mat((turn.w, turn.x, turn.y, turn.z))
    result[:3, 3] = shift.x, shift.y, shift.z
    return result


@given(trees(), st.integers(0, 2**16))
@settings(max_examples=20, deadline=None)
def test_transforms_lead_to_the_poses(text, seed):
    model = mbd_ros.load(text, inertia='unchecked')
    q, _, _ = random_state(model, seed)
    messages = [*fixed_transforms(model, 5), *simple_transforms(model, 1_500_000_000, q)]
    assert {one.child_frame_id for one in messages} == set(model.links) - {model.root}
    assert {one.header.stamp.sec for one in messages[-1:]} <= {1}
    parents = {one.child_frame_id: one for one in messages}
    slow = mbd_ros.compile(model, executor='interpreted')
    for link in model.links:
        pose, frame = np.eye(4), link
        while frame in parents:
            pose = matrix(parents[frame]) @ pose
            frame = parents[frame].header.frame_id
        assert frame == model.root
        # rounding of quaternions over at most nine joints
        assert pose == pytest.approx(slow.pose(q, link), abs=1e-12)
