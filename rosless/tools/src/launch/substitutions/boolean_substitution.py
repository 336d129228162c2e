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

"""Logic on texts that read true or false."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch.utilities.type_utils import truth

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class _Boolean(Substitution):
    """Base: holds the operands and reads them as truth values, as YAML does."""

    def __init__(self, *operands: SomeSubstitutionsType) -> None:
        self._operands = [normalize_to_list_of_substitutions(part) for part in operands]

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        parts = (' + '.join(sub.describe() for sub in part) for part in self._operands)
        return f"{type(self).__name__}({' '.join(parts)})"

    def _values(self, context: LaunchContext) -> list[bool]:
        texts = [perform_substitutions(context, part) for part in self._operands]
        try:
            return [truth(text) for text in texts]
        except ValueError as error:
            raise SubstitutionFailure(f'expected true, false, 1 or 0, or what YAML reads so: '
                                      f'{error}') from error


class NotSubstitution(_Boolean):
    """Stands for ``'true'`` where its value reads false, and the reverse."""

    def __init__(self, value: SomeSubstitutionsType) -> None:
        super().__init__(value)

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return str(not self._values(context)[0]).lower()


class AndSubstitution(_Boolean):
    """Stands for ``'true'`` where both sides read true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return str(all(self._values(context))).lower()


class OrSubstitution(_Boolean):
    """Stands for ``'true'`` where one side reads true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return str(any(self._values(context))).lower()


class AnySubstitution(_Boolean):
    """Stands for ``'true'`` where at least one of any number of values reads true."""

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return str(any(self._values(context))).lower()


class AllSubstitution(_Boolean):
    """Stands for ``'true'`` where all of any number of values read true."""

    def perform(self, context: LaunchContext) -> str:
        """Return ``'true'`` or ``'false'``."""
        return str(all(self._values(context))).lower()


class IfElseSubstitution(_Boolean):
    """
    Stands for one of two texts.

    Parameters
    ----------
    condition : text with substitutions
        Decides; reads true or false.
    if_value, else_value : text with substitutions
        The text where it reads true, and where it does not.

    """

    def __init__(
        self,
        condition: SomeSubstitutionsType,
        if_value: SomeSubstitutionsType = '',
        else_value: SomeSubstitutionsType = '',
    ) -> None:
        super().__init__(condition)
        if if_value == else_value == '':
            raise RuntimeError('One of if_value and else_value must be specified')
        self._texts = (normalize_to_list_of_substitutions(if_value),
                       normalize_to_list_of_substitutions(else_value))

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        first, second = self._texts
        return perform_substitutions(context, first if self._values(context)[0] else second)
