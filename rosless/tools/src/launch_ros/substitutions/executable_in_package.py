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

"""The path of a program of a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ament_index_python.packages import PackageNotFoundError
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.utilities.package_executables import get_executable_path

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ExecutableInPackage(Substitution):
    """
    Stands for the path of a program of a package.

    Parameters
    ----------
    executable : text with substitutions
        Name of the program.
    package : text with substitutions
        Name of the package.

    """

    def __init__(
        self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType,
    ) -> None:
        self.__executable = normalize_to_list_of_substitutions(executable)
        self.__package = normalize_to_list_of_substitutions(package)

    @property
    def executable(self) -> list[Substitution]:
        """Parts of the name of the program."""
        return self.__executable

    @property
    def package(self) -> list[Substitution]:
        """Parts of the name of the package."""
        return self.__package

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        package = ' + '.join(part.describe() for part in self.__package)
        executable = ' + '.join(part.describe() for part in self.__executable)
        return f'ExecInPkg(pkg={package}, exec={executable})'

    def perform(self, context: LaunchContext) -> str:
        """Return the path, or raise SubstitutionFailure if there is none."""
        package = perform_substitutions(context, self.__package)
        executable = perform_substitutions(context, self.__executable)
        try:
            return get_executable_path(package, executable)
        except (PackageNotFoundError, LookupError, ValueError) as error:
            text = error.args[0] if error.args else error
            raise SubstitutionFailure(str(text)) from error
