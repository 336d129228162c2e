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

"""Energies against closed forms."""

import numpy as np
import pytest
from robots import model_of, random_state
from swimmers import swimmer

import mbd_ros
from mbd_ros import Fluid

ROTORS = """<robot name="r"><link name="ground"/>
<link name="arm"><inertial><origin xyz="0 0 0.4"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="rod"><inertial><mass value="1.5"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="ground"/><child link="arm"/>
<axis xyz="0 1 0"/></joint>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
</robot>"""


def with_rotors(model, rotors):
    return mbd_ros.model.Model(**{**{name: getattr(model, name) for name in
                                     model.__dataclass_fields__}, 'armature': np.array(rotors)})


def test_energy_of_rotors():
    """Each turns with its joint: r qdot^2 / 2 beside the energy of the links."""
    bare, q, v = mbd_ros.load(ROTORS), np.array([0.3, 0.5]), np.array([1.2, -0.7])
    model = with_rotors(bare, [0.3, 0.8])
    links = mbd_ros.energy(with_rotors(bare, [0.0, 0.0]), q, v)
    found = mbd_ros.energy(model, q, v)
    # kinetic: the arm about its joint, the slide's mass along and across the arm
    arm = 0.5 * (0.2 + 2.0 * 0.4**2) * v[0]**2
    rod = 0.5 * (0.01 * v[0]**2 + 1.5 * ((q[1] * v[0])**2 + v[1]**2))
    assert links.kinetic == pytest.approx(arm + rod, rel=1e-13)
    assert found.kinetic - links.kinetic == pytest.approx(
        0.5 * (0.3 * v[0]**2 + 0.8 * v[1]**2), rel=1e-12)
    height = 2.0 * 0.4 * np.cos(q[0]) + 1.5 * q[1] * np.cos(q[0])
    assert found.potential == pytest.approx(9.81 * height, rel=1e-13)


@pytest.mark.parametrize('executor', ['interpreted', 'unrolled', 'rolled'])
def test_kinetic_energy_is_that_of_the_mass_matrix(executor):
    """With rotors on every axis of joints of all kinds."""
    bare = model_of([0, 1, 1, 3], ['spherical', 'planar', 'prismatic', 'revolute'], 3)
    model = with_rotors(bare, np.linspace(0.1, 2.0, bare.nv))
    dyn = mbd_ros.compile(model, executor=executor)
    for seed in range(5):
        q, v, _ = random_state(model, seed)
        assert dyn.energies(q, v)[:, 0].sum() == pytest.approx(
            0.5 * v @ dyn.mass_matrix(q) @ v, rel=1e-12)


def test_energies_in_a_current_that_is_a_field_are_those_of_each_state():
    def field(point, t):
        gradient = np.array([[0.1, 0.2, 0.0], [0.0, -0.1, 0.3], [0.05, 0.0, 0.0]])
        return gradient @ point + [0.1, 0.0, 0.2], gradient, np.zeros(3)

    model, water = swimmer('nine'), Fluid(current=field)
    q, v = (np.array(part) for part in zip(*(random_state(model, k)[:2] for k in range(3))))
    found = mbd_ros.energy(model, q, v, fluid=water)
    for k in range(3):
        one = mbd_ros.energy(model, q[k], v[k], fluid=water)
        assert (found.kinetic[k], found.potential[k]) == one   # the same calls
    assert np.abs(mbd_ros.energy(model, q, v).kinetic - found.kinetic).max() > 1e-3
