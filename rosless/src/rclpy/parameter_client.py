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

"""Reading and setting the parameters of another node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time
from typing import Any

from rosless.idl.build import interface_class

from .callback_groups import CallbackGroup
from .client import Client
from .parameter import Parameter, parameter_dict_from_yaml_file
from .qos import qos_profile_parameter_events, qos_profile_services_default, QoSProfile
from .subscription import Subscription
from .task import Future

Done = Callable[[Future], None]
SERVICES = (
    'DescribeParameters',
    'GetParameterTypes',
    'GetParameters',
    'ListParameters',
    'SetParameters',
    'SetParametersAtomically',
)


class AsyncParameterClient:
    """
    Calls the parameter services of a node; the answers are those of the services.

    Parameters
    ----------
    node : Node
        Who calls.
    remote_node_name : str
        Name of the other node.
    qos_profile : QoSProfile
        Profile of the clients.
    callback_group : CallbackGroup, optional
        The group in which answers are handled.

    """

    def __init__(
        self,
        node: Any,
        remote_node_name: str,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> None:
        self.remote_node_name = remote_node_name
        self.node = node
        self._clients: dict[str, Client] = {}
        for name in SERVICES:
            srv_type = interface_class(f'rcl_interfaces/srv/{name}')
            snake = ''.join(f'_{c.lower()}' if c.isupper() else c for c in name)[1:]
            self._clients[name] = node.create_client(
                srv_type,
                f'{remote_node_name}/{snake}',
                qos_profile=qos_profile,
                callback_group=callback_group,
            )

    def services_are_ready(self) -> bool:
        """Tell whether all six services are there."""
        return all(client.service_is_ready() for client in self._clients.values())

    def wait_for_services(self, timeout_sec: float | None = None) -> bool:
        """Wait until the services are there, at most a time [s]; return whether they are."""
        limit = None if timeout_sec is None or timeout_sec < 0 else time.monotonic() + timeout_sec
        return all(
            client.wait_for_service(None if limit is None else max(limit - time.monotonic(), 0.0))
            for client in self._clients.values()
        )

    def list_parameters(
        self,
        prefixes: list[str] | None = None,
        depth: int | None = None,
        callback: Done | None = None,
    ) -> Future:
        """List the names of the parameters."""
        fields: dict[str, Any] = {'prefixes': prefixes or []}
        if depth is not None:
            fields['depth'] = depth
        return self._call('ListParameters', callback, **fields)

    def get_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Get values."""
        return self._call('GetParameters', callback, names=names)

    def get_parameter_types(self, names: list[str], callback: Done | None = None) -> Future:
        """Get types."""
        return self._call('GetParameterTypes', callback, names=names)

    def describe_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Get descriptors."""
        return self._call('DescribeParameters', callback, names=names)

    def set_parameters(self, parameters: Sequence[Any], callback: Done | None = None) -> Future:
        """Set `Parameter`s or messages of that name, one by one."""
        return self._call('SetParameters', callback, parameters=_messages(parameters))

    def set_parameters_atomically(
        self, parameters: Sequence[Any], callback: Done | None = None
    ) -> Future:
        """Set all parameters or none."""
        messages = _messages(parameters)
        return self._call('SetParametersAtomically', callback, parameters=messages)

    def delete_parameters(self, names: list[str], callback: Done | None = None) -> Future:
        """Undeclare parameters, if the other node lets them be deleted."""
        return self.set_parameters([Parameter(name) for name in names], callback)

    def load_parameter_file(
        self, parameter_file: str, use_wildcard: bool = False, callback: Done | None = None
    ) -> Future:
        """Set what a parameter file has for the node, else all it has, one by one."""
        return self.set_parameters(self._of_file(parameter_file, use_wildcard), callback)

    def load_parameter_file_atomically(
        self, parameter_file: str, use_wildcard: bool = False, callback: Done | None = None
    ) -> Future:
        """Set what a parameter file has for the node, else all it has, or nothing."""
        found = self._of_file(parameter_file, use_wildcard)
        return self.set_parameters_atomically(found, callback)

    def on_parameter_event(
        self,
        callback: Callable[..., Any],
        qos_profile: QoSProfile = qos_profile_parameter_events,
        **kwargs: Any,
    ) -> Subscription:
        """Subscribe to /parameter_events; the keywords are those of `create_subscription`."""
        event = interface_class('rcl_interfaces/msg/ParameterEvent')
        made: Subscription = self.node.create_subscription(
            event, '/parameter_events', callback, qos_profile, **kwargs
        )
        return made

    def _call(self, name: str, callback: Done | None, **fields: Any) -> Future:
        client = self._clients[name]
        future = client.call_async(client.srv_type.Request(**fields))
        if callback is not None:
            future.add_done_callback(callback)
        return future

    def _of_file(self, path: str, use_wildcard: bool) -> list[Any]:
        try:
            nodes = [self.remote_node_name]
            found = parameter_dict_from_yaml_file(path, use_wildcard, target_nodes=nodes)
        except RuntimeError:  # nothing for the node; ROS 2 sends what is for others in any case
            found = parameter_dict_from_yaml_file(path, use_wildcard)
        return list(found.values())


def _messages(parameters: Sequence[Any]) -> list[Any]:
    return [p.to_parameter_msg() if isinstance(p, Parameter) else p for p in parameters]
