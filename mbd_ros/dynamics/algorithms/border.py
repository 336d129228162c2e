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
The rows of cut joints as rows of all bodies, for N states at once.

Row r reads ``sum_i L_ri . a_i + bias_r = 0`` with a_i the acceleration of body i, in its axes and
at its origin; a multiplier of the row exerts the wrench ``L_ri`` on each body.

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.dynamics.algorithms.constraint_rows import followed, in_body, rows_of, side
from mbd_ros.dynamics.algorithms.stacked_kinematics import (
    axes_of, columns_of, coriolis_of, ends_of, Motion, paths_of)
from mbd_ros.execution.program.ties import first_rows
from mbd_ros.execution.program.tree import tree_of
from mbd_ros.execution.stacks.scan import scan, suffix_sum
from mbd_ros.execution.stacks.stacks import apply, transforms, vector_stack
from mbd_ros.execution.stacks.steps import Stack
from mbd_ros.model import Model


class Border(NamedTuple):
    """
    The rows.

    Attributes
    ----------
    L, ground : array
        (nb, N, m, 6), and (N, m, 6) of the ground, in world axes; moment or angular first.
    coupled : array
        (nb, N, m, 6): the part of L by which rows of mimic joints act along joints, on the body
        that the joint moves.
    bias : array
        (N, m).

    """

    L: Stack
    ground: Stack
    coupled: Stack
    bias: Stack


def border_of(model: Model, motion: Motion) -> Border:
    """Return the rows of a robot's cut joints."""
    many, count = motion.rates.shape[1], first_rows(model.loops)[-1]
    L = np.zeros((model.nb + 1, many, count, 6))   # the ground last
    coupled, bias = np.zeros_like(L[:-1]), np.zeros((many, count))
    seen, axes = ends_of(model, motion), axes_of(model)
    for tie in tree_of(model).ties:
        if tie.kind == 'spring':
            continue
        if tie.kind == 'mimic':   # q_1 = p(q_2)
            along = motion.rates[tie.second, :, axes.number[axes.body == tie.second][0]]
            _, slope, curve = followed(motion.q[:, model.q_offsets[tie.second]], tie.constants)
            bias[:, tie.row] -= curve * along**2
            for body, factor in ((tie.first, 1.0), (tie.second, -slope)):
                s = np.zeros((many, 6))
                s[:, axes.number[axes.body == body][0]] = factor
                coupled[body, :, tie.row] = s
                X = transforms(motion.turns[body], motion.places[body])
                L[model.parents[body], :, tie.row] -= np.einsum('ni,nij->nj', s, X)
                bias[:, tie.row] -= np.einsum('ni,ni->n', coriolis_of(motion)[body], s)
            continue
        ends = seen(tie.first), seen(tie.second)
        rows = rows_of(tie, *(side(end, frame) for end, frame in zip(
            ends, (tie.frame1, tie.frame2))))
        for k, row in enumerate(rows, tie.row):
            bias[:, k] += row.bias
            for body, end, wrench in zip((tie.first, tie.second), ends, (row.first, row.second)):
                L[body, :, k] += np.concatenate([
                    vector_stack(part, (many,)) for part in in_body(end, wrench)], axis=-1)
    return Border(L[:-1] + coupled, L[-1], coupled, bias)


def inwards(model: Model, motion: Motion, wrenches: Stack) -> Stack:
    """
    Return the sums of wrenches on bodies over the subtree of each joint.

    Parameters
    ----------
    model : Model
        The robot.
    motion : Motion
        Of its bodies.
    wrenches : array
        (nb, N, m, 6) in the axes and at the origin of each body, moment first.

    Returns
    -------
    array
        (nb, N, m, 6): of each body with all that it carries, about the world's origin, in its
        axes.

    """
    origins = scan(np.add, motion.offsets, paths_of(model))[:, :, None]
    turns = np.swapaxes(motion.rotations, -1, -2)
    force = wrenches[..., 3:] @ turns
    moment = wrenches[..., :3] @ turns + np.cross(origins, force)
    return suffix_sum(np.concatenate([moment, force], axis=-1), paths_of(model))


def of_joints(model: Model, motion: Motion, L: Stack) -> Stack:
    """Return A (N, m, nv): the same rows for accelerations of joints."""
    carried = inwards(model, motion, L)[axes_of(model).body]
    w, u = columns_of(model, motion, scan(np.add, motion.offsets, paths_of(model)))
    return np.moveaxis(apply(carried[..., :3], w) + apply(carried[..., 3:], u), 0, -1)
