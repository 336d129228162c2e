"""Transform stamped objects of registered types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.duration import Duration
from rclpy.time import Time

NO_WAIT = Duration()


class TypeException(Exception):
    """No function is registered for a type."""


class TransformRegistration:
    """The functions that apply a transform to an object of a type."""

    _functions: dict[type, Callable[[Any, Any], Any]] = {}

    def add(self, key: type, callback: Callable[[Any, Any], Any]) -> None:
        """Register a function that takes an object and a TransformStamped."""
        self._functions[key] = callback

    def get(self, key: type) -> Callable[[Any, Any], Any]:
        """Return the function for a type, or raise TypeException."""
        if key not in self._functions:
            raise TypeException(f'Type {key} is not loaded or supported: register a function with '
                                'tf2_ros.TransformRegistration().add(type, function)')
        return self._functions[key]


class BufferInterface:
    """What a buffer offers on top of looking up transforms."""

    def __init__(self) -> None:
        self.registration = TransformRegistration()

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT,
    ) -> Any:
        """Return a transform; for subclasses."""
        raise NotImplementedError

    def transform(
        self, object_stamped: Any, target_frame: str, timeout: Duration = NO_WAIT,
        new_type: Any = None,
    ) -> Any:
        """
        Return an object with a header in another frame, at the time of its header.

        Raises
        ------
        TypeException
            If no function is registered for the type of the object.
        NotImplementedError
            If another type is asked for, which is not available yet.

        """
        if new_type is not None:
            raise NotImplementedError(
                'new_type of transform() is not available in this version of rosless')
        function = self.registration.get(type(object_stamped))
        header = object_stamped.header
        return function(object_stamped, self.lookup_transform(
            target_frame, header.frame_id, Time.from_msg(header.stamp), timeout))
