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

"""Counted operations: against reference counts, by hand, and the values that come with them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.analysis import scaling
from mbd_ros.dynamics.analysis.analyse import analyse, Cost, DENSE, REDUCED, Report, ways
from mbd_ros.dynamics.analysis.counting import depths, Graph, kinds_of, needed, number
from mbd_ros.dynamics.analysis.measure import measure, shortest
from mbd_ros.dynamics.analysis.schedule import schedule_length
from mbd_ros.errors import InvalidValueError
from mbd_ros.model.state import random_configuration

ROOT = Path(__file__).parents[3]
CASES = {(case['case'], case['algorithm']): case for case in json.loads(
    (ROOT / 'test/data/operation_counts.json').read_text())['cases']}
ALGORITHMS = {
    DENSE: 'RNEA+CRBA+LDL (serial best, link frames)', 'recursive': 'ABA (link frames)',
    'jourdain': 'Jourdain reduced to n, sequential sums',
    'augmented': 'Jourdain full, block Thomas 5x5',
    REDUCED: 'Jourdain full, scans + block cyclic reduction'}
# Modified Denavit-Hartenberg rows, masses, mass centres, central inertias: Armstrong et al. 1986,
# the third link with the wrist, as the reference counts have them.
PUMA3 = (('0 0 0', 0.0, 12.96, '0 0 0', (0.35, 0.35, 0.35)),
         ('0 0.2435 0', -np.pi / 2, 17.40, '0.068 0.006 -0.016', (0.130, 0.524, 0.539)),
         ('0.4318 0 -0.0934', 0.0, 6.04, '0 -0.143 0.014', (0.192, 0.0154, 0.212)))


def puma3():
    parts = ['<robot name="puma3"><link name="l0"/>']
    for i, (origin, roll, mass, center, (xx, yy, zz)) in enumerate(PUMA3, 1):
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="{center}"/><mass value="{mass}"/><inertia '
            f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/>'
            f'<origin xyz="{origin}" rpy="{roll} 0 0"/><axis xyz="0 0 1"/></joint>')
    return mbd_ros.load(''.join(parts) + '</robot>')


def costs(model, processors=(1,)):
    return {cost.formulation: cost for cost in analyse(model, processors).costs}


def test_the_puma_takes_no_more_than_the_reference():
    found = costs(puma3(), (1, 2, 3))
    for name, algorithm in ALGORITHMS.items():
        reference = CASES['puma3 (AKB, link 3 with wrist)', algorithm]
        # What is less is said in docs/theory_augmented_parallel.md; 5 % as the issue asks.
        assert found[name].total <= 1.05 * reference['T1'], name
        # Of block Thomas: six rows where the reference has five.
        assert found[name].critical_path <= 1.08 * reference['Tinf'], name
    assert found['jourdain'].critical_path == 31
    assert {name: found[name].total for name in ALGORITHMS} == {
        DENSE: 339, 'recursive': 428, 'jourdain': 536, 'augmented': 1473, REDUCED: 1915}


@pytest.mark.parametrize('count', [3, 6, 12])
def test_general_chains_take_what_the_reference_takes(count):
    found = costs(mbd_ros.load(chain(count, 1)))
    case = f'general n={count} (nothing folds)'
    for name, most in ((DENSE, 1.06), ('recursive', 1.03), ('jourdain', 1.07),
                       ('augmented', 1.0), (REDUCED, 1.0)):
        # Of composite bodies six more products a link: axes along z are no constants here.
        assert found[name].total <= most * CASES[case, ALGORITHMS[name]]['T1'], name


def test_cyclic_reduction_is_logarithmic_and_the_closed_recurrences_are_what_is_counted():
    few, many = (costs(mbd_ros.load(chain(count, 1))) for count in (12, 24))
    for name, work in (('recursive', scaling.RECURSION_WORK), (REDUCED, scaling.CYCLIC_WORK)):
        assert round((many[name].total - few[name].total) / 12) == work
    assert many['recursive'].critical_path - few['recursive'].critical_path == (
        12 * scaling.RECURSION_PATH)
    # Logarithmic: a doubling adds the same number of steps, whatever the length.
    assert many[REDUCED].critical_path - few[REDUCED].critical_path == scaling.CYCLIC_PATH
    # 12 and 24 links halve three and four times.
    assert [cost[REDUCED].critical_path - scaling.SHORTEST for cost in (few, many)] == [
        3 * scaling.CYCLIC_PATH, 4 * scaling.CYCLIC_PATH]


def test_many_processors_pay_for_long_chains_only():
    assert scaling.break_even(6) is None or scaling.break_even(6) > 2
    assert scaling.break_even(100_000) == 4
    assert scaling.break_even(1000, communication=1e6) is None
    assert scaling.cyclic_reduction(100_000, 4096) < scaling.recursion(100_000) / 500
    # Work of 16 of 64 links each; the path; two rounds of two messages.
    assert scaling.cyclic_reduction(64, 4, 10.0) == (
        16 * scaling.CYCLIC_WORK + scaling.SHORTEST + 6 * scaling.CYCLIC_PATH + 40.0)
    assert scaling.cyclic_reduction(64, 1, 10.0) == 64 * scaling.CYCLIC_WORK
    assert scaling.recursion(64) == 64 * scaling.RECURSION_WORK
    for most, expected in ((3, None), (4, 4), (5, 4)):
        assert scaling.break_even(100_000, most=most) == expected


@pytest.mark.parametrize('robot', ['puma560.urdf', 'space_robot.urdf.xacro'])
def test_what_is_counted_is_the_right_answer(robot):
    model = mbd_ros.load(ROOT / 'urdf' / robot, floating_base=robot.startswith('space'))
    rng = np.random.default_rng(1)
    q, v, tau = (random_configuration(model, rng), rng.normal(size=model.nv),
                 rng.normal(size=model.nv))
    expected = mbd_ros.forward_dynamics(model, q, v, tau)
    for name, way in ways(model).items():
        found = np.array([number(one) for one in way(Graph())])
        # Condition of M below 1e4.
        np.testing.assert_allclose(found, expected, rtol=1e-10, err_msg=name)


def test_of_loops_the_recursion_is_counted():
    model = mbd_ros.load(ROOT / 'urdf' / 'four_bar.urdf')
    assert list(costs(model)) == ['closed_loop']


def test_operations_by_hand():
    graph = Graph()
    a, b = graph.input(3.0), graph.input(4.0)
    result = (a * a + b * 1.0 * b - 0.0) * -1.0 + 2.0 / a
    places = needed(graph, [result, 7.0])
    assert dict(kinds_of(graph, places)) == {'mul': 2, 'add': 2, 'div': 1}
    assert max(depths(graph, places).values()) == 3
    assert result.value == pytest.approx(-25.0 + 2.0 / 3.0)
    assert (a * 0.0, 0.0 + a, a - 0.0) == (0.0, a, a)
    assert a.sine().place == a.sine().place
    assert [a.sine().value, a.cosine().value, a.root().value] == [
        math.sin(3.0), math.cos(3.0), math.sqrt(3.0)]
    assert (-a).sine().value == -math.sin(3.0) and (-a).cosine().value == math.cos(3.0)
    assert (-a).sine().place == a.sine().place != a.cosine().place != a.root().place
    assert [(a / b).value, (a / 4.0).value, (6.0 / a).value, (1.0 - a).value] == [
        0.75, 0.75, 2.0, -2.0]
    assert [graph.kinds[one.place] for one in (a / b, a / 4.0, 6.0 / a, a / -1.0)] == [
        'div', 'mul', 'div', 'input']
    assert (0.0 / a, number(2), number(b)) == (0.0, 2.0, 4.0)
    assert graph.waits[(a - b).place] == (a.place, b.place)
    larger = graph.record('larger', a, 5.0)
    assert (larger.value, graph.kinds[larger.place], graph.waits[larger.place]) == (
        5.0, 'function', (a.place,))
    assert graph.record('nan', a, b) is a


def test_schedules_by_hand():
    graph = Graph()
    ends = [graph.input(float(k)) for k in range(8)]
    while len(ends) > 1:   # a sum of eight, as a tree
        ends = [one + other for one, other in zip(ends[::2], ends[1::2])]
    places = needed(graph, ends)
    assert [schedule_length(graph, places, count) for count in (1, 2, 3, 4, 9)] == [7, 4, 4, 3, 3]
    # On one processor nothing travels; on others each level waits.
    assert schedule_length(graph, places, 1, 5) == 7
    assert schedule_length(graph, places, 4, 1) == 5


def test_arguments_are_checked():
    for processors in ((), (0,), (1.5,)):
        with pytest.raises(InvalidValueError, match=r'^processors is .*whole numbers from 1 on'):
            analyse(puma3(), processors)
    with pytest.raises(InvalidValueError, match=r'^communication is .*whole numbers from 0 on'):
        analyse(puma3(), communication=-1)


@pytest.mark.parametrize('states', [1, 3])
def test_measured_times_are_sorted(monkeypatch, states):
    monkeypatch.setattr('mbd_ros.dynamics.analysis.measure.PATIENCE', 0.01)
    found = measure(puma3(), states)
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    assert {one.formulation for one in found} >= {'recursive', 'jourdain', 'augmented'}
    assert {one.states for one in found} == {states}


def test_the_shortest_time_of_a_state_counts(monkeypatch):
    """Calls take 5, 3, 4 ms and so on by the clock; the first, which compiles, takes 1 s."""
    now, takes = [0.0], [1.0, *[0.005, 0.003, 0.004] * 100]

    def call():
        now[0] += takes.pop(0)
    monkeypatch.setattr('time.perf_counter', lambda: now[0])
    assert shortest(call) == pytest.approx(0.003)
    # 0.1 s of rounds of 12 ms, and the first call
    assert 301 - len(takes) == 1 + 25


def test_the_table_of_costs():
    cost = Cost('recursive', 10, 20, 3, 4, 37, 9, {1: 37, 16: 12})
    other = Cost('augmented, cyclic', 1000, 200, 3, 4, 1207, 90, {1: 1207, 16: 120})
    assert Report('r', 0, (cost, other)).table().splitlines() == [
        'formulation         mul  add  div  sin, cos    T1  critical path  p = 1  p = 16',
        'recursive            10   20    3         4    37              9     37      12',
        'augmented, cyclic  1000  200    3         4  1207             90   1207     120']
