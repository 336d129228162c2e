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


"""Exported libraries compute what Python computes, bit for bit, for every class of robot."""

import ctypes
from pathlib import Path

from exported import build, Called, check, COMPILERS, export, ours, state_of
from loop_models import many_legs
import numpy as np
import pytest
from robots import chain, model_of

import mbd_ros
from mbd_ros.environment.contact import Ground
from mbd_ros.errors import UnknownNameError, UnsupportedError
from mbd_ros.export.functions import tips

URDF = Path(__file__).resolve().parents[3] / 'urdf'
SHIPPED = sorted(URDF.glob('*.urdf*'))
MAIN = ('forward_dynamics', 'inverse_dynamics')


def closed_state(model, seed):
    """Return a state; with loops one that is near closed, so that accelerations are moderate."""
    given = state_of(model, seed)
    if model.loops:
        given['q'], given['v'] = mbd_ros.close_loops(
            model, mbd_ros.neutral(model), 0.1 * given['v'])
    return given


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.name.partition('.')[0])
def test_every_shipped_robot_bit_for_bit(path, tmp_path):
    model = mbd_ros.load(path)
    library = export(model, tmp_path, MAIN)
    compiler = COMPILERS[SHIPPED.index(path) % len(COMPILERS)]   # each takes half a second
    assert check(model, library, build(library, compiler), closed_state(model, 1))


@pytest.mark.parametrize('name', ['three_link_arm', 'four_bar', 'flexible_arm', 'rov'])
def test_all_functions_of_a_robot(name, tmp_path):
    # A tree, a loop, flexible links, and water on a floating base.
    model = mbd_ros.load(URDF / f'{name}.urdf')
    library = export(model, tmp_path)
    names = {one.name for _, one in library.functions}
    assert {'mass_matrix', 'rk4_step', 'inverse_dynamics_derivatives', 'pose'} <= names
    assert ('loop_reactions' in names) == bool(model.loops)
    assert ('regressor' in names) == (model.elastic is None)
    for why in library.missing:
        assert 'not supported in this version' in why
    assert check(model, library, build(library), closed_state(model, 2))


@pytest.mark.parametrize(('model', 'seed'), [
    (model_of([0, 1, 2, 1, 4, 1], ['floating', 'spherical', 'revolute', 'planar', 'prismatic',
                                   'revolute'], 9), 3),
    (mbd_ros.load(chain(45, 1)), 4), (mbd_ros.load(chain(210, 2)), 5),
    (many_legs(4, 12, 3, springs=2), 6),
], ids=['all joints', 'loops over bodies', 'segments of a chain', 'bundles, rows and springs'])
def test_every_way_to_run_code(model, seed, tmp_path):
    library = export(model, tmp_path, (*MAIN, 'mass_matrix'))
    given = state_of(model, seed)
    given['v'] *= 0.1
    assert check(model, library, build(library), given)


def test_robots_on_the_ground(tmp_path):
    text = """<robot name="foot" xmlns:mbd="urn:mbd_ros"><link name="foot"><inertial>
      <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1.1" iyz="0" izz="1.2"/></inertial>
      <mbd:contact><point xyz="0.1 0 -0.2"/><point xyz="0 0.3 0" radius="0.05"/>
      <stiffness value="2e4"/><damping value="150"/><friction value="0.6" slip_speed="0.02"/>
      </mbd:contact></link></robot>"""
    model, ground = mbd_ros.load(text, floating_base=True), Ground()
    library = export(model, tmp_path, ('forward_dynamics',), ground=ground)
    given = state_of(model, 7)
    given['q'][:3] = 0.0, 0.0, -0.05   # both points touch
    assert check(model, library, build(library), given, ground=ground)
    given['q'][2] = 1.0
    assert check(model, library, build(library), given, ground=ground)


def test_the_same_files_each_time(tmp_path):
    model = mbd_ros.load(URDF / 'three_link_arm.urdf')
    first, second = (export(model, tmp_path / name, MAIN) for name in ('a', 'b'))
    assert first.static.read_bytes() == second.static.read_bytes()
    assert first.header.read_text() == second.header.read_text()


