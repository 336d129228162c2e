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

"""Messages, requests and goals with any values in their fields, and all that reads them."""

from functools import lru_cache, partial
import importlib
from pathlib import Path
import random
import re
import time

from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Inertia
from mbd_msgs.srv import (
    AttachModule, CheckModel, ForwardDynamics, InverseDynamics, MassMatrix, SetModel)
from nav_msgs.msg import Odometry, Path as PathMessage
import numpy as np
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Float64MultiArray
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

import mbd_ros
from mbd_ros.errors import MbdError
from mbd_ros.messages.diagnostics import findings
from mbd_ros.messages.dynamics import dynamics_requests
from mbd_ros.messages.states import drawings, reconfigurations, transforms
from mbd_ros.messages.states.efforts import EffortCommands
from mbd_ros.messages.states.joint_states import JointStateReader
from mbd_ros.messages.states.multi_dof import MultiDOFStates
from mbd_ros.messages.states.odometry import BaseOdometry
from mbd_ros.messages.trajectories import multi_dof_trajectories, path_goals, trajectories
from mbd_ros.messages.trajectories.way_points import Reference, Rules
from mbd_ros.model import load_text
from mbd_ros.model.state import neutral

LONGEST = 20.0
"""CPU time that no message may take [s]: the largest have 1e5 entries, a second is usual."""

LINK = '<link name="base_link">'
INERTIA = ('<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
           '</inertial>')
ARM = (Path(__file__).resolve().parents[2] / 'urdf' / 'three_link_arm.urdf').read_text().replace(
    LINK, LINK + INERTIA)
BALL = ARM.replace('name="joint3" type="revolute"', 'name="joint3" type="spherical"')

NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.1, 1e-320, 1e9, 1e154, 1e200, 1.7e308, -1.7e308, float('nan'),
           float('inf'), float('-inf'))
TEXTS = ('', ' ', 'joint1', 'joint2', 'joint3', 'tool', 'base_link', 'world', 'Joint1', '\n', '\0',
         '\ud800', 'é', '\u202e', 'x' * 100_000, "'", '<script>', '/etc/passwd', '../..', '%s {0}',
         'recursive', 'auto', 'compiled', 'a\nb', '1' * 5000, "'a " * 2000)
SIZES = (0, 0, 1, 1, 2, 3, 3, 3, 4, 7)


@lru_cache(None)
def model_of(text, floating=False):
    """Return a robot."""
    return mbd_ros.load(text, floating_base=floating)


def _start(model):
    return Reference(neutral(model), np.zeros(model.nv), np.zeros(model.nv), 0)


def _dynamics(read, model, request):
    read(model, request)
    dynamics_requests.read_terms(model, request, (0.0, 0.0, -9.81))


def _goal(model, goal):
    joints = model.joint_names
    trajectories.read_tolerances(model, joints, goal, path=0.1, end=0.1, goal_time=1.0)
    multi_dof_trajectories.read_component_tolerances(model, joints, goal, path=0.1, end=0.1)
    for partial_goal in (False, True):
        multi_dof_trajectories.read_goal(model, joints, goal.trajectory, goal.multi_dof_trajectory,
                                         _start(model), rules=Rules(partial=partial_goal))


def _payload(model, inertia):
    path_goals.read_payload('tool', inertia).check(model)


def _transforms(model, message):
    transforms.pose_of(message.transforms, 'tool')
    transforms.put_joints(model, message.transforms, neutral(model))


def _markers(model, message):
    drawings.shapes_of(message)
    drawings.lines_of(message, 'trajectory')


def _attach(model, request):
    reconfigurations.read_positions(request)
    for twist in request.twist:
        reconfigurations.read_twist(twist)


def _check(model, request):
    findings.read_description(request, model)


def _odometry(model, message):
    BaseOdometry(model, 'world').put(message, 0, neutral(model), np.zeros(model.nv))


def _multi_dof(model, message):
    MultiDOFStates(model).put(message, 0, neutral(model), np.zeros(model.nv))


READERS = {
    'forward request': (ForwardDynamics.Request, partial(
        _dynamics, dynamics_requests.read_forward), (ARM, True)),
    'inverse request': (InverseDynamics.Request, partial(
        _dynamics, dynamics_requests.read_inverse), (ARM, False)),
    'mass matrix request': (MassMatrix.Request, dynamics_requests.read_configurations,
                            (ARM, False)),
    'joint state': (JointState, lambda model, message: JointStateReader(model).read(message),
                    (ARM, False)),
    'effort command': (Float64MultiArray, lambda model, message: (
        EffortCommands(model, ()).read(message), EffortCommands.answered(message)), (ARM, False)),
    'odometry': (Odometry, _odometry, (ARM, True)),
    'multi-DOF state': (MultiDOFJointState, _multi_dof, (BALL, False)),
    'goal': (FollowJointTrajectory.Goal, _goal, (ARM, False)),
    'multi-DOF goal': (FollowJointTrajectory.Goal, _goal, (BALL, False)),
    'payload': (Inertia, _payload, (ARM, False)),
    'new robot': (SetModel.Request, lambda model, request: (
        reconfigurations.read_change(request), load_text(request.robot_description)),
                  (ARM, False)),
    'new module': (AttachModule.Request, _attach, (ARM, False)),
    'description': (CheckModel.Request, _check, (ARM, False)),
    'transforms': (TFMessage, _transforms, (BALL, True)),
    'markers': (MarkerArray, _markers, (ARM, False)),
    'path': (PathMessage, lambda model, message: drawings.from_path(message), (ARM, False)),
}
"""All that reads messages: their type, the reader given a model, and the model."""


