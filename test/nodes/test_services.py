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

"""The services of dynamics_server: answers to many at once, refusals, new robots."""

import math
import sys
import threading
import time

from diagnostic_msgs.msg import DiagnosticArray
from mbd_msgs.msg import ErrorCode
from mbd_msgs.srv import (
    CheckModel, ForwardDynamics, InverseDynamics, JointWrenches, MassMatrix)
import numpy as np
import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.dynamics.loops.closure import open_loops

pytestmark = pytest.mark.nodes

CLIENTS = 4
CALLS = 24   # of each
SAME = 1e-12   # relative: the same code on the same numbers, sent as doubles


@pytest.fixture
def model(urdf):
    return mbd_ros.load(urdf('puma560'))


def points_of(order, **fields):
    """Return arrays (points, nv) as points of a request, joints in an order."""
    count = len(next(iter(fields.values())))
    return [JointTrajectoryPoint(**{name: rows[k, order].tolist()
                                    for name, rows in fields.items()}) for k in range(count)]


def ask(graph, model, seed, failures, counts):
    """Call the three services with random states and compare every answer with the library."""
    rng = np.random.default_rng(seed)
    for count in range(CALLS):
        points = int(rng.integers(1, 4))
        order = rng.permutation(model.nv)
        names = [model.joint_names[k] for k in order]
        q, v, x = rng.normal(size=(3, points, model.nv))

        kind = count % 3
        if kind == 0:
            answer = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics',
                                ForwardDynamics.Request(joint_names=names, points=points_of(
                                    order, positions=q, velocities=v, effort=x)))
            found = np.array([point.accelerations for point in answer.points])
            right = mbd_ros.forward_dynamics(model, q, v, x)[:, order]
        elif kind == 1:
            answer = graph.call(InverseDynamics, 'dynamics_server/inverse_dynamics',
                                InverseDynamics.Request(
                                    joint_names=names, separate_terms=True, points=points_of(
                                        order, positions=q, velocities=v,
                                        accelerations=x)))
            found = np.array([point.effort for point in answer.points])
            right = mbd_ros.inverse_dynamics(model, q, v, x)[:, order]
            total = sum(np.array(term.efforts).reshape(points, -1) for term in answer.terms)
            if not np.allclose(total, right, rtol=1e-9, atol=1e-9):   # sums of other roundings
                failures.append(('terms', total, right))
        else:
            answer = graph.call(MassMatrix, 'dynamics_server/mass_matrix',
                                MassMatrix.Request(joint_names=names,
                                                   points=points_of(order, positions=q)))
            found = np.array(answer.data).reshape(points, answer.rows, answer.columns)
            right = mbd_ros.mass_matrix(model, q)[:, order][:, :, order]
        if not answer.success or list(answer.joint_names) != names or not np.allclose(
                found, right, rtol=SAME, atol=SAME * abs(right).max()):
            failures.append((kind, answer.message, found, right))
    counts.append(CALLS)


def test_joint_wrenches(run_node, graph, urdf, model):
    run_node('dynamics_server', {'robot_description': str(urdf('puma560'))})
    request = JointWrenches.Request(joint_names=list(model.joint_names), points=points_of(
        slice(None), positions=np.full((2, 6), 0.3), effort=np.ones((2, 6))))
    answer = graph.call(JointWrenches, 'dynamics_server/joint_wrenches', request)
    assert answer.success, answer.message
    expected = mbd_ros.joint_wrenches(model, np.full(6, 0.3), np.zeros(6), np.ones(6))
    found = [[getattr(part, axis) for part in (one.force, one.torque) for axis in 'xyz']
             for one in answer.joint_wrenches]
    np.testing.assert_allclose(np.reshape(found, (2, 6, 6)), [expected, expected],
                               rtol=1e-9, atol=1e-9)   # sums in other orders


