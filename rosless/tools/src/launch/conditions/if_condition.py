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

"""Condition: an expression reads true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launch.condition import Condition
from launch.conditions.evaluate_condition_expression_impl import evaluate_condition_expression
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class IfCondition(Condition):
    """
    Holds where the expression reads ``true`` or ``1``.

    Parameters
    ----------
    predicate_expression : text with substitutions
        The expression.

    """

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self._expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._reads_true)

    def _reads_true(self, context: LaunchContext) -> bool:
        return evaluate_condition_expression(context, self._expression)

    def describe(self) -> str:
        """Return a text for people that shows what this condition is."""
        text = ' + '.join(part.describe() for part in self._expression)
        return f'{type(self).__name__}({text})'
