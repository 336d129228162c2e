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

"""A path from one function of time: its velocity and acceleration by differentiating, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mbd_ros.control.references.paths import CodedPath
from mbd_ros.control.references.scalars import Row
from mbd_ros.control.references.time_code import closed_form, TimeCode
from mbd_ros.control.references.user_functions import UserFunction
from mbd_ros.execution.ir.differentiation import tangents
from mbd_ros.spatial import Scalar


class TracedPath(CodedPath):
    """
    A path that a user's function describes, as machine code.

    Parameters
    ----------
    position : callable
        ``position(t)`` to a sequence of scalars: x, y, z in world axes [m], or the positions of
        joints. It is called once, on a symbol; what it may do is what constraint functions may.

    Raises
    ------
    InvalidValueError
        If the function does what cannot be recorded, or returns no scalars.

    Examples
    --------
    A screw about the z axis::

        TracedPath(lambda t: [0.5 + 0.1 * cosine(2.0 * t), 0.1 * sine(2.0 * t), 0.3 + 0.01 * t])

    """

    def __init__(self, position: Callable[[Scalar], Sequence[Scalar]]) -> None:
        self._text = _WithRates(UserFunction(
            position, lambda function, time: function(*time), (1,), what='function of a path'))

    def _made(self) -> TimeCode:
        return closed_form(self._text, (), 3 * self._text.size)


class _WithRates:
    """A function of time with two rates behind it; equal to all that do the same."""

    def __init__(self, function: UserFunction) -> None:
        self._function = function
        self.size = function.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _WithRates) and self._function.text == other._function.text

    def __hash__(self) -> int:
        return hash(self._function.text)

    def __call__(self, time: Scalar, _: Row) -> Row:
        values = self._function([time])
        rates = tangents(time.trace, values, {time: 1.0})
        return [*values, *rates, *tangents(time.trace, rates, {time: 1.0})]
