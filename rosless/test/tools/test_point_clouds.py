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

"""Point clouds as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import PointCloud2, PointField
from sensor_msgs_py import point_cloud2
from std_msgs.msg import Header

HEADER = Header(frame_id='lidar')
POINTS = [(0.0, 1.0, 2.0), (1.0, math.nan, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0)]
MIXED = [
    PointField(name='x', offset=0, datatype=PointField.FLOAT64, count=1),
    PointField(name='', offset=8, datatype=PointField.UINT8, count=1),
    PointField(name='ring', offset=10, datatype=PointField.INT16, count=3),
]


def test_points_go_there_and_back() -> None:
    cloud = point_cloud2.create_cloud_xyz32(HEADER, POINTS)
    assert (cloud.height, cloud.width, cloud.point_step, cloud.row_step) == (1, 4, 12, 48)
    assert (cloud.header, cloud.is_dense, cloud.is_bigendian) == (HEADER, False, False)
    assert point_cloud2.DUMMY_FIELD_PREFIX == 'unnamed_field'
    assert bytes(cloud.data) == np.array(POINTS, dtype='<f4').tobytes()
    points = point_cloud2.read_points(cloud)
    assert points.dtype.names == ('x', 'y', 'z')
    np.testing.assert_array_equal(points['y'], [1.0, math.nan, 5.0, 8.0])
    numbers = point_cloud2.read_points_numpy(cloud)
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.array(POINTS, dtype=np.float32))
    assert point_cloud2.read_points_list(cloud, ('z', 'x'))[2] == (6.0, 4.0)
    assert point_cloud2.read_points_list(cloud)[0].z == 2.0


def test_what_is_wanted_of_it() -> None:
    cloud = point_cloud2.create_cloud_xyz32(HEADER, POINTS)
    assert point_cloud2.read_points(cloud, ['z'], skip_nans=True)['z'].tolist() == [2, 3, 6, 9]
    kept = point_cloud2.read_points(cloud, skip_nans=True)
    assert kept['x'].tolist() == [0.0, 4.0, 7.0]
    assert point_cloud2.read_points(cloud, skip_nans=True, uvs=[2, 0])['x'].tolist() == [7, 0]
    assert point_cloud2.read_points(cloud, uvs=np.array([1]))['z'].tolist() == [3.0]
    cloud.is_dense = True  # a promise
    assert len(point_cloud2.read_points(cloud, skip_nans=True)) == 4


def test_fields_of_every_kind() -> None:
    dtype = point_cloud2.dtype_from_fields(MIXED)
    assert dtype.names == ('x', 'unnamed_field_1', 'ring_0', 'ring_1', 'ring_2')
    assert dtype.itemsize == 16
    cloud = point_cloud2.create_cloud(HEADER, MIXED, [(0.5, 3, -1, -2, -3), (1.5, 4, 5, 6, 7)], 24)
    assert (cloud.point_step, len(cloud.data)) == (24, 48)
    points = point_cloud2.read_points(cloud)
    assert points.tolist() == [(0.5, 3, -1, -2, -3), (1.5, 4, 5, 6, 7)]
    again = point_cloud2.create_cloud(HEADER, MIXED, points, 24)
    assert point_cloud2.read_points(again).tolist() == points.tolist()


@pytest.mark.parametrize('kind', sorted(point_cloud2.DATATYPES))
def test_every_type_of_numbers_in_either_order(kind: int) -> None:
    field = PointField(name='a', offset=0, datatype=kind, count=1)
    cloud = point_cloud2.create_cloud(HEADER, [field], [(1,), (100,)])
    swapped = point_cloud2.read_points(cloud)['a'].byteswap().tobytes()
    other = PointCloud2(fields=[field], height=1, width=2, is_bigendian=True)
    other.point_step, other.row_step, other.data = cloud.point_step, cloud.row_step, swapped
    assert point_cloud2.read_points(other)['a'].tolist() == [1, 100]
    assert bytes(other.data) == swapped  # the message is left as it was


def test_clouds_of_several_rows() -> None:
    grid = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    cloud = point_cloud2.create_cloud_xyz32(HEADER, grid)
    assert (cloud.height, cloud.width, cloud.row_step) == (2, 4, 48)
    assert point_cloud2.read_points(cloud).shape == (8,)
    organised = point_cloud2.read_points(cloud, reshape_organized_cloud=True)
    assert organised.shape == (2, 4)
    assert organised[1, 2]['y'] == grid[1, 2, 1]
    numbers = point_cloud2.read_points_numpy(cloud, reshape_organized_cloud=True)
    np.testing.assert_array_equal(numbers, grid)
    # rows with octets behind them
    padded = PointCloud2(fields=cloud.fields, height=2, width=4, point_step=12, row_step=50)
    upper, lower = bytes(cloud.data[:48]), bytes(cloud.data[48:])
    padded.data = upper + b'\xff\xff' + lower + b'\xff\xff'
    np.testing.assert_array_equal(point_cloud2.read_points_numpy(padded), grid.reshape(8, 3))


def test_points_are_those_of_the_message() -> None:
    cloud = point_cloud2.create_cloud_xyz32(HEADER, POINTS)
    point_cloud2.read_points(cloud)['x'][0] = 11.0
    assert point_cloud2.read_points_list(cloud)[0].x == 11.0


@pytest.mark.parametrize(
    ('call', 'problem'),
    [
        (lambda cloud: point_cloud2.read_points(HEADER), r'is not a sensor_msgs\.msg\.Point'),
        (lambda cloud: point_cloud2.read_points(cloud, ['w']), r"fields \['w'\] are not in the"),
        (
            lambda cloud: point_cloud2.create_cloud(HEADER, cloud.fields, np.zeros((4, 2))),
            r'the shape \(4, 2\); wanted are \(n, 3\) or \(height, width, 3\)',
        ),
        (
            lambda cloud: point_cloud2.create_cloud(
                HEADER, MIXED, point_cloud2.read_points(cloud)
            ),
            'PointFields and structured NumPy array dtype do not match',
        ),
        (
            lambda cloud: point_cloud2.dtype_from_fields([*cloud.fields, cloud.fields[0]]),
            "Duplicate field names are not allowed: 'x'",
        ),
        (
            lambda cloud: point_cloud2.dtype_from_fields([PointField(name='a', datatype=9)]),
            "field 'a' has a count of 0; at least 1 wanted",
        ),
        (
            lambda cloud: point_cloud2.dtype_from_fields(
                [PointField(name='a', datatype=9, count=1)]
            ),
            r"field 'a' has the unknown datatype 9; allowed: \[1, 2, 3, 4, 5, 6, 7, 8\]",
        ),
        (
            lambda cloud: point_cloud2.read_points_numpy(
                point_cloud2.create_cloud(HEADER, MIXED, [])
            ),
            'All fields need to have the same datatype',
        ),
    ],
)
def test_wrong_use(call: Any, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        call(point_cloud2.create_cloud_xyz32(HEADER, POINTS))
