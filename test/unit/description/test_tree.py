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

"""Links and joints that are not one tree."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.description import read
from mbd_ros.errors import DescriptionError


def error(*parts: str) -> str:
    """Return the message with which a robot is refused."""
    with pytest.raises(DescriptionError) as caught:
        read(robot(*parts))
    return str(caught.value)


def fixed(name: str, parent: str, child: str) -> str:
    """Return a fixed joint."""
    return joint(name, 'fixed', parent, child, '')


def test_the_root_is_found_in_any_order():
    mechanism = read(robot(link('c'), fixed('j', 'b', 'c'), fixed('i', 'a', 'b'), link('b'),
                           bare('a')))
    assert mechanism.root == 'a'
    assert [item.name for item in mechanism.links] == ['c', 'b', 'a']
    assert [item.name for item in mechanism.joints] == ['j', 'i']


def test_no_links():
    assert error() == '<string>: the robot has no <link>'


def test_names_given_twice():
    assert error(bare('a'), bare('b'), bare('a')) == (
        "<string>:4: link 'a' is defined twice, first in line 2; names must differ")
    assert error(bare('a'), bare('b'), bare('c'), fixed('j', 'a', 'b'), fixed('j', 'b', 'c')) == (
        "<string>:6: joint 'j' is defined twice, first in line 5; names must differ")


def test_links_that_do_not_exist():
    assert error(bare('base'), bare('arm'), fixed('j', 'bas', 'arm')) == (
        "<string>:4: joint 'j': parent link 'bas' does not exist; did you mean 'base'?")
    assert error(bare('base'), bare('arm'), fixed('j', 'base', 'xyz')) == (
        "<string>:4: joint 'j': child link 'xyz' does not exist")


def test_two_roots():
    assert error(bare('a'), bare('b'), bare('c'), fixed('j', 'a', 'b')) == (
        "<string>:4: the links 'a', 'c' are no joint's child; allowed: one root link, to which "
        'all others are connected')


def test_many_roots_are_not_all_listed():
    assert "'l0', 'l1', 'l2', 'l3', 'l4', ... are" in error(*(bare(f'l{i}') for i in range(9)))


def test_circles_apart_from_the_root():
    assert error(bare('r'), *(bare(name) for name in 'abcd'), fixed('i', 'a', 'b'),
                 fixed('j', 'b', 'c'), fixed('k', 'c', 'a'), fixed('l', 'c', 'd')) == (
        "<string>:7: joint 'i': the links 'c', 'a', 'b' are connected in a circle, apart from the "
        'root')


def test_a_joint_from_a_link_to_itself():
    assert error(bare('r'), bare('a'), fixed('j', 'a', 'a')) == (
        "<string>:4: joint 'j' connects link 'a' with itself; allowed: two links")


def test_a_long_chain_needs_no_recursion():
    count = 3000
    parts = [bare('l0')]
    for i in range(1, count):
        parts += [bare(f'l{i}'), fixed(f'j{i}', f'l{i - 1}', f'l{i}')]
    assert read(robot(*parts)).root == 'l0'
