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

"""The time that a message takes to read is proportional to its size, whatever is in it."""

import gc
import math
import time

from fuzz_messages import class_of, fields, model_of, READERS
import pytest

from mbd_ros.errors import MbdError

SMALL, LARGE = 1000, 8000
"""Sizes of the lists; what is quadratic takes 64 times as long for the larger one, not 8."""


def large(kind, size, depth=0):
    """Return a message with lists of a size in it, those within entries of three."""
    message = kind()
    for field, of in fields(kind).items():
        if of.startswith('sequence<'):
            inner = of[9:].rstrip('>').split(',')[0]
            count = 1 if ',' in of else size if depth == 0 else 3
            if '/' in inner:
                few = [large(class_of(inner), size, depth + 1) for _ in range(50)]
                values = [few[k % 50] for k in range(count)]
            elif inner.startswith('string'):
                values = ['joint1'] * count
            else:
                values = [0.1 if inner in ('double', 'float') else 0] * count
            setattr(message, field, values)
        elif of.startswith('string') and depth == 0:
            setattr(message, field, '<robot name="a">' + 'x ' * size)
        elif '/' in of:
            setattr(message, field, large(class_of(of), size, depth))
    for turn in ('rotation', 'orientation'):
        if hasattr(message, turn):
            getattr(message, turn).w = 1.0
    return message


def valid(message, model):
    """Let the names of a message be those of the robot, and times rise: the points are read."""
    names = [name for name, one in zip(model.joint_names, model.joint_types) if one.is_simple]
    for part in (message, getattr(message, 'trajectory', message)):
        if hasattr(part, 'points') and hasattr(part, 'joint_names'):
            part.joint_names = names
            part.points = [type(one)(**{
                field: [0.1] * len(names) for field in ('positions', 'velocities')})
                for one in part.points]
            for place, point in enumerate(part.points):
                point.time_from_start.sec = place + 1
    for field in ('accelerations', 'base_poses', 'base_twists', 'base_wrenches', 'wrenches',
                  'base_accelerations', 'wrench_links', 'multi_dof_trajectory', 'path_tolerance',
                  'goal_tolerance', 'component_path_tolerance', 'component_goal_tolerance'):
        if hasattr(message, field):
            setattr(message, field, type(getattr(message, field))())
    return message


def seconds(read, model, message):
    """Return the processor's time of this thread that a reader takes, the better of two [s]."""
    found = []
    for _ in range(2):
        gc.collect()
        gc.disable()   # it comes more often to the larger message, and is no reader's
        begin = time.thread_time()
        try:
            read(model, message)
        except MbdError:
            pass
        finally:
            found.append(time.thread_time() - begin)
            gc.enable()
    return min(found)


@pytest.mark.parametrize('names', ['repeated', 'valid'])
@pytest.mark.parametrize('reader', READERS)
def test_reading_is_linear(reader, names):
    kind, read, robot = READERS[reader]
    model = model_of(*robot)
    small, big = large(kind, SMALL), large(kind, LARGE)
    if names == 'valid':
        small, big = valid(small, model), valid(big, model)
    seconds(read, model, small)   # what is prepared once
    found = []
    for _ in range(4):   # others slow a processor down for a while; what is quadratic is so always
        taken = [seconds(read, model, message) for message in (small, big)]
        exponent = math.log(taken[1] / taken[0]) / math.log(LARGE / SMALL)
        if taken[1] < 0.02 or exponent < 1.5:   # s: nothing, and not to be measured
            return
        found.append(taken)
    raise AssertionError(f'seconds for {SMALL} and {LARGE}: {found}')
