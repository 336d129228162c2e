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


"""Results that follow from a robot end with it."""

import gc
from pathlib import Path
import pickle
import re
import weakref

import numpy as np
import pytest

import mbd_ros
from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.execution.ir.machine_code import MachineCode
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import caches
from mbd_ros.model.caches import owned

TEXT = """<robot name="r"><link name="base"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit effort="50" velocity="10" lower="-3" upper="3"/></joint>
  <link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="{mass}"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial></link></robot>"""
TASK = Task(link='arm', constraints=({
    'kind': 'joint_coupling', 'coefficients': {'turn': 1.0}, 'value': 0.1},))


class Owner:
    """Something that is compared by what it is."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


@owned(place=1, most=2)
def pair(number, owner, *, more=0):
    """Return a list that refers to its owner, as kernels do to their models."""
    return [number, owner, more]


def test_equal_owners_share_results():
    """What was computed for one is found for the other."""
    one, other = Owner('a'), Owner('a')
    assert pair(1, one) is pair(1, other)
    assert pair(1, one, more=1) is pair(1, other, more=1) is not pair(1, one)
    assert pair(1, Owner('b')) is not pair(1, one)


def test_as_many_results_of_an_owner_stay_as_was_said():
    """That which was used least lately goes."""
    owner, before = Owner('few'), pair.made
    for number in (1, 2, 3, 2, 3):
        pair(number, owner)
    assert pair.made == before + 3
    pair(1, owner)
    assert pair.made == before + 4


def test_owners_and_results_go_but_for_a_few():
    """Results refer to their owners, and owners to results; the last few stay."""
    owners = [weakref.ref(owner) for owner in map(Owner, range(100))
              for _ in (pair(0, owner),)]
    del owners[-1]
    gc.collect()
    assert sum(one() is not None for one in owners) <= caches.RECENT


def test_a_cached_function_is_pickled_by_its_name():
    """Programs hold such functions, and worker processes get programs."""
    assert pickle.loads(pickle.dumps(tree_of)) is tree_of


def test_what_cannot_own_results_is_given_to_the_function():
    """It says what is wrong with it."""
    assert pair(1, 'text') == [1, 'text', 0]
    with pytest.raises(AttributeError):
        tree_of('text')


def test_no_cache_of_a_module_holds_robots():
    """Functions of models and of what is prepared for them keep their results with them."""
    pattern = re.compile(
        r'@(?:functools\.)?(?:lru_cache\([^)]*\)|cache)\s*(?:#[^\n]*)?\ndef (\w+)\(([^)]*)\)')
    found = [f'{path.name}: {name}' for path in sorted(Path(mbd_ros.__file__).parent.rglob('*.py'))
             for name, parameters in pattern.findall(path.read_text())
             if re.search(r': (?:Model|PreparedDynamics|MotionKernels)\b', parameters)]
    assert not found


def count_of(kind):
    """Return how many objects of a class are alive."""
    gc.collect()
    return sum(isinstance(one, kind) for one in gc.get_objects())


def test_robots_one_after_the_other_leave_nothing():
    """Dynamics, control and everything that was compiled for them are gone with the robots."""
    def use(mass):
        model = mbd_ros.load(TEXT.format(mass=mass))
        q, v = np.array([0.1]), np.zeros(1)
        mbd_ros.forward_dynamics(model, q, v, v)
        mbd_ros.mass_matrix(model, q)
        mbd_ros.jacobian(model, q, 'arm')
        mbd_ros.random_configuration(model)
        tracker = Tracker(mbd_ros.compile(model, gravity=(0.0, 0.0, -1.0)), TASK, q, v)
        tracker.step(0.01, q, v)
    known = 1 + caches.RECENT
    for turn in range(known):
        use(1.0 + turn)
    models, codes = count_of(mbd_ros.Model), count_of(MachineCode)
    for turn in range(known + 2):
        use(100.0 + turn)
    assert count_of(mbd_ros.Model) <= models + 2
    assert count_of(MachineCode) <= codes + codes // 4
