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

"""What docs/paper_figures.md states of the papers, computed again where it is quick."""

import importlib
from pathlib import Path
import re
import sys

import numpy as np
import pytest

import mbd_ros
from mbd_ros import analyse

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / 'docs' / 'paper_figures.md').read_text(encoding='utf-8')


@pytest.fixture(scope='module')
def example():
    """Return a function that imports an example."""
    sys.path.insert(0, str(ROOT / 'examples'))
    yield importlib.import_module
    sys.path.pop(0)


@pytest.fixture(scope='module')
def lyu(example):
    return example('paper_figures')


@pytest.fixture(scope='module')
def arm():
    return mbd_ros.compile(mbd_ros.load(ROOT / 'urdf' / 'three_link_arm.urdf'))


def table(head):
    """Return the rows of the table with a heading, as lists of texts."""
    rows = PAGE.split(head, 1)[1].splitlines()[2:]
    return [[cell.strip() for cell in row.strip('|').split('|')]
            for row in rows[:next(k for k, row in enumerate(rows) if not row.startswith('|'))]]


def test_every_script_and_picture_is_there():
    scripts = set(re.findall(r'examples/\w+\.py', PAGE))
    assert {f'examples/{name}.py' for name in (
        'paper_figures', 'closed_loop_figures', 'closed_loop_processors', 'flexible_figures',
        'parallel_figures', 'underwater_figures')} == scripts
    for name in (*scripts, *(f'docs/{image}' for image in re.findall(r'\((images/.*?)\)', PAGE))):
        assert (ROOT / name).is_file()
    for name in re.findall(r'`(?:mbd_ros|config|urdf|test)/[\w/]+\.\w+`', PAGE):
        assert (ROOT / name.strip('`')).exists(), name


def test_accuracy_over_the_number_of_corrections(lyu, arm):
    rows = {row[0]: row[1:] for row in table('| corrections of q, of v')}
    assert set(rows) == {f'{count} + 1' for count in range(4)}
    for count, first, last in lyu.corrections(arm, (1, 3)):
        for found, printed in zip((*first, last), map(float, rows[f'{count} + 1'])):
            # Two printed digits; at rounding those of coordinates of 1 m.
            assert found == pytest.approx(printed, rel=0.05, abs=5e-15)


def test_baumgarte_over_its_parameters(lyu, arm):
    rows = {row[0]: row[1:] for row in table('| alpha, beta | poles')}
    chosen = [lyu.GAINS[k] for k in (4, -1)]   # the paper's: test_reference_motion.py
    for pair, soon, last in lyu.gains(arm, chosen):
        _, time, floor = rows[f'{pair[0]}, {pair[1]}']
        if time == 'breaks':
            assert soon == last == np.inf
            assert np.abs(np.roots([1, *pair])).max() > 2.785 / 0.01   # RK4's limit
        else:
            assert soon == pytest.approx(float(time), abs=0.0051)   # half of a step
            assert last == pytest.approx(float(floor), rel=0.05)
    assert set(rows) == {f'{alpha}, {beta}' for alpha, beta in lyu.GAINS}


def test_how_far_figures_2_and_3_drift(lyu, arm):
    drifting = lyu.run(arm, lyu.PRINTED, 'none')
    exact = lyu.run(arm, lyu.exact_start(arm), 'direct 2 + 1')
    angles, rates = np.degrees(drifting.q - exact.q), np.abs(drifting.v - exact.v)
    for time, expected in ((5, 1.6), (10, 3.6), (20, 11)):
        assert np.abs(angles[100 * time]).max() == pytest.approx(expected, rel=0.03)
    assert np.abs(angles[2000]).argmax() == 2
    assert rates.max() == pytest.approx(0.19, abs=0.005)
    assert drifting.time[rates.max(axis=1).argmax()] == pytest.approx(15, abs=1)
    assert rates[2000].max() == pytest.approx(0.03, abs=0.005)
    assert 'velocities by 0.19 rad/s at most' in ' '.join(PAGE.split())


