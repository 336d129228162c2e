"""Numbers in XML attributes."""

from __future__ import annotations

import math
import re
from typing import Any

from mbd_ros.description.report import owner, Report, tag_name

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
    text = element.get(attribute)
    problem = number_problem(text, count)
    if problem is not None:
        raise report.error(
            f'{owner(element)}{attribute}="{text}" of <{tag_name(element)}> {problem}',
            report.source(element))
    return tuple(float(word) for word in text.split())


def number_problem(text: str, count: int) -> str | None:
    """Return what keeps a text from being so many finite numbers; None if nothing does."""
    words = text.split()
    allowed = f"allowed: {count} finite number{'s' if count > 1 else ''}"
    if len(words) != count:
        return f"has {len(words)} word{'s' if len(words) != 1 else ''}; {allowed}"
    for word in words:
        if not _NUMBER.fullmatch(word) or not math.isfinite(float(word)):
            return f"holds '{word}'; {allowed}"
    return None
