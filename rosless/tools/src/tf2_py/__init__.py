"""The core of tf2 under the name that the original has for it."""

from tf2_ros.buffer_core import BufferCore
from tf2_ros.exceptions import ConnectivityException
from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.exceptions import InvalidArgumentException
from tf2_ros.exceptions import LookupException
from tf2_ros.exceptions import TimeoutException
from tf2_ros.exceptions import TransformException

__all__ = [
    'BufferCore',
    'ConnectivityException',
    'ExtrapolationException',
    'InvalidArgumentException',
    'LookupException',
    'TimeoutException',
    'TransformException',
]
