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

"""Order, frames and merging."""

from math import inf
from pathlib import Path

from described import bare, joint, link, one_joint, robot
import numpy as np
import pytest

from mbd_ros.errors import DescriptionError
from mbd_ros.model import JointType, load, Model

LADDER = Path(__file__).resolve().parents[2] / 'data' / 'ladder'
FILES = sorted(LADDER.glob('*.urdf'))


def resting_poses(model: Model) -> dict[str, np.ndarray]:
    """Return the pose of every link at q = 0, from the model."""
    bodies: list[np.ndarray] = []
    for i, parent in enumerate(model.parents):
        pose = homogeneous(model.rotations[i], model.translations[i])
        bodies.append(pose if parent < 0 else bodies[parent] @ pose)
    ground = np.eye(4)
    return {name: (ground if frame.body < 0 else bodies[frame.body])
            @ homogeneous(frame.rotation, frame.translation)
            for name, frame in model.links.items()}


def homogeneous(rotation: np.ndarray, translation: np.ndarray) -> np.ndarray:
    """Return a 4 x 4 pose."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, translation
    return pose


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_links_rest_where_the_joints_put_them(path):
    model = load(path)
    expected = {model.root: np.eye(4)}
    waiting = list(model.mechanism.joints)
    while waiting:
        item = waiting.pop(0)
        if item.parent not in expected:
            waiting.append(item)
            continue
        expected[item.child] = expected[item.parent] @ homogeneous(
            np.array(item.origin.rotation), np.array(item.origin.translation))
    poses = resting_poses(model)
    assert set(poses) == set(expected) == {item.name for item in model.mechanism.links}
    for name, pose in expected.items():
        # A chain of at most six products of matrices of order 1.
        np.testing.assert_allclose(poses[name], pose, atol=1e-14)


@pytest.mark.parametrize('floating_base', [False, True])
@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_nothing_is_lost_by_merging(path, floating_base):
    model = load(path, floating_base=floating_base, inertia='unchecked')
    bodies = [item for item in model.mechanism.links if item.inertia is not None
              and model.links[item.name].body >= 0]
    poses = resting_poses(model)
    total = sum(item.inertia.mass for item in bodies)
    moment = sum(item.inertia.mass * (poses[item.name] @ [*item.inertia.center, 1.0])[:3]
                 for item in bodies)
    frames = [homogeneous(np.eye(3), np.zeros(3))] * model.nb
    for i, parent in enumerate(model.parents):
        pose = homogeneous(model.rotations[i], model.translations[i])
        frames[i] = pose if parent < 0 else frames[parent] @ pose
    centers = np.array([(frame @ [*center, 1.0])[:3]
                        for frame, center in zip(frames, model.mass_centers)])
    # Sums of at most seven terms of order 1.
    assert model.masses.sum() == pytest.approx(total, rel=1e-14)
    if model.nb:
        np.testing.assert_allclose(model.masses @ centers, moment, atol=1e-13)


def test_the_order_is_depth_first_by_joint_name():
    model = load(LADDER / '06_branched_tree.urdf')
    assert model.joint_names == ('turn', 'a_right', 'right_wrist', 'neck', 'z_left', 'left_wrist')
    assert model.body_names == ('trunk', 'right', 'right_hand', 'head', 'left', 'left_hand')
    assert model.parents == (-1, 0, 1, 0, 0, 4)


def test_fixed_joints_are_merged():
    model = load(LADDER / '05_fixed_links.urdf')
    assert model.joint_names == ('shoulder', 'wrist')
    assert {name: frame.body for name, frame in model.links.items()} == {
        'ground': -1, 'stand': -1, 'arm': 0, 'weight': 0, 'camera': 0, 'lens': 0, 'hand': 1}
    assert model.masses.tolist() == [2.0 + 0.8 + 0.2, 1.5]


def test_axes_along_coordinates_leave_exact_zeros():
    model = load(LADDER / '02_double_pendulum.urdf')
    assert model.rotations[0].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]  # z along the old y
    assert model.mass_centers.tolist() == [[-0.4, 0.0, 0.0], [0.0, -0.3, 0.0]]
    for array in (model.rotations, model.translations, model.mass_centers, model.inertias):
        assert not np.signbit(array[array == 0.0]).any()
    assert np.count_nonzero(model.inertias) == 6


def test_generic_axes_are_z_of_their_bodies():
    model = load(LADDER / '04_generic_axis.urdf')
    for item in model.mechanism.joints:
        frame = model.links[item.child]
        # In the body's frame, after one product with an orthonormal matrix.
        np.testing.assert_allclose(frame.rotation @ item.axis, [0, 0, 1], atol=1e-15)


@pytest.mark.parametrize('named', ['free', 'floating_base'])
def test_a_robot_that_floats_already_is_not_set_free_twice(named):
    """The message says which of both to leave out; a root link with a mass is another body."""
    def text(root):
        return robot(root, link('hull'), joint(named, 'floating', 'world', 'hull', ''))
    with pytest.raises(DescriptionError, match='without floating_base' if (
            named == 'floating_base') else 'leave out floating_base=True'):
        load(text(bare('world')), floating_base=True)
    assert load(text(bare('world'))).nv == 6
    if named == 'free':
        assert load(text(link('world')), floating_base=True).nv == 12


def test_offsets_and_types_with_a_floating_base():
    model = load(LADDER / '08_floating_arms.urdf', floating_base=True)
    assert model.joint_names == ('floating_base', 'shoulder_left', 'elbow_left', 'shoulder_right',
                                 'tether')
    assert model.joint_types == (JointType.FLOATING, *[JointType.REVOLUTE] * 3, JointType.FLOATING)
    assert model.q_offsets == (0, 7, 8, 9, 10)
    assert model.v_offsets == (0, 6, 7, 8, 9)
    assert (model.nq, model.nv, model.nb) == (17, 15, 5)
    assert model.lower.shape == (15,)
    assert np.isinf(model.upper[:6]).all()
    assert model.upper[6] == 3.0


def test_the_root_keeps_its_inertia_when_it_floats():
    model = load(LADDER / '07_floating_box.urdf', floating_base=True)
    assert model.masses.tolist() == [3.0]
    assert model.mass_centers.tolist() == [[0.02, -0.01, 0.03]]
    assert load(LADDER / '07_floating_box.urdf').nb == 0


def test_a_robot_without_joints():
    model = load(robot(bare('a')))
    assert (model.nq, model.nv, model.nb, model.joint_names) == (0, 0, 0, ())
    assert model.rotations.shape == (0, 3, 3)


def test_dynamics_and_limits_come_in_the_order_of_v():
    model = load(LADDER / '10_armature_damping.urdf')
    assert model.armature.tolist() == [0.2, 0.8, 0.0]
    assert model.damping.tolist() == [0.3, 2.5, 0.0]
    assert model.friction.tolist() == [0.05, 0.0, 0.01]
    assert model.lower.tolist() == [-inf, -0.3, -inf]
    assert model.upper.tolist() == [inf, 0.3, inf]
    assert model.effort_limits.tolist() == [inf, 40.0, inf]
    assert model.velocity_limits.tolist() == [inf, 1.0, inf]


def test_the_name_of_the_floating_base_is_taken():
    text = robot(link('a'), link('b'), joint('floating_base', 'revolute', 'a', 'b'))
    with pytest.raises(DescriptionError) as caught:
        load(text, floating_base=True)
    assert str(caught.value) == (
        "<string>:4: joint 'floating_base' has the name of the joint that floating_base=True "
        'adds; rename it or load without floating_base')
    assert load(text).joint_names == ('floating_base',)


def test_findings_travel_with_the_model():
    model = load(one_joint('<axis xyz="0 0 2"/>', 'continuous'))
    assert [str(finding) for finding in model.findings] == [
        "<string>:4: info: joint 'j': the <axis> has the length 2; it is scaled to 1"]
    assert model.mechanism.findings == model.findings
    assert model.loops == ()
