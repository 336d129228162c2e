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

"""Messages as YAML, text and dictionaries; interfaces by name."""

from rosidl_runtime_py.convert import message_to_csv
from rosidl_runtime_py.convert import message_to_ordereddict
from rosidl_runtime_py.convert import message_to_yaml
from rosidl_runtime_py.get_interfaces import get_action_interfaces
from rosidl_runtime_py.get_interfaces import get_interface_packages
from rosidl_runtime_py.get_interfaces import get_interface_path
from rosidl_runtime_py.get_interfaces import get_interfaces
from rosidl_runtime_py.get_interfaces import get_message_interfaces
from rosidl_runtime_py.get_interfaces import get_service_interfaces
from rosidl_runtime_py.set_message import set_message_fields
import rosless  # noqa: F401  makes interface packages importable

__all__ = [
    'get_action_interfaces',
    'get_interface_packages',
    'get_interface_path',
    'get_interfaces',
    'get_message_interfaces',
    'get_service_interfaces',
    'message_to_csv',
    'message_to_ordereddict',
    'message_to_yaml',
    'set_message_fields',
]
