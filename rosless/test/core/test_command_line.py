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

"""What stands behind --ros-args, parameter files, and the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rclpy._rclpy_pybind11 import RCLInvalidROSArgsError, UnknownROSArgsError
from rclpy.context import Context
from rclpy.utilities import remove_ros_args
from rosless.arguments import parse
from rosless.dds.config import (
    check_security,
    configuration,
    ConfigurationError,
    domain_id,
    most_elements,
    poll_time,
)
from rosless.parameter_values import load_file, matches, parse_value
from rosless.remap import RemapRule


def test_everything_at_once() -> None:
    found = parse(
        [
            'program',
            'mine',
            '--ros-args',
            '-r',
            'a:=b',
            '--remap',
            'node:c:=/d',
            '-p',
            'x:=1',
            '--param',
            'node:y:=[1.0, 2.0]',
            '--log-level',
            'debug',
            '--log-level',
            'n:=WARN',
            '--disable-rosout-logs',
            '--',
            'also',
            '--ros-args',
            'e:=f',
        ]
    )
    assert found.others == ['program', 'mine', 'also']
    assert found.remappings == [
        RemapRule('', 'any', 'a', 'b'),
        RemapRule('node', 'any', 'c', '/d'),
        RemapRule('', 'any', 'e', 'f'),
    ]
    assert found.parameters == [('/**', {'x': 1}), ('/node', {'y': [1.0, 2.0]})]
    assert found.log_levels == {'': 10, 'n': 30}
    assert not found.rosout
    assert found.unknown == []


@pytest.mark.parametrize(
    ('arguments', 'problem'),
    [
        (['-r', 'a'], "-r a: expected '[node:]from:=to'"),
        (['-r', '__node:=a b'], "'a b': node name must not contain characters"),
        (['-r'], '-r needs a value'),
        (['-p', 'x'], "-p x: expected 'name:=value'"),
        (['-p', 'x:=[1, a]'], 'a list must have elements of one type, found int, str'),
        (['-p', 'x:={a: 1}'], 'must be a scalar or a list of scalars'),
        (['--log-level', 'loud'], "'loud' is not one of unset, debug, info"),
        (['--params-file', '/no/such/file'], '--params-file /no/such/file: '),
        (['--log-config-file', 'x.ini'], 'there are no configuration files of the logging here'),
        (['--enclave', 'no slash'], 'an enclave has the form of a namespace'),
    ],
)
def test_malformed_arguments(arguments: list[str], problem: str) -> None:
    with pytest.raises(RCLInvalidROSArgsError) as caught:
        Context().init(args=['--ros-args', *arguments])
    assert problem in str(caught.value)


def test_unknown_arguments() -> None:
    with pytest.raises(UnknownROSArgsError, match='--nonsense'):
        Context().init(args=['--ros-args', '--nonsense'])


def test_ros_arguments_can_be_removed() -> None:
    arguments = ['p', '-x', '--ros-args', '-r', 'a:=b', '--', 'rest']
    assert remove_ros_args(arguments) == ['p', '-x', 'rest']


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('1', 1),
        ('0x10', 16),
        ('-3', -3),
        ('1.5', 1.5),
        ('1e5', 1e5),
        ('.inf', float('inf')),
        ('true', True),
        ('No', False),
        ('text', 'text'),
        ('!!str 1', '1'),
        ("'1'", '1'),
        ('"true"', 'true'),
        ('', ''),
        ('[1, 2]', [1, 2]),
        ('[]', []),
    ],
)
def test_values(text: str, value: Any) -> None:
    found = parse_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ('pattern', 'name', 'fits'),
    [
        ('/**', '/a/b', True),
        ('/*', '/a', True),
        ('/*', '/a/b', False),
        ('/a/*', '/a/b', True),
        ('/**/b', '/b', True),
        ('/**/b', '/x/y/b', True),
        ('/a', '/a/b', False),
        ('/a.b', '/axb', False),
    ],
)
def test_patterns_of_node_names(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('a: 1\n', "line 1: expected node names with 'ros__parameters' below them"),
        ('ros__parameters: {a: 1}\n', "line 1: 'ros__parameters' without a node name"),
        ('a:\n  ros__parameters:\n    x: [1, a]\n', "line 3: 'x': a list must have elements"),
        ('a:\n  ros__parameters: 3\n', 'line 2: expected parameter names'),
        ('a: [\n', 'not YAML'),
        (
            'a:\n  ros__parameters:\n    x: &one [1]\n    y: *one\n',
            'line 4: aliases (*one) are not allowed',
        ),
    ],
)
def test_errors_in_files_have_the_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / 'p.yaml'
    file.write_text(text)
    with pytest.raises(ValueError) as caught:
        load_file(file)
    assert problem in str(caught.value)


def test_the_domain() -> None:
    assert domain_id({}) == 0
    assert domain_id({'ROS_DOMAIN_ID': '42'}) == 42
    with pytest.raises(ConfigurationError, match="ROS_DOMAIN_ID='233' is not a number from 0"):
        domain_id({'ROS_DOMAIN_ID': '233'})


def test_how_long_answers_are_polled_for() -> None:
    assert poll_time({}) == 500_000
    assert poll_time({'ROSLESS_POLL_US': '0'}) == 0
    with pytest.raises(ConfigurationError, match="ROSLESS_POLL_US='1,5' is not a number of micro"):
        poll_time({'ROSLESS_POLL_US': '1,5'})


def test_security_that_is_not_there_is_refused_or_warned_of(
    run_program: Any,
) -> None:
    assert check_security({}) == check_security({'ROS_SECURITY_ENABLE': 'false'}) == ''
    wanted = {'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce'}
    with pytest.raises(ConfigurationError, match="STRATEGY='Enforce': rosless has no DDS Secur"):
        check_security(wanted)
    permissive = check_security({**wanted, 'ROS_SECURITY_STRATEGY': 'Permissive'})
    assert permissive.endswith('nothing is encrypted, and nobody is kept out')
    source = 'import rclpy\nrclpy.init()\nrclpy.create_node("a")\n'
    assert run_program(source, **wanted).process.wait(60.0) == 1


def test_how_many_elements_a_message_may_have(monkeypatch: Any) -> None:
    assert most_elements.__wrapped__() == 2**20
    monkeypatch.setenv('ROSLESS_MOST_ELEMENTS', '0')
    with pytest.raises(ConfigurationError, match="ROSLESS_MOST_ELEMENTS='0' is not a number abo"):
        most_elements.__wrapped__()


def test_loopback_unless_told_otherwise() -> None:
    default = configuration({})
    assert default is not None
    assert '<NetworkInterface name="lo" multicast="false"/>' in default
    assert '<Peer address="127.0.0.1"/>' in default
    assert '<AllowMulticast>false</AllowMulticast>' in default
    assert '<MaxMessageSize>65500 B</MaxMessageSize>' in default
    subnet = configuration({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'})
    assert subnet is not None
    assert 'NetworkInterface' not in subnet
    assert 'AllowMulticast' not in subnet
    assert 'MaxMessageSize' not in subnet  # datagrams that fit into frames of Ethernet
    peers = configuration({'ROS_STATIC_PEERS': '10.0.0.1;10.0.0.2'})
    assert peers is not None
    assert 'NetworkInterface' not in peers
    assert '<Peer address="10.0.0.2"/>' in peers
    alone = configuration({'ROS_STATIC_PEERS': '10.0.0.1', 'ROS_LOCALHOST_ONLY': '1'})
    assert alone == default
    off = configuration({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'OFF'})
    assert off is not None
    assert '<Peers></Peers>' in off
    assert configuration({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SYSTEM_DEFAULT'}) is None
    assert configuration({'CYCLONEDDS_URI': 'file:///x.xml'}) is None
    with pytest.raises(ConfigurationError, match="'NEAR' is not one of LOCALHOST, SUBNET"):
        configuration({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'near'})
