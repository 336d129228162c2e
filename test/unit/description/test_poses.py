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

"""Poses of descriptions: entries that differ from 0, 1 and -1 by rounding are made exact."""

import numpy as np

from mbd_ros.description.records.poses import clean


def test_only_rounding_is_taken_from_a_rotation():
    """And no zero has a sign; what is further off stays, bit by bit."""
    rounded = np.array([[6e-17, -1.0 + 2e-16, 0.0], [1.0, -6e-17, -0.0], [0.0, 0.0, 1.0 - 1e-16]])
    found = clean(rounded)
    np.testing.assert_array_equal(found, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert not np.signbit(found[found == 0.0]).any()
    for angle in (1e-14, 0.3, np.pi / 2 + 1e-14):
        c, s = np.cos(angle), np.sin(angle)
        turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        assert clean(turned)[0, 0] == (1.0 if angle == 1e-14 else c)
        assert clean(turned)[1, 0] == (1.0 if angle > 1.0 else s)
