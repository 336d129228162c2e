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


"""All solutions of arms with six joints, against closed forms of them."""

import itertools

import numpy as np
import pytest

import mbd_ros

BODY = ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial>')


def turned(axis, angle):
    """Return the transform of a turn about x (0) or z (2)."""
    found, c, s = np.eye(4), np.cos(angle), np.sin(angle)
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    found[i, i], found[i, j], found[j, i], found[j, j] = c, -s, s, c
    return found


def moved(x, z):
    found = np.eye(4)
    found[[0, 2], 3] = x, z
    return found


def arm(placements, tool):
    """Return the URDF of hinges about z, each in its placement (4, 4), and of a tool."""
    text, bodies = '', f'<link name="base">{BODY}</link>'
    names = ['base', *(f'l{k}' for k in range(len(placements))), 'tool']
    for k, place in enumerate((*placements, tool)):
        roll = np.arctan2(place[2, 1], place[1, 1])   # turns are about x alone
        text += (
            f'<joint name="j{k}" type="{"fixed" if k == len(placements) else "revolute"}">'
            f'<parent link="{names[k]}"/><child link="{names[k + 1]}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{place[0, 3]:.17g} {place[1, 3]:.17g} {place[2, 3]:.17g}" '
            f'rpy="{roll:.17g} 0 0"/>'
            '<limit lower="-6.3" upper="6.3" velocity="1" effort="1"/></joint>')
        bodies += f'<link name="{names[k + 1]}">{BODY}</link>'
    return mbd_ros.load(f'<robot name="arm">{bodies}{text}</robot>')


# Standard parameters of Denavit and Hartenberg of the UR5e (Universal Robots).
D1, A2, A3, D4, D5, D6 = 0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996
UR_ROWS = ((D1, 0.0, np.pi / 2), (0.0, A2, 0.0), (0.0, A3, 0.0), (D4, 0.0, np.pi / 2),
           (D5, 0.0, -np.pi / 2), (D6, 0.0, 0.0))
UR_LINKS = [moved(a, d) @ turned(0, alpha) for d, a, alpha in UR_ROWS]
UR5E = arm([np.eye(4), *UR_LINKS[:-1]], UR_LINKS[-1])
# Modified ones of the Puma 560 (Craig, Introduction to Robotics, section 3.7).
P2, P3, Q3, Q4 = 0.4318, 0.0203, 0.1501, 0.4331
PUMA = arm([turned(0, alpha) @ moved(a, d) for alpha, a, d in (
    (0.0, 0.0, 0.0), (-np.pi / 2, 0.0, 0.0), (0.0, P2, Q3), (-np.pi / 2, P3, Q4),
    (np.pi / 2, 0.0, 0.0), (-np.pi / 2, 0.0, 0.0))], np.eye(4))
SIGNS = tuple(itertools.product((1.0, -1.0), repeat=3))


def ur(pose):
    """Return candidates: shoulder, wrist and elbow in two ways each."""
    found, wrist, back = [], pose @ (0.0, 0.0, -D6, 1.0), np.linalg.inv(pose)
    for shoulder, bend, elbow in SIGNS:
        with np.errstate(invalid='ignore'):
            one = np.arctan2(wrist[1], wrist[0]) + shoulder * np.arccos(
                D4 / np.hypot(wrist[0], wrist[1])) + np.pi / 2
            s, c = np.sin(one), np.cos(one)
            five = bend * np.arccos((pose[0, 3] * s - pose[1, 3] * c - D4) / D6)
            six = np.arctan2((-back[1, 0] * s + back[1, 1] * c) / np.sin(five),
                             (back[0, 0] * s - back[0, 1] * c) / np.sin(five))
            last = turned(2, five) @ UR_LINKS[4] @ turned(2, six) @ UR_LINKS[5]
            middle = np.linalg.inv(turned(2, one) @ UR_LINKS[0]) @ pose @ np.linalg.inv(last)
            point = (middle @ (0.0, -D4, 0.0, 1.0))[:3]
            far = np.linalg.norm(point)
            three = elbow * np.arccos((far**2 - A2**2 - A3**2) / (2.0 * A2 * A3))
            two = -np.arctan2(point[1], -point[0]) + np.arcsin(A3 * np.sin(three) / far)
            rest = np.linalg.inv(turned(2, two) @ UR_LINKS[1] @ turned(2, three)
                                 @ UR_LINKS[2]) @ middle
            four = np.arctan2(rest[1, 0], rest[0, 0])
        found.append((one, two, three, four, five, six))
    return np.array(found)


