"""What may stand for the parameters of a node."""

from collections.abc import Mapping, Sequence
import os
from typing import Any

from launch.some_substitutions_type import SomeSubstitutionsType
from launch_ros.parameter_descriptions import Parameter
from launch_ros.parameter_descriptions import ParameterFile

SomeParameterFile = SomeSubstitutionsType | os.PathLike[str] | ParameterFile
SomeParameters = Sequence[SomeParameterFile | Parameter | Mapping[Any, Any]]
