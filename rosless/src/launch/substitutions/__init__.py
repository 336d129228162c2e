"""Texts that are computed while launching."""

from launch.substitutions.boolean_substitution import AndSubstitution
from launch.substitutions.boolean_substitution import NotSubstitution
from launch.substitutions.boolean_substitution import OrSubstitution
from launch.substitutions.command import Command
from launch.substitutions.environment_variable import EnvironmentVariable
from launch.substitutions.equals_substitution import EqualsSubstitution
from launch.substitutions.find_executable import FindExecutable
from launch.substitutions.launch_configuration import LaunchConfiguration
from launch.substitutions.local_substitution import LocalSubstitution
from launch.substitutions.not_equals_substitution import NotEqualsSubstitution
from launch.substitutions.path_join_substitution import PathJoinSubstitution
from launch.substitutions.python_expression import PythonExpression
from launch.substitutions.substitution_failure import SubstitutionFailure
from launch.substitutions.text_substitution import TextSubstitution
from launch.substitutions.this_launch_file import ThisLaunchFile
from launch.substitutions.this_launch_file_dir import ThisLaunchFileDir
from launch.utilities.absent import absent

__all__ = [
    'AndSubstitution',
    'Command',
    'EnvironmentVariable',
    'EqualsSubstitution',
    'FindExecutable',
    'LaunchConfiguration',
    'LocalSubstitution',
    'NotEqualsSubstitution',
    'NotSubstitution',
    'OrSubstitution',
    'PathJoinSubstitution',
    'PythonExpression',
    'SubstitutionFailure',
    'TextSubstitution',
    'ThisLaunchFile',
    'ThisLaunchFileDir',
]

__getattr__ = absent(__name__, [
    'AllSubstitution', 'AnonName', 'AnySubstitution', 'FileContent', 'ForEachVar',
    'ForLoopIndex', 'IfElseSubstitution', 'LaunchLogDir', 'ParseSubstitution',
    'PathSubstitution', 'StringJoinSubstitution'])
