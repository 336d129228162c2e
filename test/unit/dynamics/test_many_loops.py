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

"""Many loops at once, far from closed: walkers with legs as Theo Jansen's."""

from math import acos, cos, sin, tau

from described import joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.loops import closure

# Lengths of a leg, by Jansen's letters, in decimetres.
A, B, C, D, E, F, G, J, K, L, M = (
    3.8, 4.15, 3.93, 4.01, 5.58, 3.94, 3.67, 5.0, 6.19, 0.78, 1.5)


def bar(name, parent, child, place, axis='0 1 0'):
    """Return a joint about y."""
    return joint(name, 'continuous', parent, child, f'<origin xyz="{place}"/><axis xyz="{axis}"/>')


def cut(name, first, second):
    """Return a joint about y that closes a loop; its axis has no length of one."""
    ends = ''.join(f'<link{k} link="{name}" xyz="{place}"/>'
                   for k, (name, place) in enumerate((first, second), 1))
    return f'<loop_joint name="{name}" type="continuous"><axis xyz="0 3 0"/>{ends}</loop_joint>'


def leg(n, phase, side):
    """Return links, joints and loops of a leg; at zero all bars hang straight from the crank."""
    tip = f'{M * cos(phase)} 0 {M * sin(phase)}'
    ground = f'{-side * A} 0 {-L}'
    turn = acos((B * B + E * E - D * D) / (2.0 * B * E))   # of the triangle b, d, e at its top
    top = f'{E * sin(turn)} 0 {E * cos(turn)}'
    links = [link(f'{part}{n}') for part in ('j', 'bde', 'f', 'k', 'c', 'ghi')]
    joints = [bar(f'crank_j{n}', 'crank', f'j{n}', tip),
              bar(f'j_e{n}', f'j{n}', f'bde{n}', f'0 0 {J}'),
              bar(f'e_f{n}', f'bde{n}', f'f{n}', top),
              bar(f'crank_k{n}', 'crank', f'k{n}', tip),
              bar(f'k_c{n}', f'k{n}', f'c{n}', f'0 0 {K}'),
              bar(f'k_g{n}', f'k{n}', f'ghi{n}', f'0 0 {K}')]
    cuts = [cut(f'b{n}', (f'bde{n}', f'0 0 {B}'), ('base', ground)),
            cut(f'c_{n}', (f'c{n}', f'0 0 {C}'), ('base', ground)),
            cut(f'f_{n}', (f'f{n}', f'0 0 {F}'), (f'ghi{n}', f'0 0 {G}'))]
    return links, [*joints, *cuts]


def walker(legs):
    """Return a robot with a crank and pairs of legs."""
    parts = [leg(n, tau * n / 3.0, 1.0 if n % 2 else -1.0) for n in range(legs)]
    return robot(link('base'), link('crank'), *(one for links, _ in parts for one in links),
                 bar('turn', 'base', 'crank', '0 0 0'),
                 *(one for _, joints in parts for one in joints))


@pytest.mark.parametrize('legs', [1, 6, 12])
def test_legs_close_from_far_away(legs, monkeypatch):
    def refuse(*_):
        raise AssertionError('the slow solver was asked')

    monkeypatch.setattr(closure, '_least_squares', refuse)
    model = mbd_ros.load(walker(legs))
    found = closure.loop_closure(model, np.zeros(model.nq), np.zeros(model.nv))
    assert found.violation < 1e-10   # the tolerance of close_loops
    assert mbd_ros.mobility(model, found.q) == 1
    # Points by hand: the pin of bars f and g, along both ways.
    first = mbd_ros.pose(model, found.q, 'f0', executor='interpreted') @ [0.0, 0.0, F, 1.0]
    second = mbd_ros.pose(model, found.q, 'ghi0', executor='interpreted') @ [0.0, 0.0, G, 1.0]
    np.testing.assert_allclose(first, second, rtol=0.0, atol=1e-10)


def test_the_axis_of_a_loop_joint_is_that_of_both_frames():
    """A planar loop about y, with the axis written out or by turned frames."""
    text = walker(1)
    turned = text.replace('<axis xyz="0 3 0"/><link', '<link').replace(
        '<link1 ', '<link1 rpy="-1.5707963267948966 0 0" ').replace(
        '<link2 ', '<link2 rpy="-1.5707963267948966 0 0" ')
    rng = np.random.default_rng(0)
    one, other = mbd_ros.load(text), mbd_ros.load(turned)
    q = rng.normal(size=one.nq)
    assert mbd_ros.mobility(one, q) == mbd_ros.mobility(other, q)
    closed = mbd_ros.close_loops(one, np.zeros(one.nq))[0]
    assert mbd_ros.mobility(other, closed) == 1
    np.testing.assert_allclose(mbd_ros.close_loops(other, closed)[0], closed, rtol=0.0, atol=1e-12)
