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

"""Check the type of an argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def ensure_argument_type(
    argument: Any,
    types: type | Iterable[type],
    argument_name: str,
    caller: str | None = None,
) -> None:
    """
    Raise TypeError unless the argument is of one of the types.

    Parameters
    ----------
    argument : object
        The value.
    types : type or iterable of type
        What is allowed.
    argument_name : str
        Name of the argument, for the message.
    caller : str, optional
        Name of the function, for the message.

    """
    allowed = (types,) if isinstance(types, type) else tuple(types)
    if not isinstance(argument, allowed):
        names = ', '.join(t.__name__ for t in allowed)
        where = f' of {caller}' if caller else ''
        raise TypeError(f"argument '{argument_name}'{where} must be of type {names}, "
                        f"found '{argument}' of type {type(argument).__name__}")
