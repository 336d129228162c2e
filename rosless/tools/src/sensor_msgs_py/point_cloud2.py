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

"""
Point clouds (`sensor_msgs/msg/PointCloud2`) as NumPy arrays, and the other way round.

A cloud is `height` rows of `width` points; each point is `point_step` octets, in which its fields
lie at their offsets.

"""

from __future__ import annotations

import array
from collections import namedtuple
from collections.abc import Iterable, Sequence
import sys
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured, unstructured_to_structured
from sensor_msgs.msg import PointCloud2, PointField

__all__ = [
    'DUMMY_FIELD_PREFIX',
    'create_cloud',
    'create_cloud_xyz32',
    'dtype_from_fields',
    'read_points',
    'read_points_list',
    'read_points_numpy',
]

Array = np.ndarray[Any, Any]
DUMMY_FIELD_PREFIX = 'unnamed_field'
DATATYPES = {
    PointField.INT8: np.dtype('int8'),
    PointField.UINT8: np.dtype('uint8'),
    PointField.INT16: np.dtype('int16'),
    PointField.UINT16: np.dtype('uint16'),
    PointField.INT32: np.dtype('int32'),
    PointField.UINT32: np.dtype('uint32'),
    PointField.FLOAT32: np.dtype('float32'),
    PointField.FLOAT64: np.dtype('float64'),
}


def dtype_from_fields(fields: Iterable[Any], point_step: int | None = None) -> np.dtype[Any]:
    """
    Return the type of the points of a cloud.

    Parameters
    ----------
    fields : Iterable[PointField]
        Its fields. One without a name is called ``unnamed_field_<index>``; the numbers of one with
        several are called ``<name>_0``, ``<name>_1`` ...
    point_step : int, optional
        Octets of a point; as many as the fields need if omitted.

    Raises
    ------
    AssertionError
        If two fields have one name, a field has no numbers or an unknown type.

    """
    names: list[str] = []
    formats: list[np.dtype[Any]] = []
    offsets: list[int] = []
    for index, field in enumerate(fields):
        name = field.name or f'{DUMMY_FIELD_PREFIX}_{index}'
        assert field.count > 0, f"field '{name}' has a count of {field.count}; at least 1 wanted"
        assert field.datatype in DATATYPES, (
            f"field '{name}' has the unknown datatype {field.datatype}; "
            f'allowed: {sorted(DATATYPES)}'
        )
        kind = DATATYPES[field.datatype]
        for number in range(field.count):
            each = name if field.count == 1 else f'{name}_{number}'
            assert each not in names, f"Duplicate field names are not allowed: '{each}'"
            names.append(each)
            formats.append(kind)
            offsets.append(field.offset + number * kind.itemsize)
    layout: dict[str, Any] = {'names': names, 'formats': formats, 'offsets': offsets}
    if point_step is not None:
        layout['itemsize'] = point_step
    return np.dtype(layout)


def read_points(
    cloud: Any,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
    reshape_organized_cloud: bool = False,
) -> Array:
    """
    Return the points of a cloud as a structured array.

    Parameters
    ----------
    cloud : PointCloud2
        The cloud.
    field_names : Iterable[str], optional
        Which fields; all if omitted.
    skip_nans : bool
        Whether points with a NaN are left out; a cloud that says it is dense has none.
    uvs : Iterable[int], optional
        Indices of the points wanted (of those that are left); all if omitted.
    reshape_organized_cloud : bool
        Whether a cloud of several rows becomes an array of shape (height, width).

    Returns
    -------
    ndarray
        Shape (n,); where nothing had to be left out or turned round, of the octets of the message.

    Raises
    ------
    AssertionError
        If it is no cloud, or there is no such field.

    """
    assert isinstance(cloud, PointCloud2), f'Cloud is not a sensor_msgs.msg.PointCloud2: {cloud!r}'
    dtype = dtype_from_fields(cloud.fields, point_step=cloud.point_step)
    rows: Array = np.ndarray(
        (cloud.height, cloud.width),
        dtype=dtype,
        buffer=cloud.data,
        strides=(cloud.row_step or cloud.width * cloud.point_step, cloud.point_step),
    )
    points = rows.reshape(-1)
    if field_names is not None:
        wanted = list(field_names)
        unknown = [name for name in wanted if name not in (dtype.names or ())]
        assert not unknown, (
            f'Requested fields {unknown} are not in the fields of the PointCloud: {dtype.names}'
        )
        points = points[wanted]
    if bool(cloud.is_bigendian) != (sys.byteorder == 'big'):
        points = points.byteswap()
    if skip_nans and not cloud.is_dense:
        good = np.ones(len(points), dtype=bool)
        for name in points.dtype.names or ():
            good &= ~np.isnan(points[name])
        points = points[good]
    if uvs is not None:
        points = points[uvs if isinstance(uvs, np.ndarray) else np.fromiter(uvs, int)]
    if reshape_organized_cloud and cloud.height > 1:
        points = points.reshape(cloud.height, cloud.width)
    return points