def test_robots_come_over_the_topic_and_replace_each_other_as_a_whole(run_node, graph, urdf):
    running = run_node('dynamics_server', {})
    request = MassMatrix.Request(joint_names=['joint1', 'joint2', 'joint3'],
                                 points=[JointTrajectoryPoint(positions=[0.1, 0.2, 0.3])])

    def ask():
        return graph.call(MassMatrix, 'dynamics_server/mass_matrix', request)

    def check(description):
        return graph.call(CheckModel, 'dynamics_server/check_model',
                          CheckModel.Request(robot_description=description))

    assert check('').error_code == ErrorCode.INVALID_VALUE
    broken = check('<robot name="broken"><link')
    assert (broken.success, broken.readable, broken.findings[0].line) == (True, False, 1)
    answer = ask()
    assert (answer.error_code, answer.model_generation) == (ErrorCode.NO_MODEL, 0)
    assert 'nothing has come on the topic robot_description' in answer.message

    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = graph.node.create_publisher(String, 'robot_description', latched)
    text = urdf('three_link_arm').read_text()
    publisher.publish(String(data=text))
    running.wait_for('generation 1')
    light = ask()
    assert light.success, light.message
    assert light.model_generation == 1
    assert (check('').readable, check('').model_generation) == (True, 1)

    publisher.publish(String(data=text.replace('<mass value="1"/>', '<mass value="3"/>')))
    running.wait_for('generation 2')
    heavy = ask()
    assert heavy.model_generation == 2
    assert heavy.data[0] > light.data[0]

    publisher.publish(String(data='<robot name="broken"><link'))
    running.wait_for("robot description refused: .*'three_link_arm' stays in use")
    kept = ask()
    assert kept.model_generation == 2
    assert list(kept.data) == list(heavy.data)


HUGE, SENDERS = 40_000, 4   # as many as the server has threads
SENDER = """
import sys, time, rclpy
from rclpy.node import Node
from mbd_msgs.srv import ForwardDynamics
from trajectory_msgs.msg import JointTrajectoryPoint
rclpy.init()
node = Node('sender')
client = node.create_client(ForwardDynamics, 'dynamics_server/forward_dynamics')
assert client.wait_for_service(60.0)
points = [JointTrajectoryPoint(positions=[1e-5 * k] * 6, effort=[1.0] * 6)
          for k in range(int(sys.argv[1]))]
time.sleep(0.3)
print('sent', flush=True)
future = client.call_async(ForwardDynamics.Request(
    joint_names=[f'joint{k}' for k in range(1, 7)], points=points))
rclpy.spin_until_future_complete(node, future, timeout_sec=300.0)
answer = future.result()
print('answered', answer.success, len(answer.points), answer.executor, flush=True)
"""


def test_executor_and_threads_can_be_forced(run_node, graph, urdf, model):
    server = run_node('dynamics_server', {'robot_description': str(urdf('puma560')),
                                          'executor': 'rolled', 'threads': '3'})
    server.wait_for('generation 1')
    status = graph.hear(DiagnosticArray, '/diagnostics')
    points = [JointTrajectoryPoint(positions=[0.1] * 6)] * 2000
    for executor in ('', 'interpreted'):
        answer = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics',
                            ForwardDynamics.Request(joint_names=list(model.joint_names),
                                                    points=points, executor=executor))
        assert answer.success
        assert answer.executor.startswith('rolled, ')
        assert answer.executor.endswith(', 3 threads')
    refused = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics',
                         ForwardDynamics.Request(joint_names=list(model.joint_names),
                                                 points=points[:1], executor='gpu'))
    assert refused.error_code == ErrorCode.INVALID_VALUE

    def said():
        return any(pair.key == 'last forward_dynamics ran'
                   and pair.value == f'{answer.executor} (2000 points)'
                   for message in status for one in message.status for pair in one.values)
    graph.wait_until(said, 'what ran on /diagnostics')


def test_a_threads_parameter_that_is_not_allowed_is_refused(run_node, urdf):
    server = run_node('dynamics_server', {'robot_description': str(urdf('puma560')),
                                          'executor': 'gpu'})
    assert server.process.wait(60.0) == 1
    assert "parameter 'executor' is 'gpu'; allowed: one of" in server.output


@pytest.fixture(scope='class')
def server(run_shared, urdf, tmp_path_factory):
    text = urdf('puma560').read_text().replace(' mbd:as_published="true"', '')   # so it warns
    file = tmp_path_factory.mktemp('robot') / 'puma560.urdf'
    file.write_text(text)
    running = run_shared('dynamics_server', {'robot_description': str(file)})
    running.wait_for('generation 1')
    return running


