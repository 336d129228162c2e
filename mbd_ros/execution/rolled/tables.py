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

"""A model as the tables that rolled code reads: classes, constants, topology."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.elimination import axis_ends, axis_parents
from mbd_ros.execution.program.records import constants_of, size_of, structure_of, with_constants
from mbd_ros.execution.program.sweeps import Inward, Outward, Program, Tie, Ties
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.rolled.body_classes import Kind
from mbd_ros.model import Model
from mbd_ros.model.caches import owned

Item = TypeVar('Item')
SHARED = 0.69
"""Part of their constants that the bodies of each class must share for code of one robot."""


def rolled_kinds(model: Model, program: Program, folded: bool = False
                 ) -> tuple[tuple[Kind, ...], list[int], tuple[Tie, ...], list[int]]:
    """
    Return the classes and the shapes of ties that rolled code is made for.

    Parameters
    ----------
    model : Model
        The model.
    program : Program
        Only one with ties tells bodies apart by their ties.
    folded : bool
        Whether they know the constants that their bodies share.

    Returns
    -------
    kinds : tuple of Kind
        In a fixed order.
    classes : list of int
        Which of them each body is.
    shapes : tuple of Tie
        In a fixed order.
    of_ties : list of int
        Which of them each tie has.

    """
    tree = tree_of(model)
    ties = tree.ties if any(isinstance(sweep, Ties) for sweep in program.sweeps) else ()
    kinds, classes = _kinds(model, range(model.nb), folded, ties)
    ends = [*classes, -1]  # the ground is body -1
    of_ties = [tie._replace(first=ends[tie.first], second=ends[tie.second], row=0)
               for tie in ties]
    found, numbers = _distinct(list(map(structure_of, of_ties)))
    shapes = [_shared(one, k, numbers, ties) if folded else one for k, one in enumerate(found)]
    return tuple(kinds), classes, tuple(shapes), numbers


def _kinds(model: Model, bodies: Sequence[int], folded: bool, ties: Sequence[Tie] = ()
           ) -> tuple[list[Kind], list[int]]:
    """Return the classes of some bodies, and which each one is; where ties are, with these."""
    every = tree_of(model).bodies
    own = [every[i] if ties else every[i]._replace(closes=()) for i in bodies]
    tied = {body for tie in ties for body in (tie.first, tie.second)}
    kinds, classes = _distinct([
        Kind(model.joint_types[i].pair, structure_of(body), i in tied)
        for i, body in zip(bodies, own)])
    if folded:
        kinds = [kind._replace(body=_shared(kind.body, k, classes, own))
                 for k, kind in enumerate(kinds)]
    return kinds, classes


def _distinct(items: list[Item]) -> tuple[list[Item], list[int]]:
    """Return the different ones of some items in a fixed order, and which of them each is."""
    found = sorted(set(items), key=repr)
    numbers = {item: number for number, item in enumerate(found)}
    return found, [numbers[item] for item in items]


def _shared(structure: Any, number: int, numbers: Sequence[int], records: Sequence[Any]) -> Any:
    """Return a structure with the constants that all its records have in common."""
    own = [constants_of(record) for one, record in zip(numbers, records) if one == number]
    common = [values[0] if len(set(values)) == 1 else None for values in zip(*own)]
    return with_constants(structure, common.__getitem__)


def kinds_between(model: Model, bodies: Sequence[int], folded: bool
                  ) -> tuple[list[Kind], list[int]]:
    """Return the classes of some bodies, at none of which ties matter, and which each one is."""
    return _kinds(model, bodies, folded)


@owned(1)
def folds(program: Program, model: Model) -> bool:
    """Return whether rolled code of this one robot is worth it: bodies share most constants."""
    if not program.ties or not all(isinstance(sweep, (Outward, Inward, Ties))
                                   for sweep in program.sweeps):
        return False
    kinds, classes, _, _ = rolled_kinds(model, program, folded=True)
    known = sum(len(constants_of(kinds[i].body)) for i in classes)
    return known >= SHARED * sum(size_of(kinds[i].body) for i in classes)


def rolled_tables(model: Model, classes: Sequence[int], shapes: Sequence[int]
                  ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """
    Return the constants and the topology of a model as rolled kernels read them.

    Parameters
    ----------
    model : Model
        The model.
    classes, shapes : sequence of int
        Of the bodies and the ties, as from ``rolled_kinds``.

    Returns
    -------
    constants : array
        Those of each body in the order of its record, with zeros up to as many as any has; then
        so those of each tie.
    topology : array
        (4 nb + 2 nv + ...,): parents, classes, first entries in q and in v; for each entry of v
        the next on the path to the ground and the end of those that it carries; for ties see
        ``rolled/ties.py``.

    """
    tree = tree_of(model)
    ties = tree.ties if shapes else ()
    constants = np.concatenate([_table(tree.bodies).ravel(), _table(ties).ravel()])
    axes = axis_parents(model.parents, model.v_offsets, model.nv)
    topology = [*model.parents, *classes, *model.q_offsets, *model.v_offsets, *axes,
                *axis_ends(axes), len(ties), *(tie.first for tie in ties),
                *(tie.second for tie in ties), *shapes, *(tie.row for tie in ties), tree.count,
                *(row for rows in tree.rows for row in rows)]
    return constants, np.array(topology, dtype=np.int64)


def _table(records: Sequence[Any]) -> NDArray[np.float64]:
    """Return the constants of records, one a row."""
    rows = list(map(constants_of, records))
    table = np.zeros((len(rows), max(map(len, rows), default=0)))
    for place, row in zip(table, rows):
        place[:len(row)] = row
    return table


def slot_rows(model: Model, bodies: Sequence[int]) -> list[int]:
    """Return nv and the rows of loops in the slots of the ground and of some bodies."""
    rows = tree_of(model).rows
    return [model.nv, *rows[0], *(row for i in bodies for row in rows[i + 1])]