def puma(pose):
    """Return candidates: shoulder, elbow and wrist in two ways each."""
    found, (x, y, z) = [], pose[:3, 3]
    for shoulder, elbow, flip in SIGNS:
        with np.errstate(invalid='ignore'):
            one = np.arctan2(y, x) - np.arctan2(Q3, shoulder * np.sqrt(x * x + y * y - Q3**2))
            k = (x * x + y * y + z * z - P2**2 - P3**2 - Q3**2 - Q4**2) / (2.0 * P2)
            three = np.arctan2(P3, Q4) - np.arctan2(k, elbow * np.sqrt(P3**2 + Q4**2 - k * k))
            along, c3, s3 = np.cos(one) * x + np.sin(one) * y, np.cos(three), np.sin(three)
            both = np.arctan2((-P3 - P2 * c3) * z - along * (Q4 - P2 * s3),
                              (P2 * s3 - Q4) * z + (P3 + P2 * c3) * along)
        arm_turn = turned(2, one) @ turned(0, -np.pi / 2) @ turned(2, both) @ turned(
            0, -np.pi / 2)
        wrist = arm_turn[:3, :3].T @ pose[:3, :3]   # Rz(four) Rx(90) Rz(five) Rx(-90) Rz(six)
        four = np.arctan2(-flip * wrist[1, 2], -flip * wrist[0, 2])
        rest = turned(2, four)[:3, :3].T @ wrist
        five = np.arctan2(-rest[0, 2], rest[2, 2])
        last = (turned(0, np.pi / 2) @ turned(2, five) @ turned(0, -np.pi / 2))[:3, :3].T @ rest
        found.append((one, both - three, three, four, five, np.arctan2(last[1, 0], last[0, 0])))
    return np.array(found)


def different(candidates, model, pose):
    """Return the candidates that have the pose, each once."""
    real = candidates[np.isfinite(candidates).all(axis=1)]
    off = np.abs(mbd_ros.pose(model, real, 'tool') - pose).max(axis=(1, 2))
    found = []
    for one in real[off < 1e-7]:   # roundings of arcus cosines near their ends
        if all(apart(one, other) > 1e-4 for other in found):
            found.append(one)
    return found


def apart(one, other):
    return np.abs((one - other + np.pi) % (2.0 * np.pi) - np.pi).max()


@pytest.mark.parametrize(('model', 'closed_form'), [(UR5E, ur), (PUMA, puma)],
                         ids=['ur5e', 'puma'])
def test_all_solutions_are_those_of_the_closed_form(model, closed_form):
    q = mbd_ros.random_configuration(model, 1, 40)
    counts = set()
    for one, pose in zip(q, mbd_ros.pose(model, q, 'tool')):
        wanted = different(closed_form(pose), model, pose)
        assert min(apart(one, other) for other in wanted) < 1e-5, 'the oracle has the one it was'
        found = mbd_ros.inverse_kinematics(
            model, {'tool': pose}, limits=False, solutions='all')
        assert len(found.q) == len(wanted) and not found.message
        for other in wanted:
            # Near singular configurations an error of 1e-9 is one of its root there.
            assert min(apart(other, mine) for mine in found.q) < 1e-4
        counts.add(len(wanted))
    assert max(counts) == 8


def test_solutions_stand_at_the_turn_that_is_nearest():
    q = mbd_ros.random_configuration(UR5E, 3)
    pose = mbd_ros.pose(UR5E, q, 'tool')
    for start in (np.zeros(6), np.full(6, 5.0), np.full(6, -5.0)):
        found = mbd_ros.inverse_kinematics(UR5E, {'tool': pose}, start, solutions='all')
        assert len(found.q) == len(mbd_ros.inverse_kinematics(
            UR5E, {'tool': pose}, solutions='all').q)
        assert (np.abs(found.q) <= 6.3).all()   # the limits: a turn is 6.28, so that each fits
        free = mbd_ros.inverse_kinematics(UR5E, {'tool': pose}, start, limits=False,
                                          solutions='all')
        assert (np.abs(free.q - start) <= np.pi + 1e-6).all()
        np.testing.assert_allclose(mbd_ros.pose(UR5E, found.q, 'tool'), np.broadcast_to(
            pose, (len(found.q), 4, 4)), atol=2e-9)   # the tolerance, of each entry


def test_curves_of_solutions_are_told():
    """With a straight wrist its outer joints turn against each other."""
    pose = mbd_ros.pose(PUMA, np.array((0.3, -0.6, 0.4, 0.5, 0.0, -0.4)), 'tool')
    found = mbd_ros.inverse_kinematics(PUMA, {'tool': pose}, limits=False, solutions='all')
    assert 'curves' in found.message and "'tool'" in found.message
