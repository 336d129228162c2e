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

"""Calls that the page makes, each shown as the command that makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Log, Parameter as ParameterMessage
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.action import ActionClient
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.task import Future

from mbd_ros.messages.fields.commands import (
    goal_command, parameter_command, publication, service_call)
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.page.call_list import CallList

Answered = Callable[[Any], None]


class Calls:
    """
    Clients of other nodes; called in the node's executor.

    Parameters
    ----------
    node : GuardedNode
        The viewer.
    shown : CallList
        Where calls and answers are shown.

    """

    def __init__(self, node: GuardedNode, shown: CallList) -> None:
        self._node = node
        self.shown = shown
        self._clients: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self._actions: dict[str, ActionClient] = {}
        self._rejections: dict[str, str] = {}   # action -> its newest reason
        self._rejected: dict[str, str] = {}     # action -> the command of its newest goal
        node.create_subscription(Log, '/rosout', self._on_log, qos.RELIABLE)

    def expect(self, services: Sequence[tuple[Any, str]] = (), *, nodes: Sequence[str] = (),
               actions: Sequence[tuple[Any, str]] = ()) -> None:
        """Look for services, parameters of nodes and actions that are to be called later."""
        for kind, name in services:
            self._client(kind, name)
        for node in nodes:
            self._client(GetParameters, f'{node}/get_parameters')
            self._client(SetParameters, f'{node}/set_parameters')
        for kind, name in actions:
            self._actions.setdefault(name, ActionClient(self._node, kind, name))

    def service(self, kind: Any, name: str, request: Any, done: Answered | None = None) -> None:
        """Call a service; its answer has ``success`` and ``message``."""
        command = service_call(kind, self._node.resolve_service_name(name), request)

        def answered(response: Any) -> None:
            self.shown.answer(command, response.message or (
                'done' if response.success else 'refused'))
            if done is not None and response.success:
                done(response)
        self._call(kind, name, request, command, answered)

    def set_parameter(self, node: str, name: str, value: Any) -> None:
        """Set a parameter of another node."""
        command = parameter_command(
            self._node.resolve_service_name(node), name, value)
        request = SetParameters.Request(parameters=[ParameterMessage(
            name=name, value=Parameter(name, value=value).get_parameter_value())])

        def answered(response: Any) -> None:
            self.shown.answer(command, ', '.join(
                'set' if one.successful else one.reason for one in response.results) or 'refused')
        self._call(SetParameters, f'{node}/set_parameters', request, command, answered)

    def get_parameters(self, node: str, names: Sequence[str],
                       done: Callable[[dict[str, Any]], None]) -> bool:
        """Ask for parameters of another node, without a word; tell whether it is there."""
        def answered(response: Any) -> None:
            if len(response.values) == len(names):
                done(dict(zip(names, map(parameter_value_to_python, response.values))))
        ask = self.reader(GetParameters, f'{node}/get_parameters')
        return ask(GetParameters.Request(names=list(names)), answered)

    def reader(self, kind: Any, name: str) -> Callable[[Any, Answered], bool]:
        """Return what calls a service without a word, and tells whether it is there."""
        client = self._client(kind, name)

        def ask(request: Any, done: Answered) -> bool:
            if not client.service_is_ready():
                return False
            client.call_async(request).add_done_callback(
                self._guarded(name, lambda future: done(future.result())))
            return True
        return ask

    def publish(self, kind: Any, name: str, message: Any) -> None:
        """Publish a message."""
        if name not in self._publishers:
            self._publishers[name] = self._node.create_publisher(kind, name, qos.RELIABLE)
        publisher = self._publishers[name]
        publisher.publish(message)
        count = publisher.get_subscription_count()
        self.shown.add(publication(kind, publisher.topic_name, message),
                       'sent' if count else 'no subscribers')

    def goal(self, kind: Any, name: str, goal: Any) -> None:
        """Send a goal to an action; its result has ``error_code`` and ``error_string``."""
        command = goal_command(kind, self._node.resolve_service_name(name), goal)
        self.expect(actions=[(kind, name)])
        action = self._actions[name]
        if not action.server_is_ready():
            self.shown.add(command, 'no server of this action')
            return

        def accepted(future: Future) -> None:
            handle = future.result()
            if not handle.accepted:
                self._rejected[name] = command
                self.shown.answer(command, self._rejections.get(
                    name, 'rejected; the log of the controller says why'))
                return
            self.shown.answer(command, 'accepted')
            handle.get_result_async().add_done_callback(self._guarded(name, ended))

        def ended(future: Future) -> None:
            result = future.result().result
            self.shown.answer(command, result.error_string or (
                f'ended with error code {result.error_code}' if result.error_code else 'done'))
        self.shown.add(command, 'sent')
        self._rejections.pop(name, None)
        self._rejected.pop(name, None)
        action.send_goal_async(goal).add_done_callback(self._guarded(name, accepted))

    def _on_log(self, message: Log) -> None:
        """Show why a goal is rejected: the answer of an action has no field for that."""
        action, found, _ = message.msg.partition(' rejected: ')
        full_name = action.replace('~', f'/{message.name.replace(".", "/")}', 1)
        for name in self._actions if found else ():
            if self._node.resolve_service_name(name) == full_name:
                self._rejections[name] = message.msg
                if name in self._rejected:   # the log came after the answer
                    self.shown.answer(self._rejected[name], message.msg)

    def _call(self, kind: Any, name: str, request: Any, command: str, answered: Answered) -> None:
        client = self._client(kind, name)
        if not client.service_is_ready():
            self.shown.add(command, 'no server of this service')
            return
        self.shown.add(command, 'no answer yet')
        client.call_async(request).add_done_callback(
            self._guarded(name, lambda future: answered(future.result())))

    def _guarded(self, name: str, done: Callable[[Future], None]) -> Callable[[Future], None]:
        """Return what takes an answer, which another node may give in any form."""
        return self._node.guard.wrap(f'answer of {name}', done)

    def _client(self, kind: Any, name: str) -> Any:
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, name)
        return self._clients[name]
