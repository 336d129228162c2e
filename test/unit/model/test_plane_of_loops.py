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

"""The planes of loops, told from the axes of their joints."""

from described import bare, joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.model.planar_loops import plane_of

SLIDES = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'


def plane(*axes, kinds=('continuous',) * 3, rpy='0 0 0', cut='0 0 0'):
    """Return the plane of a loop: two bodies on the base, one on the first of them."""
    parents = ('base', 'one', 'base')
    model = mbd_ros.load(robot(
        bare('base'), *(link(name) for name in ('one', 'two', 'three')),
        *(joint(f'{name}_joint', kind, parent, name,
                f'<origin rpy="{rpy}"/><axis xyz="{axis}"/>{SLIDES}')
          for name, kind, parent, axis in zip(('one', 'two', 'three'), kinds, parents, axes)),
        f'<loop_joint name="cut" type="revolute"><link1 link="two" rpy="{cut}"/>'
        f'<link2 link="three" rpy="{cut}"/></loop_joint>'))
    return plane_of(model, model.loops[0])


def test_a_loop_in_a_plane():
    found = plane('0 0 1', '0 0 -1', '0 0 1')
    np.testing.assert_allclose(found.normal, (0.0, 0.0, 1.0), atol=1e-15)
    assert (found.lean, found.cut) == (pytest.approx(0.0, abs=1e-15),) * 2


def test_by_how_much_axes_lean():
    """The cut is exact in its links, which lean with their joints' origins."""
    assert plane('0 0 1', '0 3e-3 1', '0 0 1').lean == pytest.approx(3e-3, rel=1e-5)
    assert plane('0 0 1', '0 0 1', '0 0 1', cut='1e-4 0 0').cut == pytest.approx(1e-4, rel=1e-6)
    found = plane('0 0 1', '0 0 1', '0 0 1', rpy='0.2 0 0')  # of the second against the first
    assert (found.lean, found.cut) == (pytest.approx(np.sin(0.2)),) * 2
    assert plane('1 0 0', '0 1 0', '0 0 1').lean == pytest.approx(1.0)


def test_slides_lie_in_the_plane():
    kinds = ('continuous', 'prismatic', 'continuous')
    assert plane('0 1 0', '1 0 1', '0 1 0', kinds=kinds).lean == pytest.approx(0.0, abs=1e-15)
    found = plane('0 1 0', '1 0.01 0', '0 1 0', kinds=kinds)
    assert found.lean == pytest.approx(0.01, rel=1e-3)


def test_what_has_no_plane():
    assert plane('0 0 1', '0 1 0', '1 0 0', kinds=('prismatic',) * 3) is None
    assert plane('0 0 1', '0 0 1', '0 0 1', kinds=('continuous', 'planar', 'continuous')) is None
