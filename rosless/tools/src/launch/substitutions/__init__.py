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

"""Texts that are computed while launching."""

from launch.substitutions.anon_name import AnonName
from launch.substitutions.boolean_substitution import AllSubstitution
from launch.substitutions.boolean_substitution import AndSubstitution
from launch.substitutions.boolean_substitution import AnySubstitution
from launch.substitutions.boolean_substitution import IfElseSubstitution
from launch.substitutions.boolean_substitution import NotSubstitution
from launch.substitutions.boolean_substitution import OrSubstitution
from launch.substitutions.command import Command
from launch.substitutions.environment_variable import EnvironmentVariable
from launch.substitutions.equals_substitution import EqualsSubstitution
from launch.substitutions.file_content import FileContent
from launch.substitutions.find_executable import FindExecutable
from launch.substitutions.launch_configuration import LaunchConfiguration
from launch.substitutions.launch_log_dir import LaunchLogDir
from launch.substitutions.local_substitution import LocalSubstitution
from launch.substitutions.not_equals_substitution import NotEqualsSubstitution
from launch.substitutions.path_join_substitution import PathJoinSubstitution
from launch.substitutions.path_join_substitution import PathSubstitution
from launch.substitutions.python_expression import PythonExpression
from launch.substitutions.string_join_substitution import StringJoinSubstitution
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.substitutions.text_substitution import TextSubstitution
from launch.substitutions.this_launch_file import ThisLaunchFile
from launch.substitutions.this_launch_file_dir import ThisLaunchFileDir
from launch.utilities.absent import absent

__all__ = [
    'AllSubstitution',
    'AndSubstitution',
    'AnonName',
    'AnySubstitution',
    'Command',
    'EnvironmentVariable',
    'EqualsSubstitution',
    'FileContent',
    'FindExecutable',
    'IfElseSubstitution',
    'LaunchConfiguration',
    'LaunchLogDir',
    'LocalSubstitution',
    'NotEqualsSubstitution',
    'NotSubstitution',
    'OrSubstitution',
    'PathJoinSubstitution',
    'PathSubstitution',
    'PythonExpression',
    'StringJoinSubstitution',
    'SubstitutionFailure',
    'TextSubstitution',
    'ThisLaunchFile',
    'ThisLaunchFileDir',
]

_LOOPS = ('used in XML and YAML files only, as $(for-var) and $(index); in Python the function of '
          'ForEach and ForLoop is given the values')
__getattr__ = absent(__name__, {'ForEachVar': _LOOPS, 'ForLoopIndex': _LOOPS})
