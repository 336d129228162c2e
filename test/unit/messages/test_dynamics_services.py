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

"""Requests of the services to arrays and arrays to answers, against the library."""

import math

from geometry_msgs.msg import Accel, Pose, Twist, Vector3, Wrench
from mbd_msgs.msg import ErrorCode
from mbd_msgs.srv import ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix
import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.errors import (
    InvalidValueError, MbdError, NoModelError, NotFiniteError, ShapeError, SingularMassError,
    UnknownNameError)
from mbd_ros.messages.diagnostics.error_codes import fail
from mbd_ros.messages.dynamics import dynamics_answers as answers
from mbd_ros.messages.dynamics import dynamics_requests as requests

NAMES = ['joint3', 'joint1', 'joint2']
ORDER = [2, 0, 1]


def point(**fields):
    return JointTrajectoryPoint(**fields)


def test_forward_request_is_permuted(model):
    request = ForwardDynamics.Request(joint_names=NAMES, points=[
        point(positions=[3.0, 1.0, 2.0], velocities=[30.0, 10.0, 20.0], effort=[7.0, 5.0, 6.0]),
        point(positions=[0.3, 0.1, 0.2])])
    states = requests.read_forward(model, request)
    assert states.q.tolist() == [[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]]
    assert states.v.tolist() == [[10.0, 20.0, 30.0], [0.0, 0.0, 0.0]]
    assert states.driven.tolist() == [[5.0, 6.0, 7.0], [0.0, 0.0, 0.0]]


def test_answer_is_permuted_back(model):
    request = InverseDynamics.Request(joint_names=NAMES, points=[point(positions=[3.0, 1.0, 2.0])])
    states = requests.read_inverse(model, request)
    response = InverseDynamics.Response()
    answers.write_efforts(response, request.points, states.order, np.array([[1.0, 2.0, 3.0]]),
                          {'gravity': np.array([[10.0, 20.0, 30.0]])})
    assert list(response.points[0].effort) == [3.0, 1.0, 2.0]
    assert list(response.points[0].positions) == [3.0, 1.0, 2.0]
    assert response.terms[0].name == 'gravity'
    assert list(response.terms[0].efforts) == [30.0, 10.0, 20.0]
    assert not response.base_wrenches


def test_mass_matrix_rows_follow_the_request(model):
    request = MassMatrix.Request(joint_names=NAMES, points=[point(positions=[0.3, 0.1, 0.2])])
    states = requests.read_configurations(model, request)
    M = mbd_ros.mass_matrix(model, states.q)
    response = MassMatrix.Response()
    answers.write_mass_matrices(response, model, states.order, M)
    assert response.row_names == NAMES
    data = np.array(response.data).reshape(1, response.rows, response.columns)
    assert np.array_equal(data[0], M[0][np.ix_(ORDER, ORDER)])


def test_joint_wrenches_go_point_after_point(model):
    request = JointWrenches.Request(joint_names=NAMES, points=[
        point(positions=[0.3, 0.1, 0.2], effort=[7.0, 5.0, 6.0]), point(positions=[0.0] * 3)])
    states = requests.read_forward(model, request)
    wrenches = mbd_ros.joint_wrenches(model, states.q, states.v, states.driven)
    response = JointWrenches.Response()
    answers.write_joint_wrenches(response, model, wrenches)
    assert response.wrench_joints == list(model.joint_names)
    assert response.wrench_children == list(model.body_names)
    assert response.joint_wrenches[4].force.y == wrenches[1, 1, 1]
    assert response.joint_wrenches[2].torque.z == wrenches[0, 2, 5]


