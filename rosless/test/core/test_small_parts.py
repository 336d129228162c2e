"""Parts of the API that no other test is about."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any

from example_interfaces.action import Fibonacci
from example_interfaces.srv import AddTwoInts
from lifecycle_msgs.msg import Transition
import pytest
from rcl_interfaces.msg import ParameterDescriptor
import rclpy
from rclpy import time_source, utilities
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import (
    default_cancel_callback,
    default_goal_callback,
    default_handle_accepted_callback,
    ServerGoalHandle,
)
from rclpy.callback_groups import (
    CallbackGroup,
    MutuallyExclusiveCallbackGroup,
    ReentrantCallbackGroup,
)
from rclpy.client import Client
from rclpy.clock import Clock, ClockChange, JumpHandle, JumpThreshold, ROSClock, TimeJump
from rclpy.clock_type import ClockType
from rclpy.constants import S_TO_NS
from rclpy.context import Context
from rclpy.duration import Duration, Infinite
from rclpy.exceptions import (
    InvalidNamespaceException,
    InvalidNodeNameException,
    InvalidParameterException,
    InvalidServiceNameException,
    InvalidTopicNameException,
    NameValidationException,
    NoTypeSupportImportedException,
    ParameterException,
    RCLError,
)
from rclpy.executors import (
    await_or_execute,
    ConditionReachedException,
    MultiThreadedExecutor,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutObject,
)
from rclpy.expand_topic_name import expand_topic_name
from rclpy.experimental.events_executor import EventsExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.lifecycle import (
    LifecycleNode,
    LifecycleNodeMixin,
    LifecyclePublisher,
    NodeMixin,
    SimpleManagedEntity,
    TransitionCallbackReturn,
)
from rclpy.lifecycle.managed_entity import ManagedEntity
from rclpy.lifecycle.node import LifecycleState
from rclpy.logging import (
    clear_config,
    get_logger,
    get_logger_effective_level,
    get_logging_severity_from_string,
    initialize,
    LoggingSeverity,
    set_logger_level,
)
from rclpy.logging_service import LoggingService
from rclpy.node import HIDDEN_NODE_PREFIX, Node
from rclpy.parameter import (
    Parameter,
    PARAMETER_SEPARATOR_STRING,
    parameter_value_to_python,
)
from rclpy.parameter_event_handler import ParameterCallbackHandle, ParameterEventCallbackHandle
from rclpy.parameter_service import ParameterService
from rclpy.qos import qos_profile_services_default, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions, QoSPolicyKind
from rclpy.service_introspection import ServiceIntrospectionState
from rclpy.signals import (
    get_current_signal_handlers_options,
    install_signal_handlers,
    SignalHandlerOptions,
    uninstall_signal_handlers,
)
from rclpy.subscription import MessageInfo
from rclpy.subscription_content_filter_options import ContentFilterOptions
from rclpy.task import Future, FutureState, Task
from rclpy.time import Time
from rclpy.timer import Rate, TimerInfo
from rclpy.topic_endpoint_info import TopicEndpointInfo, TopicEndpointTypeEnum
from rclpy.topic_or_service_is_hidden import HIDDEN_TOPIC_PREFIX, topic_or_service_is_hidden
from rclpy.type_description_service import START_TYPE_DESCRIPTION_SERVICE_PARAM
from rclpy.type_hash import TypeHash
from rclpy.type_support import (
    check_for_type_support,
    check_is_valid_msg_type,
    check_is_valid_srv_type,
    GetResultService,
    Srv,
)
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_namespace import validate_namespace
from rclpy.validate_node_name import validate_node_name
from rclpy.validate_parameter_name import validate_parameter_name
from rclpy.validate_topic_name import TOPIC_SEPARATOR_STRING, validate_topic_name
from rclpy.waitable import NumberOfEntities
from rosless.dds.qos import Profile
from std_msgs.msg import String

Make = Callable[..., Any]


def test_submodules_need_no_import() -> None:
    assert rclpy.qos.QoSProfile is rclpy.QoSProfile is QoSProfile
    assert rclpy.duration.Duration is Duration
    with pytest.raises(AttributeError, match="module 'rclpy' has no attribute 'nonsense'"):
        rclpy.nonsense  # noqa: B018


def test_the_middleware() -> None:
    name = rclpy.get_rmw_implementation_identifier()
    assert name == utilities.get_rmw_implementation_identifier() == 'rmw_cyclonedds_cpp'
    assert utilities.get_available_rmw_implementations() == {name}
    assert utilities.timeout_sec_to_nsec(1.5) == 15 * 10**8
    assert utilities.timeout_sec_to_nsec(None) == -1
    assert S_TO_NS == 10**9


def test_init_as_a_context_manager() -> None:
    with rclpy.init(args=[]) as manager:
        assert isinstance(manager, rclpy.InitContextManager)
        assert rclpy.get_global_executor().context is manager.context
        assert utilities.g_default_context is manager.context
        assert utilities.g_context_lock.acquire(blocking=False)
        utilities.g_context_lock.release()
    assert not rclpy.ok()


def test_signal_handlers_come_and_go() -> None:
    assert rclpy.install_signal_handlers is install_signal_handlers
    install_signal_handlers(SignalHandlerOptions.SIGTERM)
    assert get_current_signal_handlers_options() == SignalHandlerOptions.SIGTERM
    rclpy.uninstall_signal_handlers()
    uninstall_signal_handlers()
    assert get_current_signal_handlers_options() == rclpy.SignalHandlerOptions.NO


def test_contexts_end_once(make_node: Make) -> None:
    context = Context()
    assert not context.ok()
    context.init(args=[])
    ended: list[str] = []
    context.on_shutdown(lambda: ended.append('first'))
    node = Node('short', context=context)
    context.track_node(node)
    context.untrack_node(node)
    context.destroy()
    assert not context.ok()
    context.on_shutdown(lambda: ended.append('late'))
    assert ended == ['first', 'late']


@pytest.mark.parametrize('kind', [MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup])
def test_callback_groups_are_protocols(kind: type[CallbackGroup]) -> None:
    group, entity = kind(), threading.Event()
    group.add_entity(entity)
    assert group.has_entity(entity)
    assert group.can_execute(entity)
    assert group.beginning_execution(entity)
    assert group.can_execute(entity) == (kind is ReentrantCallbackGroup)
    assert group.beginning_execution(entity) == (kind is ReentrantCallbackGroup)
    group.ending_execution(entity)
    assert group.can_execute(entity)


def test_pending_requests_and_answers_by_hand(make_node: Make) -> None:
    node = make_node('node', namespace='/ns')
    client = node.create_client(AddTwoInts, 'add')
    service = node.create_service(AddTwoInts, 'add', lambda _, response: response)
    assert isinstance(client, Client)
    assert client.service_name == service.service_name == '/ns/add'
    assert client.logger_name == service.logger_name == 'ns.node'
    assert client.wait_for_service(5.0)
    future = client.call_async(AddTwoInts.Request())
    assert client.get_pending_request(1) is future
    taken = None
    while taken is None:
        taken = service.take_request()
    service.send_response(AddTwoInts.Response(sum=5), taken[1])
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    executor.spin_once_until_future_complete(future, 5.0)
    assert future.result().sum == 5
    assert future._state == FutureState.FINISHED
    service.destroy()
    client.destroy()
    assert (list(node.services)[6:], list(node.clients)) == ([], [])
    executor.shutdown()


def test_entities_of_a_node(make_node: Make) -> None:
    node = make_node('node', namespace='/ns')
    publisher = node.create_publisher(String, 'talk', 1)
    subscription = node.create_subscription(String, 'talk', lambda _: None, 1)
    timer = node.create_timer(1.0, lambda: None)
    rate = node.create_rate(5.0)
    guard = node.create_guard_condition(lambda: None)
    assert publisher.topic_name == subscription.topic_name == '/ns/talk'
    assert publisher.logger_name == subscription.logger_name == 'ns.node'
    assert callable(subscription.callback)
    assert publisher in node.publishers
    assert subscription in node.subscriptions
    assert timer in node.timers
    assert list(node.clients) == []
    assert isinstance(node.default_callback_group, MutuallyExclusiveCallbackGroup)
    assert publisher.callback_group is node.default_callback_group
    assert isinstance(rate, Rate)
    assert isinstance(guard, GuardCondition)
    assert node.get_namespace() == '/ns'
    assert node.destroy_publisher(publisher)
    assert not node.destroy_publisher(publisher)
    assert node.destroy_guard_condition(guard)
    assert node.destroy_rate(rate)
    rate.destroy()
    assert not node.destroy_rate(rate)
    assert HIDDEN_NODE_PREFIX == '_'
    assert node.wait_for_node('/ns/node', 1.0)
    assert not node.wait_for_node('absent', 0.0)


def test_declarations_of_a_node(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('gain', 1.5, ParameterDescriptor(description='first'))
    assert node.get_parameter_type('gain') == Parameter.Type.DOUBLE
    assert node.get_parameter_types(['gain', 'use_sim_time'])[1] == Parameter.Type.BOOL
    assert node.describe_parameter('gain').description == 'first'
    node.set_descriptor('gain', ParameterDescriptor(description='second'))
    assert [d.description for d in node.describe_parameters(['gain'])] == ['second']
    changes: list[Any] = []

    def before(parameters: Any) -> Any:
        changes.append('before')
        return parameters

    def after(_: Any) -> None:
        changes.append('after')

    node.add_pre_set_parameters_callback(before)
    node.add_post_set_parameters_callback(after)
    node.set_parameters([Parameter('gain', value=2.0)])
    node.remove_pre_set_parameters_callback(before)
    node.remove_post_set_parameters_callback(after)
    node.set_parameters([Parameter('gain', value=3.0)])
    assert changes == ['before', 'after']
    assert parameter_value_to_python(node.get_parameter('gain').get_parameter_value()) == 3.0
    assert PARAMETER_SEPARATOR_STRING == '.'
    assert Node.PARAM_REL_TOL == 1e-6


def test_timers_tell_when_they_were_due(
    make_node: Make, executor: Any, spin_until: Make
) -> None:
    node = make_node()
    executor.add_node(node)
    told: list[TimerInfo] = []
    timer = node.create_timer(0.01, told.append, autostart=False)
    executor.spin_once(timeout_sec=0.05)
    assert told == []
    assert timer.is_canceled()
    assert not timer.is_ready()
    timer.timer_period_ns = 20_000_000
    assert timer.timer_period_ns == 20_000_000
    timer.reset()
    assert spin_until(executor, lambda: len(told) == 2)
    assert told[0].expected_call_time <= told[0].actual_call_time
    assert told[1].expected_call_time - told[0].expected_call_time >= 20_000_000


def test_executors_by_hand(context: Any, make_node: Make) -> None:
    node = make_node()
    timer = node.create_timer(10.0, lambda: None)
    for kind in (SingleThreadedExecutor, MultiThreadedExecutor, EventsExecutor):
        executor = kind(context=context)
        executor.add_node(node)
        assert executor.context is context
        assert executor.can_execute(timer)
        future = executor.create_future()
        assert isinstance(future, Future)
        future.set_result(1)
        with pytest.raises(ConditionReachedException):
            executor.wait_for_ready_callbacks(1.0, None, future.done)
        executor.spin_once_until_future_complete(future, 1.0)
        executor.wake()
        executor.shutdown()
        with pytest.raises(ShutdownException):
            executor.wait_for_ready_callbacks(1.0)
    limit = TimeoutObject(1.0)
    limit.timeout = 2.0
    assert limit.timeout == 2.0


def test_futures_and_tasks_by_hand(executor: Any) -> None:
    future = Future()
    assert future._state == FutureState.PENDING
    future.add_done_callback(print)
    future.remove_done_callback(print)
    future.cancel()
    assert future._state == FutureState.CANCELLED

    async def twice(value: int) -> int:
        return 2 * await await_or_execute(lambda: value)

    task = executor.create_task(twice, 4)
    executor.spin_until_future_complete(task, 5.0)
    assert isinstance(task, Task)
    assert task.result() == 8
    assert not task.executing()
    other = executor.create_task(twice, 1)
    other.remove_done_callback(print)
    other.cancel()
    assert other.cancelled()


def test_clocks_and_jumps() -> None:
    clock = ROSClock()
    clock._set_ros_time_is_active(True)
    jumps: list[Any] = []
    threshold = JumpThreshold(
        min_forward=Duration(nanoseconds=1), min_backward=Duration(nanoseconds=-1)
    )
    handle = clock.create_jump_callback(threshold, post_callback=jumps.append)
    assert isinstance(handle, JumpHandle)
    clock.set_ros_time_override(Time(seconds=5, clock_type=ClockType.ROS_TIME))
    handle.unregister()
    clock.set_ros_time_override(Time(seconds=9, clock_type=ClockType.ROS_TIME))
    assert [jump['delta'] for jump in jumps] == [5 * 10**9]
    jump = TimeJump(ClockChange.ROS_TIME_NO_CHANGE, Duration(seconds=5))
    assert (jump.clock_change, jump.delta.nanoseconds) == (1, 5 * 10**9)
    assert Infinite.nanoseconds == 2**63 - 1


def test_sleeping_until_a_time(context: Any) -> None:
    for clock in (Clock(clock_type=ClockType.STEADY_TIME), ROSClock()):
        until = clock.now() + Duration(nanoseconds=10_000_000)
        assert clock.sleep_until(until, context)
        assert clock.now() >= until


def test_time_sources_feed_clocks(make_node: Make) -> None:
    node = make_node()
    source = time_source.TimeSource(node=node)
    clock = ROSClock()
    source.attach_clock(clock)
    source.ros_time_is_active = True
    assert source.ros_time_is_active
    message = Time(seconds=3).to_msg()
    source.clock_callback(type('Clock', (), {'clock': message})())
    assert clock.now().nanoseconds == 3 * 10**9
    source.detach_node()
    source.attach_node(node)
    assert (time_source.CLOCK_TOPIC, time_source.USE_SIM_TIME_NAME) == ('/clock', 'use_sim_time')


def test_names_are_checked_and_expanded() -> None:
    assert expand_topic_name('~/talk', 'node', '/ns') == '/ns/node/talk'
    for check, good, bad, error in (
        (validate_topic_name, 'talk', 'no way', InvalidTopicNameException),
        (validate_full_topic_name, '/talk', 'talk', InvalidTopicNameException),
        (validate_namespace, '/ns', 'ns/', InvalidNamespaceException),
        (validate_node_name, 'node', 'no/de', InvalidNodeNameException),
        (validate_parameter_name, 'gain', '', InvalidParameterException),
    ):
        assert check(good)
        with pytest.raises(error):
            check(bad)
    with pytest.raises(InvalidServiceNameException):
        validate_full_topic_name('talk', is_service=True)
    assert issubclass(InvalidTopicNameException, NameValidationException)
    assert issubclass(InvalidParameterException, ParameterException)
    assert topic_or_service_is_hidden('/ns/_talk')
    assert not topic_or_service_is_hidden('/ns/talk')
    assert (HIDDEN_TOPIC_PREFIX, TOPIC_SEPARATOR_STRING) == ('_', '/')


def test_interfaces_are_told_from_other_classes() -> None:
    check_is_valid_msg_type(String)
    check_is_valid_srv_type(AddTwoInts)
    for each in (String, AddTwoInts, Fibonacci):
        check_for_type_support(each)
    with pytest.raises(NoTypeSupportImportedException):
        check_is_valid_msg_type(int)
    with pytest.raises(NoTypeSupportImportedException):
        check_is_valid_srv_type(String)
    with pytest.raises(NoTypeSupportImportedException):
        check_for_type_support(object)
    assert GetResultService is Srv is Any


def test_hashes_of_types(make_node: Make, context: Any, wait_until: Make) -> None:
    text = 'RIHS01_' + 'ab' * 32
    found = TypeHash.from_text(text)
    assert (found.version, found.value, str(found)) == (1, b'\xab' * 32, text)
    assert str(TypeHash()) == str(TypeHash.from_text('nonsense')) == 'INVALID'
    node = make_node()
    writer = context.participant.writer(
        'rt/talk', 'std_msgs::msg::dds_::String_', Profile(), f'typehash={text};'.encode()
    )
    assert wait_until(lambda: node.count_publishers('talk') == 1)
    (info,) = node.get_publishers_info_by_topic('talk')
    assert isinstance(info, TopicEndpointInfo)
    assert info.topic_type_hash == found
    assert (info.topic_type, info.endpoint_type) == (
        'std_msgs/msg/String',
        TopicEndpointTypeEnum.PUBLISHER,
    )
    assert bytes(info.endpoint_gid[:16]) == writer.gid
    assert (info.node_name, info.node_namespace) == (
        '_NODE_NAME_UNKNOWN_',
        '_NODE_NAMESPACE_UNKNOWN_',
    )
    assert info.qos_profile.reliability == rclpy.qos.ReliabilityPolicy.RELIABLE


def test_loggers_by_hand(capsys: Any) -> None:
    initialize()
    set_logger_level('by_hand', LoggingSeverity.FATAL)
    assert get_logger_effective_level('by_hand.part') == LoggingSeverity.FATAL
    logger = get_logger('by_hand')
    assert isinstance(logger, RcutilsLogger)
    assert not logger.error('not written')
    assert logger.fatal('written')
    assert '[FATAL]' in capsys.readouterr().err
    clear_config()
    assert get_logger_effective_level('by_hand') == LoggingSeverity.INFO
    assert get_logging_severity_from_string('warn') == LoggingSeverity.WARN


def test_callbacks_of_action_servers_can_be_changed(pair: Make, outcome: Make) -> None:
    server, client = pair(None)
    assert isinstance(server, ActionServer)
    assert default_goal_callback(Fibonacci.Goal()) == GoalResponse.ACCEPT
    assert default_cancel_callback(None) == CancelResponse.REJECT

    def execute(goal_handle: ServerGoalHandle) -> Any:
        goal_handle.succeed()
        return Fibonacci.Result(sequence=[7])

    accepted: list[Any] = []

    def handle(goal_handle: ServerGoalHandle) -> None:
        accepted.append(goal_handle)
        default_handle_accepted_callback(goal_handle)

    server.register_execute_callback(execute)
    server.register_handle_accepted_callback(handle)
    server.register_cancel_callback(lambda _: CancelResponse.ACCEPT)
    goal = Fibonacci.Goal(order=1)
    first = outcome(client.send_goal_async(goal))
    assert outcome(first.get_result_async()).result.sequence.tolist() == [7]
    assert len(accepted) == 1
    server.register_goal_callback(lambda _: GoalResponse.REJECT)
    assert not outcome(client.send_goal_async(goal)).accepted
    server.notify_execute(accepted[0], None)
    server.notify_goal_done(accepted[0])


def test_managed_entities_by_hand(context: Any) -> None:
    node = LifecycleNode('managed', context=context)
    assert isinstance(node, LifecycleNodeMixin)
    assert NodeMixin is LifecycleNodeMixin
    assert isinstance(node.create_lifecycle_publisher(String, 'talk', 1), LifecyclePublisher)
    entity = SimpleManagedEntity()
    assert isinstance(entity, ManagedEntity)
    state = LifecycleState(label='inactive', state_id=2)
    assert (state.label, state.state_id) == ('inactive', 2)
    for each in (entity, ManagedEntityOfOurs()):
        for verb in ('configure', 'activate', 'deactivate', 'cleanup', 'shutdown', 'error'):
            answer = getattr(each, f'on_{verb}')(state)
            assert answer == TransitionCallbackReturn.SUCCESS
    names = 'on_configure on_activate on_deactivate on_cleanup on_shutdown on_error'
    assert all(hasattr(ManagedEntity, name) for name in names.split())
    assert Transition.TRANSITION_CONFIGURE == 1
    node.destroy_node()


class ManagedEntityOfOurs(ManagedEntity):
    """Takes part in transitions without doing anything."""


def test_what_cannot_be_filtered_is_refused(make_node: Make) -> None:
    node = make_node()
    options = ContentFilterOptions(filter_expression='data = %0', expression_parameters=['1'])
    with pytest.raises(RCLError, match='filter in the callback'):
        node.create_subscription(
            String, 'talk', lambda _: None, 1, content_filter_options=options
        )
    subscription = node.create_subscription(String, 'talk', lambda _: None, 1)
    assert not subscription.is_cft_enabled
    with pytest.raises(RCLError, match='Failed to set_content_filter: content filters are not'):
        subscription.set_content_filter('data = 1', [])
    with pytest.raises(RCLError, match='Failed to get_content_filter'):
        subscription.get_content_filter()


def test_records() -> None:
    assert MessageInfo(source_timestamp=1) == {'source_timestamp': 1}
    assert ServiceIntrospectionState.OFF == 0
    assert START_TYPE_DESCRIPTION_SERVICE_PARAM == 'start_type_description_service'
    many = NumberOfEntities(1, 2, 3, 4, 5, 6)
    assert (many.num_subscriptions, many.num_guard_conditions, many.num_timers) == (1, 2, 3)
    assert (many.num_clients, many.num_services, many.num_events) == (4, 5, 6)
    handle = ParameterCallbackHandle('gain', '/node', print)
    assert handle != ParameterCallbackHandle('gain', '/node', print)
    assert ParameterEventCallbackHandle(print).callback is print
    kinds = [QoSPolicyKind.DEPTH]
    options = QoSOverridingOptions(kinds, entity_id='front')
    assert (list(options.policy_kinds), options.entity_id, options.callback) == (
        kinds,
        'front',
        None,
    )
    assert all(callable(each) for each in (LoggingService, ParameterService))
    assert qos_profile_services_default.depth == 10
