"""Paths from plain data, as a parameter file or a message has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mbd_ros.control.references.paths import circle, Ellipse, Line, Lissajous, Path
from mbd_ros.control.references.splines import spline
from mbd_ros.errors import InvalidValueError, UnknownNameError


class Kind(NamedTuple):
    """A kind of thing: what makes it, the data it needs and those it may have."""

    make: Callable[..., Any]
    needed: frozenset[str]
    optional: frozenset[str] = frozenset()


KINDS: Mapping[str, Kind] = {
    'ellipse': Kind(Ellipse, frozenset({'center', 'a', 'b'}), frozenset({'period'})),
    'circle': Kind(circle, frozenset({'center', 'radius', 'normal'}), frozenset({'period'})),
    'lissajous': Kind(Lissajous, frozenset({'center', 'amplitude', 'turns'}),
                      frozenset({'phase', 'period'})),
    'spline': Kind(spline, frozenset({'points', 'duration'}), frozenset({'begin', 'closed'})),
    'line': Kind(Line, frozenset({'start', 'end', 'duration'}), frozenset({'begin'})),
}
"""Kinds of path."""


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
    path: Path = made_from_data(KINDS, 'path', data)
    return path


def made_from_data(kinds: Mapping[str, Kind], noun: str, data: Mapping[str, Any], *first: Any,
                   number: str = '') -> Any:
    """
    Return what plain data describe.

    Parameters
    ----------
    kinds : mapping of str to Kind
        What there is.
    noun, number : str
        What it is called in errors.
    data : mapping
        ``kind`` and the arguments of that kind.
    *first
        Arguments before those.

    Raises
    ------
    UnknownNameError, InvalidValueError
        As ``path_from_data``.

    """
    kind = str(data.get('kind', ''))
    if kind not in kinds:
        raise UnknownNameError(f'kind of {noun}{number}', kind, kinds)
    make, needed, optional = kinds[kind]
    given = {name: value for name, value in data.items() if name != 'kind'}
    for name in given:
        if name not in needed | optional:
            raise UnknownNameError(f'datum of a {noun} of kind {kind}', name,
                                   sorted(needed | optional))
    missing = sorted(needed - given.keys())
    if missing:
        raise InvalidValueError(f'{noun}{number} of kind {kind}', sorted(given),
                                f'also with {", ".join(missing)}')
    return make(*first, **given)
