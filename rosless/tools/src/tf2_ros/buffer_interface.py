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

"""Transform stamped objects of registered types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.duration import Duration
from rclpy.time import Time
from std_msgs.msg import Header

NO_WAIT = Duration()
Function = Callable[[Any], Any]


class TypeException(Exception):
    """No function is registered for a type."""


class NotImplementedException(Exception):
    """A buffer does not offer something."""


class TransformRegistration:
    """The functions that apply a transform to an object of a type."""

    _functions: dict[type, Callable[[Any, Any], Any]] = {}

    def add(self, key: type, callback: Callable[[Any, Any], Any]) -> None:
        """Register a function that takes an object and a TransformStamped."""
        self._functions[key] = callback

    def get(self, key: type) -> Callable[[Any, Any], Any]:
        """Return the function for a type, or raise TypeException."""
        if key not in self._functions:
            raise TypeException(
                f'Type {key} is not loaded or supported: import tf2_geometry_msgs for messages of '
                'geometry_msgs, or register a function with '
                'tf2_ros.TransformRegistration().add(type, function)')
        return self._functions[key]

    def print_me(self) -> None:
        """Print the types."""
        print(list(self._functions))


class ConvertRegistration:
    """The functions that convert objects of a type into messages and others, and back."""

    _to_msg: dict[Any, Function] = {}
    _from_msg: dict[Any, Function] = {}
    _convert: dict[Any, Function] = {}

    def add_to_msg(self, key: type, callback: Function) -> None:
        """Register a function that makes a message of an object of a type."""
        self._to_msg[key] = callback

    def add_from_msg(self, key: type, callback: Function) -> None:
        """Register a function that makes an object of a type of a message."""
        self._from_msg[key] = callback

    def add_convert(self, key: tuple[type, type], callback: Function) -> None:
        """Register a function that makes an object of the second type of one of the first."""
        self._convert[key] = callback

    def get_to_msg(self, key: type) -> Function:
        """Return the function that makes a message, or raise TypeException."""
        return _registered(self._to_msg, key)

    def get_from_msg(self, key: type) -> Function:
        """Return the function that takes a message, or raise TypeException."""
        return _registered(self._from_msg, key)

    def get_convert(self, key: tuple[type, type]) -> Function:
        """Return the function between two types, or raise TypeException."""
        return _registered(self._convert, key)


def _registered(functions: dict[Any, Function], key: Any) -> Function:
    if key not in functions:
        raise TypeException(f'Type {key} is not loaded or supported')
    return functions[key]


def convert(a: Any, b_type: type) -> Any:
    """
    Return an object as one of another type, by way of a message if need be.

    Raises
    ------
    TypeException
        If no function is registered for it.

    """
    registration = ConvertRegistration()
    try:
        return registration.get_convert((type(a), b_type))(a)
    except TypeException:
        if isinstance(a, b_type):
            return a
        return registration.get_from_msg(b_type)(registration.get_to_msg(type(a))(a))


def Stamped(obj: Any, stamp: Any, frame_id: str) -> Any:
    """Return the object with a header."""
    obj.header = Header(frame_id=frame_id, stamp=stamp)
    return obj


class BufferInterface:
    """What a buffer offers on top of looking up transforms."""

    def __init__(self) -> None:
        self.registration = TransformRegistration()

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT,
    ) -> Any:
        """Return a transform; for subclasses."""
        raise NotImplementedException

    def lookup_transform_full(
        self, target_frame: str, target_time: Time, source_frame: str, source_time: Time,
        fixed_frame: str, timeout: Duration = NO_WAIT,
    ) -> Any:
        """Return a transform between two times; for subclasses."""
        raise NotImplementedException

    def transform(
        self, object_stamped: Any, target_frame: str, timeout: Duration = NO_WAIT,
        new_type: Any = None,
    ) -> Any:
        """
        Return an object with a header in another frame, at the time of its header.

        Parameters
        ----------
        object_stamped : object
            An object with a header, of a registered type.
        target_frame : str
            Name of the frame.
        timeout : Duration
            How long to wait for the transform.
        new_type : type, optional
            Type to convert the result to.

        Raises
        ------
        TypeException
            If no function is registered for the type of the object.
        TransformException
            See ``BufferCore.lookup_transform_core``.

        """
        function = self.registration.get(type(object_stamped))
        header = object_stamped.header
        found = function(object_stamped, self.lookup_transform(
            target_frame, header.frame_id, Time.from_msg(header.stamp), timeout))
        return found if new_type is None else convert(found, new_type)

    def transform_full(
        self, object_stamped: Any, target_frame: str, target_time: Time, fixed_frame: str,
        timeout: Duration = NO_WAIT, new_type: Any = None,
    ) -> Any:
        """Return an object in another frame at another time, by way of a fixed frame."""
        function = self.registration.get(type(object_stamped))
        header = object_stamped.header
        found = function(object_stamped, self.lookup_transform_full(
            target_frame, target_time, header.frame_id, Time.from_msg(header.stamp), fixed_frame,
            timeout))
        return found if new_type is None else convert(found, new_type)
