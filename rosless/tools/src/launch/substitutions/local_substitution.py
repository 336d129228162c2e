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

"""A value that holds while an event is handled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class LocalSubstitution(Substitution):
    """
    Stands for an attribute of ``context.locals``, as text.

    Parameters
    ----------
    expression : str
        The attribute, such as ``'event.returncode'``.
    description : str, optional
        Text for people.

    """

    def __init__(self, expression: str, description: str | None = None) -> None:
        self.__expression = expression
        self.__description = description

    @property
    def expression(self) -> str:
        """Return the attribute."""
        return self.__expression

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        return f"Local('{self.__description or self.__expression}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the value, or raise SubstitutionFailure if there is none."""
        try:
            return str(eval(f'context.locals.{self.__expression}', {}, {'context': context}))
        except Exception as error:
            raise SubstitutionFailure(
                f"the local '{self.__expression}' cannot be read: {error}") from error
