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

"""Full names from names that nodes use."""

from __future__ import annotations

from rosless import names

from .exceptions import InvalidTopicNameException
from .validate_namespace import validate_namespace
from .validate_node_name import validate_node_name
from .validate_topic_name import validate_topic_name


def expand_topic_name(topic_name: str, node_name: str, node_namespace: str) -> str:
    """
    Return the full name of a topic, without remapping.

    Raises
    ------
    NameValidationException
        If one of the names is invalid.

    """
    validate_topic_name(topic_name)
    validate_node_name(node_name)
    validate_namespace(node_namespace)
    try:
        return names.expand(topic_name, node_name, node_namespace)
    except KeyError as unknown:
        raise InvalidTopicNameException(topic_name, f'unknown substitution {unknown}', 0) from None
