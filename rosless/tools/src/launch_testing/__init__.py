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
Tests of launch files: `unittest` beside the processes that a launch description starts.

Here is what the documentation of launch_testing describes; ``launch_test FILE`` runs such tests,
and so does pytest where ``generate_test_description`` has the mark ``launch_test``.

"""

from __future__ import annotations

from launch_testing import actions
from launch_testing import asserts
from launch_testing import event_handlers
from launch_testing import markers
from launch_testing import tools
from launch_testing import util
from launch_testing.decorators import parametrize
from launch_testing.decorators import post_shutdown_test
from launch_testing.decorators import ready_to_test_action_timeout
from launch_testing.io_handler import ActiveIoHandler
from launch_testing.io_handler import IoHandler
from launch_testing.proc_info_handler import ActiveProcInfoHandler
from launch_testing.proc_info_handler import ProcInfoHandler
from launch_testing.ready_aggregator import ReadyAggregator

__all__ = [
    'actions',
    'ActiveIoHandler',
    'ActiveProcInfoHandler',
    'asserts',
    'event_handlers',
    'IoHandler',
    'markers',
    'parametrize',
    'post_shutdown_test',
    'ProcInfoHandler',
    'ready_to_test_action_timeout',
    'ReadyAggregator',
    'tools',
    'util',
]
