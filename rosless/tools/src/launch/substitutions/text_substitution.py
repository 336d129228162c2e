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
