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

"""The driver that runs the sweeps of a program, body by body or on what else stands for bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import math
from typing import Any

from mbd_ros.execution.program.elimination import axis_parents, eliminate
from mbd_ros.execution.program.sweeps import (
    Body, Inward, Layout, Outward, Program, Solve, Step, Tie, Ties, Tree, Walk, World)
from mbd_ros.spatial import Joint, Scalar


def run(program: Program, tree: Tree, joints: Sequence[Joint], world: World) -> list[Scalar]:
    """
    Run a program and return its result, flat in row-major order.

    Parameters
    ----------
    program : Program
        The sweeps.
    tree : Tree
        Bodies and their parents.
    joints : sequence of Joint
        The joints with their coordinates, in the order of the bodies.
    world : World
        Gravity.

    Returns
    -------
    list of Scalar
        The entries of an array of shape ``program.shape(nb, nv)``.

    """
    return Driver(program, tree, tree.bodies, joints).run(world)


class Driver:
    """
    Runs the sweeps of a program; what it loads and stores is one record for each body.

    Parameters
    ----------
    program : Program
        The sweeps.
    tree : Tree
        Bodies and their parents.
    bodies, joints : sequence
        What steps read, in the order in which they run.

    """

    def __init__(self, program: Program, tree: Tree, bodies: Sequence[Body],
                 joints: Sequence[Joint]) -> None:
        self.program, self.tree, self.bodies, self.joints = program, tree, bodies, joints
        self.kept: list[tuple[Any, ...]] = [()] * len(bodies)
        self.ground, self.steps = Step(), list[Step]()
        self.sums: list[Any] = []
        """What is handed inwards: to each body, and to the ground, the last."""

    def run(self, world: World) -> list[Scalar]:
        """Return the result, flat in row-major order."""
        program, tree = self.program, self.tree
        results: list[Scalar] = [0.0] * math.prod(
            program.shape(len(tree.bodies), tree.nv, tree.count))
        if program.body == -1:
            return [*program.at_ground] or results
        for sweep in program.sweeps:
            if isinstance(sweep, Walk):
                self.walk(sweep, results)
            elif isinstance(sweep, Solve):
                eliminate(results, axis_parents(tree.parents, tree.v_offsets, tree.nv))
            elif isinstance(sweep, Ties):
                self._tie(sweep, world, results)
            else:
                if isinstance(sweep, Outward):
                    self._outward(sweep, world)
                else:
                    self._inward(sweep)
                place_out(program, tree, -1, self.ground.out, results)
                for k, step in enumerate(self.steps):
                    if step.keep is not None:
                        self.kept[k] = (*self.kept[k], step.keep)
                    for i, out in self.given_out(k, step.out) if step.out else ():
                        place_out(program, tree, i, out, results)
        return results

    def _outward(self, sweep: Outward, world: World) -> None:
        self.ground = (sweep.start(world, self.ground.hand) if sweep.settles
                       else Step(sweep.start(world)))
        self.steps = []
        for k, (body, joint) in enumerate(zip(self.bodies, self.joints)):
            self.steps.append(sweep.step(body, joint, self.handed_outward(k), *self.kept[k]))

    def _inward(self, sweep: Inward) -> None:
        """Go from the tips to the ground, which hands on what it was handed."""
        count = len(self.bodies)
        self.sums, self.steps = [None] * (count + 1), [Step()] * count
        for k in reversed(range(count)):
            step = sweep.step(self.bodies[k], self.joints[k], self.handed_inward(k, sweep.zero),
                              *self.kept[k])
            self.steps[k] = step
            self.hand_inward(k, step.hand)
        self.ground = Step(sweep.zero if self.sums[-1] is None else self.sums[-1])

    def _tie(self, sweep: Ties, world: World, results: list[Scalar]) -> None:
        program, tree = self.program, self.tree
        sums, outs = tie_all(sweep, tree.ties, world, self.handed_on)
        for tie, out in zip(tree.ties, outs):
            if program.layout is Layout.ROWS:
                width, (each,) = tree.nv + sum(program.extent), program.extent
                for k, value in enumerate(out):
                    row, entry = divmod(k, each)
                    results[(tie.row + row) * width + entry] = value
        self.kept = [(*kept, self.of_ties(k, sums, sweep.zero))
                     for k, kept in enumerate(self.kept)]

    def handed_on(self, i: int) -> Any:
        """Return what body i, or the ground (-1), has handed on."""
        return self.ground.hand if i < 0 else self.steps[i].hand

    def handed_outward(self, k: int) -> Any:
        """Return what step k is handed by the parent."""
        return self.handed_on(self.tree.parents[k])

    def handed_inward(self, k: int, zero: Any) -> Any:
        """Return what step k is handed by all children."""
        return zero if self.sums[k] is None else self.sums[k]

    def hand_inward(self, k: int, hand: Any) -> None:
        """Add what step k hands on to what the parent is handed, in a fixed order."""
        self.add(self.tree.parents[k], hand)

    def add(self, k: int, hand: Any) -> None:
        """Add a record to what step k is handed; -1 is the ground."""
        self.sums[k] = hand if self.sums[k] is None else self.sums[k] + hand

    def of_ties(self, k: int, sums: Mapping[int, Any], zero: Any) -> Any:
        """Return what step k keeps of the ties at its body."""
        return sums.get(k, zero)

    def given_out(self, k: int, out: tuple[Scalar, ...]
                  ) -> Iterable[tuple[int, tuple[Scalar, ...]]]:
        """Return the bodies of step k with what each gives out."""
        return ((k, out),)

    def walk(self, walk: Walk, results: list[Scalar]) -> None:
        """Walk from each body to the ground, or from the one that the program names."""
        program, tree, joints, kept = self.program, self.tree, self.joints, self.kept
        for i in range(len(tree.bodies)) if program.body is None else (program.body,):
            for axis, step in enumerate(walk.start(tree.bodies[i], joints[i], *kept[i])):
                row = tree.v_offsets[i] + axis
                _enter(program, tree, row, i, joints[i], step.out, results)
                parent = tree.parents[i]
                while parent >= 0 and step.hand is not None:
                    step = walk.step(tree.bodies[parent], joints[parent], step.hand,
                                     *kept[parent])
                    _enter(program, tree, row, parent, joints[parent], step.out, results)
                    parent = tree.parents[parent]


def tie_all(sweep: Ties, ties: Sequence[Tie], world: Any, handed: Callable[[int], Any]
            ) -> tuple[dict[int, Any], list[tuple[Scalar, ...]]]:
    """
    Run the steps of all ties.

    Parameters
    ----------
    sweep : Ties
        The step, and what a body without ties keeps.
    ties : sequence of Tie
        What acts between two bodies each.
    world : World
        Gravity.
    handed : callable
        What a body has handed on in the sweep before; the ground is -1.

    Returns
    -------
    sums : dict
        What each body that has ties keeps.
    outs : list of tuple
        What each tie gives out.

    """
    sums: dict[int, Any] = {}
    outs = []
    for tie in ties:
        first, second, out = sweep.step(tie, world, handed(tie.first), handed(tie.second))
        for body, record in ((tie.first, first), (tie.second, second)):
            sums[body] = sums.get(body, sweep.zero) + record
        outs.append(out)
    return sums, outs


def place_out(program: Program, tree: Tree, i: int, out: tuple[Scalar, ...],
              results: list[Scalar]) -> None:
    """Put the results of a sweep's step at body i into place, if there are any."""
    if not out:
        return
    if program.layout is Layout.JOINTS:
        results[tree.v_offsets[i]:tree.v_offsets[i] + len(out)] = out
    elif program.layout is Layout.BODIES:
        results[i * len(out):(i + 1) * len(out)] = out
    elif program.layout is Layout.ONE_BODY and i == program.body:
        results[:] = out
    elif program.layout is Layout.ROWS:
        (each,) = program.extent
        axes = len(out) // tree.slots
        for k, value in enumerate(out):
            slot, axis = divmod(k, axes)
            row = tree.rows[i + 1][slot]
            if row >= 0:
                results[row * (each + tree.nv) + each + tree.v_offsets[i] + axis] = value
    elif program.layout is Layout.MOTION:
        axes = len(out) - 2 * tree.slots
        results[tree.v_offsets[i]:tree.v_offsets[i] + axes] = out[:axes]
        closes = range(tree.slots) if i < 0 else tree.bodies[i].closes
        for slot in closes:
            row = tree.rows[i + 1][slot]
            if row >= 0:
                first = tree.nv + 2 * row
                results[first:first + 2] = out[axes + 2 * slot:axes + 2 * slot + 2]


def _enter(program: Program, tree: Tree, row: int, i: int, joint: Joint, out: tuple[Scalar, ...],
           results: list[Scalar]) -> None:
    """Put the results of a walk's step at body i into place."""
    nv, first = tree.nv, tree.v_offsets[i]
    if program.layout is Layout.SYMMETRIC:
        for k, value in enumerate(out):
            results[row * nv + first + k] = value
            results[(first + k) * nv + row] = value
        return
    if program.layout is Layout.SQUARES:
        (count,) = program.extent
        for k, value in enumerate(out):
            place, axis = divmod(k, joint.nv)
            matrix = place % count * nv * nv
            results[matrix + (row * nv + first + axis if place >= count
                              else (first + axis) * nv + row)] = value
        return
    for k, value in enumerate(out):
        axis, entry = divmod(k, math.prod(program.extent))
        results[entry * nv + first + axis] = value
