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
Springs along the coordinates of joints.

The effort that a joint needs beside its spring is ``(c1 + c2 x + c3 x^2) x``, with x the
coordinate less that of the spring at rest. A ball has the rotation vector for x, and its length r
in the brackets: the effort is the gradient of ``c1 r^2 / 2 + c2 r^3 / 3 + c3 r^4 / 4``, since
``r r' = x . w`` with the angular velocity w, in the body's axes. What moves freely has that and
the same of its position.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.execution.program.sweeps import Body, CoordinateSpring
from mbd_ros.execution.program.tree import coordinate_springs
from mbd_ros.execution.stacks.stacks import Scalars
from mbd_ros.model import Model
from mbd_ros.spatial import Joint, positive_part, root, Rotation, Scalar, Vector3
from mbd_ros.spatial.joints import Coordinates
from mbd_ros.spatial.logarithm import turn_of

Array = NDArray[Any]
STILL = 1e-300
"""Square beside which none counts, so that the length of no turn has a derivative."""


def driving(body: Body, joint: Joint) -> tuple[Scalar, ...]:
    """Return the efforts that drive a joint less what its rotors' drift and springs take."""
    efforts = tuple(effort - rotor * drift for effort, rotor, drift in zip(
        joint.tau, body.armature, joint.drift()))
    return tuple(effort - one for effort, one in zip(
        efforts, held_back(body, joint))) if body.springs else efforts


def held_back(body: Body, joint: Joint) -> tuple[Scalar, ...]:
    """Return the efforts (nv,) that the springs of a joint take."""
    total: tuple[Scalar, ...] = (0.0,) * joint.nv
    for spring in body.springs:
        total = tuple(a + b for a, b in zip(total, _effort(spring, joint)))
    return total


def energy_of(body: Body, joint: Joint) -> Scalar:
    """Return the energy in the springs of a joint [J]."""
    energy: Scalar = 0.0
    for spring in body.springs:
        for x in _stretches(spring, joint):
            square = x * x if joint.nq == 1 else x.dot(x)
            length = x if joint.nq == 1 else _length(spring, square)
            factors = [c / (k + 2.0) for k, c in enumerate(spring.stiffness)]
            energy = energy + _polynomial(factors, length, square) * square
    return energy


def _effort(spring: CoordinateSpring, joint: Joint) -> tuple[Scalar, ...]:
    if joint.nq == 1:
        (x,) = _stretches(spring, joint)
        return (_polynomial(spring.stiffness, x, x * x) * x,)
    forces = []
    for x in _stretches(spring, joint):
        square = x.dot(x)
        forces.append(x * _polynomial(spring.stiffness, _length(spring, square), square))
    return tuple(entry for force in forces for entry in force)


def _length(spring: CoordinateSpring, square: Scalar) -> Scalar:
    """Return the length of a vector where the spring asks for it."""
    return root(square + STILL) if len(spring.stiffness) > 1 else 0.0


def _polynomial(factors: Sequence[Scalar], x: Scalar, square: Scalar) -> Scalar:
    """Return ``c1 + c2 x + c3 x^2`` of as many coefficients as there are."""
    result = factors[0]
    for factor, power in zip(factors[1:], (x, square)):
        result = result + factor * power
    return result


def _stretches(spring: CoordinateSpring, joint: Joint) -> tuple[Any, ...]:
    """Return x: one number, or for a ball a vector, or two, of position and turn."""
    if joint.nq == 1:
        x = joint.q[0] - spring.reference[0]
        for slack in spring.slack:
            x = positive_part(x - slack) - positive_part(x * -1.0)
        return (x,)
    *_, i, j, k, w = joint.q
    *_, a, b, c, d = spring.reference
    here, rest = Vector3(i, j, k), Vector3(a, b, c)
    turned = here * d + rest * (w * -1.0) + here.cross(rest)
    turn = turn_of(w * d + here.dot(rest), *turned)
    if joint.nq == 4:
        return (turn,)
    moved = Vector3(*(at - start for at, start in zip(joint.q[:3], spring.reference[:3])))
    return Rotation.from_quaternion(i, j, k, w).apply_inverse(moved), turn


def spring_efforts(model: Model, q: Array) -> Array | float:
    """
    Return the efforts that springs of joints take.

    Parameters
    ----------
    model : Model
        The robot.
    q : array
        (N, nq), numbers or, with dtype object, symbols.

    Returns
    -------
    array
        (N, nv) [N m, N]; what drives the joints has to balance them. 0.0 without springs.

    """
    if not model.joint_springs:
        return 0.0
    found = np.full((len(q), model.nv), 0.0, q.dtype)
    for i in sorted({one.body for one in model.joint_springs}):
        kind, springs = model.joint_types[i], coordinate_springs(model, i)
        first, place = model.q_offsets[i], model.v_offsets[i]
        own = q[:, first:first + kind.nq]
        for where, columns in ([(slice(None), own.T.view(Scalars))] if q.dtype != object else [
                (k, row) for k, row in enumerate(own)]):
            joint = kind.pair(Coordinates(tuple(columns), *(((0.0,) * kind.nv,) * 3)))
            for spring in springs:
                for entry, effort in enumerate(_effort(spring, joint), place):
                    found[where, entry] = found[where, entry] + effort
    return found