class TestOneServer:
    """One server answers them all."""

    def test_four_clients_at_once_get_every_answer_right(self, server, graph, model):
        failures, counts = [], []
        graph.call(MassMatrix, 'dynamics_server/mass_matrix', MassMatrix.Request())   # it is there
        threads = [threading.Thread(target=ask, args=(graph, model, seed, failures, counts))
                   for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300.0)
        assert not failures
        assert counts == [CALLS] * CLIENTS, server.output
        assert server.up

    @pytest.mark.parametrize(('fields', 'code', 'message', 'name'), [
        ({'joint_names': ['joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint66']},
         ErrorCode.UNKNOWN_NAME, "there is no joint named 'joint66'", 'joint66'),
        ({'joint_names': ['joint1']}, ErrorCode.WRONG_SIZE,
         'missing: joint2, joint3, joint4, joint5, joint6', ''),
        ({'points': [JointTrajectoryPoint(positions=[0.0] * 5)]}, ErrorCode.WRONG_SIZE,
         'positions of point 0 has shape (5,); allowed: (6,)', ''),
        ({'points': [JointTrajectoryPoint(positions=[0.0, math.nan] + [0.0] * 4)]},
         ErrorCode.NOT_FINITE, "positions of point 0 of joint 'joint2' is nan", 'joint2'),
        ({'formulation': 'newton'}, ErrorCode.INVALID_VALUE, "formulation is 'newton'", ''),
        ({'formulation': 'lagrange'}, ErrorCode.INVALID_VALUE, "'auto', 'recursive'", ''),
        ({'executor': 'gpu'}, ErrorCode.INVALID_VALUE, "executor is 'gpu'", ''),
        ({'wrench_links': ['hand']}, ErrorCode.UNKNOWN_NAME, "no link named 'hand'", 'hand'),
    ])
    def test_bad_requests_are_answered_and_the_node_stays_up(
            self, server, graph, model, fields, code, message, name):
        request = ForwardDynamics.Request(**{
            'joint_names': list(model.joint_names),
            'points': [JointTrajectoryPoint(positions=[0.0] * model.nv)], **fields})
        answer = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics', request)
        assert not answer.success
        assert answer.error_code == code
        assert message in answer.message
        assert answer.name_at_fault == name
        assert answer.model_generation == 1
        assert not answer.points
        assert server.up

    def test_remarks_on_the_description_are_logged(self, server):
        server.wait_for(r"puma560.urdf:\d+: warning: link 'link3' has the principal moments")

    def test_small_requests_and_timers_go_on_beside_huge_ones(self, server, graph, model, start):
        small = ForwardDynamics.Request(joint_names=list(model.joint_names),
                                        points=[JointTrajectoryPoint(positions=[0.0] * 6)])
        graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics', small)
        beats = []
        graph.node.create_subscription(DiagnosticArray, '/diagnostics',
                                       lambda _: beats.append(time.monotonic()), 10)
        graph.wait_until(lambda: beats, 'diagnostics')
        senders = [start(sys.executable, '-c', SENDER, HUGE) for _ in range(SENDERS)]
        for sender in senders:
            sender.wait_for('sent')
        begin = time.monotonic()
        answered, slowest = 0, 0.0
        while (not all('answered' in sender.output for sender in senders)
               and time.monotonic() < begin + 120.0):
            asked = time.monotonic()
            assert graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics', small).success
            answered, slowest = answered + 1, max(slowest, time.monotonic() - asked)
        for sender in senders:
            sender.wait_for(f'answered True {HUGE} ')   # the line may have come in two
        # With as many huge requests as the server has threads, a small one would wait for one of
        # them if it had to, and about as many be answered as there are huge ones. How long all
        # that takes is the machine's.
        assert answered > 2 * SENDERS
        between = np.diff([begin, *(beat for beat in beats if beat > begin), time.monotonic()])
        # A timer of 1 s; where the machine is busy it is late as the small answers are.
        assert max(between) < max(2.5 + 2.0 * slowest, 0.5 * (time.monotonic() - begin))

    def test_parameters_are_described(self, server, graph):
        request = GetParameters.Request(names=['gravity', 'num_threads'])
        answer = graph.call(GetParameters, 'dynamics_server/get_parameters', request)
        assert list(answer.values[0].double_array_value) == []   # that of the description
        assert answer.values[1].integer_value == 4


def test_states_with_open_loops_are_answered_and_said(run_node, graph, urdf):
    """The accelerations keep the loops as they are; no Python warning is printed."""
    running = run_node('dynamics_server', {'robot_description': str(urdf('four_bar'))})
    model = mbd_ros.load(urdf('four_bar'))
    closed = mbd_ros.close_loops(model, np.full(model.nq, 0.3), np.zeros(model.nv))[0]
    for q, said in ((closed, ''), (closed + 0.2, open_loops(
            model, (closed + 0.2)[None]))):
        answer = graph.call(ForwardDynamics, 'dynamics_server/forward_dynamics',
                            ForwardDynamics.Request(joint_names=model.joint_names, points=[
                                JointTrajectoryPoint(positions=q.tolist())]))
        assert (answer.success, answer.message) == (True, said)
        assert len(answer.points[0].accelerations) == model.nv
    assert said.startswith('loops are open: row ')
    assert 'Warning' not in running.output
