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

"""Joints that follow others by polynomials, beside the equations of motion with multipliers."""

import numpy as np
from numpy.polynomial import Polynomial
import pytest

import mbd_ros
from mbd_ros.description.write.mjcf import mjcf_text
from mbd_ros.description.write.sdf import sdf_text
from mbd_ros.errors import UnsupportedError

TEXT = """<mujoco><compiler angle="radian"/><worldbody>
<body pos="0 0 1"><joint name="x" axis="0 1 0" ref="0.2"/><geom size=".1 .2 .3" type="box"/>
<body pos=".5 0 0"><joint name="y" axis="0 1 .3" ref="-0.1"/><geom size=".1 .1 .3" type="box"/>
<body pos=".2 .3 0"><joint name="z" type="slide" axis="1 1 0"/><geom size=".1"/>
<body pos=".2 .3 .1"><joint name="w" axis="1 1 0"/><geom size=".1"/></body></body></body></body>
</worldbody><equality><joint joint1="y" joint2="x" polycoef="{}"/>
<joint joint1="w" joint2="z" polycoef="0.3 2"/></equality></mujoco>"""
COEFFICIENTS = [(0.1, 0.7, -0.4, 0.3, 0.5), (0.0, 0.0, 2.0), (0.2, -1.0, 0.0, 0.4)]
NAMES = ['x', 'y', 'z', 'w']


def equations(coefficients, q, v):
    """Return J and its bias: rows that say y = p(x) and w = 0.3 + 2 z."""
    p, x = Polynomial(coefficients), q[0] - 0.2
    J = np.array([[-p.deriv()(x), 1.0, 0.0, 0.0], [0.0, 0.0, -2.0, 1.0]])
    return J, np.array([-p.deriv(2)(x) * v[0]**2, 0.0]), np.array([
        q[1] + 0.1 - p(x), q[3] - 0.3 - 2.0 * q[2]])


@pytest.mark.parametrize('coefficients', COEFFICIENTS)
def test_accelerations_are_those_of_the_multiplier_rule(coefficients):
    text = TEXT.format(' '.join(map(str, coefficients)))
    free, model = mbd_ros.load(text), mbd_ros.load(text, mimic=True)
    assert list(model.joint_names) == NAMES
    rng = np.random.default_rng(2)
    q, v = mbd_ros.close_loops(model, *rng.uniform(-0.5, 0.5, (2, 4)))
    J, bias, gap = equations(coefficients, q, v)
    np.testing.assert_allclose((*gap, *(J @ v)), 0.0, atol=1e-9)   # what closing allows
    tau = rng.normal(size=4)
    M, h = mbd_ros.mass_matrix(free, q), mbd_ros.bias_forces(free, q, v)
    expected = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((2, 2))]]),
                               np.concatenate([tau - h, -bias]))[:4]
    ways = [{'executor': name} for name in ('interpreted', 'unrolled', 'rolled')] + [
        {'formulation': name} for name in ('augmented', 'kane')]
    texts = model.mechanism.text, mjcf_text(model.mechanism)
    for again in (model, *(mbd_ros.load(one, mimic=True) for one in texts)):
        for how in ways if again is model else ways[:1]:
            # Two eliminations of numbers of order 100.
            np.testing.assert_allclose(
                mbd_ros.forward_dynamics(again, q, v, tau, **how), expected, atol=1e-10)
        np.testing.assert_allclose([loop.coupling for loop in again.loops if loop.name == 'y'],
                                   [loop.coupling for loop in model.loops if loop.name == 'y'])


def test_a_run_stays_on_the_curve_and_keeps_its_energy():
    model = mbd_ros.load(TEXT.format('0.1 0.7 -0.4 0.3 0.5'), mimic=True)
    q, v = mbd_ros.close_loops(model, np.zeros(4), np.array([0.3, 0.0, 0.2, 0.0]))
    run = mbd_ros.simulate(model, q, v, 0.3)
    assert run.violation.max() < 1e-9   # what the integrator projects to
    assert abs(run.energy[-1] - run.energy[0]) < 1e-6 * abs(run.energy[0])   # its tolerance


def test_what_knows_no_polynomials():
    model = mbd_ros.load(TEXT.format('0 1 1'), mimic=True)
    with pytest.raises(UnsupportedError, match="joint 'y', which follows by a polynomial"):
        mbd_ros.coupling_map(model)
    with pytest.raises(UnsupportedError, match="polynomial that joint 'y' follows as SDF"):
        sdf_text(model.mechanism)


def test_both_kinds_in_a_joint():
    text = mbd_ros.load(TEXT.format('0 1 1')).mechanism.text
    both = text.replace('<mbd:polynomial_mimic', '<mimic joint="x"/><mbd:polynomial_mimic')
    assert both != text
    with pytest.raises(mbd_ros.errors.DescriptionError, match='has both <mimic> and'):
        mbd_ros.load(both)
