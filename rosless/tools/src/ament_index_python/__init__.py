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

"""Find packages and resources installed under one of several prefixes (the ament index)."""

from ament_index_python.packages import get_package_prefix
from ament_index_python.packages import get_package_share_directory
from ament_index_python.packages import get_package_share_path
from ament_index_python.packages import get_packages_with_prefixes
from ament_index_python.packages import PackageNotFoundError
from ament_index_python.resources import get_resource
from ament_index_python.resources import get_resource_types
from ament_index_python.resources import get_resources
from ament_index_python.resources import has_resource
from ament_index_python.resources import InvalidResourceNameError
from ament_index_python.resources import InvalidResourceTypeNameError
from ament_index_python.search_paths import get_search_paths

__all__ = [
    'InvalidResourceNameError',
    'InvalidResourceTypeNameError',
    'PackageNotFoundError',
    'get_package_prefix',
    'get_package_share_directory',
    'get_package_share_path',
    'get_packages_with_prefixes',
    'get_resource',
    'get_resource_types',
    'get_resources',
    'get_search_paths',
    'has_resource',
]
