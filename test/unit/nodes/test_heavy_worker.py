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

"""Large requests in a process beside the node: the same answers, and what becomes of it."""

import io
import os
import signal
import threading
import time
from types import SimpleNamespace

from mbd_msgs.srv import CheckModel, ForwardDynamics, MassMatrix
import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.errors import MbdError
from mbd_ros.messages.dynamics import request_costs as costs
from mbd_ros.nodes.serving.answers import Answers
from mbd_ros.nodes.serving.heavy_worker import HeavyWorker
from mbd_ros.nodes.serving.worker_process import Job, MESSAGE, read, write

ARM = 'urdf/three_link_arm.urdf'
SETTINGS = SimpleNamespace(executor='', threads=0, gravity=[], fluid=SimpleNamespace(
    vacuum=True))
POINTS = [JointTrajectoryPoint(positions=[0.1 * k, 0.2, 0.3]) for k in range(5)]
NAMES = ['joint1', 'joint2', 'joint3']


def asked(worker, name, request, model):
    """Return the answer to a request, and how it came about."""
    found = worker.answer(name, 0.1, model, request, SETTINGS)
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        try:
            found.send(None)
        except StopIteration as returned:
            return returned.value
        time.sleep(0.01)
    raise AssertionError('no answer within 60 s')


@pytest.fixture(scope='module')
def worker():
    one = HeavyWorker()
    yield one
    one.close()


@pytest.fixture(scope='module')
def model():
    return mbd_ros.load(ARM)


def test_the_answers_are_those_of_the_node(worker, model):
    for name, kind in (('forward_dynamics', ForwardDynamics), ('mass_matrix', MassMatrix)):
        request = kind.Request(joint_names=NAMES, points=POINTS)
        here = kind.Response()
        ran = Answers(SETTINGS).fill(name, model, request, here)
        there, done = asked(worker, name, request, model)
        assert there.success and not done.refused
        assert done.ran.function == ran.function
        assert there.joint_names == here.joint_names
        if name == 'mass_matrix':
            np.testing.assert_array_equal(there.data, here.data)
        else:
            assert there.points == here.points


def test_another_robot_is_taken(worker, model):
    heavier = mbd_ros.load(model.mechanism.text.replace('<mass value="', '<mass value="1'))
    request = MassMatrix.Request(joint_names=NAMES, points=POINTS[:1])
    first = asked(worker, 'mass_matrix', request, model)[0].data
    second = asked(worker, 'mass_matrix', request, heavier)[0].data
    again = asked(worker, 'mass_matrix', request, model)[0].data
    assert list(first) == list(again) != list(second)


def test_what_is_wrong_is_said(worker, model):
    request = MassMatrix.Request(joint_names=['none'], points=POINTS)
    response, done = asked(worker, 'mass_matrix', request, model)
    assert not response.success and "'none'" in response.message == done.refused
    response, done = asked(worker, 'check_model', CheckModel.Request(robot_description='<robot'),
                           None)
    assert done.ran is None


def test_a_process_that_was_killed_is_begun_anew(worker, model):
    request = MassMatrix.Request(joint_names=NAMES, points=POINTS)
    assert asked(worker, 'mass_matrix', request, model)[0].success
    before = worker._process
    os.kill(before.pid, signal.SIGSTOP)   # it gets the request and does not answer
    killer = threading.Timer(0.2, before.kill)
    killer.start()
    with pytest.raises(MbdError, match='has ended'):
        asked(worker, 'mass_matrix', request, model)
    assert asked(worker, 'mass_matrix', request, model)[0].success
    assert worker._process.pid != before.pid


def test_it_ends_with_the_node(model):
    one = HeavyWorker()
    assert asked(one, 'check_model', CheckModel.Request(robot_description=model.mechanism.text),
                 None)[0].success
    process = one._process
    process.stdin.close()   # as the node's end does, however that comes
    assert process.wait(20.0) == 0
    one.close()


def test_too_many_octets_do_not_wait(model, monkeypatch):
    monkeypatch.setattr(costs, 'MOST', costs.Load(1000, 600.0, 1000))
    one = HeavyWorker()
    one._loads[1] = costs.Load(1, 1.0, 990)   # of another client
    before = dict(one._loads)
    with pytest.raises(MbdError, match='try again later'):
        asked(one, 'mass_matrix', MassMatrix.Request(joint_names=NAMES, points=POINTS), model)
    assert one._loads == before


def test_nothing_is_left_of_what_was_answered(worker, model):
    asked(worker, 'mass_matrix', MassMatrix.Request(joint_names=NAMES, points=POINTS), model)
    assert not worker._loads


def test_octets_go_through_a_pipe_as_they_are():
    """Each part behind its length; those of messages are not copied into the pickled object."""
    stream, octets = io.BytesIO(), os.urandom(1 << 20)
    job = Job('mass_matrix', MESSAGE(octets), SETTINGS, 3, b'model')
    write(stream, job)
    assert len(octets) < stream.tell() < len(octets) + 1000
    stream.seek(0)
    assert read(stream)._replace(request=octets) == job._replace(request=octets)
    stream.seek(0)
    assert bytes(read(stream).request) == octets
    for cut in (0, 4, 20):
        with pytest.raises(EOFError):
            read(io.BytesIO(stream.getvalue()[:cut]))
