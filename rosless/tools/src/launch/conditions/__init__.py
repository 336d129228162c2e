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

"""Conditions of actions."""

from launch.conditions.evaluate_condition_expression_impl import evaluate_condition_expression
from launch.conditions.if_condition import IfCondition
from launch.conditions.invalid_condition_expression_error import InvalidConditionExpressionError
from launch.conditions.launch_configuration_equals import LaunchConfigurationEquals
from launch.conditions.launch_configuration_not_equals import LaunchConfigurationNotEquals
from launch.conditions.unless_condition import UnlessCondition

__all__ = [
    'IfCondition',
    'InvalidConditionExpressionError',
    'LaunchConfigurationEquals',
    'LaunchConfigurationNotEquals',
    'UnlessCondition',
    'evaluate_condition_expression',
]
