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


"""A robot written in each format, and read again: by this package, and by engines of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
import importlib
from typing import Any, NamedTuple

import numpy as np

from mbd_ros.cli.comparison.quantities import (
    Array, Difference, Evaluation, PeerError, Quantities)
from mbd_ros.cli.convert import DIALECTS, WRITERS
from mbd_ros.description.read import read
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.description.write.mjcf_inertia import loadable
from mbd_ros.errors import MbdError
from mbd_ros.model import build_model, Model

OWN = 'mbd_ros'
READERS = {'urdf': ('pinocchio', 'Pinocchio'), 'mjcf': ('mujoco', 'MuJoCo'), 'sdf': None}
"""By format: the module ``NAME_peer`` and the name of the engine that reads it, too."""


class Written(NamedTuple):
    """
    What came out for a robot that was written and read again.

    Attributes
    ----------
    form, reader : str
        What it was written as, and who read that.
    figure : float or None
        The largest difference from the robot that was written; None: there is none.
    reason : str
        Why there is none, or where it is.

    """

    form: str
    reader: str
    figure: float | None
    reason: str = ''


def written(mechanism: Mechanism, model: Model,
            largest: Callable[[Model, Evaluation], Difference],
            ours: Callable[[Model], Evaluation]) -> list[Written]:
    """
    Return what comes of a robot by way of each format.

    Parameters
    ----------
    mechanism : Mechanism
        Bodies and joints.
    model : Model
        Made of them.
    largest : callable
        Returns the largest difference of an evaluation from that of a model.
    ours : callable
        Returns what this package computes of a model.

    """
    found = []
    for form, reader in READERS.items():
        try:
            text = WRITERS[form](mechanism, DIALECTS[0])
        except MbdError as error:
            found.append(Written(form, OWN, None, f'cannot be written: {error}'))
            continue
        apart = partial(largest, _as_written(form, mechanism, model))
        found.append(_judged(form, OWN, partial(_again, model, text, ours), apart))
        if reader is not None:
            module, name = reader
            try:
                peers: Any = importlib.import_module(f'mbd_ros.cli.comparison.{module}_peer')
            except ImportError:
                continue
            peer = getattr(peers, f'{module.capitalize()}Peer')
            found.append(_judged(form, name, partial(
                _theirs, peer, text, mechanism, model), apart))
    return found


def _as_written(form: str, mechanism: Mechanism, model: Model) -> Model:
    """Return what is in the text: MJCF has moments of inertia that MuJoCo loads."""
    other = loadable(mechanism) if form == 'mjcf' else mechanism
    return model if other == mechanism else build_model(other)


def _theirs(peer: Any, text: str, mechanism: Mechanism, model: Model) -> Evaluation:
    """Return what an engine computes of a text, in the coordinates of a model."""
    found: Evaluation = peer('', text).evaluation(mechanism, model)
    return found


def _judged(form: str, reader: str, opened: Callable[[], Evaluation],
            largest: Callable[[Evaluation], Difference]) -> Written:
    try:
        evaluation = opened()
    except MbdError as error:   # what is written here has to be read here
        return Written(form, reader, np.inf, f'refused: {error}')
    except PeerError as error:
        return Written(form, reader, None, str(error))
    except Exception as error:  # engines raise what they like
        return Written(form, reader, None, f'refused: {" ".join(str(error).split())[:500]}')
    worst = largest(evaluation)
    return Written(form, reader, worst.figure, worst.where)


def _again(model: Model, text: str, ours: Callable[[Model], Evaluation]) -> Evaluation:
    """Return what this package computes of a text, in the coordinates of a model."""
    other = build_model(read(text, inertia='unchecked'))
    there = {name: k for k, name in enumerate(other.joint_names)}
    if set(there) != set(model.joint_names):
        raise MbdError(f'joints {sorted(set(there) ^ set(model.joint_names))[:3]} are not in both')
    numbers = [there[name] for name in model.joint_names]
    order = np.array([other.v_offsets[k] + i for k in numbers
                      for i in range(other.joint_types[k].nv)], int)
    places = np.array([other.q_offsets[k] + i for k in numbers
                       for i in range(other.joint_types[k].nq)], int)
    if len(order) != model.nv or len(places) != model.nq:
        raise MbdError(f'{other.nv} rates, not {model.nv}')
    evaluate = ours(other)

    def moved(q: Array, v: Array, acceleration: Array) -> Quantities:
        state = np.zeros(other.nq), np.zeros(other.nv), np.zeros(other.nv)
        state[0][places], state[1][order], state[2][order] = q, v, acceleration
        found = evaluate(*state)
        return Quantities(found.mass_matrix[np.ix_(order, order)], found.gravity[order],
                          found.inverse_dynamics[order])

    return moved
