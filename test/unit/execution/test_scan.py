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

"""Scans and suffix sums along chains and trees, against the definition."""

from hypothesis import given, strategies as st
import numpy as np
import pytest

from mbd_ros.execution.stacks.scan import paths, scan, SHORT, suffix_sum


def one_by_one(operator, elements, parents):
    found = []
    for element, parent in zip(elements, parents):
        found.append(element if parent < 0 else operator(found[parent], element))
    return np.array(found)


@pytest.mark.parametrize('threads', [1, 2, 5])
@pytest.mark.parametrize('count', [1, 2, SHORT, SHORT + 1, 37, 100, 1057, 1100])
def test_products_along_a_chain(count, threads):
    rng = np.random.default_rng(count)
    turns, _ = np.linalg.qr(rng.normal(size=(count, 2, 3, 3)))
    parents = range(-1, count - 1)
    found = scan(np.matmul, turns, paths(parents), threads)
    # Products of rotations: each of up to 1100 factors adds a rounding or two.
    np.testing.assert_allclose(found, one_by_one(np.matmul, turns, parents), atol=1e-12)


@pytest.mark.parametrize('count', [1, 33, 1000, 1100])
def test_the_number_of_threads_changes_nothing(count):
    elements = np.random.default_rng(1).normal(size=(count, 1, 3))
    parents = paths(range(-1, count - 1))
    alone = scan(np.add, elements, parents)
    for threads in (2, 3, 7):
        assert np.array_equal(scan(np.add, elements, parents, threads), alone)
        assert np.array_equal(suffix_sum(elements, parents, threads),
                              suffix_sum(elements, parents))


@given(st.lists(st.integers(0, 100), min_size=1, max_size=60), st.integers(0, 99))
def test_on_trees(draws, seed):
    parents = [draw % (i + 1) - 1 for i, draw in enumerate(draws)]
    elements = np.random.default_rng(seed).normal(size=(len(parents), 2, 2, 2))
    # 60 factors of size about 2: relative to the largest.
    expected = one_by_one(np.matmul, elements, parents)
    np.testing.assert_allclose(scan(np.matmul, elements, paths(parents)), expected,
                               atol=1e-13 * np.abs(expected).max())
    sums = elements.copy()
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            sums[parents[i]] += sums[i]
    np.testing.assert_allclose(suffix_sum(elements, paths(parents)), sums, atol=1e-13)


def test_the_arguments_stay_as_they_are():
    elements = np.ones((40, 1))
    assert scan(np.add, elements, paths(range(-1, 39)))[-1] == 40.0
    assert suffix_sum(elements, paths([-1, *[0] * 39]))[0] == 40.0
    assert (elements == 1.0).all()


def test_what_is_a_chain():
    assert paths((-1, 0, 1)).line
    assert paths((-1, 0, 1, -1, 3)).chains
    assert not paths((-1, 0, 1, -1, 3)).line
    assert not paths((-1, 0, 0)).chains
