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

"""The last minute of the robot."""

import numpy as np
import pytest

from mbd_ros.messages.states.past_poses import INTERVAL, MOST_BYTES, PastPoses, picture_at, SPAN


def poses(x, links=('a',)):
    pose = np.eye(4)
    pose[0, 3] = x
    return dict.fromkeys(links, pose)


def test_what_was_is_found_again():
    past = PastPoses(('a',))
    for k in range(200):
        past.add(0.05 * k, poses(0.05 * k))
    pictures = past.pictures()
    for time, found in ((3.02, 3.0), (3.0499, 3.0), (-1.0, 0.0), (99.0, 9.95)):
        pose = past.poses(picture_at(pictures, time))['a']
        assert pose == pytest.approx(poses(found)['a'], abs=1e-6)   # single precision


def test_pictures_that_come_too_soon_are_left_out():
    past = PastPoses(('a',))
    for k in range(100):
        past.add(0.51 * INTERVAL * k, poses(0.0))
    assert len(past.pictures()) == 50   # every other one


def test_a_step_back_in_time_begins_anew():
    past = PastPoses(('a',))
    for time in (1.0, 2.0, 0.5):
        past.add(time, poses(time))
    assert [one.time for one in past.pictures()] == [0.5]


@pytest.mark.parametrize('count', [1, 50, 5000])
def test_memory_is_bounded(count):
    links = tuple(map(str, range(count)))
    past = PastPoses(links)
    for k in range(2000 if count < 100 else 200):
        past.add(INTERVAL * 1.001 * k, poses(1.0, links))
    kept = past.pictures()
    assert sum(one.poses.nbytes for one in kept) <= MOST_BYTES
    assert kept[-1].time - kept[0].time <= 1.01 * SPAN
    assert len(kept) >= 50


def test_a_robot_without_links_has_no_past():
    past = PastPoses(())
    past.add(0.0, {})
    assert past.pictures() == []
