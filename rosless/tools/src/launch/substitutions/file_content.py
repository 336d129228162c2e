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

"""The content of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class FileContent(Substitution):
    """
    Stands for the text in a file.

    Parameters
    ----------
    path : text with substitutions
        Path of the file.

    """

    def __init__(self, path: SomeSubstitutionsType) -> None:
        self.__path = normalize_to_list_of_substitutions(path)

    @property
    def path(self) -> list[Substitution]:
        """Parts of the path."""
        return self.__path

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"FileContent({' + '.join(part.describe() for part in self.__path)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the text, or raise SubstitutionFailure if the file cannot be read."""
        path = perform_substitutions(context, self.__path)
        try:
            return Path(path).read_text(encoding='utf-8')
        except FileNotFoundError:
            raise SubstitutionFailure(f'File not found: {path}') from None
        except (OSError, UnicodeDecodeError) as error:
            raise SubstitutionFailure(f"the file '{path}' cannot be read: {error}") from error
