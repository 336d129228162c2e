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

"""Lift by cross-flow: closed form, no power, derivatives, every formulation, there and back."""

import numpy as np
import pytest

import mbd_ros
from mbd_ros import Fluid
from mbd_ros.description import read
from mbd_ros.description.write.urdf import urdf_text
from mbd_ros.errors import DescriptionError

FIN = """<robot name="fin" xmlns:mbd="urn:mbd_ros"><link name="blade"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<mbd:fluid><origin xyz="0.1 0 0" rpy="0.2 0 0.4"/><volume value="0.002"/>
<lift force="30 12"/></mbd:fluid></link>TAIL</robot>"""
TAIL = """<link name="tail"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
ixy="0" ixz="0" iyz="0"/></inertial><mbd:fluid><origin xyz="0.2 0 0"/><volume value="0.001"/>
<quadratic_drag force="1 2 3"/><lift force="0 8"/></mbd:fluid></link>
<joint name="hinge" type="continuous"><parent link="blade"/><child link="tail"/>
<origin xyz="-0.3 0 0"/><axis xyz="0 1 0"/></joint>"""
BLADE = mbd_ros.load(FIN.replace('TAIL', ''), floating_base=True)
FISH = mbd_ros.load(FIN.replace('TAIL', TAIL), floating_base=True)


def force(velocity):
    """Return the force on the blade that moves without turning, in the axes of F."""
    R_BF = BLADE.fluids[0].frame.rotation
    v = np.concatenate([R_BF @ velocity, np.zeros(3)])
    vdot = mbd_ros.forward_dynamics(BLADE, mbd_ros.neutral(BLADE), v, np.zeros(6))
    return R_BF.T @ (2.0 * vdot[:3])   # it is as heavy as the water: no other force


def test_small_angles_of_attack():
    """Half of density, area and slope of the lift, times speed squared and the angle."""
    U, angle = 1.5, 1e-4
    found = force(U * np.array([np.cos(angle), np.sin(angle), 0.0]))
    # Of second order in the angle.
    np.testing.assert_allclose(found, [0.0, -30.0 * U * U * angle, 0.0], atol=1e-6)
    np.testing.assert_allclose(force([0.0, 2.0, 1.0]), 0.0, atol=1e-12)


@pytest.mark.parametrize('velocity', [[1.0, 0.4, 0.0], [-0.7, 0.3, 0.0], [0.6, 0.0, -0.8]])
def test_it_is_normal_to_the_flow(velocity):
    x, across = velocity[0], velocity[1] + velocity[2]
    c = 30.0 if velocity[1] else 12.0
    found = force(velocity)
    assert found @ velocity == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(found) == pytest.approx(c * abs(x * across), rel=1e-12)
    assert found @ [0.0, velocity[1], velocity[2]] < 0.0   # it pushes against the cross-flow


def test_it_keeps_the_energy_that_who_drifts_sees():
    v = np.array([1.0, 0.3, -0.2, 0.5, 0.4, -0.3])
    run = mbd_ros.simulate(BLADE, mbd_ros.neutral(BLADE), v, 1.0, step=1e-3)
    # Only by where F is: lift acts at the centre of buoyancy, whose flow it does not change.
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-9)


@pytest.mark.parametrize('formulation', ['closed_loop', 'jourdain', 'kane', 'augmented'])
def test_every_formulation_has_it(formulation):
    rng = np.random.default_rng(5)
    q, v = mbd_ros.random_configuration(FISH, rng), rng.normal(size=FISH.nv)
    water = Fluid(current=(0.3, -0.2, 0.1), surface=5.0)
    expected = mbd_ros.forward_dynamics(FISH, q, v, np.zeros(7), fluid=water)
    found = mbd_ros.forward_dynamics(FISH, q, v, np.zeros(7), fluid=water,
                                     formulation=formulation)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)   # asked of formulations


def test_derivatives():
    rng = np.random.default_rng(6)
    q, v, h = mbd_ros.random_configuration(FISH, rng), rng.normal(size=FISH.nv), 1e-6
    found = mbd_ros.forward_dynamics_derivatives(FISH, q, v, np.zeros(7))
    for k, way in enumerate(np.eye(7)):
        steps = [mbd_ros.forward_dynamics(FISH, q, v + side * h * way, np.zeros(7))
                 for side in (-1, 1)]
        np.testing.assert_allclose(found.dv[:, k], (steps[1] - steps[0]) / (2 * h), atol=1e-6)


def test_there_and_back():
    again = read(urdf_text(FISH.mechanism))
    assert [one.lift for one in again.fluids] == [(30.0, 12.0), (0.0, 8.0)]
    with pytest.raises(DescriptionError, match="'blade': <mbd:fluid> has the lift -1; allowed"):
        read(FIN.replace('TAIL', '').replace('30 12', '-1 2'))
