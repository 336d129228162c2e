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

"""
One step of the controller for every robot that is shipped with a path, hot and cold.

Hot: step after step. Cold: after 1.5 ms of sleep, as in a node that waits for a message, when the
caches hold what others needed. Beside both stands a plain Python loop that takes as long as a step
of an arm: what the machine makes of equal work in the same moments. ``python -m benchmarks 'every
robot'``; on a machine that is not alone ``chrt -f 10`` before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
import yaml

import mbd_ros
from mbd_ros.control import Payload, Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.control.tracking.payload import carrier
from mbd_ros.control.udwadia_kalaba.passive_joints import PassiveJoints
from mbd_ros.description.xml.xacro_file import expand_xacro
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.model.state import floating_base, neutral
from mbd_ros.simulation import Stepper

SHARE = Path(__file__).parents[1]
ROBOTS = ('three_link_arm', 'puma560', 'panda', 'dual_arm', 'five_bar', 'delta', 'space_robot')
PERIOD = 0.002
SLEEP = 0.0015
EQUAL_WORK = 1500
"""Numbers that a loop adds up, in about the time of a control step."""

POSE = {'kind': 'tool_orientation', 'link': 'tool', 'orientation': [1.0, 0.0, 0.0, 0.0]}
AFLOAT = ', on a platform that floats'
COUPLING = {'kind': 'joint_coupling', 'coefficients': {'joint7': 1.0}, 'value': 0.4}


PLATFORM = """<link name="base"><inertial><mass value="5"/>
  <inertia ixx=".25" ixy="0" ixz="0" iyy=".25" iyz="0" izz=".25"/></inertial>"""
"""Instead of the base of a robot, to let it float."""


def prepared(name: str, payload: Payload | None = None, *, floats: bool = False
             ) -> tuple[PreparedDynamics, Task, NDArray[np.float64]]:
    """Return robot, task and initial configuration, as the launch file starts them, or afloat."""
    nodes = yaml.safe_load((SHARE / 'config' / f'{name}.yaml').read_text())
    simulator, controller = (nodes[f'/**/{node}']['ros__parameters'] for node in (
        'simulator', 'controller'))
    known = {entry.name for entry in fields(Task)}
    data = {key: value for key, value in controller.items() if key in known}
    if 'constraints' in data:
        data['constraints'] = yaml.safe_load(data['constraints'])
    task = replace(Task.from_data(data), start='approach')
    file, = (SHARE / 'urdf').glob(f'{name}.urdf*')
    description: str | Path = file
    if floats:
        text = expand_xacro(str(file)).decode().replace(
            '<link name="base"/>', '<link name="base"></link>')
        description = text.replace('<link name="base">', PLATFORM)
        assert PLATFORM in description, 'a link named base'
        controller |= {'floating_base': True, 'gravity': (0.0, 0.0, 0.0)}
    model = mbd_ros.load(description, floating_base=controller.get('floating_base', False))
    q = neutral(model)
    for joint, position in zip(simulator['joints'], simulator.get('initial_positions', ())):
        q[model.q_offsets[model.joint_index(joint)]] = position
    gravity = controller.get('gravity', (0.0, 0.0, -9.81))
    return carrier(model, payload, task.link, gravity), task, q


def durations(dyn: PreparedDynamics, task: Task, q: NDArray[np.float64], steps: int
              ) -> NDArray[np.float64]:
    """Return times of a step and of the loop, hot and cold, in turn (steps / 4, 4) [s]."""
    robot = Stepper(dyn.model, q, gravity=dyn.gravity)
    tracker = Tracker(dyn, task, robot.q, robot.v)
    base = floating_base(dyn.model)
    known = (*(() if base is None else dyn.model.joint_names[:1]), *task.actuated)
    passive = PassiveJoints(dyn, known, robot.q) if dyn.model.loops else None

    def step(now: float, q: Any, v: Any) -> Any:
        return tracker.step(now, *((q, v) if passive is None else passive.complete(q, v)))
    found: list[list[float]] = []
    for k in range(steps):
        if k % 4 == 0:
            found.append([])
        cold, plain = k % 4 > 1, k % 2
        state = robot.q, robot.v
        if cold:
            time.sleep(SLEEP)
        if plain:
            begin = time.perf_counter()
            sum(range(EQUAL_WORK))
            found[-1].append(time.perf_counter() - begin)
            effort = step(k * PERIOD, *state)
        else:
            begin = time.perf_counter()
            effort = step(k * PERIOD, *state)
            found[-1].append(time.perf_counter() - begin)
        robot.advance(effort.effort, PERIOD)
    return np.array(found)


def rows(steps: int = 8000) -> Iterator[str]:
    """Yield the table of a step's time for every robot."""
    yield '| robot and task | hot p50, p99 [us] | cold p50, p99 [us] | ' \
          'a plain loop hot p50, p99 [us] | cold p50, p99 [us] |'
    yield '|---|---|---|---|---|'
    cases: list[tuple[str, str, Payload | None, tuple[dict[str, Any], ...]]] = [
        (name, '', None, ()) for name in ROBOTS]
    cases += [('panda', ', 2 kg at the tool', Payload('tool', 2.0, (0.0, 0.0, 0.1)), ()),
              ('panda', ', pose of the tool', None, (POSE,)),
              ('panda', ', a redundant row', None, (COUPLING, {**COUPLING}))]
    cases += [(name, AFLOAT, None, ()) for name in ('five_bar', 'delta')]
    for name, words, payload, constraints in cases:
        dyn, task, q = prepared(name, payload, floats=words == AFLOAT)
        task = replace(task, constraints=task.constraints + constraints)
        found = 1e6 * durations(dyn, task, q, steps)[50:]
        p50, p99 = np.percentile(found, [50, 99], axis=0)
        yield f'| {name}{words} | ' + ' | '.join(
            f'{p50[k]:.0f}, {p99[k]:.0f}' for k in (0, 2, 1, 3)) + ' |'
