"""What evaluations cost on this machine, and what is kept of it."""

import time

import numpy as np
import pytest
from robots import chain, model_of

import mbd_ros
from mbd_ros.dynamics.formulations.mass_matrix import MASS_MATRIX
from mbd_ros.dynamics.formulations.newton_euler import INVERSE_DYNAMICS
from mbd_ros.dynamics.formulations.recursive import FORWARD_DYNAMICS
from mbd_ros.dynamics.quantities.derivatives import FORWARD_DYNAMICS_DERIVATIVES
from mbd_ros.execution.executors import cost_model
from mbd_ros.execution.executors.cost_model import Candidate, cheapest, Costs, operations
from mbd_ros.execution.ir.object_cache import object_cache
from mbd_ros.execution.unrolled.code import trace_program


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Keep times in an empty folder, and forget those of this process before and after."""
    monkeypatch.setenv('MBD_ROS_CACHE', str(tmp_path))
    cost_model.costs.cache_clear()
    yield tmp_path
    cost_model.costs.cache_clear()


def test_times_are_measured_once_in_less_than_a_second_and_kept(folder, monkeypatch):
    begin = time.thread_time()
    first = cost_model.costs()
    assert time.thread_time() - begin < 1.0  # 0.08 s
    # From a fast idle machine to a slow busy one; lanes are never slower than one at a time.
    assert 1e-7 < first.hand_over < 1.0
    assert 1e-11 < first.one < 1e-8
    assert 0.05 < first.batch / first.one < 1.5
    cost_model.costs.cache_clear()
    monkeypatch.setattr(cost_model, 'measured_costs', lambda: pytest.fail('measured again'))
    assert cost_model.costs() == first == cost_model.kept_costs()


def test_damaged_times_are_measured_again(folder, monkeypatch):
    found = Costs(1.0, 2.0, 3.0)
    monkeypatch.setattr(cost_model, 'measured_costs', lambda: found)
    assert cost_model.costs() == found
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert cost_model.kept_costs() is None


def test_without_a_folder_times_are_measured_by_each_process(monkeypatch):
    monkeypatch.setenv('MBD_ROS_CACHE', 'off')
    assert object_cache() is None
    assert cost_model.kept_costs() is None


@pytest.mark.parametrize('program', [FORWARD_DYNAMICS, INVERSE_DYNAMICS, MASS_MATRIX])
def test_operations_are_those_of_the_trace_but_for_constants_that_fold(program):
    model = model_of([0, 1, 2, 2, 1], ['planar', 'revolute', 'spherical', 'prismatic',
                                       'revolute'], 3)
    trace, results = trace_program(program, model)
    counted = sum(symbol.name != 'input' for symbol in trace.needed(results))
    # What folds: motion of the ground, what tips are handed, placements along coordinate axes.
    assert 0.3 < counted / operations(program, model) <= 1.0


def test_operations_grow_with_the_robot():
    ten, twenty = (mbd_ros.load(chain(count, 1)) for count in (10, 20))
    assert operations(FORWARD_DYNAMICS, twenty) == 2 * operations(FORWARD_DYNAMICS, ten)
    assert operations(MASS_MATRIX, twenty) > 2 * operations(MASS_MATRIX, ten)
    # n^3 of the solution at last, n^2 of the walks before.
    assert 2.0 < (operations(FORWARD_DYNAMICS_DERIVATIVES, twenty)
                  / operations(FORWARD_DYNAMICS_DERIVATIVES, ten)) < 8.0


def test_the_cheapest_is_chosen_and_the_first_of_equals():
    candidates = [Candidate('a', 2.0), Candidate('b', 1.0), Candidate('c', 1.0)]
    assert cheapest(candidates).name == 'b'
    assert np.isfinite(cost_model.costs()).all()
