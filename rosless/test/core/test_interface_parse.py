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

"""Parsing of interface texts."""

import pytest
from rosless.idl.definition import FieldType
from rosless.idl.errors import InterfaceError
from rosless.idl.parse import parse_action, parse_message, parse_service, parse_type


@pytest.mark.parametrize(
    ('text', 'expected', 'shown'),
    [
        ('float64', FieldType('float64'), 'double'),
        ('byte', FieldType('byte'), 'octet'),
        ('char', FieldType('char'), 'uint8'),
        ('bool[]', FieldType('bool', 'sequence'), 'sequence<boolean>'),
        ('float32[9]', FieldType('float32', 'array', 9), 'float[9]'),
        ('int8[<=5]', FieldType('int8', 'sequence', 5), 'sequence<int8, 5>'),
        ('string<=10', FieldType('string', string_bound=10), 'string<10>'),
        ('string<=10[<=3]', FieldType('string', 'sequence', 3, 10), 'sequence<string<10>, 3>'),
        ('wstring', FieldType('wstring'), 'wstring'),
        ('Point[]', FieldType('pkg/msg/Point', 'sequence'), 'sequence<pkg/Point>'),
        ('std_msgs/Header', FieldType('std_msgs/msg/Header'), 'std_msgs/Header'),
        ('std_msgs/msg/Header', FieldType('std_msgs/msg/Header'), 'std_msgs/Header'),
        ('time', FieldType('builtin_interfaces/msg/Time'), 'builtin_interfaces/Time'),
    ],
)
def test_types(text: str, expected: FieldType, shown: str) -> None:
    found = parse_type(text, package='pkg', where='x')
    assert found == expected
    assert found.text == shown


def test_fields_constants_and_defaults() -> None:
    message = parse_message(
        'pkg/msg/Everything',
        """
        # a comment
        uint8 KIND_A=1   # another
        string NAME='with # sign'
        byte LEVEL=3
        float32 HALF = .5
        int32 MASK=0xFF

        float64 x 1.5
        string label "hello"  # default
        bool on true
        int32[3] triple [1, 2, -3]
        string[] names ["a", 'b, c']
        float64[] empty []
        """,
    )
    assert {c.name: c.value for c in message.constants} == {
        'KIND_A': 1,
        'NAME': 'with # sign',
        'LEVEL': b'\x03',
        'HALF': 0.5,
        'MASK': 255,
    }
    assert {f.name: f.default for f in message.fields} == {
        'x': 1.5,
        'label': 'hello',
        'on': True,
        'triple': [1, 2, -3],
        'names': ['a', 'b, c'],
        'empty': [],
    }


def test_services_and_actions_are_split() -> None:
    service = parse_service('pkg/srv/Do', 'int32 a\n---\nint32 b\n')
    assert [f.name for f in service.request.fields] == ['a']
    assert service.response.name == 'pkg/srv/Do_Response'
    action = parse_action('pkg/action/Go', 'int32 a\n---\n---\nint32 c\n')
    assert [len(part.fields) for part in (action.goal, action.result, action.feedback)] == [
        1,
        0,
        1,
    ]


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('\nfloat46 x', "pkg/msg/Bad:2: 'float46' is neither a primitive"),
        ('float64 X', "pkg/msg/Bad:1: 'X' is not a name of a field (lower_case)"),
        ('uint8 kind=1', "pkg/msg/Bad:1: 'kind' is not a name of a constant (UPPER_CASE)"),
        ('uint8 KIND=300', 'pkg/msg/Bad:1: 300 is outside of uint8 (0 to 255)'),
        ('int32 a x', "pkg/msg/Bad:1: 'x' is not a value of type int32"),
        ('int32[2] a [1]', "pkg/msg/Bad:1: the default of 'a' has 1 values"),
        ('int32<=3 a', 'only strings have a bound before the brackets'),
        ('int32 a\nint32 a', "pkg/msg/Bad: 'a' is defined twice"),
        ('std_msgs/Header h 1', "the field 'h' is a message and cannot have a default"),
    ],
)
def test_errors_say_where_and_what(text: str, problem: str) -> None:
    with pytest.raises(InterfaceError) as caught:
        parse_message('pkg/msg/Bad', text)
    assert problem in str(caught.value)


def test_a_service_needs_one_separator() -> None:
    with pytest.raises(InterfaceError, match="pkg/srv/Do: 0 lines '---' found, 1 expected"):
        parse_service('pkg/srv/Do', 'int32 a\n')


def test_line_numbers_count_through_a_service() -> None:
    with pytest.raises(InterfaceError, match='pkg/srv/Do_Response:3: '):
        parse_service('pkg/srv/Do', 'int32 a\n---\nint32 B\n')
