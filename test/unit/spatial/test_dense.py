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

"""Small symmetric matrices against NumPy."""

import numpy as np
import pytest

from mbd_ros.spatial.dense import backward, dot, factors, forward, solve


@pytest.mark.parametrize('size', [1, 2, 6])
def test_factors_and_solutions(size):
    rng = np.random.default_rng(size)
    root, vector = rng.normal(size=(size, size)), rng.normal(size=size)
    matrix = root @ root.T + np.eye(size)
    rows, inverse = factors(matrix.tolist())
    lower = np.eye(size)
    for i, row in enumerate(rows):
        lower[i, :i] = row
    # Conditions below 1e2: some ten roundings of 1e-16, amplified by that.
    np.testing.assert_allclose(lower @ np.diag(1.0 / np.array(inverse)) @ lower.T, matrix,
                               rtol=1e-12)
    np.testing.assert_allclose(forward(rows, vector), np.linalg.solve(lower, vector), rtol=1e-11)
    np.testing.assert_allclose(backward(rows, vector), np.linalg.solve(lower.T, vector),
                               rtol=1e-11)
    np.testing.assert_allclose(solve(rows, inverse, vector), np.linalg.solve(matrix, vector),
                               rtol=1e-11)


def test_rows_of_different_length():
    assert dot([1.0, 2.0, 3.0], [4.0, 5.0]) == 14.0
    assert dot([], [1.0]) == 0.0
