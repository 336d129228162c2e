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
