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

"""Managed nodes: states, callbacks, services and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle_msgs.msg import Transition, TransitionEvent
from lifecycle_msgs.srv import (
    ChangeState,
    GetAvailableStates,
    GetAvailableTransitions,
    GetState,
)
import pytest
from rclpy._rclpy_pybind11 import RCLError
from rclpy.lifecycle import (
    LifecycleNode,
    LifecycleState,
    ManagedEntity,
    Node,
    Publisher,
    SimpleManagedEntity,
    State,
    TransitionCallbackReturn,
)
from rclpy.node import Node as PlainNode
from std_msgs.msg import String

Make = Callable[..., Any]
SUCCESS, FAILURE, ERROR = TransitionCallbackReturn
UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = (
    (1, 'unconfigured'),
    (2, 'inactive'),
    (3, 'active'),
    (4, 'finalized'),
)


class Talker(LifecycleNode):
    """A managed node whose callbacks answer as they are told."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        self.calls: list[tuple[str, LifecycleState]] = []
        self.answers: dict[str, Any] = {}
        super().__init__(name, **kwargs)

    def _answer(self, name: str, state: LifecycleState) -> Any:
        self.calls.append((name, state))
        answer = self.answers.get(name)
        if isinstance(answer, Exception):
            raise answer
        return getattr(super(), name)(state) if name not in self.answers else answer

    def on_configure(self, state: LifecycleState) -> Any:
        """Configure."""
        return self._answer('on_configure', state)

    def on_cleanup(self, state: LifecycleState) -> Any:
        """Clean up."""
        return self._answer('on_cleanup', state)

    def on_shutdown(self, state: LifecycleState) -> Any:
        """Shut down."""
        return self._answer('on_shutdown', state)

    def on_activate(self, state: LifecycleState) -> Any:
        """Activate."""
        return self._answer('on_activate', state)

    def on_deactivate(self, state: LifecycleState) -> Any:
        """Deactivate."""
        return self._answer('on_deactivate', state)

    def on_error(self, state: LifecycleState) -> Any:
        """Handle an error."""
        return self._answer('on_error', state)

    @property
    def now(self) -> tuple[int, str]:
        """Id and label of the state."""
        return self._state_machine.current_state


@pytest.fixture
def talker(context: Any) -> Any:
    """Yield a managed node."""
    node = Talker('talker', context=context)
    yield node
    node.destroy_node()


def test_all_the_way_round(talker: Any) -> None:
    assert talker.now == UNCONFIGURED
    assert talker.trigger_configure() == SUCCESS
    assert talker.now == INACTIVE
    assert talker.trigger_activate() == SUCCESS
    assert talker.now == ACTIVE
    assert talker.trigger_deactivate() == SUCCESS
    assert talker.trigger_cleanup() == SUCCESS
    assert talker.now == UNCONFIGURED
    assert talker.trigger_shutdown() == SUCCESS
    assert talker.now == FINALIZED
    with pytest.raises(RCLError, match='Shutdown transtion not possible'):
        talker.trigger_shutdown()
    assert talker.calls == [
        ('on_configure', State('unconfigured', 1)),
        ('on_activate', State('inactive', 2)),
        ('on_deactivate', State('active', 3)),
        ('on_cleanup', State('inactive', 2)),
        ('on_shutdown', State('unconfigured', 1)),
    ]


@pytest.mark.parametrize(
    ('before', 'trigger', 'callback', 'after_failure'),
    [
        ([], 'configure', 'on_configure', UNCONFIGURED),
        (['configure'], 'cleanup', 'on_cleanup', INACTIVE),
        (['configure'], 'activate', 'on_activate', INACTIVE),
        (['configure', 'activate'], 'deactivate', 'on_deactivate', ACTIVE),
        ([], 'shutdown', 'on_shutdown', FINALIZED),
        (['configure'], 'shutdown', 'on_shutdown', FINALIZED),
        (['configure', 'activate'], 'shutdown', 'on_shutdown', FINALIZED),
    ],
)
def test_failures_and_errors(
    context: Any, before: list[str], trigger: str, callback: str, after_failure: Any
) -> None:
    # an error leads to where on_error says: unconfigured if that succeeds, finalized if not
    for answer, handled, expected in (
        (FAILURE, None, after_failure),
        (ERROR, SUCCESS, UNCONFIGURED),
        (ERROR, FAILURE, FINALIZED),
        (ERROR, ERROR, FINALIZED),
        (RuntimeError('sparks'), SUCCESS, UNCONFIGURED),
        (RuntimeError('sparks'), RuntimeError('smoke'), FINALIZED),
    ):
        node = Talker('talker', context=context, enable_communication_interface=False)
        for step in before:
            getattr(node, f'trigger_{step}')()
        node.answers = {callback: answer, 'on_error': handled}
        outcome = getattr(node, f'trigger_{trigger}')()
        assert outcome == (FAILURE if answer == FAILURE else ERROR)
        assert node.now == expected
        errors = [state for name, state in node.calls if name == 'on_error']
        assert errors == ([] if handled is None else [node.calls[-2][1]])
        node.destroy_node()


