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

"""Thousands of damaged descriptions: each is read, or refused in one line with file and line."""

import random

import fuzz_descriptions
import pytest

from mbd_ros.description import read
from mbd_ros.errors import cut, LONGEST_MESSAGE, LONGEST_VALUE, MbdError, one_line

SOURCES = fuzz_descriptions.sources()
PER_SOURCE = 150


@pytest.mark.parametrize('source', SOURCES, ids=lambda source: source[0])
def test_mutations(source, caplog):
    name, text, reader, yaml = source
    rng = random.Random(name)
    refused = 0
    for number in range(PER_SOURCE):
        damaged = fuzz_descriptions.mutated(text, rng, yaml=yaml)
        was_refused, problem = fuzz_descriptions.tried(damaged, reader, rng)
        assert not problem, f'mutation {number} of {name}: {problem}\n{damaged}'
        refused += was_refused
    assert 0.1 * PER_SOURCE < refused < PER_SOURCE
    assert not caplog.records  # yourdfpy logs what it cannot parse; it must not get there


def test_the_fuzzer_notices_what_is_no_clear_line():
    for error in (ValueError('x'), MbdError('short'), MbdError('')):
        assert fuzz_descriptions.wrong(error)
    assert fuzz_descriptions.run(3, seed=1)[0] == 3


@pytest.mark.parametrize('attribute', ['xyz', 'rpy'])
@pytest.mark.parametrize('value', ['1 ' * 2500, 'x' * 5000, '9' * 5000, "a'b" * 2000])
def test_a_value_of_thousands_of_characters_is_cut(attribute, value):
    text = (f'<robot name="r"><link name="a"/><link name="b"/>\n<joint name="j" type="fixed">'
            '<parent link="a"/><child link="b"/>\n'
            f'<origin {attribute}="{value}"/></joint></robot>')
    with pytest.raises(MbdError) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith('<string>:3: ')
    assert len(message) < 600
    assert ' characters)' in message


def test_messages_are_one_line_of_bounded_length():
    rng = random.Random(3)
    pieces = ("'", '"', ' ', 'a', '\n', '\r', '\t', '\x1b[31m', '\u2028', 'é', '\x00', "it's ",
              "'" + 'v' * 999 + "'", '"' + 'w ' * 999 + '"', 'x' * 999)
    for _ in range(500):
        message = one_line(''.join(rng.choices(pieces, k=rng.randint(0, 40))))
        assert message.isprintable() or not message
        assert len(message) < LONGEST_MESSAGE + 40
        assert not any(len(word) > LONGEST_VALUE + 40 for word in message.split(' '))


def test_what_is_cut_tells_its_length():
    assert cut('a' * 200) == 'a' * 200
    assert cut('a' * 5000) == 'a' * 80 + '... (5000 characters)'
    assert one_line(f"name is '{'a' * 5000}'; allowed: letters") == (
        f"name is '{'a' * 79}...' (5000 characters); allowed: letters")


def test_long_messages_take_no_quadratic_time():
    for text in (" 'a" * 100_000, ' ' * 300_000, "'" * 300_000, 'a\n ' * 100_000):
        assert len(one_line(text)) < LONGEST_MESSAGE + 40
