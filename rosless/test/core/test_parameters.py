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

"""Parameters: declaration, rules, callbacks, overrides, services, events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    SetParametersResult,
)
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.context import Context
from rclpy.exceptions import (
    InvalidParameterException,
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterAlreadyDeclaredException,
    ParameterImmutableException,
    ParameterNotDeclaredException,
    ParameterUninitializedException,
)
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, Parameter, parameter_dict_from_yaml_file
from rclpy.qos import QoSPolicyKind, QoSProfile
from rclpy.qos_overriding_options import InvalidQosOverridesError, QoSOverridingOptions
from std_msgs.msg import String

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ('value', 'kind'),
    [
        (True, 'BOOL'),
        (3, 'INTEGER'),
        (3.0, 'DOUBLE'),
        ('x', 'STRING'),
        ([b'\1', b'\2'], 'BYTE_ARRAY'),
        ([True, False], 'BOOL_ARRAY'),
        ([1, 2], 'INTEGER_ARRAY'),
        ([1.0, 2.0], 'DOUBLE_ARRAY'),
        (['a', 'b'], 'STRING_ARRAY'),
        (None, 'NOT_SET'),
    ],
)
def test_types_and_messages(value: Any, kind: str) -> None:
    parameter = Parameter('p', value=value)
    assert parameter.type_.name == kind
    again = Parameter.from_parameter_msg(parameter.to_parameter_msg())
    assert (again.name, again.type_, again.value) == ('p', parameter.type_, value)
    assert again != parameter  # as in ROS 2, where parameters have no values of their own


def test_types_must_agree() -> None:
    with pytest.raises(ValueError, match=r"Type 'Type\.INTEGER' and value '1\.0' do not agree"):
        Parameter('p', Parameter.Type.INTEGER, 1.0)
    with pytest.raises(TypeError, match='not one of the allowed types'):
        Parameter('p', value={})
    with pytest.raises(TypeError):
        Parameter('p', value=[1, 2.0])


def test_declare_get_set(make_node: Make) -> None:
    node = make_node()
    assert node.declare_parameter('gain', 1.5).value == 1.5
    assert node.get_parameter('gain').value == 1.5
    assert node.set_parameters([Parameter('gain', value=2.5)])[0].successful
    assert node.get_parameter('gain').value == 2.5
    assert node.get_parameter_or('nothing', Parameter('x', value=1)).value == 1
    node.declare_parameters('limits', [('upper', 1), ('lower', -1)])
    prefixed = node.get_parameters_by_prefix('limits')
    assert {name: p.value for name, p in prefixed.items()} == {'upper': 1, 'lower': -1}
    node.undeclare_parameter('gain')
    assert not node.has_parameter('gain')


def test_use_sim_time_is_there(make_node: Make) -> None:
    assert make_node().get_parameter('use_sim_time').value is False


def test_refusals(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('gain', 1.5)
    with pytest.raises(ParameterAlreadyDeclaredException, match='gain'):
        node.declare_parameter('gain', 1.5)
    with pytest.raises(ParameterNotDeclaredException, match='nothing'):
        node.get_parameter('nothing')
    with pytest.raises(ParameterNotDeclaredException, match='nothing'):
        node.set_parameters([Parameter('nothing', value=1)])
    with pytest.raises(InvalidParameterException):
        node.declare_parameter('', 1)
    result = node.set_parameters([Parameter('gain', value='high')])[0]
    assert not result.successful
    assert result.reason == ("Wrong parameter type, expected 'Type.DOUBLE' got 'Type.STRING'")
    result = node.set_parameters([Parameter('gain', value=20)])[0]
    assert result.reason == (
        "Wrong parameter type, expected 'Type.DOUBLE' got 'Type.INTEGER': write 20.0"
    )
    node.declare_parameter('gains', [1.5])
    result = node.set_parameters([Parameter('gains', value=[20, 3])])[0]
    assert result.reason.endswith("got 'Type.INTEGER_ARRAY': write [20.0, 3.0]")


def test_declared_by_type(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('gain', Parameter.Type.DOUBLE)
    with pytest.raises(ParameterUninitializedException, match='gain'):
        node.get_parameter('gain')
    assert not node.set_parameters([Parameter('gain', value=1)])[0].successful
    assert node.set_parameters([Parameter('gain', value=1.0)])[0].successful
    assert node.get_parameter('gain').value == 1.0


def test_dynamic_typing(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('any', 1, ParameterDescriptor(dynamic_typing=True))
    assert node.set_parameters([Parameter('any', value='text')])[0].successful
    assert node.get_parameter('any').value == 'text'


def test_undeclared_allowed(make_node: Make) -> None:
    node = make_node(allow_undeclared_parameters=True)
    assert node.get_parameter('x').type_ == Parameter.Type.NOT_SET
    assert node.set_parameters([Parameter('x', value=1)])[0].successful
    assert node.get_parameter('x').value == 1


@pytest.mark.parametrize(
    ('value', 'reason'),
    [
        (0, ''),
        (4, ''),
        (10, ''),
        (11, 'Parameter n out of range Min: 0, Max: 10, value: 11'),
        (3, 'The parameter value for n is not a valid step. Min: 0, max: 10, value: 3, step: 2'),
    ],
)
def test_integer_range(make_node: Make, value: int, reason: str) -> None:
    node = make_node()
    limits = IntegerRange(from_value=0, to_value=10, step=2)
    node.declare_parameter('n', 2, ParameterDescriptor(integer_range=[limits]))
    result = node.set_parameters([Parameter('n', value=value)])[0]
    assert (result.successful, result.reason) == (not reason, reason)


@pytest.mark.parametrize(
    ('value', 'fine'),
    [(0.0, True), (0.3, True), (1.0, True), (0.35, False), (-0.1, False), (1.1, False)],
)
def test_real_range(make_node: Make, value: float, fine: bool) -> None:
    node = make_node()
    limits = FloatingPointRange(from_value=0.0, to_value=1.0, step=0.1)
    node.declare_parameter('x', 0.5, ParameterDescriptor(floating_point_range=[limits]))
    assert node.set_parameters([Parameter('x', value=value)])[0].successful is fine


def test_default_out_of_range(make_node: Make) -> None:
    limits = IntegerRange(from_value=0, to_value=10)
    with pytest.raises(InvalidParameterValueException, match='out of range'):
        make_node().declare_parameter('n', 20, ParameterDescriptor(integer_range=[limits]))


def test_read_only(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('path', 'x', ParameterDescriptor(read_only=True))
    result = node.set_parameters([Parameter('path', value='y')])[0]
    assert result.reason == 'Trying to set a read-only parameter: path.'
    with pytest.raises(ParameterImmutableException, match='path'):
        node.undeclare_parameter('path')


def test_callbacks_refuse_and_follow(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('a', 1)
    node.declare_parameter('b', 1)
    after: list[Any] = []

    def positive(parameters: list[Parameter]) -> SetParametersResult:
        if all(p.value > 0 for p in parameters):
            return SetParametersResult(successful=True)
        return SetParametersResult(successful=False, reason='must be positive')

    node.add_on_set_parameters_callback(positive)
    node.add_post_set_parameters_callback(lambda ps: after.append([p.value for p in ps]))
    both = [Parameter('a', value=5), Parameter('b', value=-5)]
    assert node.set_parameters_atomically(both).reason == 'must be positive'
    assert node.get_parameter('a').value == 1
    assert [r.successful for r in node.set_parameters(both)] == [True, False]
    assert node.get_parameter('a').value == 5
    assert after == [[5]]
    node.remove_on_set_parameters_callback(positive)
    assert node.set_parameters_atomically(both).successful


def test_a_reason_does_not_repeat_a_long_name_in_full(make_node: Make) -> None:
    message = Parameter('x' * 1_000_000, value=1.0).to_parameter_msg()
    (refused,) = make_node()._parameter_service._set(
        SetParameters.Request(parameters=[message]), SetParameters.Response()).results
    assert not refused.successful
    assert 'xxx... (' in refused.reason
    assert len(refused.reason) < 1100


def test_pre_set_callbacks_change_the_list(make_node: Make) -> None:
    node = make_node()
    node.declare_parameters('', [('a', 1), ('b', 1)])

    def both(parameters: list[Parameter]) -> list[Parameter]:
        return [*parameters, Parameter('b', value=parameters[0].value)]

    node.add_pre_set_parameters_callback(both)
    assert node.set_parameters([Parameter('a', value=7)])[0].successful
    assert node.get_parameter('b').value == 7


def make_with(arguments: list[str], name: str = 'node', **kwargs: Any) -> tuple[Context, Node]:
    """Return a context with a command line, and a node in it."""
    context = Context()
    context.init(args=['program', '--ros-args', *arguments])
    return context, Node(name, context=context, **kwargs)


def test_overrides_from_the_command_line() -> None:
    context, node = make_with(['-p', 'gain:=2.5', '-p', 'node:name:=x', '-p', 'other:name:=y'])
    try:
        assert node.declare_parameter('gain', 1.0).value == 2.5
        assert node.declare_parameter('name', '').value == 'x'
        assert node.declare_parameter('plain', 3, ignore_override=True).value == 3
        context.arguments.parameters.append(('/**', {'x': 1}))
        second = Node('second', context=context)
        with pytest.raises(InvalidParameterTypeException, match="of type 'INTEGER', expecting"):
            second.declare_parameter('x', 1.0)
    finally:
        context.try_shutdown()


def test_overrides_from_files(tmp_path: Path) -> None:
    file = tmp_path / 'parameters.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    a: 1\n    b: 1\n'
        'node:\n  ros__parameters:\n    b: 2\n    group: {deep: [1.0, 2.0]}\n'
        '/ns/*:\n  ros__parameters: {c: yes}\n'
        'other:\n  ros__parameters: {a: 9}\n'
    )
    context, node = make_with(['--params-file', str(file), '-p', 'a:=3'])
    try:
        values = {n: p.value for n, p in node._parameter_overrides.items()}
        assert values == {'a': 3, 'b': 2, 'group.deep': [1.0, 2.0]}
        other = Node('node', namespace='ns', context=context)
        assert other.declare_parameter('c', False).value is True
        automatic = Node(
            'node', context=context, automatically_declare_parameters_from_overrides=True
        )
        assert automatic.get_parameter('group.deep').value == [1.0, 2.0]
    finally:
        context.try_shutdown()


def test_overrides_given_to_the_node(make_node: Make) -> None:
    node = make_node(parameter_overrides=[Parameter('gain', value=9.0)])
    assert node.declare_parameter('gain', 1.0).value == 9.0


def test_the_six_services(make_node: Make, spinning: Make) -> None:
    node, other = make_node('node'), make_node('other')
    limits = IntegerRange(from_value=0, to_value=9)
    node.declare_parameter('n', 1, ParameterDescriptor(description='d', integer_range=[limits]))
    node.declare_parameter('gains.p', 2.0)
    spinning(node, other)

    def call(kind: Any, name: str, **fields: Any) -> Any:
        client = other.create_client(kind, f'/node/{name}')
        assert client.wait_for_service(60.0)
        return client.call(kind.Request(**fields), timeout_sec=60.0)

    values = call(GetParameters, 'get_parameters', names=['n', 'gains.p']).values
    assert (values[0].integer_value, values[1].double_value) == (1, 2.0)
    assert call(GetParameters, 'get_parameters', names=['nothing']).values == []
    assert list(call(GetParameterTypes, 'get_parameter_types', names=['n']).types) == [2]
    descriptor = call(DescribeParameters, 'describe_parameters', names=['n']).descriptors[0]
    assert (descriptor.name, descriptor.description, descriptor.type) == ('n', 'd', 2)
    listed = call(ListParameters, 'list_parameters').result
    assert sorted(listed.names) == ['gains.p', 'n', 'use_sim_time']
    assert listed.prefixes == ['gains']
    shallow = call(ListParameters, 'list_parameters', depth=1).result.names
    assert sorted(shallow) == ['n', 'use_sim_time']
    below = call(ListParameters, 'list_parameters', prefixes=['gains']).result.names
    assert below == ['gains.p']
    new = [Parameter('n', value=v).to_parameter_msg() for v in (5, 50)]
    results = call(SetParameters, 'set_parameters', parameters=new).results
    assert [r.successful for r in results] == [True, False]
    assert 'out of range' in results[1].reason
    unknown = [Parameter('nothing', value=1).to_parameter_msg()]
    result = call(SetParametersAtomically, 'set_parameters_atomically', parameters=unknown).result
    assert not result.successful
    assert 'undeclared' in result.reason
    assert node.get_parameter('n').value == 5


def test_events(make_node: Make, executor: Any, spin_until: Make) -> None:
    node = make_node()
    executor.add_node(node)
    events: list[ParameterEvent] = []
    node.create_subscription(ParameterEvent, '/parameter_events', events.append, 10)
    node.declare_parameter('a', 1)
    node.set_parameters([Parameter('a', value=2)])
    assert spin_until(executor, lambda: len(events) == 2)
    assert [p.name for p in events[0].new_parameters] == ['a']
    assert events[1].changed_parameters[0].value.integer_value == 2
    assert events[1].node == '/node'


def test_qos_overrides() -> None:
    name = 'qos_overrides./chatter.publisher'
    context, node = make_with(['-p', f'{name}.depth:=3', '-p', f'{name}.reliability:=best_effort'])
    try:
        options = QoSOverridingOptions.with_default_policies()
        publisher = node.create_publisher(String, 'chatter', 10, qos_overriding_options=options)
        assert publisher.qos_profile.depth == 3
        assert publisher.qos_profile.reliability.name == 'BEST_EFFORT'
        assert node.get_parameter(f'{name}.history').value == 'keep_last'

        class Refused:
            successful = False
            reason = 'not so deep'

        strict = QoSOverridingOptions([QoSPolicyKind.DEPTH], callback=lambda _: Refused())
        with pytest.raises(InvalidQosOverridesError, match='not so deep'):
            node.create_publisher(
                String, 'other', QoSProfile(depth=1), qos_overriding_options=strict
            )
    finally:
        context.try_shutdown()


def test_values_from_text() -> None:
    assert get_parameter_value('3').integer_value == 3
    assert get_parameter_value('3.0').double_value == 3.0
    assert get_parameter_value('true').bool_value is True
    assert get_parameter_value('[a, b]').string_array_value == ['a', 'b']
    assert get_parameter_value("'3'").string_value == '3'
    assert get_parameter_value('hello: there').string_value == 'hello: there'


def test_file_as_messages(tmp_path: Path) -> None:
    file = tmp_path / 'p.yaml'
    file.write_text('/a:\n  ros__parameters: {x: 1}\n/**:\n  ros__parameters: {y: 2}\n')
    assert list(parameter_dict_from_yaml_file(str(file))) == ['x']
    assert list(parameter_dict_from_yaml_file(str(file), use_wildcard=True)) == ['x', 'y']


def test_a_callback_that_returns_nothing_refuses(make_node: Make) -> None:
    node = make_node()
    node.declare_parameter('gain', 1.0)
    node.add_on_set_parameters_callback(lambda parameters: None)
    (result,) = node.set_parameters([Parameter('gain', value=2.0)])
    assert not result.successful
    assert 'returned an invalid type: a SetParametersResult is wanted, not None' in result.reason
    assert node.get_parameter('gain').value == 1.0
