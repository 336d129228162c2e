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

"""Matrices of a straight beam along x of Euler-Bernoulli elements, six numbers a node."""

import numpy as np


def beam_matrices(length, elements, density, axial, bending, torsion, turning):
    """
    Return nodes (k, 3), mass and stiffness (6 k, 6 k).

    ``density`` [kg/m], ``axial`` E A [N], ``bending`` E I for y and for z [N m^2], ``torsion`` G J
    [N m^2], ``turning``: moment of inertia about x per length [kg m].
    """
    h = length / elements
    rod_k, rod_m = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h, np.array([[2.0, 1.0], [1.0, 2.0]])
    beam_k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                       [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h ** 3
    beam_m = h / 420.0 * np.array([
        [156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
        [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])
    # w_z' is minus the turn about y.
    flip = np.diag([1.0, -1.0, 1.0, -1.0])
    parts = (([0, 6], axial * rod_k, density * h / 6.0 * rod_m),
             ([3, 9], torsion * rod_k, turning * h / 6.0 * rod_m),
             ([1, 5, 7, 11], bending[0] * beam_k, density * beam_m),
             ([2, 4, 8, 10], bending[1] * flip @ beam_k @ flip, density * flip @ beam_m @ flip))
    mass, stiffness = np.zeros((2, 6 * elements + 6, 6 * elements + 6))
    for element in range(elements):
        for entries, k, m in parts:
            places = np.ix_(*2 * [6 * element + np.array(entries)])
            stiffness[places] += k
            mass[places] += m
    points = np.zeros((elements + 1, 3))
    points[:, 0] = np.linspace(0.0, length, elements + 1)
    return points, mass, stiffness
