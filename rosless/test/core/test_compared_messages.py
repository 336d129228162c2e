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

"""
Messages of `test_msgs` as rclpy 9.1.2 with Fast DDS wrote and showed them.

``data/test_msgs.json`` has the fields of its definitions, and for messages with default and with
random values the octets and the text that the real generated classes made of them. Octets of
padding, which are arbitrary there, are zero in it, and what it may append is cut off.

"""

from __future__ import annotations

import array
from collections.abc import Iterator
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rosless.idl import resolve

DATA = json.loads((Path(__file__).parents[1] / 'data' / 'test_msgs.json').read_text())
MESSAGES = DATA['messages']


@pytest.fixture(scope='module')
def prefix(tmp_path_factory: Any) -> Iterator[Path]:
    """Make the package `test_msgs` on the search path, as if ROS 2 had installed it."""
    root: Path = tmp_path_factory.mktemp('prefix')
    for name, lines in DATA['definitions'].items():
        kind = name.split('/')[0]
        path = root / 'share' / 'test_msgs' / f'{name}.{kind}'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    before = os.environ.get('AMENT_PREFIX_PATH')
    os.environ['AMENT_PREFIX_PATH'] = str(root)
    yield root
    del os.environ['AMENT_PREFIX_PATH']
    if before is not None:
        os.environ['AMENT_PREFIX_PATH'] = before


@pytest.mark.parametrize(
    'case', MESSAGES, ids=[f'{index}-{each["type"]}' for index, each in enumerate(MESSAGES)]
)
def test_octets_and_texts_are_those_of_the_real_classes(prefix: Path, case: Any) -> None:
    cls = resolve.interface_class(f'test_msgs/{case["type"]}')
    octets = bytes.fromhex(case['octets'])
    message = deserialize_message(octets, cls)
    assert repr(message) == case['repr']
    written = serialize_message(message)
    # rmw_cyclonedds fills up to four octets, rmw_fastrtps does not
    assert written == octets + bytes(-len(octets) % 4)


def test_default_values_are_those_of_the_definitions(prefix: Path) -> None:
    for case in MESSAGES[:1] + [each for each in MESSAGES if 'Defaults' in each['type']][:1]:
        cls = resolve.interface_class(f'test_msgs/{case["type"]}')
        assert repr(cls()) == case['repr']


def test_default_values_of_arrays_can_be_asked_for(prefix: Path) -> None:
    arrays: Any = resolve.interface_class('test_msgs/msg/Arrays')
    default = arrays.FLOAT32_VALUES_DEFAULT__DEFAULT
    assert default.dtype == np.float32
    assert default.tolist() == [1.125, 0.0, -1.125]
    assert arrays.STRING_VALUES_DEFAULT__DEFAULT == ['', 'max value', 'min value']
    sequences: Any = resolve.interface_class('test_msgs/msg/UnboundedSequences')
    numbers = sequences.INT8_VALUES_DEFAULT__DEFAULT
    assert numbers == array.array('b', [0, 127, -128])
    numbers.append(1)
    assert len(sequences.INT8_VALUES_DEFAULT__DEFAULT) == 3
    with pytest.raises(AttributeError, match="no attribute 'INT8_VALUES__DEFAULT'"):
        _ = sequences.INT8_VALUES__DEFAULT


def test_what_is_too_large_for_a_sequence_is_said_as_there(prefix: Path) -> None:
    message = resolve.interface_class('test_msgs/msg/UnboundedSequences')()
    text = (
        "The 'float32_values' field must be a set or sequence and each value of type 'float' and "
        r'each float in \[-340282346600000016151267322115014000640.000000, 3402'
    )
    with pytest.raises(AssertionError, match=text):
        message.float32_values = [1e39]
