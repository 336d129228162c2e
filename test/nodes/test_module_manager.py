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

"""Modules docked, undocked and moved under a running simulator and dynamics server."""

import itertools
from pathlib import Path
import random
import re
import threading

from fuzz_descriptions import wrong
from generated_robots import graph_file
from geometry_msgs.msg import Pose, Quaternion, Twist, Vector3
from mbd_msgs.msg import ErrorCode
from mbd_msgs.srv import (
    AttachModule, DetachModule, GetGraph, MassMatrix, MoveModule, SetGraph, SetModel)
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.description import read
from mbd_ros.description.modules import assemble, move, read_module_graph_file
from mbd_ros.errors import MbdError
from mbd_ros.model.build import build_model

pytestmark = pytest.mark.nodes

ROOT = Path(__file__).resolve().parents[2]
GRAPH = ROOT / 'config' / 'modules' / 'nine_modules.yaml'
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
STILL = {'gravity': '[0.0, 0.0, 0.0]', 'effort_timeout_action': 'keep'}


@pytest.fixture
def manager(run_node):
    running = run_node('module_manager', {'graph': str(GRAPH)})
    running.wait_for(r"robot 'nine_modules', generation 1: 9 modules", 60.0)
    return running


@pytest.fixture
def simulator(manager, run_node, graph):
    running = run_node('simulator', STILL | {'publish_rate': '100.0'})
    running.wait_for(r"robot 'nine_modules', generation 1: joints", 60.0)
    client = graph.node.create_client(SetModel, 'simulator/set_model')
    assert client.wait_for_service(60.0)
    graph.node.destroy_client(client)
    return running


@pytest.fixture
def call(graph, manager):
    def ask(kind, name, **fields):
        return graph.call(kind, f'module_manager/{name}', kind.Request(**fields), 60.0)
    return ask


def moved(call, parent, port, **more):
    return call(MoveModule, 'move_module', module='s6', parent=parent, parent_port=port, **more)


def test_changes_are_published_and_answered(manager, graph, call):
    """Without a simulator: description, generation, /tf_static and the graph follow."""
    texts = graph.hear(String, 'robot_description', LATCHED)
    answer = moved(call, 's2', 'front')
    assert (answer.success, answer.error_code, answer.model_generation) == (True, 0, 2)
    assert not answer.transfer.carried   # there is nothing that moves
    graph.wait_until(lambda: texts and read(texts[-1].data).generation == 2, 'the description')
    wanted = move(read_module_graph_file(GRAPH), 's6', parent='s2', parent_port='front')
    assert texts[-1].data == assemble(wanted, generation=2).text

    found = call(GetGraph, 'get_graph')
    assert (found.model_generation, found.robot_description) == (2, texts[-1].data)
    carriers = dict(zip(found.modules, found.inboard_modules))
    assert (carriers['s0'], carriers['s6'], carriers['s7']) == ('', 's2', 's6')

    answer = call(AttachModule, 'attach_module', module='s9', type='light', port='back',
                  parent='s4', parent_port='front')
    assert answer.model_generation == 3
    static = graph.hear(TFMessage, '/tf_static', LATCHED)
    graph.wait_until(lambda: static and [one.child_frame_id for one in static[-1].transforms]
                     == ['s9/hull'], 'the frame of the docked module')
    answer = call(DetachModule, 'detach_module', module='s3')
    assert (answer.model_generation, answer.modules) == (4, ['s3', 's4', 's5', 's9'])

    answer = call(SetGraph, 'set_graph', graph=found.graph)   # as it was in generation 2
    assert (answer.success, answer.model_generation) == (True, 5)
    graph.wait_until(lambda: read(texts[-1].data).generation == 5, 'the description')
    model, first = build_model(read(texts[-1].data)), build_model(assemble(wanted))
    assert model.joint_names == first.joint_names
    assert np.allclose(model.translations, first.translations, rtol=0, atol=1e-15)   # rounding


def test_generated_graphs_are_used_or_refused_by_one_line(manager, call):
    """Whatever comes by the service: the node lives, and what is refused leaves the robot."""
    generation = 1
    for number in range(12):
        text = graph_file(random.Random(f'service {number}'), most=5)
        answer = call(SetGraph, 'set_graph', graph=text)
        generation += answer.success
        assert answer.model_generation == generation, text
        if not answer.success:
            assert answer.error_code and not wrong(MbdError(answer.message)), answer.message
    assert call(GetGraph, 'get_graph').model_generation == generation > 1
    assert not re.search('internal error|Traceback', manager.output)


