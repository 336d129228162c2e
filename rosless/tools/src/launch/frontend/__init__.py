"""
Launch files in XML and YAML.

A file is read into a tree of entities (``read_xml``, ``read_yaml``); the parser makes an action
of each, by the functions that are exposed for its tag. Texts may hold ``$(...)``.

"""

from launch.frontend.entity import Entity
from launch.frontend.expose import expose_action
from launch.frontend.expose import expose_substitution
from launch.frontend.parse_substitution import parse_if_substitutions
from launch.frontend.parse_substitution import parse_substitution
from launch.frontend.parser import Parser
from launch.invalid_launch_file_error import InvalidLaunchFileError as \
    InvalidFrontendLaunchFileError
from launch.utilities.absent import absent

__all__ = [
    'Entity',
    'InvalidFrontendLaunchFileError',
    'Parser',
    'expose_action',
    'expose_substitution',
    'parse_if_substitutions',
    'parse_substitution',
]

__getattr__ = absent(__name__, {
    'type_utils': 'Entity.get_attr checks and converts types'})