@pytest.mark.parametrize(('kind', 'size'), [('crank', 0), ('ring', 5), ('ring', 31)])
def test_two_branches_move_as_the_whole_loop(example, kind, size):
    processors = example('closed_loop_processors')
    model, q = processors.mechanism(kind, size)
    whole = mbd_ros.compile(model, gravity=processors.DOWN[kind]).stabilized_dynamics(
        processors.ALPHA, processors.ALPHA)
    halves = processors.halves(kind, size)
    rng = np.random.default_rng(size)
    for _ in range(3):
        v, tau = rng.normal(size=(2, model.nv))   # loops open by v, so that Baumgarte's terms act
        expected = whole(q, v, tau)
        # Rows across the plane of a ring are left out by different thresholds, 1e-9 and less.
        np.testing.assert_allclose(halves(q, v, tau), expected, rtol=0,
                                   atol=1e-9 * np.abs(expected).max())


def test_table_1_of_malczyk_and_fraczek(example):
    processors = example('closed_loop_processors')
    ratios = [two / one for rows in processors.PRINTED.values() for one, two in rows]
    assert 1.435 < min(ratios) < max(ratios) < 1.475   # 1.44 to 1.47
    rows = table('| simulated [s] | longest step')
    assert [(int(row[0]), float(row[1])) for row in rows] == [
        (duration, step) for step in processors.STEPS for duration in processors.DURATIONS]
    for row in rows:
        printed = processors.PRINTED[float(row[1])][processors.DURATIONS.index(int(row[0]))]
        assert row[2] == f'{printed[0]:.3f}, {printed[1]:.3f}'


def test_the_crank_runs_alike_by_both_ways(example):
    processors = example('closed_loop_processors')
    model, q = processors.mechanism('crank')
    whole = mbd_ros.compile(model, gravity=processors.DOWN['crank']).stabilized_dynamics(5.0, 5.0)
    ends = [processors.bdf(way, q, [0.1, 0.2], 0.01, processors.crank_torque, rtol=1e-7).state
            for way in (whole, processors.halves('crank'))]
    np.testing.assert_allclose(*ends, atol=1e-5)   # a hundred times the tolerance


def test_steps_of_three_links_of_a_puma(example):
    costs = example('parallel_figures').three_links((1, 3))
    rows = {row[0]: row[1:] for row in table('| steps on processors |')}
    assert set(rows) == {cost.formulation for cost in costs}
    for cost in costs:
        assert (rows[cost.formulation][0], rows[cost.formulation][2]) == (
            str(cost.schedule[1]), str(cost.schedule[3]))
    steps = {cost.formulation: cost.schedule for cost in costs}
    assert steps['composite bodies'][3] < steps['jourdain'][3] < steps['composite bodies'][1]


def test_the_first_half_of_lus_claim_fails_at_twelve_links(example):
    chain = example('parallel_figures').chain
    totals = {count: {cost.formulation: cost.total for cost in analyse(chain(count), (1,)).costs}
              for count in (11, 12)}
    assert (totals[11]['composite bodies'], totals[11]['recursive']) == (6601, 6661)
    assert (totals[12]['composite bodies'], totals[12]['recursive']) == (7626, 7371)
    assert '(6601 to 6661)' in PAGE and '(7371 to 7626)' in PAGE


def test_the_torque_that_holds_a_shaken_hand_is_that_of_inverse_dynamics(example):
    figures = example('flexible_figures')
    model = mbd_ros.load(ROOT / 'urdf' / 'flexible_arm.urdf')
    rng = np.random.default_rng(7)
    q = np.concatenate([figures.END, 1e-3 * rng.normal(size=model.nq - figures.JOINTS)])
    v = np.concatenate([np.zeros(figures.JOINTS),
                        0.1 * rng.normal(size=model.nv - figures.JOINTS)])
    vdot, effort = figures.Driven(model, figures.still, figures.shaking).both(0.05, q, v)
    assert np.abs(vdot[:figures.JOINTS]).max() == 0.0
    needed = mbd_ros.inverse_dynamics(model, q, v, vdot, external_forces={
        'hand': [*figures.shaking(0.05), 0.0, 0.0, 0.0]})
    np.testing.assert_allclose(effort[:figures.JOINTS], needed[:figures.JOINTS], rtol=1e-9)
    # Nothing drives the links: rounding of elastic forces of some hundred newtons.
    np.testing.assert_allclose(needed[figures.JOINTS:], 0.0, atol=1e-8)
