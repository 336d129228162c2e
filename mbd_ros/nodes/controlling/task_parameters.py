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

"""The parameters of the controller as a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control import Task
from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.fields.plain_data import read_plain
from mbd_ros.messages.states.efforts import EffortCommands

Vector = NDArray[np.float64]

GAINS = ('bandwidth', 'approach_speed', 'robust_rate', 'adaptation_rate')
"""Parameters that may change while the robot moves."""


def task_from_parameters(values: Mapping[str, Any], posture: Vector | None) -> Task:
    """
    Return the task that the controller's parameters describe.

    Parameters
    ----------
    values : mapping of str to object
        The parameters by name, with those of the group ``path`` as a mapping.
    posture : Vector or None
        (nq,) in the order of the model; None without one.

    Returns
    -------
    Task
        The task.

    """
    path = {name: value for name, value in values['path'].items() if value}
    if path['kind'] == 'auto':
        path['kind'] = 'ellipse' if 'center' in path else 'none'
    if path['kind'] == 'none':
        path = {}
    elif 'points' in path:
        path['points'] = triples('path.points', path['points'])
    names = ('link', 'axes', 'start', 'step', 'metric', *GAINS, 'payload_limit',
             'posture_stiffness', 'actuated', 'flexible')
    return Task.from_data({
        **{name: values[name] for name in names}, 'path': path,
        'constraints': listed('constraints', values['constraints']),
        'posture': () if posture is None else tuple(posture.tolist())})


def posture_of(values: Mapping[str, Any], commands: EffortCommands) -> Vector | None:
    """Return the posture (nq,) in the order of the model, None without one."""
    given = values['posture']
    return commands.configuration('posture', given) if given else None


def with_gains(task: Task, values: Mapping[str, Any], commands: EffortCommands) -> Task:
    """Return a task with those parameters that may change while it is carried out."""
    posture = posture_of(values, commands)
    gains: dict[str, Any] = {name: values[name] for name in GAINS}
    return replace(task, posture=() if posture is None else tuple(posture.tolist()),
                   posture_stiffness=tuple(values['posture_stiffness']), **gains)


def triples(name: str, values: Sequence[float]) -> list[list[float]]:
    """Return x y z of points, given one after the other; raises InvalidValueError."""
    if len(values) % 3:
        raise InvalidValueError(f"parameter '{name}'", list(values), 'x y z of each point')
    return [list(values[first:first + 3]) for first in range(0, len(values), 3)]


def listed(name: str, text: str) -> tuple[Any, ...]:
    """Return the entries of a list in YAML; raises InvalidValueError."""
    entries = read_plain(f"parameter '{name}'", text) or []
    if not isinstance(entries, list):
        raise InvalidValueError(f"parameter '{name}'", text, 'a list in YAML')
    return tuple(entries)
