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

"""The table of docs/formulations.md: which formulation does what; all that do agree."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.registry import formulations
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import random_configuration

FORMULATIONS = ('recursive', 'closed_loop', 'jourdain', 'kane', 'augmented', 'flexible')
SURROUNDINGS = {'vacuum': None, 'water': mbd_ros.Fluid(current=(0.2, -0.1, 0.3))}
BODIES = ('rigid', 'flexible')
BEAM = ('<mbd:flexible><beam length="0.3" linear_density="0.3" bending_stiffness="40 60" '
        'torsional_stiffness="20" torsional_inertia="1e-4" modes="2 1 1"/></mbd:flexible>')
PARENTS = (0, 1, 2, 1, 4)
ROBOTS = ('tree', 'closed loop', 'floating base')
AGREE = 1e-9   # the figure that is promised; two orders below what has been seen
CELLS = [(robot, place, bodies) for bodies in BODIES for place in SURROUNDINGS
         for robot in ROBOTS]


def urdf(loop, bends=(), wet=True):
    rng = np.random.default_rng(7)
    parts = ['<robot name="any" xmlns:mbd="urn:mbd_ros">']
    for i in range(len(PARENTS) + 1):
        x, y, z = rng.uniform(-0.2, 0.2, 3)
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="{x} {y} {z}"/><mass value="2"/><inertia '
            'ixx="0.05" ixy="0.004" ixz="0.002" iyy="0.06" iyz="-0.003" izz="0.04"/></inertial>'
            + (f'<mbd:fluid><origin xyz="{y} {z} {x}"/><volume value="0.0015"/><fluid_added_mass '
               'xx="0.8" yy="1.5" zz="1.2" xy="0.1" yr="0.05" pp="0.01" qq="0.02" rr="0.02"/>'
               '<linear_drag force="1 2 2" moment="0.1 0.1 0.1"/><quadratic_drag force="5 9 8" '
               'moment="0.01 0.02 0.02"/></mbd:fluid>' if wet else '')
            + f'{BEAM if i in bends else ""}</link>')
    for i, parent in enumerate(PARENTS, 1):
        place, turn, axis = rng.uniform(-0.5, 0.5, (3, 3))
        parts.append(
            f'<joint name="j{i}" type="{"prismatic" if i == 2 else "continuous"}">'
            f'<parent link="l{parent}"/><child link="l{i}"/>'
            f'<origin xyz="{" ".join(map(str, place))}" rpy="{" ".join(map(str, turn))}"/>'
            f'<axis xyz="{" ".join(map(str, axis))}"/>'
            + ('<limit lower="-9" upper="9" effort="9" velocity="9"/>' if i == 2 else '')
            + '</joint>')
    return ''.join(parts) + loop + '</robot>'


def state(robot, bodies='rigid', wet=True):
    loop = ''
    model = mbd_ros.load(urdf(''), floating_base=robot == 'floating base')
    rng = np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    if robot == 'closed loop':   # closed at q
        poses = mbd_ros.link_poses(model, q)
        x, y, z = (np.linalg.inv(poses['l5']) @ poses['l3'] @ [0.1, 0.2, 0.3, 1.0])[:3]
        loop = ('<loop_joint name="cut" type="spherical"><link1 link="l3" xyz="0.1 0.2 0.3" '
                f'rpy="0 0 0"/><link2 link="l5" xyz="{x} {y} {z}" rpy="0 0 0"/></loop_joint>')
        model = mbd_ros.load(urdf(loop))
        q, v = mbd_ros.close_loops(model, q, v)
    if bodies == 'flexible':   # two links that carry others, bent by some percent
        model = mbd_ros.load(urdf(loop, (1, 4), wet), floating_base=robot == 'floating base')
        a, rates = rng.normal(size=(2, len(model.elastic_names)))
        q, v = mbd_ros.close_loops(model, np.append(q, 0.01 * a), np.append(v, 0.1 * rates))
    return model, q, v, rng.normal(size=model.nv)


def suits(cell, formulation):
    if 'flexible' in (formulation, cell[2]):
        return formulation == 'flexible' and (cell[0] != 'closed loop' or cell[2] == 'flexible')
    return formulation in ('closed_loop', 'kane', 'augmented') or cell[0] != 'closed loop'


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=AGREE * np.abs(expected).max())


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('cell', CELLS, ids=', '.join)
def test_every_formulation_agrees_or_refuses_by_name(cell, formulation):
    model, q, v, tau = state(*cell[::2])
    around = {'fluid': SURROUNDINGS[cell[1]]}
    if not suits(cell, formulation):
        with pytest.raises(InvalidValueError, match=f"^formulation is '{formulation}'; allowed: "
                           r'.*, which has (closed loops|flexible links)'):
            mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation, **around)
        return
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='interpreted', **around)
    found = mbd_ros.forward_dynamics(model, q, v, tau, formulation=formulation, **around)
    close(found, expected)
    wrenches = mbd_ros.joint_wrenches(model, q, v, tau, formulation=formulation, **around)
    close(wrenches, mbd_ros.joint_wrenches(model, q, v, tau, executor='interpreted', **around))
    # Kinetic energy of its own mass matrix, and the power of its own motion. That of the fluid
    # is of the velocity against it: in still water 1/2 v M v.
    dyn = mbd_ros.compile(model, formulation=formulation, **around)
    still = {'fluid': around['fluid'] and mbd_ros.Fluid()}
    kinetic = mbd_ros.energy(model, q, v, **still).kinetic
    close(0.5 * v @ dyn.mass_matrix(q) @ v, kinetic)
    close(v @ dyn.inverse_dynamics(q, v, found), v @ mbd_ros.compile(
        model, executor='interpreted', **around).inverse_dynamics(q, v, expected))


def test_joint_wrenches_in_a_current_that_varies():
    model, q, v, tau = state('floating base')
    current = np.array([0.2, -0.1, 0.3])
    varying = mbd_ros.Fluid(current=lambda point, t: (current, np.zeros((3, 3)), np.zeros(3)))
    found = mbd_ros.joint_wrenches(model, np.stack([q, q]), v, tau, fluid=varying)
    close(found[1], mbd_ros.joint_wrenches(model, q, v, tau, fluid=mbd_ros.Fluid(
        current=tuple(current))))


def test_the_table_of_the_page():
    page = Path(__file__).parents[2] / 'docs' / 'formulations.md'
    lines = page.read_text(encoding='utf-8').splitlines()
    first = lines.index('| robot | ' + ' | '.join(f'`{name}`' for name in FORMULATIONS) + ' |')
    rows = [line.strip('| ').split(' | ') for line in lines[first + 2:first + 2 + len(CELLS)]]
    assert [row[0] for row in rows] == [', '.join(cell) for cell in CELLS]
    for cell, row in zip(CELLS, rows, strict=True):
        assert [entry.strip() == 'yes' for entry in row[1:]] == [
            suits(cell, name) for name in FORMULATIONS], row[0]


def test_the_registry_has_no_other_formulations():
    known = {one.name for robot in ROBOTS for one in formulations(state(robot)[0])}
    assert known <= set(FORMULATIONS), 'add it to docs/formulations.md'
