"""Joints by name at the border, by index inside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError
from mbd_ros.model.model import Model

Array = NDArray[np.float64]


def reorder(model: Model, names: Sequence[str], values: ArrayLike, *,
            what: str = 'values') -> Array:
    """
    Return values given by joint name in the order of the model.

    Parameters
    ----------
    model : Model
        A robot; its joints with several coordinates are not named.
    names : sequence of str
        Names of joints with one coordinate, each exactly once, in any order.
    values : (n,) or (N, n) array
        One value per name; several rows for several states.
    what : str
        What the values are, for messages.

    Returns
    -------
    (n,) or (N, n) array
        In the order of the joints in the model.

    Raises
    ------
    UnknownNameError
        If there is no joint of a name.
    InvalidValueError
        If a joint is named twice, left out, or has more than one coordinate.
    ShapeError
        If there are not as many values as names.

    """
    order = indices(model, names)
    array = np.asarray(values, dtype=np.float64)
    if array.ndim not in (1, 2) or array.shape[-1] != len(order):
        raise ShapeError(what, array.shape, f'({len(order)},) or (N, {len(order)}), one per name')
    return array[..., order]


def indices(model: Model, names: Sequence[str]) -> list[int]:
    """
    Return where in a list of names each joint of the model stands.

    Parameters
    ----------
    model : Model
        The robot.
    names : sequence of str
        Names of its joints with one coordinate, each exactly once.

    Returns
    -------
    list of int
        ``[names.index(joint) for joint in ...]`` in the order of the model.

    Raises
    ------
    UnknownNameError
        If there is no joint of a name.
    InvalidValueError
        If a joint is named twice, left out, or has more than one coordinate.

    """
    wanted = simple_joints(model)
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in places:
            raise InvalidValueError('joint_names', list(names),
                                    f"each joint once; '{name}' is there twice")
        if name not in model.joint_names:
            raise UnknownNameError('joint', name, wanted)
        places[name] = place
    missing = [name for name in wanted if name not in places]
    if missing:
        raise InvalidValueError('joint_names', list(names), 'all joints; missing: '
                                + ', '.join(missing))
    if len(places) > len(wanted):
        extra = [name for name in names if name not in wanted]
        raise InvalidValueError('joint_names', list(names), 'joints with one coordinate, not '
                                + ', '.join(extra))
    return [places[name] for name in wanted]


def simple_joints(model: Model) -> tuple[str, ...]:
    """Return the names of the joints with one coordinate: revolute and prismatic ones."""
    return tuple(name for name, kind in zip(model.joint_names, model.joint_types)
                 if kind.is_simple)
