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

"""Managed nodes."""

from __future__ import annotations

import traceback
from typing import Any

from lifecycle_msgs.msg import Transition

from .callback_return import TransitionCallbackReturn
from .managed_entity import ManagedEntity
from .publisher import LifecyclePublisher
from .services import LifecycleServices
from .state_machine import LifecycleState, LifecycleStateMachine, LifecycleTransition
from ..callback_groups import CallbackGroup
from ..node import Node
from ..rcl_errors import RCLError

__all__ = ['LifecycleNode', 'LifecycleNodeMixin', 'LifecycleState', 'TransitionCallbackReturn']

CALLBACKS = {
    'configuring': 'on_configure',
    'cleaningup': 'on_cleanup',
    'shuttingdown': 'on_shutdown',
    'activating': 'on_activate',
    'deactivating': 'on_deactivate',
    'errorprocessing': 'on_error',
}
SHUTDOWNS = {
    'unconfigured': Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
    'inactive': Transition.TRANSITION_INACTIVE_SHUTDOWN,
    'active': Transition.TRANSITION_ACTIVE_SHUTDOWN,
}


class LifecycleNodeMixin(ManagedEntity):
    """
    What a managed node has in addition to `Node`; a base beside it.

    Each ``on_...`` callback gets the state before the transition and says how it went. As it
    stands it asks the managed entities of the node, in the order in which they were added, until
    one does not succeed; who overrides it should call the one of the base class.

    Parameters
    ----------
    enable_communication_interface : bool
        Whether there are the services and the topic by which others steer and follow the node.
    callback_group : CallbackGroup, optional
        Group of the services; the default group if omitted.

    """

    def __init__(
        self: Any,
        *,
        enable_communication_interface: bool = True,
        callback_group: CallbackGroup | None = None,
    ) -> None:
        if not isinstance(enable_communication_interface, bool):
            raise TypeError(
                f'enable_communication_interface must be a bool, not '
                f'{enable_communication_interface!r}'
            )
        self._managed_entities: dict[ManagedEntity, None] = {}
        self._lifecycle_services: LifecycleServices | None = None
        self._state_machine = LifecycleStateMachine(self._publish_transition)
        if enable_communication_interface:
            with self._discovery.together():
                self._lifecycle_services = LifecycleServices(
                    self,
                    self._state_machine,
                    self._change_state,
                    callback_group or self.default_callback_group,
                )

    def trigger_configure(self) -> TransitionCallbackReturn:
        """Configure the node; raises RCLError if it is not unconfigured."""
        return self._change_state(Transition.TRANSITION_CONFIGURE)

    def trigger_cleanup(self) -> TransitionCallbackReturn:
        """Clean up; raises RCLError if the node is not inactive."""
        return self._change_state(Transition.TRANSITION_CLEANUP)

    def trigger_activate(self) -> TransitionCallbackReturn:
        """Activate the node; raises RCLError if it is not inactive."""
        return self._change_state(Transition.TRANSITION_ACTIVATE)

    def trigger_deactivate(self) -> TransitionCallbackReturn:
        """Deactivate the node; raises RCLError if it is not active."""
        return self._change_state(Transition.TRANSITION_DEACTIVATE)

    def trigger_shutdown(self: Any) -> TransitionCallbackReturn:
        """Shut down; raises RCLError in a state from which that is impossible."""
        number = SHUTDOWNS.get(self._state_machine.state.label)
        if number is None:
            raise RCLError('Shutdown transtion not possible')  # the words of rclpy
        return self._change_state(number)

    def add_managed_entity(self: Any, entity: ManagedEntity) -> None:
        """Let an entity take part in the transitions."""
        self._managed_entities[entity] = None

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure the managed entities."""
        return self._ask_entities('on_configure', state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up the managed entities."""
        return self._ask_entities('on_cleanup', state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Shut down the managed entities."""
        return self._ask_entities('on_shutdown', state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate the managed entities."""
        return self._ask_entities('on_activate', state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate the managed entities."""
        return self._ask_entities('on_deactivate', state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let the managed entities handle an error; success leads to unconfigured."""
        return self._ask_entities('on_error', state)

    def create_lifecycle_publisher(self: Any, *args: Any, **kwargs: Any) -> LifecyclePublisher:
        """
        Make a publisher that publishes only while the node is active.

        Parameters
        ----------
        *args, **kwargs
            See `Node.create_publisher`.

        Raises
        ------
        TypeError
            If a class of publishers is given.

        """
        if 'publisher_class' in kwargs:
            raise TypeError(
                "create_lifecycle_publisher() got an unexpected keyword argument 'publisher_class'"
            )
        publisher = Node.create_publisher(
            self, *args, publisher_class=LifecyclePublisher, **kwargs
        )
        assert isinstance(publisher, LifecyclePublisher)
        self._managed_entities[publisher] = None
        return publisher

    def destroy_lifecycle_publisher(self: Any, publisher: LifecyclePublisher) -> bool:
        """Destroy such a publisher; False if it is not one of this node."""
        self._managed_entities.pop(publisher, None)
        return Node.destroy_publisher(self, publisher)

    def _ask_entities(self: Any, name: str, state: LifecycleState) -> TransitionCallbackReturn:
        for entity in list(self._managed_entities):
            answer: TransitionCallbackReturn = getattr(entity, name)(state)
            if answer != TransitionCallbackReturn.SUCCESS:
                return answer
        return TransitionCallbackReturn.SUCCESS

    def _change_state(self: Any, transition_id: int) -> TransitionCallbackReturn:
        machine = self._state_machine
        before = machine.state
        machine.trigger_transition_by_id(transition_id)
        outcome: TransitionCallbackReturn = self._run_callback(before)
        machine.trigger_transition_by_label(outcome.to_label())
        if outcome == TransitionCallbackReturn.ERROR:
            handled = self._run_callback(before)
            machine.trigger_transition_by_label(handled.to_label())
        return outcome

    def _run_callback(self: Any, before: LifecycleState) -> TransitionCallbackReturn:
        """Run the callback of the present state; what goes wrong in it is an error."""
        name = CALLBACKS[self._state_machine.state.label]
        try:
            answer = getattr(self, name)(before)
        except Exception as error:
            self.get_logger().error(f'Error raised in {name}: {error}')
            traceback.print_exc()
            return TransitionCallbackReturn.ERROR
        if not isinstance(answer, TransitionCallbackReturn):
            self.get_logger().error(
                f'{name} must return a TransitionCallbackReturn, not {answer!r}; this is an error'
            )
            return TransitionCallbackReturn.ERROR
        return answer

    def _publish_transition(self: Any, transition: LifecycleTransition) -> None:
        if self._lifecycle_services is not None:
            self._lifecycle_services.publish(transition)


class LifecycleNode(LifecycleNodeMixin, Node):
    """
    A managed node.

    Parameters
    ----------
    node_name : str
        Its name.
    enable_communication_interface : bool
        Whether there are the services and the topic by which others steer and follow the node.
    callback_group : CallbackGroup, optional
        Group of these services; the default group if omitted.
    **kwargs
        See `Node`.

    """

    def __init__(
        self,
        node_name: str,
        *,
        enable_communication_interface: bool = True,
        callback_group: CallbackGroup | None = None,
        **kwargs: Any,
    ) -> None:
        Node.__init__(self, node_name, **kwargs)
        LifecycleNodeMixin.__init__(
            self,
            enable_communication_interface=enable_communication_interface,
            callback_group=callback_group,
        )
