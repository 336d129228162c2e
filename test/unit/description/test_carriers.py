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

"""Which joint carries a link where several lead to it, and which are cut."""

from described import bare, joint, link, robot
import pytest

from mbd_ros.description import read

Z, PASSIVE = '<axis xyz="0 0 1"/>', '<limit effort="0" velocity="0" lower="-1" upper="1"/>'
DRIVE = '<limit effort="5" velocity="1" lower="-1" upper="1"/>'


def cuts(*parts: str) -> list[str]:
    """Return the loop joints of a robot whose joints stand in any order."""
    mechanism = read(robot(bare('r'), *(link(name) for name in 'abc'), *parts))
    assert {item.child for item in mechanism.joints} == set('abc')
    return [item.name for item in mechanism.loop_joints]


def onto_c(first: tuple[str, str], second: tuple[str, str]) -> list[str]:
    """Return what is cut of a four-bar r - a - c - b - r by kinds and insides of two joints."""
    return cuts(joint('a', 'revolute', 'r', 'a', Z + DRIVE),
                joint('b', 'revolute', 'r', 'b', Z + PASSIVE),
                joint('ac', first[0], 'a', 'c', first[1]),
                joint('bc', second[0], 'b', 'c', second[1]))


PIN = ('revolute', Z + PASSIVE)


@pytest.mark.parametrize(('first', 'second', 'cut'), [
    (PIN, PIN, 'bc'),  # nothing tells them apart: the first of the file carries
    (('spherical', ''), PIN, 'ac'),  # three rows rather than five
    (PIN, ('spherical', ''), 'bc'),
    (PIN, ('revolute', Z + DRIVE), 'ac'),  # a drive needs its coordinate
    (('spherical', ''), ('fixed', ''), 'ac'),
    (('continuous', Z), ('continuous', Z + '<dynamics damping="1"/>'), 'ac'),
    *((('continuous', Z), ('continuous', Z + f'<dynamics {feel}="1"/>'), 'ac')
      for feel in ('damping', 'friction')),
    (PIN, ('revolute', Z + PASSIVE + '<mimic joint="a"/>'), 'ac'),
    (('revolute', Z + DRIVE), ('spherical', ''), 'bc')])
def test_the_joint_whose_coordinate_is_needed_least_is_cut(first, second, cut):
    assert onto_c(first, second) == [cut]


def test_a_transmission_and_a_follower_need_the_coordinate():
    parts = [joint('a', 'revolute', 'r', 'a', Z + PASSIVE),
             joint('b', 'revolute', 'r', 'b', Z + PASSIVE),
             joint('ac', *PIN[:1], 'a', 'c', PIN[1]), joint('bc', *PIN[:1], 'b', 'c', PIN[1])]
    assert cuts(*parts) == ['bc']
    for drive in ('<transmission name="t"><joint name="bc"/></transmission>',
                  '<ros2_control name="t" type="system"><joint name="bc"/></ros2_control>'):
        assert cuts(*parts, drive) == ['ac']
    follower = joint('b', 'revolute', 'r', 'b', Z + PASSIVE + '<mimic joint="bc"/>')
    assert cuts(parts[0], follower, *parts[2:]) == ['ac']


def test_branches_are_balanced():
    """Chain r - a - b - c and a joint r - c, or a - c: c goes with the shorter way."""
    long = [joint('bc', *PIN[:1], 'b', 'c', PIN[1]), joint('ab', *PIN[:1], 'a', 'b', PIN[1]),
            joint('ra', *PIN[:1], 'r', 'a', PIN[1])]
    assert cuts(*long, joint('rc', *PIN[:1], 'r', 'c', PIN[1])) == ['bc']
    assert cuts(*long, joint('ac', *PIN[:1], 'a', 'c', PIN[1])) == ['bc']


def test_joints_around_a_circle():
    """Each of a, b, c could carry the next: the way begins at the one that the root leads to."""
    circle = [joint(f'{one}{other}', 'continuous', one, other, Z)
              for one, other in ('ab', 'bc', 'ca')]
    assert cuts(*circle, joint('rb', 'fixed', 'r', 'b', '')) == ['ab']
    assert cuts(*circle, joint('rc', 'spherical', 'r', 'c', ''),
                joint('rb', 'spherical', 'r', 'b', '')) == ['ab', 'rc']
