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

"""Parameters whose name, value or file is known only while launching."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TYPE_CHECKING

from launch.frontend import parse_substitution
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.parameter_values import evaluate_value
from launch_ros.utilities.parameter_files import write_temporary_file
import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class ParameterValue:
    """
    A value of a certain type.

    Parameters
    ----------
    value : object
        Plain value, or text with substitutions.
    value_type : type, optional
        ``bool``, ``int``, ``float``, ``str`` or a list of one of these; by default what the
        text is as YAML. ``str`` keeps the text as it is: use it for a robot description.

    """

    def __init__(self, value: Any, *, value_type: Any = None) -> None:
        self.__value = value
        self.__value_type = value_type

    @property
    def value(self) -> Any:
        """Return the value, before its substitutions are performed."""
        return self.__value

    @property
    def value_type(self) -> Any:
        """Return the type that is asked for."""
        return self.__value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value; raise TypeError if it is not of its type."""
        return evaluate_value(context, self.__value, self.__value_type)


class Parameter:
    """
    A parameter.

    Parameters
    ----------
    name : text with substitutions
        Name of the parameter.
    value : object
        Plain value, or text with substitutions.
    value_type : type, optional
        See ``ParameterValue``.

    """

    def __init__(
        self, name: SomeSubstitutionsType, value: Any, *, value_type: Any = None,
    ) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = ParameterValue(value, value_type=value_type)

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        """Return name and value; raise TypeError if it is not of its type."""
        return perform_substitutions(context, self.__name), self.__value.evaluate(context)


class ParameterFile:
    """
    A file with parameters.

    Parameters
    ----------
    param_file : path, or text with substitutions
        The file.
    allow_substs : bool
        Whether the file holds ``$(...)``, as launch files in XML do.

    """

    def __init__(
        self,
        param_file: SomeSubstitutionsType | os.PathLike[str],
        *,
        allow_substs: bool = False,
    ) -> None:
        path = os.fspath(param_file) if isinstance(param_file, os.PathLike) else param_file
        self.__param_file = normalize_to_list_of_substitutions(path)
        self.__allow_substs = allow_substs

    @property
    def allow_substs(self) -> bool:
        """Whether the file holds ``$(...)``."""
        return self.__allow_substs

    def evaluate(self, context: LaunchContext) -> Path:
        """
        Return the path of the file, or of a copy with its substitutions performed.

        Raises
        ------
        ValueError
            If a ``$(...)`` cannot be read, or the result is no YAML.

        """
        path = Path(perform_substitutions(context, self.__param_file))
        if not self.__allow_substs:
            return path
        text = perform_substitutions(
            context, parse_substitution(path.read_text(encoding='utf-8')))
        try:
            yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            raise ValueError(f"the parameter file '{path}', after substitution, is no YAML: "
                             f'{error}') from error
        return Path(write_temporary_file(context, text))
