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

"""Whether two values are the same in all that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


WORDING = frozenset(('source', 'findings'))
"""Fields that say where and how something was described, not what it is."""


def is_same(a: Any, b: Any, besides: frozenset[str] = frozenset()) -> bool:
    """
    Return whether two values have the same content.

    Parameters
    ----------
    a, b : object
        Arrays, mappings, tuples, dataclasses without ``==`` of their own, and what has one.
    besides : frozenset of str, optional
        Fields of dataclasses that may differ.

    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(is_same(one, other, besides) for one, other in zip(a, b))
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(
            is_same(a[key], b[key], besides) for key in a)
    if is_dataclass(a) and (besides or type(a).__eq__ is object.__eq__):
        return all(is_same(getattr(a, field.name), getattr(b, field.name), besides)
                   for field in fields(a) if field.name not in besides)
    return bool(a == b)
