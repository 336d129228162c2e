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

"""Constraints on robots whose links bend: what joints can keep, and what they cannot."""

from flexible_robots import HEAD, revolute
import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import (
    Baumgarte, internal_dynamics, joint_path, JointCoupling, Line, ServoEfforts, Stack,
    ToolPosition, trajectory, udwadia_kalaba)
from mbd_ros.errors import (
    InfeasibleError, InvalidValueError, NotFiniteError, ShapeError, UnsupportedError)

ARM = mbd_ros.load('urdf/flexible_arm.urdf')
DYN = mbd_ros.compile(ARM)
REST = np.zeros(ARM.nv)
JOINTS = np.eye(ARM.nv)[:4]


@pytest.fixture(scope='module')
def posture():
    q = np.concatenate([[0.0, -0.9, 1.2, 0.3], np.zeros(10)])
    q[4:] = mbd_ros.static_deflection(ARM, q)
    return q


def tool_and_wrist(q):
    """Return the constraint of the hand on a line, the wrist held, which determines all joints."""
    place = DYN.pose(q, 'hand')[:3, 3]
    line = Line(place, place + np.array([0.0, 0.1, 0.05]), 1.0)
    return Stack([ToolPosition(DYN, 'hand', line), JointCoupling(ARM, {'wrist': 1.0}, q[3])], q,
                 REST)


def test_joints_alone_do_what_hybrid_dynamics_ask_for(posture):
    rng = np.random.default_rng(3)
    q = posture + 0.01 * rng.normal(size=14)
    v, wanted = 0.3 * rng.normal(size=(2, 14))
    found = udwadia_kalaba(ARM, q, v, REST, JOINTS, wanted[:4], actuated=ARM.joint_names)
    hybrid = mbd_ros.hybrid_dynamics(ARM, q, v, REST, wanted, given=ARM.joint_names)
    # Two ways to one solution; the masses that modes feel differ by 1e5.
    np.testing.assert_allclose(found.accelerations, hybrid.qdd, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.constraint_force, hybrid.tau, rtol=1e-8, atol=1e-8)
    assert not found.constraint_force[4:].any()
    many = udwadia_kalaba(ARM, [q, posture], v, REST, JOINTS, wanted[:4],
                          actuated=ARM.joint_names)
    np.testing.assert_array_equal(many.accelerations[0], found.accelerations)


def test_rows_of_a_tool_hold_by_efforts_of_joints_alone(posture):
    tool, v = tool_and_wrist(posture), 0.1 * np.cos(np.arange(14.0))
    A, b = tool.matrix(posture, v, 0.5), tool.right_side(posture, v, 0.5)
    found = udwadia_kalaba(ARM, posture, v, REST, A, b, actuated=ARM.joint_names)
    assert not found.constraint_force[4:].any() and found.rank == 4
    unbound = udwadia_kalaba(ARM, posture, v, REST, A, b)   # pushes links from within, too
    assert np.abs(unbound.constraint_force[4:]).max() > 1.0
    vdot = mbd_ros.forward_dynamics(ARM, posture, v, found.constraint_force)
    # Modes of up to 850 Hz accelerate by 1e4 m/s^2 for a tool that does by 1.
    np.testing.assert_allclose(A @ vdot, b, atol=1e-8 * np.abs(vdot).max())


def test_the_rows_of_a_tool_see_how_links_bend(posture):
    tool, step = ToolPosition(DYN, 'hand', Line([0, 0, 0], [1, 0, 0], 1.0)), 1e-6
    v = 0.1 * np.cos(np.arange(14.0))
    ahead, behind = (tool.violation(posture + s * step * v, 0.0) for s in (1.0, -1.0))
    # Central differences: rounding of 1e-16 / 1e-6 and a third derivative of some 1e-12.
    np.testing.assert_allclose(tool.matrix(posture, v, 0.0) @ v, (ahead - behind) / (2.0 * step),
                               atol=1e-9)


def test_with_joints_held_links_swing_at_their_frequencies(posture):
    roots = internal_dynamics(ARM, posture, JOINTS)
    assert roots[0].real < 1e-3   # double zeros, of which rounding leaves the root
    found = np.sort(np.abs(roots))[8:] / (2.0 * np.pi)
    f = mbd_ros.natural_frequencies(ARM, posture, locked=ARM.joint_names,
                                    gravity=(0.0, 0.0, -9.81)).frequencies
    # |root| of a mode with a damping of its own is its undamped frequency; modes of two links
    # are damped together, which moves it by the square of the ratio of damping, 1e-4.
    np.testing.assert_allclose(found, np.repeat(f, 2), rtol=1e-3)