def test_the_world_as_an_argument(tmp_path):
    model = mbd_ros.load(URDF / 'panda.urdf')
    library = export(model, tmp_path, ('bias_forces',), parameters=True)
    call, given = Called(library), state_of(model, 8)
    result = np.empty(model.nv)
    for gravity in ((0.0, 0.0, -9.81), (1.0, 2.0, 3.0)):
        right = mbd_ros.compile(model, gravity=gravity).bias_forces(given['q'], given['v'])
        world = np.array(gravity)
        assert call('panda_bias_forces', given['q'], given['v'], result, world) == 0
        assert np.array_equal(result, right)
    assert call('panda_bias_forces', given['q'], given['v'], result, None) == 0
    assert np.array_equal(result, mbd_ros.compile(model).bias_forces(given['q'], given['v']))
    world[0] = np.nan
    assert call('panda_bias_forces', given['q'], given['v'], result, world) == 2


@pytest.mark.parametrize('seed', [0, 1])
def test_the_load_of_a_link_as_an_argument(seed, tmp_path):
    rng = np.random.default_rng(seed)
    model = mbd_ros.load(URDF / 'panda.urdf')
    link = tips(model)[0]
    functions = ('forward_dynamics', 'inverse_dynamics', 'mass_matrix')
    library = export(model, tmp_path, functions, payload=link, name='arm')
    call, given = Called(library), state_of(model, seed)
    mass, center, half = rng.uniform(0.5, 3.0), rng.normal(size=3) * 0.1, rng.normal(size=(3, 3))
    about_center = 1e-3 * half @ half.T
    about_center += np.eye(3) * np.trace(about_center)   # that of a body
    c = np.outer(center, center)
    origin = about_center + mass * (np.trace(c) * np.eye(3) - c)
    world = np.array([0.0, 0.0, -9.81, mass, *(mass * center), *origin[np.triu_indices(3)]])
    for robot, loaded in ((mbd_ros.with_payload(model, link, mass, center, about_center), world),
                          (model, None)):
        for symbol, function in library.functions:
            result = np.zeros(function.size)
            code = call(symbol, *(given[name] for name, _ in function.inputs), result, loaded)
            right = np.ravel(ours(robot, function, given))
            # 1e-11: a mass matrix of condition 1e4, other sums.
            assert code == 0 and np.abs(result - right).max() < 1e-11 * np.abs(right).max()
    with pytest.raises(UnsupportedError, match='payload'):
        export(model, tmp_path / 'no', ('center_of_mass',), payload=link)
    with pytest.raises(UnknownNameError, match='hook'):
        export(model, tmp_path / 'no', functions, payload='hook')


def test_axes_of_bodies_are_told(tmp_path):
    model = mbd_ros.load(URDF / 'puma560.urdf')   # joints along other axes than z
    library = export(model, tmp_path, ('body_poses', 'joint_wrenches'))
    call, given = Called(library), state_of(model, 3)
    axes = np.ctypeslib.as_array((ctypes.c_double * (9 * model.nb)).in_dll(
        call.dll, 'puma560_body_axes')).reshape(-1, 3, 3)
    poses, wrenches = np.zeros((model.nb, 4, 4)), np.zeros((model.nb, 6))
    assert call('puma560_body_poses', given['q'], poses) == 0
    state = [given[name] for name in ('q', 'v', 'qdd')]
    assert call('puma560_joint_wrenches', *state, wrenches) == 0
    right = mbd_ros.joint_wrenches(model, *state[:2], mbd_ros.inverse_dynamics(model, *state))
    for body, name in enumerate(model.body_names):
        link = mbd_ros.pose(model, given['q'], name)
        assert poses[body, :3, :3] @ axes[body] == pytest.approx(link[:3, :3], abs=1e-14)
        assert poses[body, :3, 3] == pytest.approx(link[:3, 3], abs=1e-14)
        for part in (slice(0, 3), slice(3, 6)):
            # 1e-9 of some 100 N: the accelerations are solved for there.
            assert axes[body].T @ wrenches[body, part] == pytest.approx(
                right[body, part], abs=1e-7)