@pytest.mark.parametrize(('kind', 'name', 'fields', 'code', 'fault', 'message'), [
    (MoveModule, 'move_module', {'module': 's6', 'parent': 's7', 'parent_port': 'front'},
     ErrorCode.BAD_DOCKING, 's6', "descendant: s7.front to s6.pitch: module 's6' carries 's7'; "
     'allowed: modules that it does not carry'),
    (DetachModule, 'detach_module', {'module': 's0'}, ErrorCode.BAD_DOCKING, 's0',
     "base: module 's0' is the base of the robot and cannot be undocked"),
    (AttachModule, 'attach_module', {'module': 't', 'type': 'lite', 'port': 'yaw',
                                     'parent': 's1', 'parent_port': 'front'},
     ErrorCode.UNKNOWN_NAME, 'lite', "there is no type named 'lite'; known: light, neutral, "
     "heavy; did you mean 'light'?"),
    (SetGraph, 'set_graph', {'graph': 'module_graph: 1\nname: x\nbase: [}'},
     ErrorCode.BAD_DESCRIPTION, '', '<request>:3: this is not well-formed YAML: did not find '
     'expected node content'),
    (MoveModule, 'move_module', {'module': 's6', 'parent': 's2', 'parent_port': 'front',
                                 'largest_jump': [-1.0]},
     ErrorCode.INVALID_VALUE, '', 'largest_jump is -1.0; allowed: 0 or more [m]'),
])
def test_what_is_refused_changes_nothing(call, kind, name, fields, code, fault, message):
    answer = call(kind, name, **fields)
    assert (answer.success, answer.error_code, answer.name_at_fault, answer.message) == (
        False, code, fault, message)
    assert answer.model_generation == 1


def test_the_simulator_goes_on_with_the_state(simulator, graph, call):
    """A docking with an impact: the answer has the energies, time and joints go on."""
    states = graph.hear(JointState, 'joint_states', 100)
    publisher = graph.node.create_publisher(Float64MultiArray, 'effort_controller/commands', 10)
    graph.wait_until(publisher.get_subscription_count, 'the simulator takes efforts')
    first = graph.wait_until(lambda: states and states[-1], 'joint states come')

    def push():   # s1 and s2 swing
        rest = [0.0] * (len(states[-1].name) - 2)
        publisher.publish(Float64MultiArray(data=[0.02, 0.03, *rest]))
        return max(map(abs, states[-1].velocity)) > 0.05

    graph.wait_until(push, 'the joints move')
    answer = call(AttachModule, 'attach_module', module='s9', type='heavy', port='yaw',
                  parent='s1', parent_port='front', joint_names=['s9/yaw'], positions=[0.5],
                  twist=[Twist(linear=Vector3(x=0.2))])
    assert (answer.success, answer.message, answer.model_generation) == (True, '', 2)
    transfer = answer.transfer
    assert transfer.carried
    assert transfer.kinetic_energy_before > 0.5 * 6.885 * 0.2 ** 2   # at least the new module's
    assert 0.0 < transfer.kinetic_energy_after < transfer.kinetic_energy_before
    assert transfer.position_jump < 1e-12   # rounding of a few products

    graph.wait_until(lambda: 's9/yaw' in states[-1].name, 'the new joint')
    k = next(k for k, one in enumerate(states) if 's9/yaw' in one.name)
    before, after = (dict(zip(one.name, one.position)) for one in states[k - 1:k + 1])
    passed = seconds(states[k].header.stamp) - seconds(states[k - 1].header.stamp)
    assert 0.0 < passed < 1.0
    assert set(after) - set(before) == {'s9/yaw'}
    # the joints turn at less than 1 rad/s, and a few states may be lost on the way
    assert all(abs(after[name] - before[name]) < passed for name in before)
    assert len(first.name) == 8

    answer = moved(call, 's9', 'front', largest_jump=[1e-3])
    assert (answer.success, answer.error_code) == (False, ErrorCode.BAD_DOCKING)
    assert answer.message.startswith("the service 'simulator/set_model' refuses: pose jump: link "
                                     "'s6/hull' would be displaced by ")
    assert answer.model_generation == 2
    assert simulator.up


def test_a_simulator_that_does_not_answer(graph, run_node):
    """The change is taken back, under a number of its own, so that all agree again."""
    over = threading.Event()

    def answer_late(request, response):
        over.wait(1.0)
        return response

    graph.node.create_service(SetModel, 'deaf/set_model', answer_late)
    texts = graph.hear(String, 'robot_description', LATCHED)
    run_node('module_manager', {'graph': str(GRAPH), 'simulator': 'deaf',
                                'simulator_timeout': '0.2'}).wait_for('generation 1', 60.0)
    places = itertools.cycle((('s2', 'front'), ('s0', 'right')))

    def refused():   # the manager has to discover the service first
        parent, port = next(places)
        answer = graph.call(MoveModule, 'module_manager/move_module', MoveModule.Request(
            module='s6', parent=parent, parent_port=port))
        return None if answer.success else answer

    answer = graph.wait_until(refused, 'the service is called')
    assert (answer.error_code, answer.message) == (
        ErrorCode.NO_ANSWER, "the service 'deaf/set_model' did not answer within 0.2 s; the robot "
        'stays as it was')
    graph.wait_until(lambda: read(texts[-1].data).generation == answer.model_generation,
                     'the description')
    of = {read(one.data).generation: one.data for one in texts}
    last = max(of)
    assert last - 1 not in of   # the number of the robot that was given up
    kept = of.get(last - 2)
    assert kept is None or kept == of[last].replace(f'"{last}"', f'"{last - 2}"')
    over.set()


