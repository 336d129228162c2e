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

"""Numbers that a browser sends, bounded: anybody on this machine may send anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def number(value: Any, low: float, high: float) -> float | None:
    """Return a number from a browser, None if it is none from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (
            int, float, np.integer, np.floating)):
        return None
    return float(value) if low <= value <= high else None   # nan is not


def numbers(values: Any, count: int, largest: float) -> NDArray[np.float64] | None:
    """Return (count,) numbers from a browser, None if one is not within ``largest`` of zero."""
    if not isinstance(values, (tuple, list, np.ndarray)) or len(values) != count:
        return None
    found = [number(value, -largest, largest) for value in values]
    return None if None in found else np.array(found, dtype=np.float64)
