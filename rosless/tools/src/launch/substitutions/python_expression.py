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

"""The value of a Python expression."""

from __future__ import annotations

import importlib
from typing import Any, TYPE_CHECKING

from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class PythonExpression(Substitution):
    """
    Stands for the value of a Python expression, as text.

    Parameters
    ----------
    expression : text with substitutions
        The expression. A launch configuration that holds a text needs quotes around it.
    python_modules : text with substitutions, or a list of these
        Modules the expression may use by name, with commas between them in one text; the names
        in ``math`` can be used bare.

    """

    def __init__(
        self,
        expression: SomeSubstitutionsType,
        python_modules: SomeSubstitutionsType = ('math',),
    ) -> None:
        self.__expression = normalize_to_list_of_substitutions(expression)
        self.__modules = normalize_to_list_of_substitutions(python_modules)

    @property
    def expression(self) -> list[Substitution]:
        """Parts of the expression."""
        return self.__expression

    @property
    def python_modules(self) -> list[Substitution]:
        """Modules the expression may use."""
        return self.__modules

    def describe(self) -> str:
        """Return a text for people that shows what this substitution is."""
        expression = ' + '.join(part.describe() for part in self.__expression)
        modules = ', '.join(part.describe() for part in self.__modules)
        return f'PythonExpr({expression}, [{modules}])'

    def perform(self, context: LaunchContext) -> str:
        """
        Evaluate the expression.

        Raises
        ------
        NameError
            If it has a name that is not known.
        SubstitutionFailure
            If it cannot be evaluated for another reason.

        """
        expression = perform_substitutions(context, self.__expression)
        names: dict[str, Any] = {}
        texts = (perform_substitutions(context, [part]) for part in self.__modules)
        for name in (each.strip() for text in texts for each in text.split(',') if each.strip()):
            module = importlib.import_module(name)
            names[name] = module
            if name == 'math':
                names.update(vars(module))
        try:
            return str(eval(expression, {}, names))
        except Exception as error:
            kind = NameError if isinstance(error, NameError) else SubstitutionFailure
            raise kind(f"the Python expression '{expression}' cannot be evaluated: "
                       f'{type(error).__name__}: {error}') from error
