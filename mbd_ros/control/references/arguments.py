"""Checks of what a user hands over, where nothing else would tell before the first step."""

from __future__ import annotations

from typing import Any

from mbd_ros.errors import InvalidValueError
from mbd_ros.model import Model

CONSTRAINT = 'matrix', 'right_side', 'violation', 'violation_rate'


def require(name: str, value: Any, attributes: tuple[str, ...], allowed: str) -> None:
    """
    Refuse an argument that is not what its name says.

    Parameters
    ----------
    name : str
        Name of the argument.
    value : object
        What was given.
    attributes : tuple of str
        What it has to have.
    allowed : str
        What it has to be, in words.

    Raises
    ------
    InvalidValueError
        If an attribute is missing.

    """
    if not all(hasattr(value, attribute) for attribute in attributes):
        raise InvalidValueError(name, value if isinstance(value, (str, int, float, list, tuple))
                                else type(value).__name__, allowed)


def require_model(value: Any) -> None:
    """Refuse what is not a robot's model."""
    if not isinstance(value, Model):
        raise InvalidValueError('model', type(value).__name__,
                                'a Model, as mbd_ros.load returns it')


def require_prepared(value: Any) -> None:
    """Refuse what is not a robot's prepared dynamics."""
    require('dyn', value, ('model', 'mass_matrix'),
            'prepared dynamics, as mbd_ros.compile(model) returns them')
