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
Launches as fixtures of pytest: tests beside the processes of a description, and afterwards.

A function with the decorator `fixture` returns a launch description; a test with the mark
``launch(fixture=...)`` is run beside what that launches. Such a test may be a function, a
coroutine, or a generator, whose second part is run when the processes have ended; those marked
``launch(fixture=..., shutdown=True)`` are run then as a whole.

"""

from launch_pytest import actions
from launch_pytest import tools
from launch_pytest.fixture import fixture

__all__ = ['actions', 'fixture', 'tools']
