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

"""The public functions: batches, options and error texts."""

import numpy as np
import pytest
from robots import chain, random_state, urdf

import mbd_ros
from mbd_ros.dynamics.algorithms.missing_inertia import joint_of_no_inertia
from mbd_ros.errors import (
    InvalidValueError, NotFiniteError, ShapeError, SingularMassError, UnknownNameError)


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.load(chain(3, 1))


def test_batches_and_broadcasting(arm):
    q, v, tau = np.random.default_rng(0).normal(size=(3, 5, 3))
    rows = np.array([mbd_ros.forward_dynamics(arm, *row) for row in zip(q, v, tau)])
    np.testing.assert_array_equal(mbd_ros.forward_dynamics(arm, q, v, tau), rows)
    same = mbd_ros.inverse_dynamics(arm, q, v[0], tau)
    np.testing.assert_array_equal(same[3], mbd_ros.inverse_dynamics(arm, q[3], v[0], tau[3]))
    assert mbd_ros.mass_matrix(arm, q).shape == (5, 3, 3)
    assert mbd_ros.jacobian(arm, q, 'link003').shape == (5, 6, 3)
    assert mbd_ros.pose(arm, q, 'link003').shape == (5, 4, 4)
    assert mbd_ros.energy(arm, q, v).kinetic.shape == (5,)
    assert mbd_ros.forward_dynamics(arm, q[:0], v[:0], tau[:0]).shape == (0, 3)


def test_batch_of_another_length(arm):
    with pytest.raises(ShapeError, match=r'v has shape \(4, 3\); allowed: 5 states, as in the o'):
        mbd_ros.forward_dynamics(arm, np.zeros((5, 3)), np.zeros((4, 3)), np.zeros(3))


def test_gravity(arm):
    q = np.array([0.3, 0.2, 0.1])
    none = mbd_ros.bias_forces(arm, q, np.zeros(3), gravity=(0, 0, 0))
    np.testing.assert_array_equal(none, np.zeros(3))
    once = mbd_ros.bias_forces(arm, q, np.zeros(3), gravity=(1, 2, 3))
    twice = mbd_ros.bias_forces(arm, q, np.zeros(3), gravity=(2, 4, 6))
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-14)  # linear; scaling by 2 is exact
    with pytest.raises(InvalidValueError, match=r'gravity is \(0, 9.81\); allowed: three finite'):
        mbd_ros.bias_forces(arm, q, np.zeros(3), gravity=(0, 9.81))


def test_dissipation():
    text = urdf([0], ['revolute'], 0).replace(
        '<limit', '<dynamics damping="2" friction="0.5"/><limit')
    model = mbd_ros.load(text)
    zero = np.zeros(1)
    for rate, effort in ((3.0, 6.5), (-1.0, -2.5), (0.0, 0.0)):
        v = np.array([rate])
        gain = (mbd_ros.inverse_dynamics(model, zero, v, zero, dissipation=True)
                - mbd_ros.inverse_dynamics(model, zero, v, zero))
        np.testing.assert_allclose(gain, [effort], atol=1e-13)  # difference of numbers near 10
        qdd = mbd_ros.forward_dynamics(model, zero, v, zero, dissipation=True)
        back = mbd_ros.inverse_dynamics(model, zero, v, qdd, dissipation=True)
        np.testing.assert_allclose(back, zero, atol=1e-12)  # two recursions, forces near 10


def test_out(arm):
    q, v, tau = np.random.default_rng(0).normal(size=(3, 3))
    out = np.empty(3)
    for function, arguments in ((mbd_ros.forward_dynamics, (q, v, tau)),
                                (mbd_ros.inverse_dynamics, (q, v, tau)),
                                (mbd_ros.bias_forces, (q, v))):
        assert function(arm, *arguments, out=out) is out
        np.testing.assert_array_equal(out, function(arm, *arguments))


def test_links_fixed_to_the_ground(arm):
    np.testing.assert_array_equal(mbd_ros.jacobian(arm, np.zeros(3), 'link000'),
                                  np.zeros((6, 3)))
    np.testing.assert_array_equal(mbd_ros.pose(arm, np.zeros(3), 'link000'), np.eye(4))
    motion = mbd_ros.compile(arm).link_motion(np.zeros(3), np.ones(3), 'link000')
    np.testing.assert_array_equal(motion.velocity, np.zeros(6))


def test_link_poses_agree_with_pose():
    model = mbd_ros.load(urdf([0, 1, 1], ['revolute', 'fixed', 'prismatic'], 4),
                         floating_base=True)
    q, _, _ = random_state(model, 1)
    for name, pose in mbd_ros.link_poses(model, q).items():
        # 1e-14: the same products, once folded and once by NumPy.
        np.testing.assert_allclose(pose, mbd_ros.pose(model, q, name), rtol=0, atol=1e-14)