def test_exceptions_and_wrong_answers_are_logged(talker: Any, capfd: Any) -> None:
    talker.answers = {'on_configure': RuntimeError('sparks')}
    assert talker.trigger_configure() == ERROR
    assert talker.now == UNCONFIGURED
    talker.answers = {'on_configure': None}
    assert talker.trigger_configure() == ERROR
    errors = capfd.readouterr().err
    assert 'Error raised in on_configure: sparks' in errors
    assert 'Traceback' in errors
    assert 'on_configure must return a TransitionCallbackReturn, not None' in errors


def test_impossible_transitions(talker: Any) -> None:
    with pytest.raises(
        RCLError,
        match=r'3 is not possible in state unconfigured \[1\]; '
        r'possible: configure \[1\], shutdown \[5\]',
    ):
        talker.trigger_activate()
    assert talker.now == UNCONFIGURED
    talker.trigger_shutdown()
    with pytest.raises(RCLError, match=r'in state finalized \[4\]; possible: nothing'):
        talker.trigger_configure()


def test_managed_entities_take_part_in_order(talker: Any) -> None:
    calls: list[str] = []

    class Part(ManagedEntity):
        def __init__(self, name: str, answer: Any = SUCCESS) -> None:
            self.name, self.answer = name, answer

        def on_configure(self, state: LifecycleState) -> Any:
            calls.append(self.name)
            return self.answer

    parts = [Part('a'), Part('b', FAILURE), Part('c')]
    for part in parts:
        talker.add_managed_entity(part)
    assert talker.trigger_configure() == FAILURE
    assert (calls, talker.now) == (['a', 'b'], UNCONFIGURED)
    parts[1].answer = SUCCESS
    calls.clear()
    assert talker.trigger_configure() == SUCCESS
    assert calls == ['a', 'b', 'c']


def test_when_enabled() -> None:
    calls: list[Any] = []

    class Part(SimpleManagedEntity):
        @SimpleManagedEntity.when_enabled
        def work(self, number: int) -> None:
            calls.append(number)

        @SimpleManagedEntity.when_enabled(when_not_enabled=lambda: calls.append('off'))
        def play(self, number: int) -> None:
            calls.append(number)

    part, state = Part(), LifecycleState('inactive', 2)
    part.work(1)
    part.play(2)
    assert part.on_activate(state) == SUCCESS
    assert part.is_activated
    part.work(3)
    part.play(4)
    part.on_deactivate(state)
    part.work(5)
    assert calls == ['off', 3, 4]


def test_a_lifecycle_publisher(
    talker: Any, make_node: Make, executor: Any, spin_until: Make
) -> None:
    listener = make_node('listener')
    executor.add_node(listener)
    got: list[str] = []
    listener.create_subscription(String, 'chatter', lambda m: got.append(m.data), 10)
    publisher = talker.create_lifecycle_publisher(String, 'chatter', 10)
    plain = talker.create_publisher(String, 'chatter', 10)
    assert isinstance(publisher, Publisher)
    assert spin_until(executor, lambda: publisher.get_subscription_count() == 1)
    assert spin_until(executor, lambda: plain.get_subscription_count() == 1)
    publisher.publish(String(data='unconfigured'))
    talker.trigger_configure()
    publisher.publish(String(data='inactive'))
    talker.trigger_activate()
    assert publisher.is_activated
    publisher.publish(String(data='active'))
    talker.trigger_deactivate()
    publisher.publish(String(data='inactive again'))
    plain.publish(String(data='end'))
    assert spin_until(executor, lambda: 'end' in got)
    assert sorted(got) == ['active', 'end']
    talker.trigger_activate()
    with pytest.raises(TypeError, match=r'Expected .*String.*, got'):
        publisher.publish(3)
    assert talker.destroy_lifecycle_publisher(publisher)
    assert not talker.destroy_lifecycle_publisher(publisher)
    assert talker.trigger_deactivate() == SUCCESS
    with pytest.raises(TypeError, match="unexpected keyword argument 'publisher_class'"):
        talker.create_lifecycle_publisher(String, 'chatter', 10, publisher_class=Publisher)


