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

"""Whether two texts are equal."""

from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


def _as_number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return {'true': 1.0, 'false': 0.0}.get(text.lower(), text)


class EqualsSubstitution(Substitution):
    """
    Stands for ``'true'`` where two texts are equal, else for ``'false'``.

    Parameters
    ----------
    left, right : text with substitutions, or plain value
        What to compare; numbers and truth values are compared as such, numbers to nine digits,
        and None is the empty text.

    """

    def __init__(self, left: Any, right: Any) -> None:
        self.__sides = [
            normalize_to_list_of_substitutions(
                '' if side is None else
                str(side) if isinstance(side, (bool, int, float)) else side)
            for side in (left, right)]

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        sides = (' + '.join(part.describe() for part in side) for side in self.__sides)
        return f"{type(self).__name__}({', '.join(sides)})"

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        left, right = (perform_substitutions(context, side) for side in self.__sides)
        first, second = _as_number_or_text(left), _as_number_or_text(right)
        if isinstance(first, float) and isinstance(second, float):
            return str(math.isclose(first, second)).lower()
        return str(first == second).lower()
