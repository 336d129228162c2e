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

"""Which actions there are, who serves them and who uses them."""

from __future__ import annotations

from typing import Any

NamesAndTypes = list[tuple[str, list[str]]]
FEEDBACK_TOPIC = '/_action/feedback'
FEEDBACK_TYPE = '_FeedbackMessage'


def get_action_client_names_and_types_by_node(
    node: Any, remote_node_name: str, remote_node_namespace: str
) -> NamesAndTypes:
    """
    Return names and types of the actions that a node has clients of.

    Parameters
    ----------
    node : Node
        The node that looks.
    remote_node_name, remote_node_namespace : str
        The node looked at.

    Raises
    ------
    NodeNameNonExistentError
        If there is no such node.

    """
    return actions_of(
        node.get_subscriber_names_and_types_by_node(remote_node_name, remote_node_namespace)
    )


def get_action_server_names_and_types_by_node(
    node: Any, remote_node_name: str, remote_node_namespace: str
) -> NamesAndTypes:
    """Return names and types of the actions a node serves; see the function for clients."""
    return actions_of(
        node.get_publisher_names_and_types_by_node(remote_node_name, remote_node_namespace)
    )


def get_action_names_and_types(node: Any) -> NamesAndTypes:
    """Return names and types of all actions that have a server or client."""
    return actions_of(node.get_topic_names_and_types())


def actions_of(topics: NamesAndTypes) -> NamesAndTypes:
    """Return the actions whose feedback topics are among these topics."""
    return [
        (name.removesuffix(FEEDBACK_TOPIC), [kind.removesuffix(FEEDBACK_TYPE) for kind in types])
        for name, types in topics
        if name.endswith(FEEDBACK_TOPIC)
    ]
