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

"""Subtrees of equal shape: who runs beside whom."""

from hypothesis import given, strategies as st

from mbd_ros.execution.unrolled.bundles import folded, Node


def bodies(nodes):
    return sorted(i for node in nodes for i in node.bodies[:node.used])


def test_the_legs_of_a_quadruped():
    parents = [-1, *(i for leg in range(4) for i in (0, 1 + 3 * leg, 2 + 3 * leg))]
    assert folded(parents, 'f' + 12 * 'r', 4) == [
        Node((0,), 1), Node((1, 4, 7, 10), 4), Node((2, 5, 8, 11), 4), Node((3, 6, 9, 12), 4)]
    assert [node.bodies for node in folded(parents, 'f' + 12 * 'r', 2)] == [
        (0,), (1, 4), (2, 5), (3, 6), (7, 10), (8, 11), (9, 12)]


def test_arms_run_with_legs_though_they_are_longer_and_hang_elsewhere():
    """Legs 1-2, 3-4 on the pelvis 0; a trunk 5; arms 6-8, 9-11 on the trunk."""
    parents = [-1, 0, 1, 0, 3, 0, 5, 6, 7, 5, 9, 10]
    assert [node.bodies for node in folded(parents, 'f' + 11 * 'r', 4)] == [
        (0,), (5,), (6, 9), (1, 3, 7, 10), (2, 4, 8, 11)]


def test_three_of_four_lanes_and_one_that_differs():
    parents, kinds = [-1, 0, 0, 0, 0], 'frrpr'
    assert folded(parents, kinds, 4) == [
        Node((0,), 1), Node((3,), 1), Node((1, 2, 4, 1), 3)]
    assert [node.bodies for node in folded(parents, kinds, 2)] == [(0,), (3,), (4,), (1, 2)]


def test_children_are_matched_by_shape_not_by_place():
    """Two hands, the first with its thumb (a slider) before its finger, the other after it."""
    parents, kinds = [-1, 0, 0, -1, 3, 3], 'rprrrp'
    assert [node.bodies for node in folded(parents, kinds, 2)] in (
        [(0, 3), (1, 5), (2, 4)], [(0, 3), (2, 4), (1, 5)])


@given(st.data())
def test_every_body_runs_once_after_its_parent(data):
    count = data.draw(st.integers(1, 40))
    parents = [data.draw(st.integers(-1, i - 1)) for i in range(count)]
    kinds = [data.draw(st.sampled_from('rp')) for _ in range(count)]
    nodes = folded(parents, kinds, data.draw(st.sampled_from([2, 4, 8])))
    assert bodies(nodes) == list(range(count))
    place = {i: number for number, node in enumerate(nodes) for i in node.bodies}
    for number, node in enumerate(nodes):
        assert len({kinds[i] for i in node.bodies}) == 1
        assert node.bodies[node.used:] == node.bodies[:1] * (node.lanes - node.used)
        assert all(parents[i] < 0 or place[parents[i]] < number for i in node.bodies)
