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

"""Helpers for authors of actions that are special to ROS."""

from launch.utilities.absent import absent
from launch_ros.utilities.evaluate_parameters import evaluate_parameters
from launch_ros.utilities.namespace_utils import is_namespace_absolute
from launch_ros.utilities.namespace_utils import is_root_namespace
from launch_ros.utilities.namespace_utils import make_namespace_absolute
from launch_ros.utilities.namespace_utils import prefix_namespace
from launch_ros.utilities.normalize_remap_rules import normalize_remap_rule
from launch_ros.utilities.normalize_remap_rules import normalize_remap_rules

__all__ = [
    'evaluate_parameters',
    'is_namespace_absolute',
    'is_root_namespace',
    'make_namespace_absolute',
    'normalize_remap_rule',
    'normalize_remap_rules',
    'prefix_namespace',
]

_INTERNAL = 'it is part of how launch_ros works inside'
__getattr__ = absent(__name__, dict.fromkeys([
    'LifecycleEventManager', 'add_node_name', 'evaluate_parameters_dict', 'get_node_name_count',
    'normalize_parameters', 'normalize_parameters_dict', 'to_parameters_list'], _INTERNAL))
