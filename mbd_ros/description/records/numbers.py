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

"""Numbers in XML attributes."""

from __future__ import annotations

from functools import lru_cache
import math
import re
from typing import Any

from mbd_ros.description.records.report import owner, Report, tag_name

SHORT = 100
"""Characters of a text whose numbers are kept, as it may come again."""
_NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?', re.ASCII)


def read_numbers(element: Any, attribute: str, count: int, report: Report) -> tuple[float, ...]:
    """
    Return the numbers of an attribute.

    Parameters
    ----------
    element : lxml element
        The element that has the attribute.
    attribute : str
        Its name.
    count : int
        How many numbers, separated by white space, it must hold.
    report : Report
        Words the error.

    Returns
    -------
    tuple of float
        Finite numbers.

    Raises
    ------
    DescriptionError
        If the attribute holds anything else.

    """
    numbers = numbers_in(element.get(attribute), count)
    if isinstance(numbers, str):
        raise report.error(f'{owner(element)}{attribute}="{element.get(attribute)}" of '
                           f'<{tag_name(element)}> {numbers}', report.source(element))
    return numbers


def is_infinite(text: str) -> bool:
    """Return whether a limit is written as none: ``inf`` with or without a sign."""
    return text.strip().lower().lstrip('+-') in ('inf', 'infinity')


def numbers_in(text: str, count: int) -> tuple[float, ...] | str:
    """Return so many finite numbers, or what keeps a text from being these."""
    return (_known_numbers if len(text) <= SHORT else _numbers)(text, count)


def _numbers(text: str, count: int) -> tuple[float, ...] | str:
    words = text.split()
    allowed = f"allowed: {count} finite number{'s' if count > 1 else ''}"
    if len(words) != count:
        return f"has {len(words)} word{'s' if len(words) != 1 else ''}; {allowed}"
    for word in words:
        if not _NUMBER.fullmatch(word) or not math.isfinite(float(word)):
            return f"holds '{word}'; {allowed}"
    return tuple(map(float, words))


_known_numbers = lru_cache(maxsize=4096)(_numbers)
