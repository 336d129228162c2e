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

"""Coordinate frames over time: broadcast them, collect them, look up one in another."""

import importlib
from typing import Any

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
    'BufferClient',
    'BufferCore',
    'BufferInterface',
    'BufferServer',
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


def __getattr__(name: str) -> Any:
    if name in ('BufferClient', 'BufferServer'):   # most programs need no actions
        module = 'buffer_client' if name == 'BufferClient' else 'buffer_server'
        return getattr(importlib.import_module(f'tf2_ros.{module}'), name)
    raise AttributeError(f"module 'tf2_ros' has no attribute '{name}'")
