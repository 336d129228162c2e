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

"""The coordinates of mimic joints in terms of those that they follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.errors import UnsupportedError
from mbd_ros.model.model import Model

Array = NDArray[np.float64]


class CouplingMap(NamedTuple):
    """
    How the joints move with those that follow no other: ``v = matrix @ v[independent]``.

    Attributes
    ----------
    matrix : (nv, k) array
        G; rows of joints that follow none are those of the identity.
    offset : (nv,) array
        g: of joints with one coordinate each ``q = matrix @ q[independent] + offset`` [rad or m].
    independent : (k,) array of int
        Places in v of the velocities that no mimic joint has, elastic ones among them.

    """

    matrix: Array
    offset: Array
    independent: NDArray[np.intp]


def coupling_map(model: Model) -> CouplingMap:
    """
    Return the coupling matrix of the mimic joints of a model.

    Parameters
    ----------
    model : Model
        Loaded with ``mimic=True``; otherwise, and without mimic joints, G is the identity.

    Returns
    -------
    CouplingMap
        With ``v = G y'`` and ``q = G y + g``. Joints may follow joints that follow others. Other
        closed loops are not in it: G then maps to velocities that these restrict further. Of a
        robot without, accelerations are ``G y''`` with ``G^T M G y'' = G^T (tau - h)``. Joints
        with several coordinates, such as a floating base, are their own: of these ``q = G y + g``
        does not hold, as their q is no place in a line.

    Raises
    ------
    UnsupportedError
        If joints follow each other in a circle, or one by a polynomial.

    """
    couplings = [loop for loop in model.loops if loop.kind == 'mimic']
    for loop in couplings:
        if len(loop.coupling) > 2:
            raise UnsupportedError(f"the coupling matrix of joint '{loop.name}', which follows "
                                   'by a polynomial,', 'the rows of loops say it at a state')
    rows = {model.v_offsets[loop.body1]: (
        model.v_offsets[loop.body2], loop.coupling[0], loop.coupling[1])
            for loop in couplings}
    independent = np.array([k for k in range(model.nv) if k not in rows], dtype=np.intp)
    columns = {int(place): column for column, place in enumerate(independent)}
    matrix, offset = np.zeros((model.nv, len(independent))), np.zeros(model.nv)
    for place in range(model.nv):
        leader, factor, constant = place, 1.0, 0.0
        for _ in rows:   # as many steps as there are followers lead out of each chain
            if leader in columns:
                break
            leader, multiplier, offset_of = rows[leader]
            constant += factor * offset_of
            factor *= multiplier
        if leader not in columns:
            names = [loop.name for loop in couplings]
            raise UnsupportedError('the coupling matrix of joints that follow each other in a '
                                   f"circle, among {', '.join(names[:20])},",
                                   'let one of them be free')
        matrix[place, columns[leader]] = factor
        offset[place] = constant
    return CouplingMap(matrix, offset, independent)
