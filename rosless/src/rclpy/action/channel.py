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

"""The services and topics that an action consists of, as entities of a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..callback_groups import CallbackGroup
from ..client import Client
from ..clock import Clock
from ..entity import Entity, Job
from ..guard_condition import GuardCondition
from ..node_entities import on_wire
from ..publisher import Publisher
from ..qos import QoSProfile
from ..qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks
from ..service import RequestHeader, Service
from ..service_channel import ServiceEntity
from ..service_introspection import ServiceIntrospectionState
from ..subscription import Subscription
from ..timer import Timer
from ..type_support import check_is_valid_action_type
from ..waitable import NumberOfEntities


class ActionService(Service):
    """A service whose callback gets request and header, and answers when it likes."""

    order = 3  # behind clients, so that what runs because of a goal comes before its answer

    def _call(self, request: Any, header: RequestHeader) -> Any:
        """Call the callback."""
        return self.callback(request, header)

    def _send(self, response: Any, header: RequestHeader) -> None:
        """Send nothing: the callback does."""

    def respond(self, response: Any, header: RequestHeader) -> None:
        """Answer a request, unless this service or the client has gone away."""
        if self.destroyed:
            return
        known = header.writer in self._matched
        if known or self._reader.peer_data(header.writer) is not None:
            self.send_response(response, header)


class AfterFeedback(Entity):
    """Has work only when the feedback that has come before is handled."""

    feedback: Subscription

    def next_job(self, executor: Any) -> Job | None:
        """Take feedback, or else what is of this entity."""
        return self.feedback.next_job(executor) or super().next_job(executor)


class ResultClient(AfterFeedback, Client):
    """Gets results."""


class StatusSubscription(AfterFeedback, Subscription):
    """Gets the states of goals."""


class ActionChannel:
    """
    Makes and destroys what an action server or client needs.

    Parameters
    ----------
    node : Node
        Whose entities they are.
    action_type : type
        Class of the action.
    action_name : str
        Its name; relative names and remapping are resolved.
    group : CallbackGroup
        Group of all the callbacks.

    Attributes
    ----------
    name : str
        Full name of the action.
    entities : list[Entity]
        What has been made.

    Raises
    ------
    AttributeError, RuntimeError
        If the class is not that of an action.

    """

    def __init__(
        self, node: Any, action_type: Any, action_name: str, group: CallbackGroup
    ) -> None:
        check_is_valid_action_type(action_type)
        self._node = node
        self._group = group
        self.name: str = node.resolve_topic_name(action_name)
        self.entities: list[Entity] = []

    def service(
        self, srv_type: Any, suffix: str, callback: Callable[..., Any], profile: QoSProfile
    ) -> ActionService:
        """Make a service; `suffix` is the last part of its name."""
        name = f'{self.name}/_action/{suffix}'
        channel = self._node._channel(srv_type, name, profile, is_service=True)
        service = ActionService(channel, callback, self._group, self._node)
        self._node._add(self.entities, service)
        return service

    def client(
        self, srv_type: Any, suffix: str, profile: QoSProfile, kind: type[Client] = Client
    ) -> Any:
        """Make a client of a service."""
        name = f'{self.name}/_action/{suffix}'
        channel = self._node._channel(srv_type, name, profile, is_service=False)
        client = kind(channel, self._group, self._node)
        self._node._add(self.entities, client)
        return client

    def publisher(self, msg_type: Any, suffix: str, profile: QoSProfile) -> Publisher:
        """Make a publisher."""
        name = self._node.resolve_topic_name(f'{self.name}/_action/{suffix}')
        writer = self._node.context.writer(*on_wire(msg_type, name, profile))
        events = PublisherEventCallbacks()
        publisher = Publisher(writer, msg_type, name, profile, events, self._group, self._node)
        self._node._add(self.entities, publisher)
        return publisher

    def subscription(
        self,
        msg_type: Any,
        suffix: str,
        callback: Callable[..., Any],
        profile: QoSProfile,
        kind: type[Subscription] = Subscription,
    ) -> Any:
        """Make a subscription."""
        name = self._node.resolve_topic_name(f'{self.name}/_action/{suffix}')
        reader = self._node.context.reader(*on_wire(msg_type, name, profile))
        events = SubscriptionEventCallbacks()
        subscription = kind(
            reader, msg_type, name, callback, self._group, profile, False, events, self._node
        )
        self._node._add(self.entities, subscription)
        return subscription

    def timer(self, callback: Callable[[], None], clock: Clock) -> Timer:
        """Make a timer that does not run yet."""
        timer = Timer(callback, self._group, 0, clock, self._node)
        timer.cancel()
        self._node._add(self.entities, timer)
        return timer

    def configure_introspection(
        self,
        clock: Clock,
        service_event_qos_profile: QoSProfile,
        introspection_state: ServiceIntrospectionState,
    ) -> None:
        """Tell of calls of the three services; see `Client.configure_introspection`."""
        for entity in self.entities:
            if isinstance(entity, ServiceEntity):
                entity.configure_introspection(
                    clock, service_event_qos_profile, introspection_state
                )

    def get_num_entities(self) -> NumberOfEntities:
        """Return how many entities of each kind there are."""
        kinds = (Subscription, GuardCondition, Timer, Client, Service)
        return NumberOfEntities(
            *(sum(isinstance(each, kind) for each in self.entities) for kind in kinds)
        )

    def destroy(self) -> None:
        """Destroy everything."""
        for entity in self.entities:
            entity.destroyed = True
        with self._node._discovery.together():
            for entity in list(self.entities):
                self._node._discard(self.entities, entity)
