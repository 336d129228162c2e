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

"""Paths from plain data, as a parameter file or a message has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import types
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mbd_ros.control.references.arguments import (
    checked_point, flag, mapping, number, positive_number, row, table, text)
from mbd_ros.control.references.paths import circle, Ellipse, Line, Lissajous, Path
from mbd_ros.control.references.splines import spline, timetable, Timetabled
from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.simulation.manifold import Vector

Reader: TypeAlias = Callable[[str, Any], Any]
"""``(name, value)`` to the value, checked; raises MbdError."""

NONE: Mapping[str, Reader] = types.MappingProxyType({})


class Kind(NamedTuple):
    """A kind of thing: what makes it, the data it needs and may have, each with its reader."""

    make: Callable[..., Any]
    needed: Mapping[str, Reader]
    optional: Mapping[str, Reader] = NONE


def point(name: str, value: Any) -> Any:
    """Return three numbers of plain data."""
    return [number(name, each) for each in checked_point(name, value).tolist()]


def _timetabled(path: Mapping[str, Any], times: Any, places: Any, speeds: Any) -> Timetabled:
    """Return a path by a timetable; the path itself has none."""
    if path.get('kind') == TIMETABLE:
        raise InvalidValueError(f'kind of the path of a {TIMETABLE}', TIMETABLE, 'another one')
    inner: Any = path_from_data(path)
    return Timetabled(inner, timetable(times, places, speeds))


TIMETABLE = 'timetable'
PERIOD: Mapping[str, Reader] = {'period': positive_number}
KINDS: Mapping[str, Kind] = {
    'ellipse': Kind(Ellipse, {'center': point, 'a': point, 'b': point}, PERIOD),
    'circle': Kind(
        circle, {'center': point, 'radius': positive_number, 'normal': point}, PERIOD),
    'lissajous': Kind(Lissajous, {'center': point, 'amplitude': point, 'turns': point},
                      {'phase': point, **PERIOD}),
    'spline': Kind(spline, {'points': table, 'duration': positive_number},
                   {'begin': number, 'closed': flag}),
    'line': Kind(Line, {'start': point, 'end': point, 'duration': positive_number},
                 {'begin': number}),
    TIMETABLE: Kind(_timetabled, {'path': mapping, 'times': row, 'places': row, 'speeds': row}),
}
"""Kinds of path."""

PLACES: Mapping[str, tuple[str, ...]] = {
    'ellipse': ('center',), 'circle': ('center',), 'lissajous': ('center',), 'spline': ('points',),
    'line': ('start', 'end')}
"""Data of each kind that are points; the first of them is the place of the path."""


def path_from_data(data: Mapping[str, Any]) -> Path:
    """
    Return the path that plain data describe.

    Parameters
    ----------
    data : mapping
        ``kind`` (a key of ``KINDS``) and the arguments of that kind, e.g.
        ``{'kind': 'ellipse', 'center': [1, 0, 1], 'a': [0.25, 0.3, 0], 'b': [0, 1, 0.5]}``.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    UnknownNameError
        If the kind or a datum is not known; names the nearest.
    InvalidValueError, ShapeError, NotFiniteError
        If a datum is missing or not allowed.

    """
    if isinstance(data, MadePath):
        return data.path
    path: Path = made_from_data(KINDS, 'path', data)
    return path


class MadePath(Mapping[str, Any]):
    """
    Data of a path with the path that they describe, which was made once and is not made again.

    That of thousands of points takes milliseconds, which a control step does not have.

    Parameters
    ----------
    data : mapping
        As for ``path_from_data``, which says what is raised; nobody changes them.

    Attributes
    ----------
    path : Path
        The path.

    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.path = path_from_data(data)

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


def place_of(data: Mapping[str, Any]) -> Vector:
    """
    Return the place of a path in space: its centre, or the first of its points.

    Parameters
    ----------
    data : mapping
        As for ``path_from_data``, which says what is raised.

    Returns
    -------
    Vector
        (3,) in world axes [m].

    """
    path_from_data(data)
    if data['kind'] == TIMETABLE:
        return place_of(data['path'])
    points = np.array(data[PLACES[data['kind']][0]], dtype=np.float64)
    place: Vector = points.reshape(-1, 3)[0]
    return place


def moved_path(data: Mapping[str, Any], place: Vector) -> dict[str, Any]:
    """
    Return the data of the same path at another place.

    Parameters
    ----------
    data : mapping
        As for ``path_from_data``, which says what is raised.
    place : Vector
        Where its centre, or the first of its points, is to be (3,), in world axes [m].

    Returns
    -------
    dict
        The data, shifted; points to a micrometre.

    """
    if data.get('kind') == TIMETABLE:   # whose speeds belong to its place
        return moved_path(data['path'], place)
    way = place - place_of(data)
    return {**data, **{name: np.round(data[name] + way, 6).tolist()
                       for name in PLACES[data['kind']]}}


def made_from_data(kinds: Mapping[str, Kind], noun: str, data: Mapping[str, Any], *first: Any,
                   which: str = '') -> Any:
    """
    Return what plain data, a ``kind`` and its arguments, describe.

    ``first`` are arguments before those; ``noun`` and ``which`` say in errors what it is. Raises
    UnknownNameError or InvalidValueError as ``path_from_data``.
    """
    what = f'{noun}{which}'
    kind = text(f'kind of {what}', mapping(what, data).get('kind', ''))
    if kind not in kinds:
        raise UnknownNameError(f'kind of {what}', kind, kinds)
    make, needed, optional = kinds[kind]
    readers = {**needed, **optional}
    given = {name: value for name, value in data.items() if name != 'kind'}
    for name in given:
        if name not in readers:
            raise UnknownNameError(f'datum of a {noun} of kind {kind}', name, sorted(readers))
    missing = sorted(needed.keys() - given.keys())
    if missing:
        raise InvalidValueError(f'{what} of kind {kind}', sorted(given),
                                f'also with {", ".join(missing)}')
    return make(*first, **{name: readers[name](name, value) for name, value in given.items()})
