"""Counted operations: against reference counts, by hand, and the values that come with them."""

import json
from pathlib import Path

import numpy as np
import pytest
from robots import chain

import mbd_ros
from mbd_ros.dynamics.analysis import scaling
from mbd_ros.dynamics.analysis.analyse import analyse, DENSE, REDUCED, ways
from mbd_ros.dynamics.analysis.counting import depths, Graph, kinds_of, needed, number
from mbd_ros.dynamics.analysis.measure import measure
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
    assert many['recursive'].total - few['recursive'].total == pytest.approx(
        12 * scaling.RECURSION_WORK, rel=0.01)
    assert many['recursive'].critical_path - few['recursive'].critical_path == pytest.approx(
        12 * scaling.RECURSION_PATH, rel=0.01)
    assert many[REDUCED].total - few[REDUCED].total == pytest.approx(
        12 * scaling.CYCLIC_WORK, rel=0.01)
    # Logarithmic: a doubling adds the same number of steps, whatever the length.
    assert many[REDUCED].critical_path - few[REDUCED].critical_path == pytest.approx(
        scaling.CYCLIC_PATH, abs=2)
    assert scaling.cyclic_reduction(24, 10**9) - scaling.CYCLIC_WORK == pytest.approx(
        many[REDUCED].critical_path, rel=0.15)


def test_many_processors_pay_for_long_chains_only():
    assert scaling.break_even(6) is None or scaling.break_even(6) > 2
    assert scaling.break_even(100_000) == 4
    assert scaling.break_even(1000, communication=1e6) is None
    assert scaling.cyclic_reduction(100_000, 4096) < scaling.recursion(100_000) / 500


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


def test_measured_times_are_sorted():
    found = measure(puma3(), 3)
    assert [one.seconds for one in found] == sorted(one.seconds for one in found)
    assert {one.formulation for one in found} >= {'recursive', 'jourdain', 'augmented'}