def test_services_and_events(
    talker: Any, make_node: Make, executor: Any, spin_until: Make
) -> None:
    observer = make_node('observer')
    executor.add_node(talker)
    executor.add_node(observer)
    events: list[Any] = []
    observer.create_subscription(TransitionEvent, 'talker/transition_event', events.append, 10)

    def ask(kind: Any, name: str, **fields: Any) -> Any:
        client = observer.create_client(kind, f'talker/{name}')
        assert client.wait_for_service(60.0)
        future = client.call_async(kind.Request(**fields))
        assert spin_until(executor, future.done)
        observer.destroy_client(client)
        return future.result()

    def change(number: int = 0, label: str = '') -> bool:
        return ask(
            ChangeState, 'change_state', transition=Transition(id=number, label=label)
        ).success

    def state() -> tuple[int, str]:
        found = ask(GetState, 'get_state').current_state
        return found.id, found.label

    assert spin_until(executor, lambda: observer.count_publishers('talker/transition_event') == 1)
    assert state() == UNCONFIGURED
    states = ask(GetAvailableStates, 'get_available_states').available_states
    assert [(each.id, each.label) for each in states] == [
        (0, 'unknown'),
        (1, 'unconfigured'),
        (2, 'inactive'),
        (3, 'active'),
        (4, 'finalized'),
        (10, 'configuring'),
        (11, 'cleaningup'),
        (12, 'shuttingdown'),
        (13, 'activating'),
        (14, 'deactivating'),
        (15, 'errorprocessing'),
    ]
    possible = ask(GetAvailableTransitions, 'get_available_transitions').available_transitions
    assert [
        (each.transition.id, each.transition.label, each.start_state.label, each.goal_state.id)
        for each in possible
    ] == [(1, 'configure', 'unconfigured', 10), (5, 'shutdown', 'unconfigured', 12)]
    graph = ask(GetAvailableTransitions, 'get_transition_graph').available_transitions
    assert len(graph) == 25
    assert [each.transition.id for each in graph if each.transition.label == 'shutdown'] == [
        5,
        6,
        7,
    ]
    events.clear()
    assert change(Transition.TRANSITION_CONFIGURE)
    assert state() == INACTIVE
    assert spin_until(executor, lambda: len(events) == 2)
    assert [(each.start_state.label, each.goal_state.label) for each in events] == [
        ('unconfigured', 'configuring'),
        ('configuring', 'inactive'),
    ]
    # what is not possible is refused, and the node lives on
    assert not change(Transition.TRANSITION_CONFIGURE)
    assert not change(200)
    assert not change(label='fly')
    # a label counts more than a number
    assert change(number=99, label='activate')
    assert state() == ACTIVE
    talker.answers = {'on_deactivate': FAILURE}
    assert not change(label='deactivate')
    assert state() == ACTIVE
    talker.answers = {'on_deactivate': ERROR, 'on_error': FAILURE}
    events.clear()
    assert not change(label='deactivate')
    assert state() == FINALIZED
    assert spin_until(executor, lambda: len(events) == 3)
    assert [each.goal_state.label for each in events] == [
        'deactivating',
        'errorprocessing',
        'finalized',
    ]


def test_without_communication(context: Any) -> None:
    node = Talker('quiet', context=context, enable_communication_interface=False)
    assert not any(
        'lifecycle_msgs' in kind
        for _, kinds in node.get_service_names_and_types()
        for kind in kinds
    )
    assert node.trigger_configure() == SUCCESS
    node.destroy_node()


def test_it_is_a_node(talker: Any) -> None:
    assert isinstance(talker, PlainNode)
    assert Node is LifecycleNode
    assert TransitionCallbackReturn.SUCCESS.to_label() == 'transition_success'
    names = [name for name, _ in talker.get_service_names_and_types()]
    assert '/talker/get_parameters' in names
    assert '/talker/change_state' in names


NODE = """
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import Node, Publisher, State, TransitionCallbackReturn
from std_msgs.msg import String
class LifecycleTalker(Node):
    def __init__(self):
        super().__init__('lc_talker')
        self._timer = None
    def on_configure(self, state: State) -> TransitionCallbackReturn:
        self._pub = self.create_lifecycle_publisher(String, 'lifecycle_chatter', 10)
        self._timer = self.create_timer(0.02, self.talk)
        return TransitionCallbackReturn.SUCCESS
    def talk(self):
        self._pub.publish(String(data='hello'))
    def on_cleanup(self, state: State) -> TransitionCallbackReturn:
        self.destroy_timer(self._timer)
        self.destroy_lifecycle_publisher(self._pub)
        return TransitionCallbackReturn.SUCCESS
rclpy.init(args=[])
node = LifecycleTalker()
print('ready', flush=True)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    node.destroy_node()
"""


def test_two_processes(
    run_program: Make, make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node('manager')
    executor.add_node(node)
    got: list[str] = []
    node.create_subscription(String, 'lifecycle_chatter', lambda m: got.append(m.data), 10)
    client = node.create_client(ChangeState, 'lc_talker/change_state')
    program = run_program(NODE)
    assert program.wait_for_line() == 'ready'
    assert client.wait_for_service(60.0)

    def change(label: str) -> None:
        future = client.call_async(ChangeState.Request(transition=Transition(label=label)))
        assert spin_until(executor, future.done)
        assert future.result().success

    change('configure')
    assert not spin_until(executor, lambda: got, 0.2)
    change('activate')
    assert spin_until(executor, lambda: len(got) > 3)
    change('deactivate')
    spin_until(executor, lambda: False, 0.05)
    count = len(got)
    assert not spin_until(executor, lambda: len(got) > count, 0.2)
    change('cleanup')
    assert spin_until(executor, lambda: node.count_publishers('lifecycle_chatter') == 0)
    change('configure')
    change('shutdown')
    program.process.terminate()
    assert program.finish()[0] == 0
