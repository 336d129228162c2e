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
