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

"""Docking under water: the momentum of robot and fluid is kept, energy is only lost."""

from pathlib import Path

import numpy as np
import pytest

import mbd_ros
from mbd_ros import Fluid
from mbd_ros.description.modules import assemble, detach, move, read_module_graph_file
from mbd_ros.environment.surroundings import immersed, in_vacuum
from mbd_ros.model import build_model

ROOT = Path(__file__).resolve().parents[3]
GRAPH = read_module_graph_file(ROOT / 'config' / 'modules' / 'nine_modules.yaml')
RIGID = move(GRAPH, 's6', parent='s0', parent_port='right', port='back')   # where it is


def moving(model, held=(), seed=2):
    """Return a state in which some joints are at zero but move."""
    rng = np.random.default_rng(seed)
    q, v = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
    for name in held:
        q[model.q_offsets[model.joint_index(name)]] = 0.0
    return q, v


def momentum(model, q, v, **surroundings):
    """Return momentum and angular momentum of robot and fluid, in the base's axes about it."""
    return (mbd_ros.mass_matrix(model, q, **surroundings) @ v)[:6]


@pytest.mark.parametrize('surface', [None, 0.4], ids=['deep', 'half out'])
def test_momentum_with_added_mass_is_kept(surface):
    water = Fluid(1025.0, (0.4, -0.2, 0.1), surface)   # a current takes no part
    old, new = (immersed(build_model(assemble(graph)), water) for graph in (GRAPH, RIGID))
    q, v = moving(old, held=['s6/pitch'])
    state = mbd_ros.carry_over(old, q, v, new)
    assert state.position_jump < 1e-12
    # Products and one solution of doubles; velocities are of order one.
    np.testing.assert_allclose(momentum(new, state.q, state.v), momentum(old, q, v), rtol=1e-9,
                               atol=1e-9)
    before, after = (0.5 * rates @ mbd_ros.mass_matrix(model, place) @ rates
                     for model, place, rates in ((old, q, v), (new, state.q, state.v)))
    np.testing.assert_allclose([state.kinetic_energy_before, state.kinetic_energy_after],
                               [before, after], rtol=1e-9)
    assert after < before


def test_the_fluid_changes_what_an_impact_does():
    models = [build_model(assemble(graph)) for graph in (GRAPH, RIGID)]
    q, v = moving(models[0], held=['s6/pitch'])
    wet = mbd_ros.carry_over(models[0], q, v, models[1])   # fresh water, as everywhere
    dry = mbd_ros.carry_over(*map(in_vacuum, models[:1]), q, v, in_vacuum(models[1]))
    assert np.abs(wet.v - dry.v).max() > 0.05
    np.testing.assert_allclose(momentum(in_vacuum(models[1]), dry.q, dry.v),
                               momentum(in_vacuum(models[0]), q, v), rtol=1e-9, atol=1e-9)


def test_undocking_changes_no_velocity():
    model = build_model(assemble(GRAPH))
    q, v = moving(model)
    again = mbd_ros.carry_over(model, q, v, build_model(assemble(GRAPH)))
    np.testing.assert_allclose(again.v, v, rtol=1e-9, atol=1e-9)
    assert again.kinetic_energy_after == pytest.approx(again.kinetic_energy_before, rel=1e-9)


def test_springs_take_no_part():
    pull = ('<mbd:spring_damper name="band" stiffness="500" damping="3" length="0.1">'
            '<link1 link="a"/><link2 link="b" xyz="0.3 0 0"/></mbd:spring_damper>')
    inertial = ('<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
                'izz="1"/></inertial>')
    model = mbd_ros.load(
        f'<robot name="r" xmlns:mbd="urn:mbd_ros"><link name="a">{inertial}</link><link name="b">'
        f'{inertial}</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        f'<origin xyz="0 0.2 0"/><axis xyz="0 0 1"/></joint>{pull}</robot>', floating_base=True)
    q, v = moving(model)
    np.testing.assert_allclose(mbd_ros.carry_over(model, q, v, model).v, v, rtol=1e-9, atol=1e-9)


def test_what_is_undocked_takes_its_energy_and_that_of_its_water():
    water = Fluid(1025.0)
    old, new = (immersed(build_model(assemble(graph)), water)
                for graph in (GRAPH, detach(GRAPH, 's6')))
    assert len(new.fluids) < len(old.fluids)
    q, v = moving(old)
    state = mbd_ros.carry_over(old, q, v, new)
    assert state.kinetic_energy_removed > 0.1
    # Sums of a few products in double precision.
    assert state.kinetic_energy_before + state.kinetic_energy_removed == pytest.approx(
        0.5 * v @ mbd_ros.mass_matrix(old, q, executor='interpreted') @ v, rel=1e-9)