def test_floating_base_travels_as_pose_and_twist(floating):
    pose, twist, wrench = Pose(), Twist(), Wrench()
    pose.position.x, pose.position.y, pose.position.z = 1.0, 2.0, 3.0
    pose.orientation.w, pose.orientation.z = 0.6, 0.8
    twist.linear.x, twist.angular.z = 4.0, 5.0
    wrench.force.y, wrench.torque.x = 6.0, 7.0
    request = ForwardDynamics.Request(
        joint_names=NAMES, points=[point(positions=[0.3, 0.1, 0.2])], base_poses=[pose],
        base_twists=[twist], base_wrenches=[wrench])
    states = requests.read_forward(floating, request)
    assert states.q[0] == pytest.approx([1.0, 2.0, 3.0, 0.0, 0.0, 0.8, 0.6, 0.1, 0.2, 0.3])
    assert states.v[0].tolist() == [4.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0]
    assert states.driven[0].tolist() == [0.0, 6.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    response = ForwardDynamics.Response()
    answers.write_accelerations(response, request.points, states.order, np.arange(9.0)[None])
    assert list(response.points[0].accelerations) == [8.0, 6.0, 7.0]
    assert response.base_accelerations[0].linear.y == 1.0
    assert response.base_accelerations[0].angular.z == 5.0
    matrices = MassMatrix.Response()
    answers.write_mass_matrices(matrices, floating, states.order, np.zeros((1, 9, 9)))
    assert matrices.row_names[:2] == ['base_link.linear.x', 'base_link.linear.y']
    assert (matrices.rows, matrices.columns, len(matrices.data)) == (9, 9, 81)


def test_efforts_of_a_floating_base_are_wrenches(floating):
    """Force, then moment, as six rows of the generalized force; terms of them, too."""
    request = InverseDynamics.Request(
        joint_names=NAMES, points=[point(positions=[0.0] * 3)] * 2,
        base_poses=[_unit_pose()] * 2, base_accelerations=[Accel()] * 2)
    states = requests.read_inverse(floating, request)
    response = InverseDynamics.Response()
    efforts = np.arange(18.0).reshape(2, 9)
    answers.write_efforts(response, request.points, states.order, efforts,
                          {'gravity': 100.0 + efforts})
    for found, start in ((response.base_wrenches, 0.0), (response.terms[0].base_wrenches, 100.0)):
        for row, message in zip(start + efforts, found, strict=True):
            force, torque = message.force, message.torque
            assert [force.x, force.y, force.z, torque.x, torque.y, torque.z] == row[:6].tolist()
    assert list(response.terms[0].efforts) == [108.0, 106.0, 107.0, 117.0, 115.0, 116.0]
    assert list(response.points[1].effort) == [17.0, 15.0, 16.0]


@pytest.mark.parametrize('dissipation', [False, True])
@pytest.mark.parametrize('forces', [False, True])
def test_an_answer_says_what_its_equations_held(model, dissipation, forces):
    included = answers.terms_included(external_forces=forces, dissipation=dissipation)
    assert included[:3] == ['inertial', 'velocity', 'gravity']
    assert ('dissipation' in included, 'external_forces' in included) == (dissipation, forces)
    request = MassMatrix.Request(joint_names=NAMES, points=[point(positions=[0.0] * 3)])
    response = answers.succeed(
        MassMatrix.Response(), requests.read_configurations(model, request).order, 7,
        formulation='recursive', executor='compiled', computation_time=0.25)
    assert (response.success, response.error_code) == (True, ErrorCode.SUCCESS)
    assert (response.model_generation, response.computation_time) == (7, 0.25)
    assert (response.formulation, response.executor) == ('recursive', 'compiled')
    assert list(response.joint_names) == NAMES


def test_what_else_enters_the_equations(model):
    wrench = Wrench()
    wrench.force.z, wrench.torque.y = -5.0, 2.0
    request = ForwardDynamics.Request(
        joint_names=NAMES, points=[point(positions=[0.0] * 3)] * 2, gravity=[Vector3(z=-1.6)],
        wrench_links=['tool', 'link2'], wrenches=[wrench, Wrench()] * 2, dissipation=True)
    terms = requests.read_terms(model, request, [0.0, 0.0, -9.81])
    assert terms['gravity'] == [0.0, 0.0, -1.6]
    assert terms['dissipation'] is True
    assert terms['formulation'] == 'auto'
    assert terms['executor'] == 'auto'
    assert terms['external_forces']['tool'].tolist() == [[0.0, 0.0, -5.0, 0.0, 2.0, 0.0]] * 2
    assert terms['external_forces']['link2'].tolist() == [[0.0] * 6] * 2
    plain = ForwardDynamics.Request(joint_names=NAMES, points=[point(positions=[0.0] * 3)])
    assert requests.read_terms(model, plain, [0.0, 0.0, -9.81])['gravity'] == [0.0, 0.0, -9.81]


@pytest.mark.parametrize(('changes', 'error', 'message'), [
    ({'joint_names': ['joint1', 'joint2', 'joint4']}, UnknownNameError,
     "there is no joint named 'joint4'; known: joint1, joint2, joint3; did you mean"),
    ({'joint_names': ['joint1', 'joint2']}, ShapeError,
     r'joint_names has shape \(2,\); allowed: \(3,\), every joint of the model once; '
     'missing: joint3'),
    ({'joint_names': [*NAMES, 'joint1']}, ShapeError, 'model once; named twice: joint1'),
    ({'joint_names': [*NAMES[:-1], NAMES[0]]}, ShapeError,
     f'model once; missing: {NAMES[-1]}; named twice: {NAMES[0]}'),
    ({'points': []}, ShapeError, 'points has shape .* at least one point'),
    ({'points': [point(positions=[0.0] * 2)]}, ShapeError,
     r'positions of point 0 has shape \(2,\); allowed: \(3,\), one for each joint name'),
    ({'points': [point(positions=[0.0] * 3, effort=[1.0])]}, ShapeError, 'effort of point 0'),
    ({'points': [point(positions=[0.0, math.nan, 0.0])]}, NotFiniteError,
     "positions of point 0 of joint 'joint1' is nan"),
    ({'points': [point(positions=[0.0] * 3, accelerations=[0.0] * 3)]}, InvalidValueError,
     'accelerations of point 0 is .3 numbers.; allowed: none'),
    ({'base_poses': [Pose()]}, InvalidValueError, 'the base of this robot does not float'),
])
def test_bad_requests_are_explained(model, changes, error, message):
    fields = {'joint_names': NAMES, 'points': [point(positions=[0.0] * 3)], **changes}
    with pytest.raises(error, match=message):
        requests.read_forward(model, ForwardDynamics.Request(**fields))


@pytest.mark.parametrize(('changes', 'error', 'message'), [
    ({'wrench_links': ['tol'], 'wrenches': [Wrench()]}, UnknownNameError,
     "no link named 'tol'.*did you mean 'tool'"),
    ({'wrench_links': ['tool'], 'wrenches': [Wrench()] * 3}, ShapeError, r'wrenches has shape'),
    ({'gravity': [Vector3(x=math.nan)]}, NotFiniteError, 'gravity of x is nan'),
    ({'gravity': [Vector3(y=1e200)]}, InvalidValueError,
     r'gravity\.y is 1e\+200; allowed: from -1e\+100 to 1e\+100'),
    ({'wrench_links': ['tool'], 'wrenches': [Wrench(torque=Vector3(z=-1.7e308))]},
     InvalidValueError, r'wrenches\[0\]\.z is -1\.7e\+308; allowed: from -1e\+100'),
])
def test_bad_terms_are_explained(model, changes, error, message):
    request = ForwardDynamics.Request(
        joint_names=NAMES, points=[point(positions=[0.0] * 3)] * 2, **changes)
    with pytest.raises(error, match=message):
        requests.read_terms(model, request, [0.0, 0.0, -9.81])


def test_configurations_alone_are_asked_for(model):
    for field in ('velocities', 'accelerations', 'effort'):
        request = MassMatrix.Request(joint_names=NAMES, points=[
            point(positions=[0.0] * 3), point(positions=[0.0] * 3, **{field: [0.0] * 3})])
        with pytest.raises(InvalidValueError, match=rf'{field} of point 1 is .*allowed: none'):
            requests.read_configurations(model, request)


@pytest.mark.parametrize(('links', 'count', 'shape'), [
    (['tool'], 0, r'\(0,\)'), ([], 1, r'\(1,\)'), (['tool', 'link2'], 1, r'\(1,\)')])
def test_wrenches_go_with_links(model, links, count, shape):
    request = ForwardDynamics.Request(joint_names=NAMES, points=[point(positions=[0.0] * 3)] * 2,
                                      wrench_links=links, wrenches=[Wrench()] * count)
    with pytest.raises(ShapeError, match=f'wrenches has shape {shape}'):
        requests.read_terms(model, request, [0.0, 0.0, -9.81])


def test_wrenches_of_points_come_point_by_point(model):
    """With as many as there are links they hold for all points; of each a link at most one."""
    points = [point(positions=[0.0] * 3)] * 2
    wrenches = [Wrench(force=Vector3(x=float(k))) for k in range(4)]
    request = ForwardDynamics.Request(joint_names=NAMES, points=points, wrenches=wrenches,
                                      wrench_links=['tool', 'link2'])
    found = requests.read_terms(model, request, [0.0] * 3)['external_forces']
    assert found['tool'][:, 0].tolist() == [0.0, 2.0]
    assert found['link2'][:, 0].tolist() == [1.0, 3.0]
    request.wrenches = wrenches[2:]
    found = requests.read_terms(model, request, [0.0] * 3)['external_forces']
    assert (found['tool'][0], found['link2'][0]) == (2.0, 3.0)
    request.wrench_links = ['tool', 'tool']
    with pytest.raises(InvalidValueError, match=r'wrench_links is .*; allowed: each link at most'):
        requests.read_terms(model, request, [0.0] * 3)


@pytest.mark.parametrize('length', [1.0 - 2e-3, 1.0 - 5e-4, 1.0, 1.0 + 5e-4, 1.0 + 2e-3])
def test_a_quaternion_may_be_off_by_a_thousandth(floating, length):
    """Numbers of single precision, printed, are taken, and their length is made one."""
    pose = Pose()
    pose.orientation.x, pose.orientation.w = 0.6 * length, 0.8 * length
    request = ForwardDynamics.Request(joint_names=NAMES, points=[point(positions=[0.0] * 3)],
                                      base_poses=[pose])
    if abs(length - 1.0) > 1e-3:
        with pytest.raises(InvalidValueError, match=r'base_poses\[0\].orientation is .* length 1'):
            requests.read_forward(floating, request)
    else:
        assert requests.read_forward(floating, request).q[0, 3:7] == pytest.approx(
            [0.6, 0.0, 0.0, 0.8], abs=1e-15)   # rounding of one division


def test_base_must_be_given_and_be_a_rotation(floating):
    request = ForwardDynamics.Request(joint_names=NAMES, points=[point(positions=[0.0] * 3)])
    with pytest.raises(ShapeError, match=r'base_poses has shape \(0,\)'):
        requests.read_forward(floating, request)
    pose = Pose()
    pose.orientation.w = 2.0
    request.base_poses = [pose]
    with pytest.raises(InvalidValueError, match='a quaternion x y z w of length 1'):
        requests.read_forward(floating, request)
    request = InverseDynamics.Request(
        joint_names=NAMES, points=[point(positions=[0.0] * 3)],
        base_poses=[_unit_pose()], base_accelerations=[Accel()] * 2)
    with pytest.raises(ShapeError, match='base_accelerations'):
        requests.read_inverse(floating, request)


@pytest.mark.parametrize(('error', 'code', 'name'), [
    (NoModelError('nothing came'), ErrorCode.NO_MODEL, ''),
    (UnknownNameError('joint', 'elbow', ['a']), ErrorCode.UNKNOWN_NAME, 'elbow'),
    (ShapeError('q', (1,), '(2,)'), ErrorCode.WRONG_SIZE, ''),
    (NotFiniteError('q', "joint 'a'", math.nan), ErrorCode.NOT_FINITE, 'a'),
    (SingularMassError('a', 'reason'), ErrorCode.SINGULAR_MASS, 'a'),
    (MbdError('boom'), ErrorCode.INTERNAL, ''),
])
def test_errors_become_answers_without_numbers(error, code, name):
    response = fail(ForwardDynamics.Response(), error, 7)
    assert not response.success
    assert response.error_code == code
    assert response.name_at_fault == name
    assert response.message == str(error)
    assert response.model_generation == 7
    assert not response.points


def _unit_pose():
    pose = Pose()
    pose.orientation.w = 1.0
    return pose
