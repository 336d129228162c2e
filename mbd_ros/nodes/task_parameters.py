"""The parameters of the controller as a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control import Task

Vector = NDArray[np.float64]


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
    given = {name: value for name, value in values['path'].items() if value}
    names = ('link', 'axes', 'start', 'step', 'metric', 'bandwidth', 'approach_speed',
             'posture_stiffness')
    return Task.from_data({
        **{name: values[name] for name in names}, 'path': given,
        'posture': () if posture is None else tuple(posture.tolist())})
