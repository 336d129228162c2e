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

"""The directories of a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ament_index_python.packages import get_package_prefix
from ament_index_python.packages import get_package_share_directory
from ament_index_python.packages import PackageNotFoundError
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class FindPackage(Substitution):
    """
    Base: stands for a directory of a package.

    Parameters
    ----------
    package : text with substitutions
        Name of the package.

    """

    def __init__(self, package: SomeSubstitutionsType) -> None:
        self.__package = normalize_to_list_of_substitutions(package)

    @property
    def package(self) -> list[Substitution]:
        """Parts of the name."""
        return self.__package

    def find(self, package_name: str) -> str:
        """Return the directory; for subclasses to override."""
        raise NotImplementedError('FindPackage is a base: use FindPackageShare')

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        parts = ' + '.join(part.describe() for part in self.__package)
        return f'{type(self).__name__}(pkg={parts})'

    def perform(self, context: LaunchContext) -> str:
        """Return the directory, or raise SubstitutionFailure if there is no such package."""
        try:
            return self.find(perform_substitutions(context, self.__package))
        except (PackageNotFoundError, ValueError) as error:
            raise SubstitutionFailure(str(error)) from error


class FindPackagePrefix(FindPackage):
    """Stands for the prefix a package is installed under."""

    def find(self, package_name: str) -> str:
        """Return the directory."""
        return get_package_prefix(package_name)


class FindPackageShare(FindPackage):
    """Stands for the share directory of a package."""

    def find(self, package_name: str) -> str:
        """Return the directory."""
        return get_package_share_directory(package_name)
