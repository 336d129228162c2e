"""Paths from plain data, as a parameter file or a message has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mbd_ros.control.references import circle, Ellipse, Line, Lissajous, Path
from mbd_ros.control.splines import spline
from mbd_ros.errors import InvalidValueError, UnknownNameError

KINDS: Mapping[str, tuple[Callable[..., Path], frozenset[str], frozenset[str]]] = {
    'ellipse': (Ellipse, frozenset({'center', 'a', 'b'}), frozenset({'period'})),
    'circle': (circle, frozenset({'center', 'radius', 'normal'}), frozenset({'period'})),
    'lissajous': (Lissajous, frozenset({'center', 'amplitude', 'turns'}),
                  frozenset({'phase', 'period'})),
    'spline': (spline, frozenset({'points', 'duration'}), frozenset({'begin', 'closed'})),
    'line': (Line, frozenset({'start', 'end', 'duration'}), frozenset({'begin'})),
}
"""Kinds of path: maker, the data it needs, the data it may have."""


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
    kind = str(data.get('kind', ''))
    if kind not in KINDS:
        raise UnknownNameError('kind of path', kind, KINDS)
    make, needed, optional = KINDS[kind]
    given = {name: value for name, value in data.items() if name != 'kind'}
    for name in given:
        if name not in needed | optional:
            raise UnknownNameError(f'datum of a path of kind {kind}', name,
                                   sorted(needed | optional))
    missing = sorted(needed - given.keys())
    if missing:
        raise InvalidValueError(
            f'path of kind {kind}', sorted(given), f'also with {", ".join(missing)}')
    return make(**given)
