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
