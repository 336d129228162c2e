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

"""Rules for names of topics and services."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidServiceNameException, InvalidTopicNameException

TOPIC_SEPARATOR_STRING = '/'


def validate_topic_name(name: str, *, is_service: bool = False) -> bool:
    """Return True, or raise `InvalidTopicNameException` or `InvalidServiceNameException`."""
    problem = names.topic_problem(name)
    if problem is not None:
        error = InvalidServiceNameException if is_service else InvalidTopicNameException
        raise error(name, *problem)
    return True
