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

"""What the formulations cost for a robot: operations, critical paths, schedules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mbd_ros.dynamics.algorithms.registry import formulations
from mbd_ros.dynamics.analysis.counting import Counted, depths, Graph, kinds_of, needed
from mbd_ros.dynamics.analysis.schedule import schedule_length
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution import Interpreted, Lanes
from mbd_ros.execution.program.array_program import ArrayProgram
from mbd_ros.execution.program.driver import run
from mbd_ros.execution.program.records import filled, flatten
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import joints_of, tree_of, world_of
from mbd_ros.model import Model
from mbd_ros.model.state import random_configuration
from mbd_ros.spatial.dense import factors, solve

DENSE = 'composite bodies'
"""Mass matrix and bias by recursions, and one dense solution: the best for short serial chains."""
REDUCED = 'augmented, cyclic'
"""The augmented formulation with cyclic reduction in the place of block Thomas."""
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Cost:
    """
    What one evaluation of forward dynamics takes.

    Attributes
    ----------
    formulation : str
        Its name; of two ways to solve, with the way.
    multiplications, additions, divisions, functions : int
        Operations; functions are sines, cosines and roots.
    total : int
        Their sum, T1: steps on one processor.
    critical_path : int
        The longest path of operations that wait for each other: steps on any number of them.
    schedule : dict of int to int
        For each number of processors the steps of a list schedule.

    """

    formulation: str
    multiplications: int
    additions: int
    divisions: int
    functions: int
    total: int
    critical_path: int
    schedule: dict[int, int]


@dataclass(frozen=True)
class Report:
    """
    Costs of all formulations that suit a robot.

    Attributes
    ----------
    robot : str
        Its name.
    communication : int
        Steps that a result takes to another processor.
    costs : tuple of Cost
        In the order of the registry.

    """

    robot: str
    communication: int
    costs: tuple[Cost, ...]

    def table(self) -> str:
        """Return the costs as a table."""
        processors = list(self.costs[0].schedule)
        rows: list[list[Any]] = [['formulation', 'mul', 'add', 'div', 'sin, cos', 'T1',
                                  'critical path', *(f'p = {count}' for count in processors)]]
        for one in self.costs:
            rows.append([one.formulation, one.multiplications, one.additions, one.divisions,
                         one.functions, one.total, one.critical_path, *one.schedule.values()])
        widths = [max(len(str(entry)) for entry in column) for column in zip(*rows)]
        return '\n'.join('  '.join(
            str(entry).ljust(width) if k == 0 else str(entry).rjust(width)
            for k, (entry, width) in enumerate(zip(row, widths))) for row in rows)


def analyse(model: Model, processors: Sequence[int] = (1, 2, 4, 8), *, communication: int = 0
            ) -> Report:
    """
    Count what the formulations of forward dynamics cost for a robot.

    Each runs once on scalars that count, at a random state. Zeros and ones of the robot's
    constants are folded, changes of sign are free, gravity is along z.

    Parameters
    ----------
    model : Model
        The robot.
    processors : sequence of int
        Numbers of processors for which operations are scheduled.
    communication : int
        Steps that a result takes to another processor.

    Returns
    -------
    Report
        One ``Cost`` for each formulation that suits; of the augmented one two, and for trees one
        of composite bodies with a dense solution. For robots with loops or springs those written
        as sweeps.

    Raises
    ------
    InvalidValueError
        If there are less than one processor or 0 steps.
    UnsupportedError
        If the robot has flexible links.

    """
    model.require_rigid('analyse')
    for name, least, values in (('processors', 1, [*processors]),
                                ('communication', 0, [communication])):
        if not values or not all(isinstance(one, int) and one >= least for one in values):
            raise InvalidValueError(name, values, f'whole numbers from {least} on')
    costs = []
    for name, evaluate in ways(model).items():
        graph = Graph()
        results = evaluate(graph)
        places = needed(graph, results)
        kinds = kinds_of(graph, places)
        costs.append(Cost(
            name, kinds['mul'], kinds['add'], kinds['div'], kinds['function'], len(places),
            max(depths(graph, places).values(), default=0),
            {count: schedule_length(graph, places, count, communication)
             for count in processors}))
    return Report(model.name, communication, tuple(costs))


Way = Callable[[Graph], list[Any]]


def ways(model: Model) -> dict[str, Way]:
    """Return for each way to forward dynamics what records its operations in a graph."""
    found: dict[str, Way] = {}
    for one in formulations(model):
        if one.bends:
            continue   # solves by LAPACK, which does not count
        program = one.programs(model)['forward_dynamics']
        if one.name == 'recursive':
            found[DENSE] = partial(_dense, model, one.programs(model))
        if one.name == 'closed_loop' and not model.loops:
            continue   # the same as the recursive one
        if isinstance(program, ArrayProgram) and (model.loops or model.sprung or model.laws):
            continue   # decides by singular values, or by comparing: what is no arithmetic
        found[one.name] = partial(_alone, program, model, None)
        if one.name == 'augmented':
            found[REDUCED] = partial(_alone, program, model, Lanes())
    return found


def inputs_of(model: Model, graph: Graph) -> dict[str, list[Counted]]:
    """Return a random state and efforts as inputs of a graph."""
    rng = np.random.default_rng(1)
    state = {'q': random_configuration(model, rng), 'v': rng.normal(size=model.nv),
             'tau': rng.normal(size=model.nv)}
    return {name: [graph.input(value) for value in values.tolist()]
            for name, values in state.items()}


def counted(program: Program, model: Model, inputs: Mapping[str, Sequence[Counted]],
            executor: Any = None) -> list[Any]:
    """
    Return the result of a program on scalars that count.

    Parameters
    ----------
    program : Program
        Of sweeps, or of arrays.
    model : Model
        The robot.
    inputs : mapping
        As from ``inputs_of``.
    executor : Executor, optional
        Who is said to run it.

    Returns
    -------
    list
        The entries of its result in row-major order, ``Counted`` or float.

    """
    world = [*GRAVITY, *flatten(world_of(model))[len(GRAVITY):]]
    if isinstance(program, ArrayProgram):
        stacks = {name: np.array([inputs[name]], dtype=object) for name in program.inputs}
        result = program.evaluate(model, stacks, np.array(world, dtype=object),
                                  executor or Interpreted())
        return list(np.ravel(result))
    around = filled(world_of(model), world.__getitem__)
    given = {name: inputs[name] for name in program.inputs}
    return run(program, tree_of(model), joints_of(model, given), around)


def _alone(program: Program, model: Model, executor: Any, graph: Graph) -> list[Any]:
    return counted(program, model, inputs_of(model, graph), executor)


def _dense(model: Model, programs: Mapping[str, Program], graph: Graph) -> list[Any]:
    inputs = inputs_of(model, graph)
    entries = counted(programs['mass_matrix'], model, inputs)
    matrix = [entries[i * model.nv:(i + 1) * model.nv] for i in range(model.nv)]
    bias = counted(programs['bias_forces'], model, inputs)
    lower, inverse = factors(matrix)
    return solve(lower, inverse, [drive - force for drive, force in zip(inputs['tau'], bias)])
