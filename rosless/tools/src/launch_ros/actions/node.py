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

"""Run a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
import re
from typing import Any, TYPE_CHECKING

from launch.actions import ExecuteProcess
from launch.logging import get_logger
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitution import Substitution
from launch.utilities import normalize_to_list_of_substitutions
from launch.utilities import perform_substitutions
from launch_ros.actions.push_ros_namespace import NAMESPACE
from launch_ros.actions.set_parameter import GLOBAL_PARAMETERS
from launch_ros.actions.set_remap import REMAPPINGS
from launch_ros.parameters_type import SomeParameters
from launch_ros.remap_rule_type import SomeRemapRules
from launch_ros.substitutions import ExecutableInPackage
from launch_ros.utilities.evaluate_parameters import evaluate_parameters
from launch_ros.utilities.namespace_utils import make_namespace_absolute
from launch_ros.utilities.namespace_utils import prefix_namespace
from launch_ros.utilities.normalize_remap_rules import normalize_remap_rules
from launch_ros.utilities.parameter_files import write_parameter_file
import yaml

if TYPE_CHECKING:
    from launch.launch_context import LaunchContext

NAMES = 'launch_ros_node_names'
NODE_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')


class Node(ExecuteProcess):
    """
    Run a node: a program of a package, with ROS arguments.

    Parameters
    ----------
    executable : text with substitutions
        Name of the program; a path where no package is given.
    package : text with substitutions, optional
        Name of the package.
    name : text with substitutions, optional
        Name of the node.
    namespace : text with substitutions, optional
        Namespace of the node.
    exec_name : text with substitutions, optional
        Name of the process; that of the program by default.
    parameters : list, optional
        Mappings of names to values, or paths of parameter files; later ones have precedence.
    remappings : iterable of pairs, optional
        Names in the program and names to use instead.
    ros_arguments : iterable of texts with substitutions, optional
        Further ROS arguments.
    arguments : iterable of texts with substitutions, optional
        Arguments that are not ROS arguments.
    **kwargs
        See ``ExecuteProcess``.

    Raises
    ------
    TypeError
        If the parameters are not a list.

    """

    UNSPECIFIED_NODE_NAME = '<node_name_unspecified>'
    UNSPECIFIED_NODE_NAMESPACE = '<node_namespace_unspecified>'

    def __init__(
        self,
        *,
        executable: SomeSubstitutionsType,
        package: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        namespace: SomeSubstitutionsType | None = None,
        exec_name: SomeSubstitutionsType | None = None,
        parameters: SomeParameters | None = None,
        remappings: SomeRemapRules | None = None,
        ros_arguments: Iterable[SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        program: SomeSubstitutionsType = executable
        if package is not None:
            program = ExecutableInPackage(executable, package)
        if isinstance(parameters, (str, dict)):
            raise TypeError(f'Expecting list of parameters, got {parameters}')
        super().__init__(cmd=[program, *(arguments or ())], name=exec_name, **kwargs)
        self.__package = package
        self.__executable = executable
        self.__name = _parts(name)
        self.__namespace = _parts(namespace)
        self.__parameters = list(parameters or ())
        self.__remappings = normalize_remap_rules(remappings or ())
        self.__ros_arguments = [
            normalize_to_list_of_substitutions(part) for part in ros_arguments or ()]
        self.__final_name = self.UNSPECIFIED_NODE_NAME
        self.__final_namespace = self.UNSPECIFIED_NODE_NAMESPACE

    @property
    def node_package(self) -> SomeSubstitutionsType | None:
        """Name of the package."""
        return self.__package

    @property
    def node_executable(self) -> SomeSubstitutionsType:
        """Name of the program."""
        return self.__executable

    @property
    def node_name(self) -> str:
        """Name of the node with its namespace, as far as known once it is executed."""
        return f"{self.__final_namespace.rstrip('/')}/{self.__final_name}"

    @property
    def expanded_node_namespace(self) -> str:
        """Namespace of the node, as far as known once it is executed."""
        return self.__final_namespace

    def is_node_name_fully_specified(self) -> bool:
        """Tell whether name and namespace are both given here."""
        return (self.__final_name != self.UNSPECIFIED_NODE_NAME
                and self.__final_namespace != self.UNSPECIFIED_NODE_NAMESPACE)

    def execute(self, context: LaunchContext) -> None:
        """
        Start the node.

        Raises
        ------
        ValueError
            If the name of the node is not valid.
        SubstitutionFailure
            If the package or its program is not found.

        """
        if context.is_shutdown:
            return
        self.__expand_names(context)
        ros = [*self.__name_arguments(), *self.__parameter_arguments(context),
               *self.__remapping_arguments(context),
               *(perform_substitutions(context, part) for part in self.__ros_arguments)]
        if ros:
            self.process_description.cmd += [
                normalize_to_list_of_substitutions(word) for word in ['--ros-args', *ros]]
        super().execute(context)
        if self.is_node_name_fully_specified():
            self.__warn_of_a_namesake(context)

    def __warn_of_a_namesake(self, context: LaunchContext) -> None:
        names: Counter[str] = context.get_locals_as_dict().get(NAMES) or Counter()
        context.extend_globals({NAMES: names})
        names[self.node_name] += 1
        if names[self.node_name] > 1:
            get_logger().warning(
                f'there are now at least {names[self.node_name]} nodes with the name '
                f'{self.node_name} created within this launch context')

    def __expand_names(self, context: LaunchContext) -> None:
        if self.__name is not None:
            name = perform_substitutions(context, self.__name)
            if NODE_NAME.fullmatch(name) is None:
                raise ValueError(f"Invalid node name: '{name}' must consist of letters, digits "
                                 "and '_', and must not begin with a digit")
            self.__final_name = name
        given = None
        if self.__namespace is not None:
            given = perform_substitutions(context, self.__namespace)
        namespace = prefix_namespace(context.launch_configurations.get(NAMESPACE), given)
        if namespace is not None:
            self.__final_namespace = make_namespace_absolute(namespace)

    def __name_arguments(self) -> list[str]:
        words = []
        if self.__final_name != self.UNSPECIFIED_NODE_NAME:
            words += ['-r', f'__node:={self.__final_name}']
        if self.__final_namespace != self.UNSPECIFIED_NODE_NAMESPACE:
            words += ['-r', f'__ns:={self.__final_namespace}']
        return words

    def __parameter_arguments(self, context: LaunchContext) -> list[str]:
        words: list[str] = []
        for setting in context.launch_configurations.get(GLOBAL_PARAMETERS, ()):
            if isinstance(setting, str):
                words += ['--params-file', setting]
                continue
            name, value = setting
            text = yaml.safe_dump(value, default_flow_style=True, width=float('inf'))
            words += ['-p', f"{name}:={text.removesuffix('...' + chr(10)).strip()}"]
        node = self.node_name if self.is_node_name_fully_specified() else '/**'
        for item in evaluate_parameters(context, self.__parameters):
            if isinstance(item, Path):
                if not item.is_file():
                    get_logger().warning(f'Parameter file path is not a file: {item}')
                words += ['--params-file', str(item)]
            else:
                words += ['--params-file', write_parameter_file(context, node, item)]
        return words

    def __remapping_arguments(self, context: LaunchContext) -> list[str]:
        pairs = list(context.launch_configurations.get(REMAPPINGS, ()))
        pairs += [(perform_substitutions(context, old), perform_substitutions(context, new))
                  for old, new in self.__remappings]
        return [word for old, new in pairs for word in ('-r', f'{old}:={new}')]


def _parts(some: SomeSubstitutionsType | None) -> list[Substitution] | None:
    return None if some is None else normalize_to_list_of_substitutions(some)