def read_points_numpy(
    cloud: Any,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
    reshape_organized_cloud: bool = False,
) -> Array:
    """
    Return the points of a cloud as an array of numbers, if all its fields are of one type.

    Parameters
    ----------
    cloud, field_names, skip_nans, uvs, reshape_organized_cloud
        See `read_points`.

    Returns
    -------
    ndarray
        Shape (n, number of fields).

    Raises
    ------
    AssertionError
        If fields of different types are in the cloud, or for what `read_points` raises it.

    """
    assert all(cloud.fields[0].datatype == field.datatype for field in cloud.fields), (
        'All fields need to have the same datatype. Use `read_points()` otherwise.'
    )
    points = read_points(cloud, field_names, skip_nans, uvs, reshape_organized_cloud)
    return structured_to_unstructured(points)


def read_points_list(
    cloud: Any,
    field_names: Iterable[str] | None = None,
    skip_nans: bool = False,
    uvs: Iterable[int] | None = None,
) -> list[Any]:
    """Return the points of a cloud as named tuples; see `read_points`."""
    points = read_points(cloud, field_names, skip_nans, uvs)
    point = namedtuple('Point', points.dtype.names or ())  # type: ignore[misc]
    return [point(*each) for each in points.tolist()]


def create_cloud(
    header: Any, fields: Sequence[Any], points: Iterable[Any], step: int | None = None
) -> Any:
    """
    Return a cloud.

    Parameters
    ----------
    header : std_msgs.msg.Header
        Its header.
    fields : Sequence[PointField]
        Its fields.
    points : Iterable
        The points: tuples of their fields; an array of numbers of shape (n, fields) or, for a
        cloud of several rows, (height, width, fields); or a structured array of shape (n,) or
        (height, width).
    step : int, optional
        Octets of a point; as many as the fields need if omitted.

    Raises
    ------
    AssertionError
        If a structured array does not have the fields of the cloud, or an array of numbers has
        more or fewer columns.

    """
    dtype = dtype_from_fields(fields, point_step=step)
    names = dtype.names or ()
    if not isinstance(points, np.ndarray):
        points = np.array([tuple(point) for point in points], dtype=dtype)
    elif points.dtype.names is None:
        assert points.ndim in (2, 3) and points.shape[-1] == len(names), (
            f'points have the shape {points.shape}; wanted are (n, {len(names)}) or '
            f'(height, width, {len(names)})'
        )
        points = unstructured_to_structured(points, dtype=dtype)
    else:
        assert points.dtype == dtype, (
            f'PointFields and structured NumPy array dtype do not match: {dtype} is wanted, '
            f'not {points.dtype}'
        )
    height, width = points.shape if points.ndim == 2 else (1, len(points))
    cloud = PointCloud2(header=header, fields=list(fields))
    cloud.height, cloud.width = height, width
    cloud.is_dense, cloud.is_bigendian = False, sys.byteorder == 'big'
    cloud.point_step, cloud.row_step = dtype.itemsize, dtype.itemsize * width
    cloud.data = array.array('B', points.tobytes())
    return cloud


def create_cloud_xyz32(header: Any, points: Iterable[Any], step: int | None = None) -> Any:
    """Return a cloud of points x, y, z [m] in single precision; see `create_cloud`."""
    fields = [
        PointField(name=name, offset=4 * index, datatype=PointField.FLOAT32, count=1)
        for index, name in enumerate('xyz')
    ]
    return create_cloud(header, fields, points, step)
