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

"""
The formulations by name: what each runs, and for which robots.

A new one is a file with its steps and one ``register(Formulation(...))``: prepared dynamics, the
public functions and ``dynamics_server`` ask here.

"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mbd_ros.dynamics.algorithms as lazily
from mbd_ros.dynamics.algorithms.crba import mass_matrix_of
from mbd_ros.dynamics.algorithms.forward_dynamics import closed_loop_dynamics, FORWARD_DYNAMICS
from mbd_ros.dynamics.algorithms.rnea import (
    BIAS_FORCES, INVERSE_DYNAMICS, JOINT_WRENCHES, LOADED_BIAS_FORCES, LOADED_INVERSE_DYNAMICS,
    LOADED_JOINT_WRENCHES)
from mbd_ros.errors import InvalidValueError
from mbd_ros.execution.program.sweeps import Program
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.model import Model

AUTO = 'auto'


@dataclass(frozen=True)
class Formulation:
    """
    A way to the equations of motion.

    Attributes
    ----------
    name : str
        What users call it.
    programs : callable
        ``(model) -> {function: Program}`` for ``'forward_dynamics'``, ``'inverse_dynamics'``,
        ``'bias_forces'``, ``'mass_matrix'`` and ``'joint_wrenches'``. The last reads
        accelerations and leaves out what cut joints do, or reads tau and has all.
    supports : callable
        ``(model) -> bool``: whether it suits a robot.
    unsuited : str
        What is to be said of robots that it does not suit.
    bends : bool
        Whether it knows elastic coordinates; where not, it suits no model with flexible links.

    """

    name: str
    programs: Callable[[Model], dict[str, Program]]
    supports: Callable[[Model], bool]
    unsuited: str = 'which has closed loops'
    bends: bool = False

    def refusal(self, model: Model) -> str:
        """Return what of a robot it does not suit; empty where it does."""
        if model.elastic is not None and not self.bends:
            return 'which has flexible links'
        return '' if self.supports(model) else self.unsuited


_REGISTERED: dict[str, Formulation] = {}


def register(formulation: Formulation) -> Formulation:
    """Add a formulation; ``'auto'`` is the first registered one that suits."""
    _REGISTERED[formulation.name] = formulation
    return formulation


def formulation_for(model: Model, name: Any = AUTO) -> Formulation:
    """
    Return a formulation for a robot.

    Parameters
    ----------
    model : Model
        The robot.
    name : str
        Name of a formulation, or ``'auto'``.

    Returns
    -------
    Formulation
        The one of that name, or the first that suits.

    Raises
    ------
    InvalidValueError
        If there is none of that name, or it does not suit the robot; names those that do.

    """
    for one in _REGISTERED.values():
        if name in (AUTO, one.name) and not one.refusal(model):
            return one
    reason = f', {_REGISTERED[name].refusal(model)}' if _known(name) else ''
    allowed = ', '.join(f"'{one}'" for one in (AUTO, *(one.name for one in formulations(model))))
    raise InvalidValueError('formulation', name, f"{allowed} for robot '{model.name}'{reason}")


def formulations(model: Model) -> list[Formulation]:
    """Return the formulations that suit a robot, in the order in which they were registered."""
    return [one for one in _REGISTERED.values() if not one.refusal(model)]


def _known(name: Any) -> bool:
    return isinstance(name, str) and name in _REGISTERED


def _shared(model: Model) -> dict[str, Program]:
    """Return the programs that loops do not change: springs act in them, rows do not."""
    loaded = model.springs or model.laws
    return {'inverse_dynamics': LOADED_INVERSE_DYNAMICS if loaded else INVERSE_DYNAMICS,
            'bias_forces': LOADED_BIAS_FORCES if loaded else BIAS_FORCES,
            'mass_matrix': mass_matrix_of(model),
            'joint_wrenches': LOADED_JOINT_WRENCHES if loaded else JOINT_WRENCHES}


def _with_rows(model: Model) -> dict[str, Program]:
    return {'forward_dynamics': closed_loop_dynamics(tree_of(model).slots), **_shared(model)}


def _of_trees(model: Model) -> dict[str, Program]:
    # Springs act between bodies as loop joints do, in the same sweeps, here with no rows; these
    # know poses, which force laws ask for.
    forward = closed_loop_dynamics(0) if model.springs or model.laws else FORWARD_DYNAMICS
    return {'forward_dynamics': forward, **_shared(model)}


RECURSIVE = register(Formulation('recursive', _of_trees, lambda model: not model.loops))
"""Articulated bodies, for trees."""
CLOSED_LOOP = register(Formulation('closed_loop', _with_rows, lambda model: True))
"""The same recursion with the rows of cut joints; of a tree there are none."""
JOURDAIN = register(Formulation(
    'jourdain', lambda model: {**_shared(model), **lazily.jourdain.PROGRAMS},
    lambda model: not model.loops))
"""Jourdain's principle, reduced: scans along trees, and one system of the size of v."""
KANE = register(Formulation(
    'kane', lambda model: {**_shared(model), **lazily.kane.PROGRAMS}, lambda model: True))
"""Kane's equations with the accessibility matrix, and rows of cut joints: to read."""
AUGMENTED = register(Formulation(
    'augmented', lambda model: {
        **_shared(model), 'forward_dynamics': lazily.augmented.FORWARD_DYNAMICS,
        'joint_wrenches': lazily.augmented.JOINT_WRENCHES},
    lambda model: lazily.augmented.supports(model),
    'not all bodies of which have a mass and an inertia'))
"""Jourdain's principle with multipliers of all joints, for robots whose bodies all have mass."""
FLEXIBLE = register(Formulation(
    'flexible', lambda model: {**_shared(model), **lazily.flexible.PROGRAMS},
    lambda model: not model.loops or model.elastic is not None, bends=True))
"""Floating frames of reference with shape integrals, for trees with and without elasticity."""
