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

"""A request of dynamics, stage by stage in one process: its wire, and what the server does."""

from __future__ import annotations

from collections.abc import Iterator
import gc
from pathlib import Path
import time
from typing import Any

from mbd_msgs.srv import ForwardDynamics, InverseDynamics
import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from trajectory_msgs.msg import JointTrajectoryPoint

import mbd_ros
from mbd_ros.messages.dynamics import dynamics_answers as answers
from mbd_ros.messages.dynamics import dynamics_requests as requests
from mbd_ros.nodes.every_node.run import GARBAGE

ARM = Path(__file__).parents[1] / 'urdf' / 'panda.urdf'
SIZES = (1, 1000, 100_000)
REPETITIONS = 5
GRAVITY = (0.0, 0.0, -9.81)
STAGES = ('request off the wire', 'read', 'compute', 'write', 'answer onto the wire')
FORWARD = (ForwardDynamics, 'effort', requests.read_forward, mbd_ros.forward_dynamics)
INVERSE = (InverseDynamics, 'accelerations', requests.read_inverse, mbd_ros.inverse_dynamics)


def stages() -> Iterator[str]:
    """Yield a table: processor's time of each stage, the best of some [ms]."""
    gc.set_threshold(*GARBAGE)
    model = mbd_ros.load(str(ARM))
    yield f'| service | states of a {model.nv}-DoF arm | {" [ms] | ".join(STAGES)} [ms] |'
    yield '|---|---|' + '---|' * len(STAGES)
    for service in (FORWARD, INVERSE):
        for count in SIZES:
            octets = serialize_message(_request(model, service, count))
            taken = [_once(model, service, octets) for _ in range(REPETITIONS)]
            best = [f'{1e3 * min(column):.3g}' for column in zip(*taken)]
            yield f'| {service[0].__name__} | {count} | {" | ".join(best)} |'


def _request(model: Any, service: Any, count: int) -> Any:
    """Return a request of random states."""
    rows = np.random.default_rng(1).normal(size=(count, 3, model.nv))
    return service[0].Request(joint_names=model.joint_names, points=[JointTrajectoryPoint(**{
        'positions': q, 'velocities': v, service[1]: driven}) for q, v, driven in rows])


def _once(model: Any, service: Any, octets: bytes) -> list[float]:
    """Return what each stage takes of the processor [s]."""
    kind, _, read, compute = service
    times = [time.process_time()]

    def done(result: Any) -> Any:
        times.append(time.process_time())
        return result
    request = done(deserialize_message(octets, kind.Request))
    states, terms = read(model, request), requests.read_terms(model, request, GRAVITY)
    done(None)
    found = done(compute(model, states.q, states.v, states.driven, **terms))
    response = kind.Response()
    if service is FORWARD:
        answers.write_accelerations(response, request.points, states.order, found)
    else:
        answers.write_efforts(response, request.points, states.order, found, {})
    done(None)
    done(serialize_message(response))
    return np.diff(times).tolist()
