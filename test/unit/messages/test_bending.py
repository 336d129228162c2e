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

"""Links that bend as markers and frames, and their coordinates in joint states."""

import numpy as np
import pytest
from rviz_rules import check_markers, check_transforms
from sensor_msgs.msg import JointState
from visualization_msgs.msg import Marker

import mbd_ros
from mbd_ros.errors import InvalidValueError, NotFiniteError
from mbd_ros.messages.states.bending import bending_frames, bending_markers, strain_colors
from mbd_ros.messages.states.joint_states import JointStateReader, JointStateWriter
from mbd_ros.messages.states.readouts import largest_strain

Q = np.concatenate([[0.1, -0.9, 1.2, 0.3], np.linspace(-0.02, 0.02, 10)])


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load('urdf/flexible_arm.urdf')


def test_markers_are_lines_along_the_links(model):
    links = mbd_ros.bent_links(model, Q)
    array = bending_markers(1_500_000_000, 'base', links)
    check_markers(array)
    drawn = [one for one in array.markers if one.action == Marker.ADD]
    assert [one.type for one in drawn] == [Marker.LINE_STRIP] * 2
    for one, link in zip(drawn, links.values()):
        assert one.header.frame_id == 'base' and one.header.stamp.nanosec == 500_000_000
        points = [[point.x, point.y, point.z] for point in one.points]
        assert points == link.points.tolist() and len(one.colors) == len(points)


def test_frames_stand_on_the_same_points(model):
    links = mbd_ros.bent_links(model, Q)
    frames = bending_frames(0, 'base', links)
    check_transforms(frames)
    names = [one.child_frame_id for one in frames]
    assert names[0] == 'upper_arm/bent_0' and len(set(names)) == len(names) == 50
    last = frames[-1].transform.translation
    assert [last.x, last.y, last.z] == links['forearm'].points[-1].tolist()


def test_colours_go_from_grey_to_red():
    colors = strain_colors(np.array([0.0, 1e-3, 5e-3, np.nan]))
    assert colors[0].tolist() == colors[3].tolist() and colors[1].tolist() == colors[2].tolist()
    assert colors[0].min() > 0.6 and colors[1][0] > 4 * colors[1][2]


def test_elastic_coordinates_are_read_as_they_are_written(model):
    v = np.linspace(-1.0, 1.0, model.nv)
    message = JointStateWriter(model).write(0, Q, v, 2.0 * v)
    q, velocity, effort = JointStateReader(model).read(message)
    assert q.tolist() == Q.tolist()
    assert velocity.tolist() == v.tolist() and effort.tolist() == (2.0 * v).tolist()


def test_without_elastic_coordinates_links_are_straight(model):
    rigid = JointState(name=list(model.joint_names), position=Q[:4].tolist())
    q = JointStateReader(model).read(rigid, velocities=False).q
    assert q[:4].tolist() == Q[:4].tolist() and not q[4:].any()


def test_elastic_coordinates_are_checked_as_joints_are(model):
    names = [*model.joint_names, *model.elastic_names]
    values = Q.copy()
    values[-1] = np.nan
    with pytest.raises(NotFiniteError, match='forearm/twist_1'):
        JointStateReader(model).read(JointState(name=names, position=values.tolist()),
                                     velocities=False)
    with pytest.raises(InvalidValueError, match='forearm/twist_1'):
        JointStateReader(model).read(JointState(
            name=[*names, names[-1]], position=[*Q.tolist(), 0.0]), velocities=False)


def test_the_largest_strain_names_its_link(model):
    links = mbd_ros.bent_links(model, Q)
    name = max(links, key=lambda one: links[one].strains.max())
    assert largest_strain(links) == {
        'largest strain': f'{100.0 * links[name].strains.max():.3f} % in {name}'}
    assert largest_strain({}) == {}
