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

"""Loop joints and springs as they sit on the bodies of a model."""

from dataclasses import replace

from loop_models import case_model, cases, mechanism_of
import numpy as np
import pytest

from mbd_ros.description.records.finding import Source
from mbd_ros.description.records.mechanism import Joint, Link, LoopJoint, Pose, SpringDamper
from mbd_ros.errors import DescriptionError
from mbd_ros.model import build_model
from mbd_ros.model.loops import branches, lowest_common_ancestor, ROWS

FOURBAR = mechanism_of(cases()['fourbar_revolute']['model'])


def with_loop(**changes):
    return replace(FOURBAR, loop_joints=(replace(FOURBAR.loop_joints[0], **changes),))


def test_a_loop_on_the_ground():
    loop, = case_model('ngon15_random').loops
    assert (loop.name, loop.kind, loop.junction) == ('cut0', 'spherical', -1)
    assert (loop.body1, loop.body2) == (6, 13)
    assert loop.row_names == ('cut0.x', 'cut0.y', 'cut0.z')
    assert branches(loop, case_model('ngon15_random').parents) == (
        [6, 5, 4, 3, 2, 1, 0], [13, 12, 11, 10, 9, 8, 7])


def test_branches_meet_at_the_lowest_common_ancestor():
    parents = (-1, 0, 1, 1, 3, 0)
    assert lowest_common_ancestor(2, 4, parents) == 1
    assert lowest_common_ancestor(1, 4, parents) == 1
    assert lowest_common_ancestor(4, 5, parents) == 0
    assert lowest_common_ancestor(-1, 4, parents) == -1


def test_frames_of_fixed_links_are_taken_to_their_body():
    shift = (0.1, 0.2, 0.3)
    mechanism = replace(
        FOURBAR, links=(*FOURBAR.links, Link('tool')),
        joints=(*FOURBAR.joints, Joint('mount', 'fixed', 'b001', 'tool',
                                       Pose(translation=shift))),
        springs=(SpringDamper('s', 'tool', 'ground', (0.0, 0.0, 0.4), (1.0, 0.0, 0.0), 5.0),))
    moved = replace(mechanism.loop_joints[0], link1='tool')
    model = build_model(replace(mechanism, loop_joints=(moved,)))
    old, = build_model(FOURBAR).loops
    new, = model.loops
    link = build_model(FOURBAR).links['b001']
    assert new.body1 == old.body1
    np.testing.assert_allclose(new.frame1.translation,
                               old.frame1.translation + link.rotation @ shift, rtol=1e-15)
    spring, = model.springs
    assert (spring.frame1.body, spring.frame2.body) == (1, -1)
    np.testing.assert_allclose(spring.frame1.translation, link.rotation @ [0.1, 0.2, 0.7])


def test_every_kind_has_its_rows():
    assert {kind: len(rows) for kind, rows in ROWS.items()} == {
        'spherical': 3, 'revolute': 5, 'universal': 4, 'fixed': 6, 'prismatic': 5, 'planar': 3,
        'distance': 1}


@pytest.mark.parametrize(('changes', 'message'), [
    ({'link2': 'b001'}, "cut0' connects 'b001' and 'b001', which are fixed to each other"),
    ({'kind': 'floating'}, "cut0' is of kind 'floating'; allowed: spherical, revolute"),
    ({'kind': 'distance'}, "cut0' keeps the distance None; allowed: a positive length"),
    ({'kind': 'distance', 'distance': -1.0}, "cut0' keeps the distance -1.0"),
])
def test_loops_that_mean_nothing_are_refused(changes, message):
    with pytest.raises(DescriptionError, match=message) as caught:
        build_model(with_loop(**changes, source=Source('f.urdf', 7)))
    assert str(caught.value).startswith("f.urdf:7: loop joint 'cut0'")


def test_a_distance_is_kept():
    model = build_model(replace(FOURBAR, loop_joints=(
        LoopJoint('rope', 'distance', 'b001', 'ground', distance=0.5),)))
    assert model.loops[0].distance == 0.5
    assert model.loops[0].rows == ('distance',)
    assert model.loops[0].junction == -1
