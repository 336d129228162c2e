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


"""The coupling matrix of mimic joints: of every format, against differences and the rows."""

from described import joint, link, robot
import numpy as np
import pytest

import mbd_ros
from mbd_ros.errors import UnsupportedError

AXIS = '<origin xyz="0.3 0.1 0"/><axis xyz="0 {} 1"/>'


def urdf(base='<link name="base"/>'):
    """Return a chain whose last joint follows the third, which follows the first."""
    return robot(base, *map(link, 'abcd'), *(
        joint(f'j{child}', kind, parent, child, AXIS.format(k) + '<limit lower="-9" upper="9" '
              f'effort="1" velocity="1"/>{mimic}')
        for k, (kind, parent, child, mimic) in enumerate((
            ('revolute', 'base', 'a', ''), ('prismatic', 'a', 'b', ''),
            ('revolute', 'b', 'c', '<mimic joint="ja" multiplier="-2" offset="0.5"/>'),
            ('prismatic', 'c', 'd', '<mimic joint="jc" multiplier="0.3" offset="-0.1"/>')))))


MJCF = """<mujoco><worldbody><body name="a"><joint name="ja" axis="0 1 1"/><geom size="0.3"/>
<body name="b" pos="1 0 0"><joint name="jb" type="slide" axis="0 1 0"/><geom size="0.2"/>
</body></body></worldbody>
<equality><joint joint1="jb" joint2="ja" polycoef="0.2 0.7 0 0 0"/></equality></mujoco>"""
SDF = """<sdf version="1.11"><model name="m"><link name="a"/><link name="b"/>
<joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>
</axis></joint><joint name="jb" type="revolute"><parent>a</parent><child>b</child><axis>
<xyz>0 1 0</xyz>
<mimic joint="ja"><multiplier>3</multiplier><offset>0.1</offset><reference>0</reference></mimic>
</axis></joint></model></sdf>"""
EXPECTED = {
    urdf(): ([[1, 0], [0, 1], [-2, 0], [-0.6, 0]], [0, 0, 0.5, 0.3 * 0.5 - 0.1]),
    MJCF: ([[1], [0.7]], [0, 0.2]), SDF: ([[1], [3]], [0, 0.1])}


@pytest.mark.parametrize('text', EXPECTED, ids=['URDF', 'MJCF', 'SDFormat'])
def test_the_matrix_and_the_rows(text):
    """By hand; q = G y + g satisfies all rows, and moves by differences as G says."""
    model = mbd_ros.load(text, mimic=True)
    found = mbd_ros.coupling_map(model)
    matrix, offset = EXPECTED[text]
    assert np.allclose(found.matrix, matrix, atol=1e-15)
    assert np.allclose(found.offset, offset, atol=1e-15)
    rng = np.random.default_rng(0)
    y, rate = rng.uniform(-1, 1, (2, len(found.independent)))
    q, v = found.matrix @ y + found.offset, found.matrix @ rate
    closed_q, closed_v = mbd_ros.close_loops(model, q, v)
    assert np.allclose(closed_q, q, atol=1e-12) and np.allclose(closed_v, v, atol=1e-12)
    step = 1e-6   # of a linear map differences are exact but for rounding by it
    ahead = found.matrix @ (y + step * rate) + found.offset
    assert np.allclose((mbd_ros.close_loops(model, ahead)[0] - closed_q) / step, v, atol=1e-8)


@pytest.mark.parametrize('floating', [False, True])
def test_projected_dynamics(floating):
    """The accelerations of the coupled robot are those of the independent joints."""
    model = mbd_ros.load(urdf(link('base')), mimic=True, floating_base=floating)
    found = mbd_ros.coupling_map(model)
    G = found.matrix
    assert G.shape == (model.nv, model.nv - 2)
    rng = np.random.default_rng(1)
    simple = 7 * floating
    q = mbd_ros.neutral(model)
    q[simple:] = (G @ rng.uniform(-1, 1, len(found.independent)) + found.offset)[6 * floating:]
    v, tau = G @ rng.uniform(-1, 1, len(found.independent)), rng.uniform(-1, 1, model.nv)
    M, h = mbd_ros.mass_matrix(model, q), mbd_ros.bias_forces(model, q, v)
    expected = G @ np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
    assert np.allclose(mbd_ros.forward_dynamics(model, q, v, tau), expected, rtol=1e-9, atol=1e-9)


def test_without_couplings_it_is_the_identity():
    found = mbd_ros.coupling_map(mbd_ros.load(urdf()))
    assert np.array_equal(found.matrix, np.eye(4)) and not found.offset.any()
    assert found.independent.tolist() == [0, 1, 2, 3]


def test_a_circle_is_refused():
    text = urdf().replace('effort="1" velocity="1"/></joint>', 'effort="1" velocity="1"/>'
                          '<mimic joint="jd"/></joint>', 1)
    with pytest.raises(UnsupportedError, match='in a circle, among ja, jc, jd'):
        mbd_ros.coupling_map(mbd_ros.load(text, mimic=True))
