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

"""Steps on stacks as machine code, against the same text in NumPy."""

import numpy as np
import pytest

from mbd_ros.execution.stacks.steps import along, each


def turned(matrix, vector, factor):
    return matrix @ vector[..., None], factor * vector + 1.0


def running(total, vector):
    total = 0.5 * total + vector
    return total, 2.0 * total


def stacks(n, many):
    rng = np.random.default_rng(n + many)
    return (rng.normal(size=(n, many, 3, 5)), rng.normal(size=(n, 1, 5)),
            rng.normal(size=(n, many, 1)))


@pytest.mark.parametrize('threads', [1, 2])
@pytest.mark.parametrize(('n', 'many'), [
    (1, 1), (1, 3), (3, 1), (17, 2), (2, 17), (300, 9), (9, 300)])
def test_each_element(n, many, threads):
    given = stacks(n, many)
    for found, expected in zip(each(turned)(*given, threads=threads), turned(*given)):
        # Sums of five products, rounded once each where they are fused.
        np.testing.assert_allclose(found, expected, atol=1e-14)


def test_one_result_is_no_tuple_and_views_are_read():
    vectors = stacks(8, 4)[2][::2, ::-1]
    assert np.array_equal(each(lambda x: x + 1.0)(vectors), vectors + 1.0)
    columns = np.swapaxes(stacks(4, 2)[0], -1, -2)
    assert np.array_equal(each(lambda x: 2.0 * x)(columns), 2.0 * columns)


@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize(('n', 'many'), [(0, 3), (1, 1), (5, 1), (5, 12), (40, 33)])
def test_along_the_first_axis(n, many, reverse):
    elements = np.random.default_rng(n).normal(size=(n, many, 2))
    total, expected = np.ones((many, 2)), np.empty_like(elements)
    for k in range(n)[::-1 if reverse else 1]:
        total, expected[k] = running(total, elements[k])
    for threads in (1, 2):
        (last,), (found,) = along(running, (np.ones((many, 2)),), (elements,), threads=threads,
                                  reverse=reverse)
        # One fused multiply-add a step, and what is handed on is halved.
        np.testing.assert_allclose(found, expected, atol=1e-14)
        np.testing.assert_allclose(last, total, atol=1e-14)


def test_scalars_of_another_kind_take_the_text_itself():
    elements = np.arange(6.0).reshape(3, 2, 1).astype(object)
    (last,), (found,) = along(running, (np.zeros((2, 1)),), (elements,))
    assert found.dtype == object
    assert last.ravel().tolist() == [5.0, 6.75]