def fields(kind):
    """Return the fields of a message type with their types as text."""
    return kind.get_fields_and_field_types()


def class_of(name):
    """Return the class of a message type."""
    package, kind = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), kind)


def value(rng, kind, size):
    """Return a value of a type; ``size`` gives the length of a list."""
    listed = re.fullmatch(r'sequence<(.+?)(?:, (\d+))?>|(.+)\[(\d+)\]', kind)
    if listed:
        inner, most, fixed, count = listed.groups()
        length = int(count) if count else min(size(), int(most or 10 ** 9))
        if length > 1000:   # one entry many times, as somebody who wants to do harm would send
            return [value(rng, inner or fixed, size)] * length
        return [value(rng, inner or fixed, size) for _ in range(length)]
    if '/' in kind:
        return filled(rng, class_of(kind), size)
    if kind.startswith('string'):
        return rng.choice(TEXTS) if rng.random() < 0.4 else f'joint{rng.randrange(1, 4)}'
    if kind in ('double', 'float'):
        found = rng.choice(NUMBERS) if rng.random() < 0.2 else rng.uniform(-2.0, 2.0)
        return found if kind == 'double' or abs(found) < 3e38 or found != found else 1.0
    if kind == 'boolean':
        return rng.random() < 0.5
    if kind in ('octet', 'byte'):
        return bytes([rng.randrange(256)])
    bits = int(re.sub(r'\D', '', kind) or 8)
    least, most = (0, 2 ** bits - 1) if kind.startswith('u') else (
        -2 ** (bits - 1), 2 ** (bits - 1) - 1)
    return rng.choice((0, 1, 2, least, most, rng.randrange(least, most)))


def filled(rng, kind, size):
    """Return a message with values in all fields."""
    message = kind()
    for name, of in fields(kind).items():
        if rng.random() < 0.1:
            continue   # as it was
        setattr(message, name, value(rng, of, size))
    return message


def sensible(rng, model, message):
    """Give what is checked first values that fit, so that later checks have their turn, too."""
    names = [name for name, kind in zip(model.joint_names, model.joint_types) if kind.is_simple]
    for field in ('joint_names', 'name'):
        if hasattr(message, field) and rng.random() < 0.8:
            setattr(message, field, rng.sample(names, len(names)))
    for inner in ('trajectory', 'multi_dof_trajectory'):
        if hasattr(message, inner):
            sensible(rng, model, getattr(message, inner))
    points = list(getattr(message, 'points', ()))
    for place, point in enumerate(points):
        for field in ('positions', 'velocities', 'accelerations', 'effort'):
            if hasattr(point, 'positions') and rng.random() < 0.9:
                given = len(names) if field != 'effort' else 0
                setattr(point, field, [value(rng, 'double', None) if rng.random() < 0.05
                                       else rng.uniform(-1.0, 1.0) for _ in range(given)])
        if hasattr(point, 'time_from_start'):
            point.time_from_start.sec, point.time_from_start.nanosec = place + 1, 0
    for field in ('position', 'velocity', 'effort', 'data'):
        if hasattr(message, field) and rng.random() < 0.8:
            setattr(message, field, [value(rng, 'double', None) for _ in names])


def run(cases, seed):
    """
    Read generated messages.

    Parameters
    ----------
    cases : int
        How many.
    seed : int
        Of the generator.

    Returns
    -------
    int, list of str
        How many were tried, and what failed.

    """
    rng, failures = random.Random(seed), []
    names = list(READERS)
    for case in range(cases):
        name = names[case % len(names)]
        kind, read, robot = READERS[name]
        model = model_of(*robot)
        sizes = (*SIZES, 100_000, 100_000, 100_000) if rng.random() < 0.02 else SIZES
        message = filled(rng, kind, partial(rng.choice, sizes))
        if rng.random() < 0.6:
            sensible(rng, model, message)
        begin = time.process_time()
        try:
            read(model, message)
        except MbdError as error:
            if '\n' in str(error) or len(str(error)) < 10:
                failures.append(f'case {case}, {name}: no clear line: {str(error)[:300]!r}')
        except Exception as error:
            place = error.__traceback__
            while place.tb_next is not None:
                place = place.tb_next
            failures.append(f'case {case}, {name}: {repr(error)[:200]} in '
                            f'{place.tb_frame.f_code.co_filename}:{place.tb_lineno}')
        taken = time.process_time() - begin
        if taken > LONGEST:
            failures.append(f'case {case}, {name}: {taken:.1f} s of CPU time')
    return cases, failures
