"""Coordinate frames over time: broadcast them, collect them, look up one in another."""

import rosless  # noqa: F401  makes interface packages importable

from tf2_ros.buffer import Buffer
from tf2_ros.buffer_core import BufferCore
from tf2_ros.buffer_interface import BufferInterface
from tf2_ros.buffer_interface import convert
from tf2_ros.buffer_interface import ConvertRegistration
from tf2_ros.buffer_interface import NotImplementedException
from tf2_ros.buffer_interface import Stamped
from tf2_ros.buffer_interface import TransformRegistration
from tf2_ros.buffer_interface import TypeException
from tf2_ros.exceptions import ConnectivityException
from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.exceptions import InvalidArgumentException
from tf2_ros.exceptions import LookupException
from tf2_ros.exceptions import TimeoutException
from tf2_ros.exceptions import TransformException
from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster
from tf2_ros.transform_broadcaster import TransformBroadcaster
from tf2_ros.transform_listener import TransformListener

__all__ = [
    'Buffer',
    'BufferCore',
    'BufferInterface',
    'ConnectivityException',
    'ConvertRegistration',
    'ExtrapolationException',
    'InvalidArgumentException',
    'LookupException',
    'NotImplementedException',
    'Stamped',
    'StaticTransformBroadcaster',
    'TimeoutException',
    'TransformBroadcaster',
    'TransformException',
    'TransformListener',
    'TransformRegistration',
    'TypeException',
    'convert',
]

_ABSENT = {
    'BufferClient': 'look transforms up in a Buffer of your own, filled by a TransformListener',
    'BufferServer': 'each program has a Buffer of its own here',
}


def __getattr__(name: str) -> object:
    if name in _ABSENT:
        raise ImportError(f'tf2_ros.{name} is not available in rosless: {_ABSENT[name]}')
    raise AttributeError(f"module 'tf2_ros' has no attribute '{name}'")
