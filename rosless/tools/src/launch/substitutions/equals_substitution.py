"""Whether two texts are equal."""

from __future__ import annotations

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
        What to compare; numbers and truth values are compared as such.

    """

    def __init__(self, left: Any, right: Any) -> None:
        self.__sides = [
            normalize_to_list_of_substitutions(
                str(side) if isinstance(side, (bool, int, float)) else side)
            for side in (left, right)]

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        sides = (' + '.join(part.describe() for part in side) for side in self.__sides)
        return f"{type(self).__name__}({', '.join(sides)})"

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        left, right = (perform_substitutions(context, side) for side in self.__sides)
        return str(_as_number_or_text(left) == _as_number_or_text(right)).lower()
