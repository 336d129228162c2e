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

"""Velocities that lead towards targets within limits: one step of differential kinematics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbd_ros.dynamics.inverse_kinematics.differential import differential_step
from mbd_ros.dynamics.inverse_kinematics.targets import is_plain_row, read_targets, Targets
from mbd_ros.dynamics.prepared.call import checked_array
from mbd_ros.errors import InvalidValueError, ShapeError
from mbd_ros.model import Model

Array = NDArray[np.float64]


def differential_inverse_kinematics(
    model: Model, q: ArrayLike, targets: Targets, dt: float, *, gain: float = 1.0,
    damping: float = 1e-8, limits: float = 0.5, velocity_limits: bool = True,
) -> Array:
    """
    Return velocities that lead towards targets, for a loop that integrates them.

    With ``dq = v dt`` it is the least ``sum |w (J dq - gain error)|^2 + damping |dq|^2`` over all
    rows of all targets with their weights w, within limits of position and velocity. Rows of
    closed loops and mimic joints weigh 1e4. Elastic coordinates stay as they are.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like
        (nq,) or (N, nq): where it is.
    targets : mapping of str to array_like, Target, or sequence of Target
        As for ``inverse_kinematics``. A posture is rows like others here: give it a small weight.
    dt : float
        Until the next step [s].
    gain : float
        Which part of the error a step takes away, above 0, 1 at most.
    damping : float
        Of all rates [1], above 0: the squared weight of rows ``dq = 0``.
    limits : float
        Which part of the way to a joint's limit of position a step may take; 0: none count.
    velocity_limits : bool
        Whether joints keep within their limits of velocity.

    Returns
    -------
    array
        (nv,) or (N, nv) [rad/s, m/s]. Beyond a limit of position it leads back.

    Raises
    ------
    UnknownNameError, ShapeError, InvalidValueError, NotFiniteError
        If a link, a shape or a number is not as it should be; if weights differ so much that no
        least was found.

    """
    if not (type(dt) is type(gain) is type(damping) is type(limits) is float
            and 0.0 < dt < math.inf and 0.0 < gain <= 1.0 and 0.0 < damping < math.inf
            and 0.0 <= limits <= 1.0):
        for name, number, largest in (('dt', dt, math.inf), ('gain', gain, 1.0),
                                      ('damping', damping, math.inf)):
            _require(name, number, 0.0, largest, above=True)
        _require('limits', limits, 0.0, 1.0)
    kinds, numbers = read_targets(model, targets)
    places = q if is_plain_row(q, model.nq) else checked_array(model, 'q', q, model.nq)
    counts = {len(one) for one in (numbers, places) if one.ndim == 2}
    if len(counts - {1}) > 1:
        raise ShapeError('targets', tuple(sorted(counts)), 'as many states in all of them')
    if not counts:
        rows = places[None], numbers[None]
    else:
        count = next(iter(counts - {1}), 1)
        rows = (np.broadcast_to(places, (count, model.nq)),
                np.broadcast_to(numbers, (count, numbers.shape[-1])))
    found = differential_step(model, kinds).run(
        *rows, float(dt), float(gain), float(damping), float(limits), bool(velocity_limits))
    if not found[:, -1].all():
        place = int(np.flatnonzero(found[:, -1] != 1.0)[0])
        raise InvalidValueError(
            'targets', f'such that no least was found in state {place}',
            'weights, errors and a damping whose squares float64 holds side by side')
    v = found[:, :-1] / dt
    return v if counts else np.asarray(v[0])


def _require(name: str, number: Any, least: float, most: float, above: bool = False) -> None:
    """Refuse what is no number within bounds."""
    if not isinstance(number, (int, float, np.number)) or not least <= number <= most or (
            above and not number > least) or not math.isfinite(number):
        raise InvalidValueError(
            name, number, f"a number {'above' if above else 'from'} {least:g}"
                          f"{'' if most == math.inf else f', {most:g} at most'}")