def test_from_joints_to_a_tool_a_robot_is_not_of_minimum_phase(posture):
    A = tool_and_wrist(posture).matrix(posture, REST, 0.0)
    assert internal_dynamics(ARM, posture, A)[0].real > 1000.0


@pytest.mark.parametrize('stiffer', [1.0, 4.0])
def test_the_tip_of_a_beam_has_roots_on_both_sides(stiffer):
    beam = (f'{HEAD}<link name="base"/><link name="arm"><inertial><origin xyz="0.5 0 0"/>'
            '<mass value="0.54"/><inertia ixx="1e-5" iyy="0.045" izz="0.045" ixy="0" ixz="0" '
            'iyz="0"/></inertial><mbd:flexible><beam length="1" section="rectangle 0.04 0.005" '
            f'material="{stiffer * 70e9!r} 26e9 2700" modes="1 0 0"/></mbd:flexible></link>'
            + revolute('joint', 'base', 'arm', (0, 0, 0), (0, 0, 1))
            + '<link name="tip"/><joint name="end" type="fixed"><origin xyz="1 0 0"/>'
            '<parent link="arm"/><child link="tip"/></joint></robot>')
    model = mbd_ros.load(beam)
    A = mbd_ros.jacobian(model, np.zeros(2), 'tip')[1:2]
    roots = internal_dynamics(model, np.zeros(2), A, gravity=(0.0, 0.0, 0.0))
    # With the tip held, q'' = -phi a'', the elastic row is (M_aa - M_qa phi) a'' + K a = 0, and
    # its mass is negative: the tip outruns the joint.
    M, phi = mbd_ros.mass_matrix(model, np.zeros(2)), A[0, 1]
    K = model.elastic.bodies[0].stiffness[0, 0]
    root = np.sqrt(-K / (M[1, 1] - M[0, 1] * phi))
    np.testing.assert_allclose([roots[0].real, roots[-1].real], [root, -root], rtol=1e-6)


def test_joints_follow_their_path_while_links_swing(posture):
    end = posture[:4] + np.array([0.1, 0.06, -0.06, -0.07])
    path = trajectory([0.0, 0.2], [posture[:4], end], np.zeros((2, 4)), np.zeros((2, 4)))
    servo = ServoEfforts(DYN, Baumgarte(joint_path(ARM, ARM.joint_names, path), 20.0, 100.0))
    run = mbd_ros.simulate(ARM, posture, REST, 0.2, tau=servo)
    errors = [run.q[k, :4] - path.at(t).position for k, t in enumerate(run.time)]
    # Efforts that are held for 1 ms are half of that late: 0.5 ms * 0.2 s of a jerk of 1e2 / 1e2.
    assert np.abs(errors).max() < 1e-4
    swing = run.q[:, 4:] - posture[4:]
    assert np.abs(swing).max() > 1e-3   # the links do bend meanwhile


def test_a_tool_on_a_path_is_refused(posture):
    tool = tool_and_wrist(posture)
    with pytest.raises(InfeasibleError, match=r'grow as exp\(4488 t\).*not of minimum phase'):
        ServoEfforts(DYN, tool)(0.0, posture, REST)


def test_its_efforts_grow_beyond_all_limits(posture):
    servo = ServoEfforts(DYN, tool_and_wrist(posture), checked=False)
    begin, grown = servo(0.0, posture, REST), []

    def tau(t, q, v):
        efforts = servo(t, q, v)
        grown.append(np.abs(efforts - begin).max())
        return efforts
    with pytest.raises(InfeasibleError, match=r"'yaw' would have to exert .* allowed is 80"):
        mbd_ros.simulate(ARM, posture, REST, 0.01, step=1e-4, tau=tau)
    assert len(grown) < 40 and max(grown) > 50.0   # within 2 ms, two calls a step


def test_closed_loops_are_refused():
    model = mbd_ros.load('urdf/four_bar.urdf')
    row = np.ones((1, model.nv))
    with pytest.raises(UnsupportedError, match='closed loops'):
        internal_dynamics(model, np.zeros(model.nq), row)
    with pytest.raises(UnsupportedError, match='closed loops'):
        ServoEfforts(mbd_ros.compile(model), tool_and_wrist(np.zeros(14)))


@pytest.mark.parametrize(('q', 'A', 'error', 'name'), [
    (np.zeros(14), np.full((1, 14), np.nan), NotFiniteError, 'A'),
    (np.zeros(14), 'abc', InvalidValueError, 'A'), (np.zeros(14), np.zeros(14), ShapeError, 'A'),
    (np.zeros(14), np.zeros((1, 3)), ShapeError, 'A'),
    (np.zeros((2, 14)), np.zeros((1, 14)), ShapeError, 'q')])
def test_rows_that_are_none(q, A, error, name):
    with pytest.raises(error, match=f'^{name} '):
        internal_dynamics(ARM, q, A)