def test_unknown_link(arm):
    with pytest.raises(UnknownNameError, match=r"no link named 'link03'; .*mean 'link003'"):
        mbd_ros.jacobian(arm, np.zeros(3), 'link03')


def test_executors(arm):
    zero = np.zeros(3)
    with pytest.raises(InvalidValueError, match="executor is 'gpu'; allowed: 'auto', 'comp"):
        mbd_ros.forward_dynamics(arm, zero, zero, zero, executor='gpu')
    with pytest.raises(InvalidValueError, match=r'executor is 7; allowed: .* or an executor'):
        mbd_ros.compile(arm, executor=7)
    assert mbd_ros.compile(arm).executor.name == 'compiled'
    assert mbd_ros.compile(arm, executor=mbd_ros.Interpreted()).executor.name == 'interpreted'


def test_arguments_of_another_kind_are_named(arm):
    zero = np.zeros(3)
    with pytest.raises(InvalidValueError, match=r'external_forces is \[1\]; allowed: a mapping'):
        mbd_ros.forward_dynamics(arm, zero, zero, zero, external_forces=[1])
    with pytest.raises(InvalidValueError, match='path_or_text is 7; allowed: the path of a file'):
        mbd_ros.load(7)


@pytest.mark.parametrize('executor', ['interpreted', 'compiled'])
def test_a_joint_without_inertia(executor):
    text = ('<robot name="r"><link name="a"/><link name="b"/><joint name="spin" type="continuous">'
            '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>')
    model = mbd_ros.load(text, inertia='unchecked')
    with pytest.raises(SingularMassError, match="joint 'spin' moves no inertia: the result of fo"):
        mbd_ros.forward_dynamics(model, [0.0], [0.0], [1.0], executor=executor)


@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('entry', range(9))
def test_a_mass_matrix_that_is_not_finite_blames_no_joint(arm, value, entry):
    """Lengths of 1e200 m in a module graph do that."""
    matrix = np.eye(3)
    matrix.flat[entry] = value
    assert joint_of_no_inertia(arm, matrix) is None


def test_two_equal_arms_whose_hands_have_no_inertia():
    parts = ''.join(
        f'<link name="{side}arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
        f'iyy="1" iyz="0" izz="1"/></inertial></link><link name="{side}hand"/>'
        f'<joint name="{side}1" type="continuous"><parent link="a"/><child link="{side}arm"/>'
        f'<axis xyz="0 0 1"/></joint><joint name="{side}2" type="continuous">'
        f'<parent link="{side}arm"/><child link="{side}hand"/><axis xyz="0 0 1"/></joint>'
        for side in 'lr')
    model = mbd_ros.load(f'<robot name="r"><link name="a"/>{parts}</robot>', inertia='unchecked')
    with pytest.raises(SingularMassError, match=r"joint '[lr]2' moves no inertia: the result of"):
        mbd_ros.forward_dynamics(model, *np.zeros((3, 4)))


def test_a_point_mass_on_its_own_axis_at_one_configuration():
    """Regular at q2 = 1, singular at q2 = 0, where the mass sits on the axis of the first."""
    text = ('<robot name="r"><link name="a"/><link name="b"/><link name="c"><inertial>'
            '<mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
            '</inertial></link><joint name="turn" type="continuous"><parent link="a"/>'
            '<child link="b"/><axis xyz="0 0 1"/></joint><joint name="slide" type="prismatic">'
            '<parent link="b"/><child link="c"/><axis xyz="1 0 0"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>')
    model = mbd_ros.load(text, inertia='unchecked')
    np.testing.assert_allclose(mbd_ros.forward_dynamics(model, [0, 1], [0, 0], [1, 1]), [1, 1],
                               rtol=1e-14)  # a point mass on a lever of one metre
    with pytest.raises(SingularMassError, match="joint 'turn' moves no inertia"):
        mbd_ros.forward_dynamics(model, [0, 0], [0, 0], [1, 1])


def test_not_numbers(arm):
    with pytest.raises(InvalidValueError, match=r'q is .*; allowed: 3 real numbers'):
        mbd_ros.mass_matrix(arm, ['a', 'b', 'c'])
    with pytest.raises(InvalidValueError, match=r'q is .*; allowed: 3 real numbers'):
        mbd_ros.mass_matrix(arm, np.zeros(3, dtype=complex))


def test_floating_base_quaternion_of_no_length():
    model = mbd_ros.load(chain(1, 1), floating_base=True)
    with pytest.raises(InvalidValueError, match="q of joint 'floating_base', entries 3-6 is"):
        mbd_ros.forward_dynamics(model, np.zeros(model.nq), np.zeros(7), np.zeros(7))
    q = np.zeros(model.nq)
    q[4] = np.inf
    with pytest.raises(NotFiniteError, match="q of joint 'floating_base', entry 4 is inf"):
        mbd_ros.mass_matrix(model, q)


