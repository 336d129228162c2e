"""Give the nodes that follow the parameters of a file."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from launch.action import Action
from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.actions.set_parameter import GLOBAL_PARAMETERS
from launch_ros.parameter_descriptions import ParameterFile

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext


class SetParametersFromFile(Action):
    """
    Give the nodes that follow, within the same group, the parameters of a file.

    Parameters
    ----------
    filename : text with substitutions, or ParameterFile
        The file.

    """

    def __init__(self, filename: SomeSubstitutionsType | ParameterFile, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__file = filename if isinstance(filename, ParameterFile) else ParameterFile(filename)

    def execute(self, context: LaunchContext) -> None:
        """Add the file."""
        before = context.launch_configurations.get(GLOBAL_PARAMETERS, [])
        context.launch_configurations[GLOBAL_PARAMETERS] = [
            *before, str(self.__file.evaluate(context))]
