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
The fluid around a beam, strip by strip.

A strip at x has a share w of the force coefficients of the whole link, its added masses along the
axes, drag, lift and volume, and moves with its section, so that it loads the modes. With the
centre of buoyancy c and the arms r = x - c along the beam::

    A_strip = w (A_tt, a a^T A_rr a a^T),    sum w = 1,    sum w r = 0
    A_rest  = A - sum X^T A_strip X,         X: from the motion at c to that at x

a is the axis of the beam. What is left is that of rotations, since strips have none across the
beam; it stays on the link's frame as a whole. Of a uniform section it is zero. Where a description
gives less than strips make (such as no rotational added mass beside a lateral one) none is left.

References
----------
Blevins, Formulas for Natural Frequency and Mode Shape, 1979, chapter 14 (strips of a beam in a
fluid, whose frequencies are those in a vacuum by ``sqrt(1 + m_added / m)``).

"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import FlexibleBody, FluidBody, Pose, Vector3

Array = NDArray[np.float64]

MORE = 6
"""Strips beside one for each mode: the wet frequencies of the highest mode are within 1e-4."""
MIDDLE = 1.0 / 3.0
"""Of the length: how far from its middle a beam's centre of buoyancy may be at most, halved."""
ALONG = 1e-9
"""An axis of the coefficients whose direction differs less from the beam's is that of the beam."""

Strip = tuple[Vector3, FluidBody]
"""Where on the link a strip sits, and its coefficients about a frame there."""


def strips(fluid: FluidBody, body: FlexibleBody) -> tuple[tuple[Strip, ...], FluidBody] | None:
    """
    Return the strips of a beam in a fluid, and what is left for the link as a whole.

    Parameters
    ----------
    fluid : FluidBody
        What a fluid does to the link.
    body : FlexibleBody
        How the link bends.

    Returns
    -------
    tuple of tuple and FluidBody, or None
        None where the link is no beam, or the centre of buoyancy is not about its middle.

    """
    if body.beam is None:
        return None
    length = body.beam.length
    turn, origin = np.array(body.frame.rotation), np.array(body.frame.translation)
    center = turn.T @ (np.array(fluid.frame.translation) - origin)
    count = max(body.beam.modes) + MORE
    nodes, weights = legendre.leggauss(count)
    x = 0.5 * length * (1.0 + nodes)
    shift = center[0] / length - 0.5   # of the centre from the middle
    if abs(shift) > 0.5 * MIDDLE:
        return None
    weights = 0.5 * weights * (1.0 + 6.0 * shift * nodes)
    R_LF = np.array(fluid.frame.rotation)
    axis = R_LF.T @ turn[:, 0]   # of the beam, in F
    A = np.array(fluid.added_mass)
    twisted = np.outer(axis, axis) * (axis @ A[3:, 3:] @ axis)
    spun = np.abs(axis) > 1.0 - ALONG
    rest = A.copy()
    left = {'linear_drag': np.array(fluid.linear_drag),
            'quadratic_drag': np.array(fluid.quadratic_drag)}
    moments = {name: np.where(spun, values[3:], 0.0) for name, values in left.items()}
    found: list[Strip] = []
    for place, share in zip(x, weights):
        own = np.zeros((6, 6))
        own[:3, :3], own[3:, 3:] = share * A[:3, :3], share * twisted
        arm = (place - center[0]) * axis
        X = np.eye(6)
        X[:3, 3:] = np.cross(np.eye(3), arm).T   # v + w x r
        rest -= X.T @ own @ X
        swept = np.abs(np.cross(np.eye(3), arm))   # speeds of the strip by unit rates
        for name, power in (('linear_drag', 2), ('quadratic_drag', 3)):
            coefficients = np.array(getattr(fluid, name))
            left[name][3:] -= share * (swept ** power @ coefficients[:3] + moments[name])
        linear, quadratic = (_numbers(share * np.concatenate(
            [np.array(getattr(fluid, name))[:3], moments[name]])) for name in left)
        at = origin + turn @ np.array([place, center[1], center[2]])
        y, z = fluid.lift
        found.append(((float(at[0]), float(at[1]), float(at[2])), FluidBody(
            fluid.link, Pose(fluid.frame.rotation), share * fluid.volume,
            tuple(map(_numbers, own)), linear, quadratic, (share * y, share * z),
            fluid.source)))
    for values in left.values():
        values[:3], values[3:] = 0.0, np.maximum(values[3:], 0.0)
    return tuple(found), replace(
        fluid, volume=0.0, added_mass=tuple(map(_numbers, _positive(rest[3:, 3:]))),
        lift=(0.0, 0.0), linear_drag=_numbers(left['linear_drag']),
        quadratic_drag=_numbers(left['quadratic_drag']))


def _positive(rotational: Array) -> Array:
    """Return an added mass (6, 6) of rotations alone, no eigenvalue below 0."""
    sizes, vectors = np.linalg.eigh(0.5 * (rotational + rotational.T))
    result = np.zeros((6, 6))
    result[3:, 3:] = vectors * np.maximum(sizes, 0.0) @ vectors.T
    return result


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(values.tolist())
