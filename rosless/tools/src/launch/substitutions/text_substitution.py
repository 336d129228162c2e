"""A plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.substitution import Substitution

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class TextSubstitution(Substitution):
    """
    Stands for a text that is known already.

    Parameters
    ----------
    text : str
        The text.

    """

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected a str, found '{text}' of type "
                            f'{type(text).__name__}')
        self.__text = text

    @property
    def text(self) -> str:
        """Return the text."""
        return self.__text

    def describe(self) -> str:
        """Return the text in quotes."""
        return f"'{self.__text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.__text
