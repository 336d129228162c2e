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

"""Making and destroying a node's publishers, subscriptions, clients, services and timers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rosless import names
from rosless.dds.qos import Profile

from . import best_available
from .callback_groups import CallbackGroup, ReentrantCallbackGroup
from .client import Client
from .clock import Clock
from .constants import S_TO_NS
from .guard_condition import GuardCondition
from .node_owned import OwnedEntities
from .publisher import Publisher
from .qos import qos_profile_services_default, QoSProfile
from .qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks
from .qos_overriding_options import declare_qos_overrides, QoSOverridingOptions
from .service import Service
from .service_channel import Channel, unique_id, user_data
from .subscription import NO_FILTERS, Subscription
from .subscription_content_filter_options import ContentFilterOptions
from .timer import Rate, Timer
from .type_support import check_is_valid_msg_type, check_is_valid_srv_type
from .waiting_requests import MOST_WAITING

PENDING = 1000
"""Calls, and answers to any client of a service, that may wait to be read."""


class NodeEntities(OwnedEntities):
    """What `Node` can do with entities; the node is the only user of this class."""

    _default_callback_group: CallbackGroup
    _clock: Any
    get_logger: Callable[[], Any]

    def create_publisher(
        self,
        msg_type: Any,
        topic: str,
        qos_profile: QoSProfile | int,
        *,
        callback_group: CallbackGroup | None = None,
        event_callbacks: PublisherEventCallbacks | None = None,
        qos_overriding_options: QoSOverridingOptions | None = None,
        publisher_class: type[Publisher] = Publisher,
    ) -> Publisher:
        """
        Make a publisher.

        Parameters
        ----------
        msg_type : type
            Class of the messages.
        topic : str
            Name of the topic: relative, private (``~/...``) or absolute.
        qos_profile : QoSProfile or int
            Profile, or just the depth of its history.
        callback_group : CallbackGroup, optional
            Group of the event callbacks.
        event_callbacks : PublisherEventCallbacks, optional
            What is called when something happens to the publisher.
        qos_overriding_options : QoSOverridingOptions, optional
            Which policies parameters may change.
        publisher_class : type
            Class of the result.

        Raises
        ------
        InvalidTopicNameException
            If the name is not one.
        AttributeError, RuntimeError
            If the class is not that of a message.

        """
        check_is_valid_msg_type(msg_type)
        profile = self._profile(qos_profile, qos_overriding_options, topic, is_publisher=True)
        full_name = self.resolve_topic_name(topic)
        self.require_handle()
        writer = self._context.writer(*on_wire(msg_type, full_name, profile))
        publisher = publisher_class(
            writer,
            msg_type,
            topic,
            profile,
            event_callbacks or PublisherEventCallbacks(),
            callback_group or self._default_callback_group,
            self,
        )
        self._add(self._made, publisher)
        return publisher

    def create_subscription(
        self,
        msg_type: Any,
        topic: str,
        callback: Callable[..., Any],
        qos_profile: QoSProfile | int,
        *,
        callback_group: CallbackGroup | None = None,
        event_callbacks: SubscriptionEventCallbacks | None = None,
        qos_overriding_options: QoSOverridingOptions | None = None,
        raw: bool = False,
        content_filter_options: ContentFilterOptions | None = None,
    ) -> Subscription:
        """
        Make a subscription.

        Parameters
        ----------
        msg_type : type
            Class of the messages.
        topic : str
            Name of the topic.
        callback : Callable
            Called with each message; with a dictionary of time stamps too if it takes two.
        qos_profile : QoSProfile or int
            Profile, or just the depth of its history.
        callback_group : CallbackGroup, optional
            Its group; the default one, mutually exclusive, if omitted.
        event_callbacks : SubscriptionEventCallbacks, optional
            What is called when something happens to the subscription.
        qos_overriding_options : QoSOverridingOptions, optional
            Which policies parameters may change.
        raw : bool
            Whether the callback gets octets.
        content_filter_options : ContentFilterOptions, optional
            Only warned of, as rmw_cyclonedds_cpp has no content filters: all messages come, and
            `Subscription.is_cft_enabled` is false.

        Raises
        ------
        InvalidTopicNameException
            If the name is not one.
        AttributeError, RuntimeError
            If the class is not that of a message.

        """
        check_is_valid_msg_type(msg_type)
        profile = self._profile(qos_profile, qos_overriding_options, topic, is_publisher=False)
        full_name = self.resolve_topic_name(topic)
        self.require_handle()
        reader = self._context.reader(*on_wire(msg_type, full_name, profile))
        subscription = Subscription(
            reader,
            msg_type,
            topic,
            callback,
            callback_group or self._default_callback_group,
            profile,
            raw,
            event_callbacks or SubscriptionEventCallbacks(),
            self,
        )
        self._add(self._made, subscription)
        if content_filter_options is not None:
            self.get_logger().warn(f"all messages on topic '{full_name}' come: {NO_FILTERS}")
        return subscription

    def create_client(
        self,
        srv_type: Any,
        srv_name: str,
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> Client:
        """
        Make a client of a service.

        Parameters
        ----------
        srv_type : type
            Class of the service.
        srv_name : str
            Its name.
        qos_profile : QoSProfile
            Profile.
        callback_group : CallbackGroup, optional
            The group in which answers are handled.

        """
        check_is_valid_srv_type(srv_type)
        channel = self._channel(srv_type, srv_name, qos_profile, is_service=False)
        client = Client(channel, callback_group or self._default_callback_group, self)
        self._add(self._made, client)
        return client

    def create_service(
        self,
        srv_type: Any,
        srv_name: str,
        callback: Callable[..., Any],
        *,
        qos_profile: QoSProfile = qos_profile_services_default,
        callback_group: CallbackGroup | None = None,
    ) -> Service:
        """
        Make a service.

        Parameters
        ----------
        srv_type : type
            Class of the service.
        srv_name : str
            Its name.
        callback : Callable
            Called with request and response; returns the response. It may be a coroutine.
        qos_profile : QoSProfile
            Profile.
        callback_group : CallbackGroup, optional
            Its group.

        """
        check_is_valid_srv_type(srv_type)
        channel = self._channel(srv_type, srv_name, qos_profile, is_service=True)
        service = Service(channel, callback, callback_group or self._default_callback_group, self)
        self._add(self._made, service)
        return service

    def create_timer(
        self,
        timer_period_sec: float,
        callback: Callable[..., Any] | None,
        callback_group: CallbackGroup | None = None,
        clock: Clock | None = None,
        autostart: bool = True,
    ) -> Timer:
        """
        Make a timer.

        Parameters
        ----------
        timer_period_sec : float
            Time between calls [s].
        callback : Callable
            What to call; with a `TimerInfo` if an argument is annotated so (not in quotes).
        callback_group : CallbackGroup, optional
            Its group.
        clock : Clock, optional
            The clock; that of the node (ROS time) if omitted.
        autostart : bool
            Whether it runs at once, or only after `Timer.reset`.

        """
        self.require_handle()
        timer = Timer(
            callback,
            callback_group or self._default_callback_group,
            int(float(timer_period_sec) * S_TO_NS),
            clock or self._clock,
            self,
            autostart=autostart,
        )
        self._add(self._made, timer)
        return timer

    def create_guard_condition(
        self, callback: Callable[[], Any] | None, callback_group: CallbackGroup | None = None
    ) -> GuardCondition:
        """Make a guard condition: `callback` runs in the executor after its `trigger`."""
        self.require_handle()
        guard = GuardCondition(callback, callback_group or self._default_callback_group, self)
        self._add(self._made, guard)
        return guard

    def create_rate(self, frequency: float, clock: Clock | None = None) -> Rate:
        """Make a rate [Hz]: its `sleep` lasts until the next tick; another thread must spin."""
        if frequency <= 0:
            raise ValueError('frequency must be > 0')
        timer = self.create_timer(1.0 / frequency, None, ReentrantCallbackGroup(), clock)
        rate = Rate(timer, context=self._context)
        self._rates[rate] = timer
        return rate

    def destroy_publisher(self, publisher: Publisher) -> bool:
        """Destroy a publisher; False if it is not one of this node."""
        return self._remove(publisher, Publisher)

    def destroy_subscription(self, subscription: Subscription) -> bool:
        """Destroy a subscription; False if it is not one of this node."""
        return self._remove(subscription, Subscription)

    def destroy_client(self, client: Client) -> bool:
        """Destroy a client; False if it is not one of this node."""
        return self._remove(client, Client)

    def destroy_service(self, service: Service) -> bool:
        """Destroy a service; False if it is not one of this node."""
        return self._remove(service, Service)

    def destroy_timer(self, timer: Timer) -> bool:
        """Destroy a timer; False if it is not one of this node."""
        return self._remove(timer, Timer)

    def destroy_guard_condition(self, guard: GuardCondition) -> bool:
        """Destroy a guard condition; False if it is not one of this node."""
        return self._remove(guard, GuardCondition)

    def _profile(
        self,
        profile: QoSProfile | int,
        options: QoSOverridingOptions | None,
        topic: str,
        *,
        is_publisher: bool,
    ) -> QoSProfile:
        if isinstance(profile, QoSProfile):
            result = profile
        elif isinstance(profile, int) and not isinstance(profile, bool):
            if profile < 0:
                raise ValueError('History depth must be greater than or equal to zero')
            result = QoSProfile(depth=profile)
        else:
            raise TypeError(f'Expected QoSProfile or int, but received {type(profile)!r}')
        full_name = self.resolve_topic_name(topic)
        if options is not None:
            result = declare_qos_overrides(
                self, options, full_name, result, is_publisher=is_publisher
            )
        if best_available.needs_peers(result):
            graph = self._context.graph
            others = (graph.readers if is_publisher else graph.writers)(with_qos=True)
            topic_on_wire = _topic(full_name, result)
            profiles = [each.profile for each in others if each.topic == topic_on_wire]
            choose = (
                best_available.for_publisher if is_publisher else best_available.for_subscription
            )
            result = choose(result, profiles)
        return result

    def _channel(
        self, srv_type: Any, name: str, profile: QoSProfile, *, is_service: bool
    ) -> Channel:
        self.require_handle()
        profile = best_available.for_service(profile)
        full_name = self.resolve_service_name(name)
        request, reply = names.service_on_wire(full_name)
        request_type = names.type_on_wire(srv_type.Request._definition.name)
        reply_type = names.type_on_wire(srv_type.Response._definition.name)
        data = user_data('serviceid' if is_service else 'clientid', unique_id())
        numbers = profile.to_profile()
        outgoing, incoming = (request, request_type), (reply, reply_type)
        if is_service:
            outgoing, incoming = incoming, outgoing
        # Every client reads the answers to all of them, and nothing sends a call again that was
        # pushed out before it was acknowledged, or taken: requests of many clients wait in one.
        kept = replace(numbers, depth=max(numbers.depth, PENDING))
        taken = replace(kept, depth=max(kept.depth, MOST_WAITING)) if is_service else kept
        writer = self._context.writer(*outgoing, kept, data)
        reader = self._context.reader(*incoming, taken, data)
        return Channel(writer, reader, srv_type, name, full_name, profile)


def on_wire(msg_type: Any, full_name: str, profile: QoSProfile) -> tuple[str, str, Profile]:
    """Return topic, type and profile of a publisher or subscription as the wire has them."""
    return (
        _topic(full_name, profile),
        names.type_on_wire(msg_type._definition.name),
        profile.to_profile(),
    )


def _topic(name: str, profile: QoSProfile) -> str:
    return name[1:] if profile.avoid_ros_namespace_conventions else names.topic_on_wire(name)
