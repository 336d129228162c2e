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

"""Second-order derivatives of inverse dynamics."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from robots import chain

import mbd_ros
from mbd_ros.errors import NotFiniteError, ShapeError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
RNG = np.random.default_rng(0)


def drawn(model, seed):
    rng = np.random.default_rng(seed)
    q = mbd_ros.random_configuration(model, rng)
    if model.elastic is not None:   # bent by little, as the formulation takes it
        q[-len(model.elastic_names):] *= 1e-3
    return [q, *rng.normal(size=(6, model.nv))]


def by_differences(derivatives, model, q, v, qdd, weights, dq, dv, dqdd, h=1e-5):
    """Return central differences of first derivatives: h^2 and 1e-16 / h of their size."""
    def at(e):
        matrices = derivatives(mbd_ros.integrate(model, q, e * dq), v + e * dv, qdd + e * dqdd)
        return np.array([weights @ matrix for matrix in matrices])
    return (at(h) - at(-h)) / (2.0 * h)


@pytest.mark.parametrize('robot', [
    'three_link_arm.urdf', 'four_bar.urdf', 'rov.urdf', 'flexible_arm.urdf',
    'space_robot.urdf.xacro'])
@pytest.mark.parametrize('seed', range(2))
def test_against_differences_of_first_derivatives(robot, seed):
    """Trees, loops, water, links that bend, a floating base with a ball; two ways to run."""
    model = mbd_ros.load(URDF / robot)
    given = drawn(model, seed)
    found = np.array(mbd_ros.inverse_dynamics_hessian_product(model, *given))
    expected = by_differences(
        lambda *at: mbd_ros.inverse_dynamics_derivatives(model, *at), model, *given)
    scale = np.abs(expected).max()
    # 1e-7: the differences' own error, 1e-10 times third derivatives of fast coordinates.
    np.testing.assert_allclose(found, expected, atol=1e-7 * scale)
    other = mbd_ros.inverse_dynamics_hessian_product(model, *given, executor='interpreted')
    np.testing.assert_allclose(np.array(other), found, atol=1e-12 * scale)   # rounding


@pytest.mark.parametrize('floating', [False, True])
def test_against_pinocchio(floating):
    """Differences of its exact first derivatives; its second ones are not there in Python."""
    text = chain(5, 2).replace('"continuous"', '"revolute"')
    model = mbd_ros.load(text, floating_base=floating)
    peer = (pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating
            else pin.buildModelFromXML(text))
    data = peer.createData()

    def derivatives(q, v, qdd):
        by_q, by_v, mass = (np.array(one) for one in pin.computeRNEADerivatives(
            peer, data, q, v, qdd))
        return by_q, by_v, np.triu(mass) + np.triu(mass, 1).T
    given = drawn(model, 3)
    found = np.array(mbd_ros.inverse_dynamics_hessian_product(model, *given))
    expected = by_differences(derivatives, model, *given)
    # 1e-8: as above, for moderate speeds.
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_the_hessian_is_symmetric_and_batches_are_its_columns():
    """Of joints whose entries just add, exact to rounding; prepared calls, one by one."""
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    q, v, qdd, weights, *_ = drawn(model, 1)
    columns = np.split(np.eye(3 * model.nv), 3, axis=1)
    product = mbd_ros.compile(model).inverse_dynamics_hessian_product
    hessian = np.hstack(product(q, v, qdd, weights, *columns))
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-13 * np.abs(hessian).max())
    for k in range(3 * model.nv):
        one = product(q, v, qdd, weights, *(part[k] for part in columns))
        np.testing.assert_allclose(np.concatenate(one), hessian[k], atol=1e-14)


def test_a_pendulum():
    """The closed form: tau = I qdd + m g l sin q, whose second derivative is -m g l sin q."""
    model = mbd_ros.load("""<robot name="p"><link name="world"/><link name="bob"><inertial>
        <origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0"
        izz="0"/></inertial></link><joint name="j" type="continuous"><parent link="world"/>
        <child link="bob"/><axis xyz="0 1 0"/></joint></robot>""")
    found = mbd_ros.inverse_dynamics_hessian_product(model, [0.4], [1.0], [2.0], [3.0], [1.0])
    np.testing.assert_allclose(np.ravel(found), [-3.0 * 9.81 * np.sin(0.4), 0.0, 0.0],
                               atol=1e-14)


def test_forces_on_links_and_large_robots():
    """External forces bend with q; beyond 24 bodies there are differences."""
    arm = mbd_ros.load(URDF / 'three_link_arm.urdf')
    given, push = drawn(arm, 2), RNG.normal(size=6)
    loads = {list(arm.links)[-1]: push}
    found = np.array(mbd_ros.inverse_dynamics_hessian_product(arm, *given, external_forces=loads))
    expected = by_differences(lambda *at: mbd_ros.inverse_dynamics_derivatives(
        arm, *at, external_forces=loads), arm, *given)
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())
    large = mbd_ros.load(chain(26, 1))
    given = drawn(large, 4)
    found = mbd_ros.inverse_dynamics_hessian_product(large, *given)
    expected = by_differences(lambda *at: mbd_ros.inverse_dynamics_derivatives(
        large, *at), large, *given, h=3e-6)
    # 1e-6: of differences with two lengths, of a long chain at random speeds.
    np.testing.assert_allclose(np.array(found), expected, atol=1e-6 * np.abs(expected).max())
    many = mbd_ros.inverse_dynamics_hessian_product(large, *(np.array([x, x]) for x in given))
    np.testing.assert_array_equal(many.dq[1], found.dq)


def test_refusals():
    arm = mbd_ros.load(URDF / 'three_link_arm.urdf')
    q, v, qdd, weights, dq, *_ = drawn(arm, 0)
    with pytest.raises(ShapeError, match='weights'):
        mbd_ros.inverse_dynamics_hessian_product(arm, q, v, qdd, weights[:2], dq)
    with pytest.raises(NotFiniteError, match='dq'):
        mbd_ros.inverse_dynamics_hessian_product(arm, q, v, qdd, weights, np.nan * dq)
    large = mbd_ros.load(chain(26, 1))
    given = drawn(large, 4)
    with pytest.raises(UnsupportedError, match='24 bodies'):
        mbd_ros.inverse_dynamics_hessian_product(
            large, *given, external_forces={list(large.links)[-1]: np.zeros(6)})
