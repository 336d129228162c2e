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

"""Describe which processes to run, how, and how to react to what happens; then run them."""

from launch import actions
from launch import conditions
from launch import descriptions
from launch import event_handlers
from launch import events
from launch import frontend
from launch import launch_description_sources
from launch import logging
from launch import substitutions
from launch import utilities
from launch.action import Action
from launch.condition import Condition
from launch.event import Event
from launch.event_handler import EventHandler
from launch.invalid_launch_file_error import InvalidLaunchFileError
from launch.launch_context import LaunchContext
from launch.launch_description import LaunchDescription
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.launch_description_source import LaunchDescriptionSource
from launch.launch_introspector import LaunchIntrospector
from launch.launch_service import LaunchService
from launch.some_actions_type import SomeActionsType
from launch.some_actions_type import SomeActionsType_types_tuple
from launch.some_entities_type import SomeEntitiesType
from launch.some_entities_type import SomeEntitiesType_types_tuple
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.some_substitutions_type import SomeSubstitutionsType_types_tuple
from launch.substitution import Substitution

__all__ = [
    'Action',
    'Condition',
    'Event',
    'EventHandler',
    'InvalidLaunchFileError',
    'LaunchContext',
    'LaunchDescription',
    'LaunchDescriptionEntity',
    'LaunchDescriptionSource',
    'LaunchIntrospector',
    'LaunchService',
    'SomeActionsType',
    'SomeActionsType_types_tuple',
    'SomeEntitiesType',
    'SomeEntitiesType_types_tuple',
    'SomeSubstitutionsType',
    'SomeSubstitutionsType_types_tuple',
    'Substitution',
    'actions',
    'conditions',
    'descriptions',
    'event_handlers',
    'events',
    'frontend',
    'launch_description_sources',
    'logging',
    'substitutions',
    'utilities',
]