def test_external_forces_errors(arm):
    zero = np.zeros(3)
    with pytest.raises(ShapeError, match=r"external_forces\['link003'\] has shape \(3,\)"):
        mbd_ros.forward_dynamics(arm, zero, zero, zero, external_forces={'link003': zero})
    with pytest.raises(UnknownNameError, match="no link named 'tool'"):
        mbd_ros.forward_dynamics(arm, zero, zero, zero, external_forces={'tool': np.zeros(6)})
    with pytest.raises(NotFiniteError, match=r"external_forces\['link003'\] of entry 1 is nan"):
        mbd_ros.forward_dynamics(arm, zero, zero, zero,
                                 external_forces={'link003': [0, np.nan, 0, 0, 0, 0]})


def test_only_a_model_has_dynamics(arm):
    with pytest.raises(InvalidValueError, match=r'model .*urdf.*: a Model, as mbd_ros\.load'):
        mbd_ros.forward_dynamics('robot.urdf', [0.0], [0.0], [0.0])
    with pytest.raises(InvalidValueError, match='a Model'):
        mbd_ros.mass_matrix(None, [0.0])


def test_a_tree_has_no_loops(arm):
    q, v, tau = np.random.default_rng(0).normal(size=(3, 3))
    solution = mbd_ros.constrained_dynamics(arm, q, v, tau)
    np.testing.assert_array_equal(solution.accelerations,
                                  mbd_ros.forward_dynamics(arm, q, v, tau))
    assert (solution.rank, solution.multipliers.shape, solution.redundant) == (0, (0,), ())
    same_q, same_v = mbd_ros.close_loops(arm, q, v)
    np.testing.assert_array_equal([same_q, same_v], [q, v])
    with pytest.raises(ShapeError, match=r'q has shape \(2,\); allowed: \(3,\)'):
        mbd_ros.close_loops(arm, q[:2], v)


@pytest.mark.parametrize('executor', ['interpreted', 'compiled', 'rolled', 'unrolled', 'lanes',
                                      'threads', 'auto'])
def test_the_ground_is_a_link_that_does_not_move(executor):
    """In rolled code a walk from body -1 read before its tables."""
    model = mbd_ros.load(chain(3, 4))
    q, v, tau = random_state(model, 5)
    dyn = mbd_ros.compile(model, executor=executor)
    assert not dyn.jacobian(q, model.root).any()
    np.testing.assert_array_equal(dyn.pose(q, model.root), np.eye(4))
    motion = dyn.link_motion(q, v, model.root, tau)
    assert not motion.velocity.any() and not motion.acceleration.any()
    np.testing.assert_array_equal(
        mbd_ros.forward_dynamics(model, q, v, tau, executor=executor,
                                 external_forces={model.root: [1.0, 2, 3, 4, 5, 6]}),
        mbd_ros.forward_dynamics(model, q, v, tau, executor=executor))


@pytest.mark.parametrize('gravity', ['down', [[0.0, 0.0, -9.81]], (0.0, np.nan, 0.0), 9.81, {}])
def test_gravity_that_is_none(arm, gravity):
    with pytest.raises(InvalidValueError, match=r'gravity is .*; allowed: three finite numbers'):
        mbd_ros.gravity_forces(arm, np.zeros(3), gravity=gravity)


@pytest.mark.parametrize(('diagonal', 'joint'), [
    ((1.0, 0.0, 2.0), 'joint002'), ((0.0, 1.0, 2.0), 'joint001'), ((3.0, 1.0, 0.0), 'joint003'),
    ((1.0, 1e-9, 1e9), None), ((1.0, -1e-9, 1e9), 'joint002'), ((1e-300, 1e-300, 1.0), None)])
def test_the_joint_of_no_inertia(arm, diagonal, joint):
    """Rows and columns are scaled: units decide nothing."""
    assert joint_of_no_inertia(arm, np.diag(diagonal)) == joint


@pytest.mark.parametrize('entry', range(3))
def test_the_joint_with_the_largest_part_in_a_motion_of_no_inertia(arm, entry):
    """``diag(s) (1 - n n^T) diag(s)`` is singular along n, whatever the scales are."""
    n = np.full(3, 0.4)
    n[entry] = np.sqrt(1.0 - 2 * 0.4 ** 2)
    matrix = np.eye(3) - np.outer(n, n)
    scale = 1.0 / np.sqrt(np.diag(matrix)) * np.array([1e-3, 1.0, 1e3])
    # Of the matrix of ones on its diagonal n divided by the scales is the direction.
    parts = np.abs(n * np.sqrt(np.diag(matrix)))
    assert joint_of_no_inertia(arm, matrix * np.outer(scale, scale)) == (
        arm.joint_names[int(np.argmax(parts))])
    assert joint_of_no_inertia(arm, (matrix + 1e-9 * np.eye(3)) * np.outer(scale, scale)) is None
