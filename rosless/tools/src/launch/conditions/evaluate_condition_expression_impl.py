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

"""Read a text as true or false."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from launch.conditions.invalid_condition_expression_error import InvalidConditionExpressionError
from launch.substitution import Substitution
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

VALID_TRUE_EXPRESSIONS = ['true', '1']
VALID_FALSE_EXPRESSIONS = ['false', '0']


def evaluate_condition_expression(
    context: LaunchContext, expression: Iterable[Substitution],
) -> bool:
    """
    Return whether the expression reads true, in this context.

    Parameters
    ----------
    context : LaunchContext
        State of the launch.
    expression : iterable of Substitution
        Parts of the text; capitals and surrounding blanks do not matter.

    Raises
    ------
    InvalidConditionExpressionError
        If the text is none of ``true``, ``1``, ``false``, ``0``.

    """
    text = perform_substitutions(context, expression)
    cleaned = text.strip().lower()
    if cleaned in VALID_TRUE_EXPRESSIONS:
        return True
    if cleaned in VALID_FALSE_EXPRESSIONS:
        return False
    valid = VALID_TRUE_EXPRESSIONS + VALID_FALSE_EXPRESSIONS
    raise InvalidConditionExpressionError(
        f"invalid condition expression, expected one of {valid} but got '{text}'")
