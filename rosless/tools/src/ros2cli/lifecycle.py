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

"""Managed nodes, by their services."""

from __future__ import annotations

import argparse
from typing import Any

from lifecycle_msgs.msg import State
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.msg import TransitionDescription
from lifecycle_msgs.srv import ChangeState
from lifecycle_msgs.srv import GetAvailableTransitions
from lifecycle_msgs.srv import GetState
from ros2cli.graph import call
from ros2cli.graph import find_node
from ros2cli.graph import node_names
from ros2cli.graph import NodeName
from ros2cli.graph import wait_until

STATE_SERVICE, STATE_TYPE = 'get_state', 'lifecycle_msgs/srv/GetState'
PATIENCE = 1.0  # s for the services of a node that was found


def lifecycle_nodes(node: Any, include_hidden: bool = False) -> list[NodeName]:
    """Return the managed nodes, sorted."""
    services = dict(node.get_service_names_and_types())
    return [item for item in node_names(node, include_hidden)
            if STATE_TYPE in services.get(f'{item.full_name}/{STATE_SERVICE}', [])]


def find_lifecycle_node(node: Any, args: argparse.Namespace) -> str:
    """
    Return the full name of the managed node that the user named.

    Raises
    ------
    RuntimeError
        If there is no such node, or it is not managed.

    """
    name = find_node(node, args.node_name, args.include_hidden_nodes).full_name
    if not wait_until(lambda: any(item.full_name == name for item in lifecycle_nodes(
            node, args.include_hidden_nodes)), PATIENCE):
        raise RuntimeError('Node not found')
    return name


def state_of(node: Any, name: str) -> State:
    """Return the state of a managed node."""
    return call(node, GetState, f'{name}/{STATE_SERVICE}', GetState.Request()).current_state


def transitions_of(node: Any, name: str, everything: bool = False) -> list[TransitionDescription]:
    """Return the transitions possible in the present state of a node, or all there are."""
    service = 'get_transition_graph' if everything else 'get_available_transitions'
    answer = call(node, GetAvailableTransitions, f'{name}/{service}',
                  GetAvailableTransitions.Request())
    return list(answer.available_transitions)


def change_state(node: Any, name: str, transition: Transition) -> bool:
    """Let a node make a transition, however long it takes; tell whether it succeeded."""
    request = ChangeState.Request(transition=transition)
    return bool(call(node, ChangeState, f'{name}/change_state', request, timeout=None).success)