def test_the_launch_file_gives_frames_of_all_links(launch, graph):
    """Floating base by the simulator, joints by the manager; a change reaches every node."""
    running = launch('modules.launch.py', 'robot:=quadruped', 'viewer:=false',
                     'sigterm_timeout:=50')
    heard = graph.hear(TFMessage, '/tf', 100)
    static = graph.hear(TFMessage, '/tf_static', LATCHED)

    def parents():
        return {one.child_frame_id: one.header.frame_id
                for message in [*heard, *static] for one in message.transforms}

    graph.wait_until(lambda: len(parents()) == 10, 'frames of ten modules', 60.0)
    found = parents()
    assert (found['s0/hull'], found['s1/hull'], found['s3/hull']) == (
        'world', 's0/hull', 's2/hull')
    running.wait_for(r"\[dynamics_server\]: robot 'quadruped', generation 1", 60.0)
    answer = graph.call(MoveModule, 'module_manager/move_module', MoveModule.Request(
        module='s3', parent='s5', parent_port='bottom'), 60.0)
    assert (answer.success, answer.transfer.carried) == (True, True)
    graph.wait_until(lambda: parents()['s3/hull'] == 's5/hull', 'the frame of the moved module')
    running.wait_for(r"\[dynamics_server\]: robot 'quadruped', generation 2", 60.0)
    running.interrupt()
    assert 'escalating' not in running.output
    assert 'Traceback' not in running.output


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


POSITIONS = [0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8]


def check_moves(graph, count):
    """Move a module while requests are in flight; each answer must fit the generation it names."""
    first = read_module_graph_file(GRAPH)
    second = move(first, 's6', parent='s2', parent_port='front')
    models = [build_model(assemble(one)) for one in (first, second)]
    names = [name for name in models[0].joint_names if name != 'floating_base']
    client = graph.node.create_client(MassMatrix, 'dynamics_server/mass_matrix')
    mover = graph.node.create_client(MoveModule, 'module_manager/move_module')
    assert client.wait_for_service(60.0) and mover.wait_for_service(60.0)
    request = MassMatrix.Request(joint_names=names, points=[
        JointTrajectoryPoint(positions=POSITIONS)])
    request.base_poses.append(Pose(orientation=Quaternion(w=1.0)))
    answers, flying, over = [], threading.Semaphore(2), threading.Event()

    def ask():
        while not over.is_set():
            if flying.acquire(timeout=1.0):
                client.call_async(request).add_done_callback(landed)

    def landed(future):
        answers.append(future.result())
        flying.release()

    asking = threading.Thread(target=ask)
    asking.start()
    states = graph.hear(JointState, 'joint_states', 1000)
    try:
        for number, (parent, port) in zip(range(count), itertools.cycle(
                (('s2', 'front'), ('s0', 'right')))):
            done = threading.Event()
            future = mover.call_async(MoveModule.Request(
                module='s6', parent=parent, parent_port=port))
            future.add_done_callback(lambda _, done=done: done.set())
            assert done.wait(60.0)
            answer = future.result()
            assert (answer.success, answer.message) == (True, '')
            assert answer.model_generation == number + 2
            assert answer.transfer.carried
            if number % 5 == 0:   # a machine may be slow in answering, or in moving
                enough = len(answers) + 6
                graph.wait_until(lambda enough=enough: len(answers) >= enough, 'answers come')
        graph.wait_until(lambda: answers and answers[-1].model_generation == count + 1,
                         'an answer of the last generation')
    finally:
        over.set()
        asking.join(60.0)
    wanted = []
    for model in models:
        q = np.zeros(model.nq)
        q[6] = 1.0
        for name, position in zip(names, POSITIONS):
            q[model.q_offsets[model.joint_index(name)]] = position
        matrix = mbd_ros.mass_matrix(model, q)
        order = [*range(6), *(model.v_offsets[model.joint_index(name)] for name in names)]
        wanted.append(matrix[np.ix_(order, order)])
    assert {(answer.success, answer.message) for answer in answers} == {(True, '')}
    for answer in answers:
        # generation 1 is the first robot, 2 the second, and so on in turn; numbers in text have
        # all their digits
        difference = answer.data - wanted[(answer.model_generation + 1) % 2].ravel()
        assert np.abs(difference).max() < 1e-12, answer.model_generation
    generations = {answer.model_generation for answer in answers}
    assert {tuple(sorted(message.name)) for message in states} == {tuple(sorted(names))}
    assert all(len(message.position) == len(message.velocity) == len(names)
               and np.isfinite(message.position).all() for message in states)
    return len(answers), len(generations)


@pytest.mark.slow
def test_requests_in_flight_while_a_module_moves(simulator, run_node, graph, call):
    """Forty moves, hundreds of answers, each of one robot as a whole."""
    run_node('dynamics_server', {}).wait_for('generation 1: joints', 60.0)
    answers, generations = check_moves(graph, 40)
    print(f'{answers} answers of {generations} generations')
    assert answers > 100
    assert generations > 20
