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


"""
The classical Runge-Kutta method of order 4: ``k1`` to ``k4`` and their mean.

For whatever can be added and scaled: arrays of floats, of complex numbers, and of symbols, which
is how steps in machine code come of the same text.

References
----------
Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 1993, section II.1.

"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rk4(rate: Callable[[float, Any], Any], y: Any, h: Any, first: Any = None) -> Any:
    """
    Return y one step later.

    Parameters
    ----------
    rate : callable
        ``(c, y)`` to y', with c from 0 to 1 the part of the step that has passed.
    y : array
        At the start of the step.
    h : float or array
        Length of the step.
    first : array, optional
        ``rate(0.0, y)`` where it is known already.

    Returns
    -------
    array
        Of the shape of y.

    """
    k1 = rate(0.0, y) if first is None else first
    half = 0.5 * h
    k2 = rate(0.5, y + half * k1)
    k3 = rate(0.5, y + half * k2)
    k4 = rate(1.0, y + h * k3)
    return y + increment(h, k1, k2, k3, k4)


def increment(h: Any, k1: Any, k2: Any, k3: Any, k4: Any) -> Any:
    """Return by how much y, or an integral, grows whose rates at the stages these are."""
    return h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
