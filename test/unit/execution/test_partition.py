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

"""Trees cut into shares of balanced work."""

from hypothesis import given, strategies as st
import numpy as np

from mbd_ros.execution.threads.partition import partition, SMALLEST_TREE


def branches(count, length, trunk=1):
    """Return the parents of a trunk with chains on its last body."""
    parents = list(range(-1, trunk - 1))
    for _ in range(count):
        first = len(parents)
        parents += [trunk - 1, *range(first, first + length - 1)]
    return parents


def test_two_branches_for_two_threads():
    parents = branches(2, 30)
    way = partition(parents, [1.0] * 61, 2)
    assert way.trunk == (0,)
    assert [part[:3] for part in way.parts] == [(1, 31, 0), (31, 61, 0)]
    assert {part.share for part in way.parts} == {0, 1}


def test_neighbours_on_one_body_are_one_part():
    way = partition(branches(60, 1), [1.0] * 61, 2)
    assert [part[:3] for part in way.parts] == [(1, 31, 0), (31, 61, 0)]


def test_what_is_not_shared():
    assert partition(branches(2, 9), [1.0] * 19, 2) is None  # too small
    assert partition(branches(1, 200), [1.0] * 201, 2) is None  # a chain
    assert partition(branches(2, 20, trunk=200), [1.0] * 240, 2) is None  # a long trunk
    assert partition(branches(2, 100), [1.0] * 201, 1) is None  # one thread


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_parts_are_whole_subtrees_and_shares_save_time(seed, shares):
    rng = np.random.default_rng(seed)
    count, parents = int(rng.integers(SMALLEST_TREE, 200)), [-1]
    while len(parents) < count:  # depth first: the next body hangs on the way to the ground
        above = [len(parents) - 1]
        while parents[above[-1]] >= 0:
            above.append(parents[above[-1]])
        parents.append(above[min(int(rng.exponential(2.0)), len(above) - 1)])
    way = partition(parents, [1.0] * count, shares)
    if way is None:
        return
    covered = [i for part in way.parts for i in range(part.first, part.last)]
    assert sorted([*way.trunk, *covered]) == list(range(count))
    loads = [0] * shares
    for part in way.parts:
        inside = range(part.first, part.last)
        assert parents[part.first] == part.parent
        assert all(parents[i] in inside or parents[i] == part.parent for i in inside)
        assert part.parent in (-1, *way.trunk)
        assert not any(parents[i] in inside for i in range(count) if i not in inside)
        loads[part.share] += len(inside)
    assert len(way.trunk) + max(loads) < 0.75 * count
