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

"""Long legs and halves of loops by rolled code, in lanes and on threads; ties between them."""

from dataclasses import dataclass

from described import bare, joint, link, robot
from loop_checks import check, TOLERANCE
from loop_models import body_order, case_model, cases, many_legs
import numpy as np
import pytest

import mbd_ros
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics
from mbd_ros.execution import Compiled, Threads
from mbd_ros.execution.executors.compiled import compiled_kernel
from mbd_ros.execution.ir.machine_code import vector_lanes
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.bundles import MOST_TIES, rolled_bundles_of


@dataclass(frozen=True)
class RolledLanes:
    """Rolled code in lanes where it can be, however few bodies there are."""

    width: int
    name = 'rolled lanes'

    def kernel(self, program, model):
        return compiled_kernel(program, model, True, rolled_bundles_of(
            program, model, self.width))


@pytest.mark.parametrize(('width', 'legs', 'springs'), [(2, 2, 0), (4, 3, 2), (8, 5, 0)])
def test_legs_of_a_platform(width, legs, springs):
    """Chains with ties at their ends alone; and with springs between."""
    model = many_legs(legs, 9, 3, springs, 'distance')
    way = rolled_bundles_of(closed_loop_dynamics(tree_of(model).slots), model, width)
    assert way.chains is (springs == 0)
    check(model, RolledLanes(width), f'rolled, {width} lanes')


@pytest.mark.parametrize('name', ['ngon51_rest_regular', 'ngon151_random'])
def test_halves_of_a_ring(name):
    """All bodies are in lanes: both halves stand on the ground, where the loop is closed."""
    model, case = case_model(name), cases()[name]
    order = body_order(model)
    q, v = (np.array(case[key])[order] for key in ('q', 'qd'))
    tau = np.linspace(-1.0, 1.0, model.nv)
    expected, found = (mbd_ros.forward_dynamics(model, q, v, tau, executor=executor)
                       for executor in ('interpreted', RolledLanes(4)))
    program = closed_loop_dynamics(tree_of(model).slots)
    assert RolledLanes(4).kernel(program, model).how(1) == 'rolled, 2 lanes'
    np.testing.assert_allclose(found, expected, rtol=0.0,
                               atol=1e2 * TOLERANCE * max(1.0, np.abs(expected).max()))


def test_lanes_are_used_unasked():
    check(many_legs(2, 48, 5, cut='distance'), Compiled(), 'rolled, 2 lanes' if vector_lanes(
        ) == 2 else 'folded, 4 segments in lanes')


def test_multipliers_of_loops_within_the_lanes():
    """Accelerations run in lanes, multipliers one body after the other."""
    parts = [bare('base')]
    for arm in 'xy':
        parts += [link(arm, mass=1.0), joint(f'j{arm}', 'continuous', 'base', arm,
                                             '<axis xyz="0 1 0"/>')]
        for side in 'ab':
            for k in range(5):
                name, parent = f'{arm}{side}{k}', f'{arm}{side}{k - 1}' if k else arm
                x = 1.0 if side == 'b' or k else 0.0
                parts += [link(name, mass=1.0, center='0.5 0 0'), joint(
                    f'j{name}', 'continuous', parent, name,
                    f'<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/>')]
        parts.append(f'<loop_joint name="cut{arm}" type="spherical"><link1 link="{arm}a4" '
                     f'xyz="1 0 0"/><link2 link="{arm}b4" xyz="1 0 0"/></loop_joint>')
    model = mbd_ros.load(robot(*parts))
    check(model, RolledLanes(2), 'rolled, 2 lanes')
    dyn = mbd_ros.compile(model, executor=RolledLanes(2))
    assert dyn.how('loop_reactions') == 'rolled'


def test_not_for_very_many_ties():
    model = many_legs(MOST_TIES + 1, 8, 1)
    assert rolled_bundles_of(closed_loop_dynamics(tree_of(model).slots), model, 4) is None


@pytest.mark.parametrize('count', [2, 3])
@pytest.mark.parametrize('springs', [0, 2])
def test_legs_on_threads(count, springs):
    model = many_legs(3, 18, 4, springs, 'distance')
    check(model, Threads(count, Compiled('rolled'), within_state=True),
          f'rolled, {count} threads')


def test_halves_of_a_ring_on_threads():
    """The ground is all there is of the trunk."""
    model, case = case_model('ngon51_rest_regular'), cases()['ngon51_rest_regular']
    q, v = (np.array(case[key])[body_order(model)] for key in ('q', 'qd'))
    tau = np.linspace(-1.0, 1.0, model.nv)
    executor = Threads(2, Compiled('rolled'), within_state=True)
    dyn = mbd_ros.compile(model, executor=executor)
    assert dyn.how('forward_dynamics') == 'rolled, 2 threads'
    expected = mbd_ros.forward_dynamics(model, q, v, tau, executor='rolled')
    for _ in range(50):  # whoever does it: the caller alone, or with the thread
        np.testing.assert_array_equal(dyn.forward_dynamics(q, v, tau), expected)


def test_short_code_stays_on_one_thread():
    """A planar ring of 51 links takes a tenth of the time of rolled code in two lanes."""
    model = case_model('ngon51_rest_regular')
    dyn = mbd_ros.compile(model, executor='threads_within_state')
    assert dyn.how('forward_dynamics') in ('folded, 2 lanes', 'folded, 4 segments in lanes')
