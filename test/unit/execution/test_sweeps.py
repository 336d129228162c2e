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

"""The driver on a tree of three bodies, with steps that show who handed what to whom."""

from types import SimpleNamespace

from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.sweeps import (
    Inward, Layout, Outward, Program, Solve, Step, Tree, Walk)

#   0 - 1
#    \- 2     bodies are the numbers 1, 10, 100
TREE = Tree((-1, 0, 0), (1.0, 10.0, 100.0), (0, 1, 2), 3)
JOINTS = [SimpleNamespace(nv=1)] * 3


def results(*sweeps, layout=Layout.JOINTS, extent=(), body=None, at_ground=()):
    program = Program('test', (), sweeps, layout, extent, body, at_ground)
    return run(program, TREE, JOINTS, None)


def test_outward_hands_from_parent_to_child():
    def step(body, joint, parent):
        return Step(hand=parent + body, out=(parent + body,))
    assert results(Outward(step, lambda world: 0.5)) == [1.5, 11.5, 101.5]


def test_inward_hands_the_sum_of_the_children():
    def step(body, joint, children):
        return Step(hand=children + body, out=(children,))
    assert results(Inward(step, 0.25)) == [110.5, 0.25, 0.25]


def test_later_sweeps_see_what_earlier_ones_kept():
    def first(body, joint, parent):
        return Step(hand=parent, keep=('first', body))

    def second(body, joint, children, kept):
        return Step(hand=0.0, keep='second')

    def third(body, joint, parent, kept, also):
        assert kept == ('first', body)
        assert also == 'second'
        return Step(out=(1.0,))
    assert results(Outward(first, lambda world: None), Inward(second, 0.0),
                   Outward(third, lambda world: None)) == [1.0] * 3


def test_walks_fill_a_symmetric_matrix():
    walk = Walk(lambda body, joint: [Step(hand=body, out=(body,))],
                lambda body, joint, carried: Step(hand=carried, out=(carried + body,)))
    assert results(walk, layout=Layout.SYMMETRIC) == [
        1.0, 11.0, 101.0,
        11.0, 10.0, 0.0,
        101.0, 0.0, 100.0]


def test_walks_fill_columns_and_rows_of_two_matrices():
    walk = Walk(lambda body, joint: [Step(hand=body, out=(body, -body))],
                lambda body, joint, carried: Step(hand=carried, out=(
                    carried + body, -carried, carried + 2 * body, -2 * carried)))
    assert results(walk, layout=Layout.SQUARES, extent=(2,)) == [
        1.0, 11.0, 101.0,
        12.0, 10.0, 0.0,
        102.0, 0.0, 100.0,
        -1.0, -10.0, -100.0,
        -20.0, -10.0, 0.0,
        -200.0, 0.0, -100.0]


def test_solve_replaces_the_matrices():
    walk = Walk(lambda body, joint: [Step(hand=body, out=(body, 2 * body))],
                lambda body, joint, carried: Step(hand=carried, out=(0.0, 0.0, 0.0, 0.0)))
    found = results(walk, Solve(), layout=Layout.SQUARES, extent=(2,))
    assert found == [-0.5, 0, 0, 0, -0.5, 0, 0, 0, -0.5, 0.5, 0, 0, 0, 0.05, 0, 0, 0, 0.005]


def test_one_walk_fills_columns():
    walk = Walk(lambda body, joint: [Step(hand=body, out=(body, -body))],
                lambda body, joint, carried: Step(hand=carried, out=(carried, -body)))
    assert results(walk, layout=Layout.COLUMNS, extent=(2,), body=2) == [
        100.0, 0.0, 100.0,
        -1.0, 0.0, -100.0]
    assert results(walk, layout=Layout.COLUMNS, extent=(2,), body=-1) == [0.0] * 6


def test_results_of_bodies_and_of_one_body():
    sweep = Outward(lambda body, joint, parent: Step(out=(body, 2 * body)), lambda world: None)
    assert results(sweep, layout=Layout.BODIES, extent=(2,)) == [1., 2., 10., 20., 100., 200.]
    assert results(sweep, layout=Layout.ONE_BODY, extent=(2,), body=1) == [10.0, 20.0]
    assert results(sweep, layout=Layout.ONE_BODY, extent=(2,), body=-1,
                   at_ground=(7.0, 8.0)) == [7.0, 8.0]
