"""Inverse kinematics: poses that configurations give are found again, within the limits."""

from pathlib import Path

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
from robots import model_of, random_state, trees

import mbd_ros
from mbd_ros.errors import InvalidValueError, ShapeError, UnknownNameError, UnsupportedError

URDF = Path(__file__).resolve().parents[3] / 'urdf'
PANDA = mbd_ros.load(URDF / 'panda.urdf')
TOOL = 'tool'
NEAR = 0.1
"""[rad, m]: what is that near is found from the neutral side of no singular configuration."""


def configurations(model, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([mbd_ros.random_configuration(model, rng) for _ in range(count)])


def test_poses_of_an_arm_are_found_within_its_limits():
    poses = mbd_ros.pose(PANDA, configurations(PANDA, 100), TOOL)
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: poses}, attempts=20)
    assert found.q.shape == (100, 7) and found.error.shape == found.converged.shape == (100,)
    # Each attempt succeeds on about 6 of 10 poses: 20 of them miss one in 1e8.
    assert found.converged.all()
    # The error is that of positions and rotation vectors; an entry of the pose has no more.
    np.testing.assert_allclose(mbd_ros.pose(PANDA, found.q, TOOL), poses, atol=2e-9)
    assert (found.q >= PANDA.lower).all() and (found.q <= PANDA.upper).all()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=trees(max_joints=6), seed=st.integers(0, 2**16))
def test_near_positions_on_random_trees(text, seed):
    model = mbd_ros.load(text)
    q = random_state(model, seed)[0]
    links = model.body_names[-2:]
    targets = {link: mbd_ros.pose(model, q, link)[:3, 3] for link in links}
    start = mbd_ros.integrate(model, q, NEAR * np.ones(model.nv))
    found = mbd_ros.inverse_kinematics(model, targets, start, limits=False, tolerance=1e-6,
                                       iterations=200)
    for link, target in targets.items():
        # Near a singular configuration the error falls slowly; it never grows.
        begin = np.abs(mbd_ros.pose(model, start, link)[:3, 3] - target).max()
        assert np.abs(mbd_ros.pose(model, found.q, link)[:3, 3] - target).max() <= max(
            begin, float(found.error)) + 1e-12


def test_a_floating_base_with_a_spherical_joint():
    model = model_of([0, 1], ['floating', 'spherical'], 3)
    q = configurations(model, 5)
    link = model.body_names[1]
    found = mbd_ros.inverse_kinematics(model, {link: mbd_ros.pose(model, q, link)})
    assert found.converged.all()
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:7], axis=1), 1.0, atol=1e-14)


def test_a_target_out_of_reach_is_pointed_at():
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: [5.0, 0.0, 0.333]})
    assert found.converged.shape == () and not found.converged
    # Stretched towards it, seen from the shoulder at the same height.
    point = mbd_ros.pose(PANDA, found.q, TOOL)[:3, 3]
    assert point[0] > 0.8
    assert found.error == pytest.approx(np.abs(point - [5.0, 0.0, 0.333]).max())


def test_limits_may_be_left():
    poses = mbd_ros.pose(PANDA, configurations(PANDA, 50), TOOL)
    found = mbd_ros.inverse_kinematics(PANDA, {TOOL: poses}, limits=False, attempts=5)
    assert found.converged.all()
    assert ((found.q < PANDA.lower) | (found.q > PANDA.upper)).any()


def test_loops_are_refused():
    model = mbd_ros.load(URDF / 'four_bar.urdf')
    with pytest.raises(UnsupportedError, match='closed loops'):
        mbd_ros.inverse_kinematics(model, {model.body_names[0]: [0.0, 0.0, 0.0]})


@pytest.mark.parametrize(('targets', 'options', 'error', 'text'), [
    ({}, {}, InvalidValueError, 'at least one link'),
    ({'hand': [0.0, 0.0, 0.0]}, {}, UnknownNameError, 'hand'),
    ({TOOL: [0.0, 0.0]}, {}, ShapeError, r'\(4, 4\)'),
    ({TOOL: ['a', 'b', 'c']}, {}, InvalidValueError, 'numbers'),
    ({TOOL: [0.0, np.nan, 0.0]}, {}, InvalidValueError, 'finite'),
    ({TOOL: 2.0 * np.eye(4)}, {}, InvalidValueError, 'rotation matrix'),
    ({TOOL: np.zeros((2, 3)), 'link3': np.zeros((3, 3))}, {}, ShapeError, 'as many states'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'iterations': 0}, InvalidValueError, 'iterations'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'attempts': 1.5}, InvalidValueError, 'attempts'),
    ({TOOL: [0.0, 0.0, 0.0]}, {'q0': np.zeros(3)}, ShapeError, 'q0'),
])
def test_bad_input_is_one_clear_error(targets, options, error, text):
    with pytest.raises(error, match=text):
        mbd_ros.inverse_kinematics(PANDA, targets, **options)
