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

"""Callbacks for changes of parameters, of any node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
import threading
from typing import Any

from rosless import names
from rosless.idl.build import interface_class

from .callback_groups import CallbackGroup
from .qos import qos_profile_parameter_events, QoSProfile
from .qos_event import SubscriptionEventCallbacks
from .qos_overriding_options import QoSOverridingOptions


@dataclass(eq=False)
class ParameterCallbackHandle:
    """What `add_parameter_callback` returns."""

    parameter_name: str
    node_name: str
    callback: Callable[[Any], None]


@dataclass(eq=False)
class ParameterEventCallbackHandle:
    """What `add_parameter_event_callback` returns."""

    callback: Callable[[Any], None]


class ParameterEventHandler:
    """
    Follows /parameter_events.

    Parameters
    ----------
    node : Node
        Its node.
    qos_profile : QoSProfile
        Profile of the subscription.
    callback_group, event_callbacks, qos_overriding_options, raw
        See `Node.create_subscription`.

    """

    def __init__(
        self,
        node: Any,
        qos_profile: QoSProfile = qos_profile_parameter_events,
        callback_group: CallbackGroup | None = None,
        event_callbacks: SubscriptionEventCallbacks | None = None,
        qos_overriding_options: QoSOverridingOptions | None = None,
        raw: bool = False,
    ) -> None:
        self.node = node
        self.qos_profile = qos_profile
        self._lock = threading.Lock()
        self._of_parameters: list[ParameterCallbackHandle] = []
        self._of_events: list[ParameterEventCallbackHandle] = []
        self.parameter_event_subscription = node.create_subscription(
            interface_class('rcl_interfaces/msg/ParameterEvent'),
            '/parameter_events',
            self._on_event,
            qos_profile,
            callback_group=callback_group,
            event_callbacks=event_callbacks,
            qos_overriding_options=qos_overriding_options,
            raw=raw,
        )

    def destroy(self) -> None:
        """Stop."""
        self.node.destroy_subscription(self.parameter_event_subscription)

    def add_parameter_callback(
        self, parameter_name: str, node_name: str, callback: Callable[[Any], None]
    ) -> ParameterCallbackHandle:
        """
        Call a function with the message of a parameter when it changes; the newest comes first.

        Parameters
        ----------
        parameter_name : str
            The parameter.
        node_name : str
            Its node; relative names are completed with the namespace of this one.
        callback : Callable
            Gets an `rcl_interfaces/msg/Parameter`.

        """
        handle = ParameterCallbackHandle(parameter_name, self._full_name(node_name), callback)
        with self._lock:
            self._of_parameters.insert(0, handle)
        return handle

    def remove_parameter_callback(self, handle: ParameterCallbackHandle) -> None:
        """Undo `add_parameter_callback`; raises RuntimeError if that was done already."""
        self._remove(self._of_parameters, handle)

    def add_parameter_event_callback(
        self, callback: Callable[[Any], None]
    ) -> ParameterEventCallbackHandle:
        """Call a function with every event; the newest comes first."""
        handle = ParameterEventCallbackHandle(callback)
        with self._lock:
            self._of_events.insert(0, handle)
        return handle

    def remove_parameter_event_callback(self, handle: ParameterEventCallbackHandle) -> None:
        """Undo `add_parameter_event_callback`; raises RuntimeError if that was done already."""
        self._remove(self._of_events, handle)

    @staticmethod
    def get_parameter_from_event(event: Any, parameter_name: str, node_name: str) -> Any:
        """Return the message of a parameter of a node, or None if the event is not about it."""
        if event.node != node_name:
            return None
        found = ParameterEventHandler.get_parameters_from_event(event)
        return next((each for each in found if each.name == parameter_name), None)

    @staticmethod
    def get_parameters_from_event(event: Any) -> Iterator[Any]:
        """Yield the parameters that are new or changed."""
        yield from event.new_parameters
        yield from event.changed_parameters

    def _on_event(self, event: Any) -> None:
        with self._lock:
            of_parameters, of_events = list(self._of_parameters), list(self._of_events)
        for handle in of_parameters:
            found = self.get_parameter_from_event(event, handle.parameter_name, handle.node_name)
            if found is not None:
                handle.callback(found)
        for each in of_events:
            each.callback(event)

    def _remove(self, handles: list[Any], handle: Any) -> None:
        with self._lock:
            if handle not in handles:
                raise RuntimeError("Callback doesn't exist")
            handles.remove(handle)

    def _full_name(self, node_name: str) -> str:
        if not node_name:
            return str(self.node.get_fully_qualified_name())
        if node_name.startswith('/'):
            return node_name
        return names.full_node_name(node_name, self.node.get_namespace())
