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

"""Wait for what processes do."""

from launch_pytest.tools import process
from launch_pytest.tools.process import assert_output
from launch_pytest.tools.process import assert_output_sync
from launch_pytest.tools.process import assert_stderr
from launch_pytest.tools.process import assert_stderr_sync
from launch_pytest.tools.process import wait_for_exit
from launch_pytest.tools.process import wait_for_exit_sync
from launch_pytest.tools.process import wait_for_output
from launch_pytest.tools.process import wait_for_output_sync
from launch_pytest.tools.process import wait_for_start
from launch_pytest.tools.process import wait_for_start_sync
from launch_pytest.tools.process import wait_for_stderr
from launch_pytest.tools.process import wait_for_stderr_sync

__all__ = [
    'assert_output',
    'assert_output_sync',
    'assert_stderr',
    'assert_stderr_sync',
    'process',
    'wait_for_exit',
    'wait_for_exit_sync',
    'wait_for_output',
    'wait_for_output_sync',
    'wait_for_start',
    'wait_for_start_sync',
    'wait_for_stderr',
    'wait_for_stderr_sync',
]
