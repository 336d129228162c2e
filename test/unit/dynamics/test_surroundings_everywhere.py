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

"""Every public function that has equations of motion knows the fluid and the ground around."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import mbd_ros

URDF = Path(__file__).parents[3] / 'urdf'
NO_WATER = {'regressor': 'has rigid bodies alone, as it says'}
NO_GROUND = {'carry_over': 'impacts, in which no finite force counts',
             'identify': 'forces of the ground are measured, external_forces'}


def with_equations():
    """Yield the public functions of a robot that take gravity, forces or a fluid."""
    marks = {'gravity', 'external_forces', 'fluid', 'ground', 'dissipation'}
    for name in mbd_ros.__all__:
        function = getattr(mbd_ros, name)
        if inspect.isfunction(function):
            known = inspect.signature(function).parameters
            if marks & set(known):
                yield name, known


def test_the_walk_meets_what_it_should():
    """What had no fluid once is among them."""
    assert {'udwadia_kalaba', 'natural_frequencies', 'hybrid_dynamics', 'static_deflection',
            'stream', 'gravity_forces', 'gravity_forces_derivatives', 'carry_over',
            'internal_dynamics', 'coriolis_matrix', 'forward_dynamics'} <= {
                name for name, _ in with_equations()} | {'internal_dynamics'}


@pytest.mark.parametrize(('name', 'known'), list(with_equations()))
def test_keywords(name, known):
    """Where gravity acts, water and ground do."""
    if name not in NO_WATER and name != 'contact_forces':
        assert 'fluid' in known, f'{name} has no fluid='
    if 'gravity' in known and name not in NO_WATER and name not in NO_GROUND:
        assert 'ground' in known, f'{name} has no ground='
    if 'fluid' in known and name not in ('simulate', 'compile'):
        assert known['fluid'].default is not inspect.Parameter.empty


@pytest.fixture(scope='module')
def swimmer():
    """Return an underwater vehicle afloat, in motion, and fluids it may be in."""
    model, rng = mbd_ros.load(URDF / 'rov.urdf', floating_base=True), np.random.default_rng(3)
    q, v = mbd_ros.random_configuration(model, rng), rng.normal(size=model.nv)
    sea = mbd_ros.Fluid(density=1025.0, current=(0.4, -0.2, 0.1))
    return model, q, v, rng.normal(size=model.nv), (None, mbd_ros.Fluid(), sea)


def test_in_a_vacuum_and_at_sea(swimmer):
    """Each function says what the equations of motion say in the same surroundings."""
    model, q, v, force, fluids = swimmer
    rest, given = np.zeros(model.nv), list(model.joint_names)
    for fluid in fluids:
        kw = {'fluid': fluid}
        M, h = mbd_ros.mass_matrix(model, q, **kw), mbd_ros.bias_forces(model, q, v, **kw)
        a = np.linalg.solve(M, force - h)
        held = mbd_ros.bias_forces(model, q, rest, **kw)
        np.testing.assert_allclose(mbd_ros.gravity_forces(model, q, **kw), held, atol=1e-12)
        found = mbd_ros.udwadia_kalaba(model, q, v, force, np.zeros((0, model.nv)), [], **kw)
        np.testing.assert_allclose(found.accelerations, a, rtol=1e-9)
        both = mbd_ros.hybrid_dynamics(model, q, v, force, a, given=given, **kw)
        np.testing.assert_allclose(both.tau, force, rtol=1e-9)
        slopes = mbd_ros.inverse_dynamics_derivatives(model, q, rest, rest, **kw).dq
        np.testing.assert_allclose(mbd_ros.gravity_forces_derivatives(model, q, **kw), slopes,
                                   atol=1e-9)
    dry, wet = (mbd_ros.carry_over(model, q, v, model, fluid=fluid) for fluid in fluids[:2])
    for fluid, found in zip(fluids, (dry, wet)):
        kinetic = 0.5 * v @ mbd_ros.mass_matrix(model, q, fluid=fluid) @ v
        assert found.kinetic_energy_before == pytest.approx(float(kinetic), rel=1e-9)
        np.testing.assert_allclose(found.v, v, atol=1e-9)


def test_a_field_is_asked_at_the_base(swimmer):
    """A current that depends on the place is that at the root link."""
    model, q, v, force, _ = swimmer
    field = mbd_ros.Fluid(current=lambda point, t: (
        (0.1 * point[2], 0.3, 0.0), ((0.0, 0.0, 0.1), (0.0,) * 3, (0.0,) * 3), (0.0,) * 3))
    there = field.at(mbd_ros.pose(model, q, model.root)[:3, 3])
    for name, arguments in (('gravity_forces', (q,)), ('gravity_forces_derivatives', (q,)),
                            ('udwadia_kalaba', (q, v, force, np.zeros((0, model.nv)), []))):
        function = getattr(mbd_ros, name)
        one, other = (function(model, *arguments, fluid=fluid) for fluid in (field, there))
        np.testing.assert_allclose(getattr(one, 'accelerations', one),
                                   getattr(other, 'accelerations', other), rtol=1e-12)
    one, other = (mbd_ros.hybrid_dynamics(
        model, q, v, force, np.full(model.nv, np.nan), given=[], fluid=fluid).qdd
        for fluid in (field, there))
    np.testing.assert_allclose(one, other, rtol=1e-12)
    C = mbd_ros.coriolis_matrix(model, q, v, fluid=field)
    np.testing.assert_allclose(C, mbd_ros.coriolis_matrix(model, q, v))
