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

"""What force laws read of the world, as users hand it over."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from mbd_ros.errors import InvalidValueError, UnknownNameError
from mbd_ros.execution.program.records import flatten


def changed_world(values: Mapping[str, Any], changes: Mapping[str, Any]) -> tuple[float, ...]:
    """
    Return what force laws read of the world after changes, depth first.

    Parameters
    ----------
    values : mapping of str to NamedTuple
        The record of each law.
    changes : mapping of str to NamedTuple or mapping
        By name of the law: another record, or some fields of it.

    Returns
    -------
    tuple of float
        The scalars of all laws.

    Raises
    ------
    UnknownNameError
        If there is no law or field of a name.
    InvalidValueError
        If a record has another shape or a value is no finite number.

    """
    for name in changes:
        if name not in values:
            raise UnknownNameError('force law', name, values)
    return tuple(scalar for name, record in values.items()
                 for scalar in _checked(name, record, changes.get(name, record)))


def _checked(name: str, record: Any, change: Any) -> list[float]:
    """Return the scalars of one law's record."""
    if isinstance(change, Mapping):
        for field in change:
            if field not in record._fields:
                raise UnknownNameError(f"field of force law '{name}'", field, record._fields)
        change = record._replace(**change)
    count, scalars = len(flatten(record)), flatten(change)
    if len(scalars) != count or not all(
            isinstance(one, (float, int)) and math.isfinite(one) for one in scalars):
        raise InvalidValueError(f"world of force law '{name}'", change, f'{count} finite numbers')
    return [float(one) for one in scalars]
