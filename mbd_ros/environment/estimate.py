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

r"""
Coefficients of a fluid estimated from collision geometry.

Of each shape, in its own axes about its centre:

* **volume** and centre: exact.
* **added mass** of a sphere, cylinder or capsule: that of the ellipsoid of as much volume and the
  same proportions (Lamb), ``rho V a / (2 - a)`` along an axis; of a box: that of a square prism,
  axially by DNV's table, across by strips, ``1.51 pi rho s^2 / 4 L k`` with a correction
  ``k = (L / s) / (1 + L / s)`` for the ends, s the mean side across.
* **drag**, quadratic: ``rho C S / 2`` with the area S across the flow; of rotations the integral
  of that over the shape, strip by strip.

The shapes of a link are added, in the axes of the largest, about their common centre of buoyancy;
that one is in the lee of the other, and that they meet, is neglected.

References
----------
Lamb, Hydrodynamics, 1932, articles 114 to 117; DNV-RP-H103, 2011, appendix A; Xu, Yang, Ge and
Wang, Journal of Ship Mechanics 2018 (1), for the sum over modules.

"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
import scipy.special

from mbd_ros.description.records.finding import Finding
from mbd_ros.description.records.mechanism import FluidBody, Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.description.urdf.visuals import read_collisions, Shape
from mbd_ros.errors import InvalidValueError
from mbd_ros.model import build_model, Model
from mbd_ros.model.lock import build_options

Array = NDArray[np.float64]

ALONG, ACROSS, SPHERE, ROUND = 0.9, 1.2, 0.47, 1.1
"""Drag coefficients of a flat end, the side of a prism, a sphere and the side of a cylinder."""
SLENDERNESS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0)
AXIAL = (1.0, 0.68, 0.36, 0.24, 0.19, 0.15, 0.13, 0.11, 0.08)
"""Added mass of a square prism along its axis over its displaced mass, by L / s (DNV)."""


DENSEST = 1e6
"""Fluid that is allowed [kg/m^3]."""


class Coefficients(NamedTuple):
    """Of a shape about its centre: volume [m^3], diagonals (6,) of added mass and of drag."""

    volume: float
    added: Array
    drag: Array


def estimate_fluid(model: Model, density: float = 1000.0) -> Model:
    """
    Return a robot whose links feel a fluid as their collision geometry lets expect.

    Parameters
    ----------
    model : Model
        The robot. Links with ``<mbd:fluid>`` keep what they have; so do others without boxes,
        spheres, cylinders or capsules to collide with.
    density : float, optional
        That the coefficients are for [kg/m^3].

    Returns
    -------
    Model
        With a finding of severity ``'info'`` for every link that was estimated; the same object
        where there is none.

    Raises
    ------
    InvalidValueError
        If the density is no positive finite number.

    """
    if not isinstance(density, (int, float)) or not 0.0 < density <= DENSEST:
        raise InvalidValueError('density', density,
                                f'a positive number up to {DENSEST:g} [kg/m^3]')
    mechanism = model.mechanism
    given = {body.link for body in mechanism.fluids}
    shapes, remarks = read_collisions(mechanism)
    bodies = [_body(link.name, own, float(density)) for link in mechanism.links
              if link.name not in given and (own := [
                  one for one in shapes if one.link == link.name])]
    if not bodies:
        return model
    findings = [Finding('info', f"link '{body.link}': its fluid coefficients are estimated from "
                        f'its collision geometry, {body.volume:.6g} m^3; they hold for '
                        'plain shapes alone in the fluid', mechanism.file) for body in bodies]
    findings += [Finding('info', f'estimated fluid: {remark}', mechanism.file)
                 for remark in remarks]
    mechanism = replace(mechanism, fluids=(*mechanism.fluids, *bodies))
    built = build_model(mechanism, **build_options(model))
    return replace(model, mechanism=mechanism, fluids=built.fluids, elastic=built.elastic,
                   findings=(*model.findings, *findings))


def coefficients(shape: Shape, density: float) -> Coefficients:
    """
    Return those of one shape, in its own axes.

    Parameters
    ----------
    shape : Shape
        No mesh.
    density : float
        [kg/m^3].

    Returns
    -------
    Coefficients
        For translations along and rotations about x, y, z.

    """
    if shape.kind == 'box':
        return _prism(shape.size, density)
    radius, length = shape.size[0], shape.size[1] if shape.kind != 'sphere' else 0.0
    disc = math.pi * radius ** 2
    ball = 0.0 if shape.kind == 'cylinder' else 4.0 / 3.0 * math.pi * radius ** 3
    volume, whole = disc * length + ball, length + (0.0 if ball == 0.0 else 2.0 * radius)
    # Of spheres and round ends the side is a disc: its drag is that of a sphere.
    side = ROUND * 2.0 * radius * length + (SPHERE * disc if ball else 0.0)
    end = SPHERE if ball else ALONG
    # Strips across an axis: C d L^4 / 32; flat ends: C integral |x|^3 dA = 8 C r^5 / 15.
    turning = 0.0 if length == 0.0 else ROUND * 2.0 * radius * whole ** 4 / 32.0 + (
        0.0 if ball else ALONG * 8.0 * radius ** 5 / 15.0)
    axes = np.array([radius, radius, 0.5 * whole])
    axes *= (volume / (4.0 / 3.0 * math.pi * axes.prod())) ** (1.0 / 3.0)
    return Coefficients(
        volume, ellipsoid(axes, density * volume),
        0.5 * density * np.array([side, side, end * disc, turning, turning, 0.0]))


def ellipsoid(axes: Sequence[float] | Array, mass: float) -> Array:
    """
    Return the added mass of an ellipsoid.

    Parameters
    ----------
    axes : sequence of float
        Its half axes a, b, c [m].
    mass : float
        Of the fluid displaced [kg].

    Returns
    -------
    (6,) array
        Along and about its axes [kg, kg m^2].

    """
    squares = np.array(axes, np.float64) ** 2
    shares = np.empty(3)   # alpha, beta, gamma of Lamb, which sum to 2
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        shares[k] = 2.0 / 3.0 * math.sqrt(squares.prod()) * float(
            scipy.special.elliprd(squares[i], squares[j], squares[k]))
    turning = np.zeros(3)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        apart, both = squares[i] - squares[j], squares[i] + squares[j]
        if apart != 0.0:
            turning[k] = 0.2 * mass * apart ** 2 * (shares[j] - shares[i]) / (
                2.0 * apart + both * (shares[i] - shares[j]))
    return np.concatenate([mass * shares / (2.0 - shares), turning])


def _prism(size: Sequence[float], density: float) -> Coefficients:
    """Return the coefficients of a box, as a prism along its longest edge."""
    order = np.argsort(-np.array(size), kind='stable')
    a, b, c = (size[k] for k in order)
    s, volume = math.sqrt(b * c), a * b * c
    slender = a / s
    lateral = 1.51 * math.pi * density * 0.25 * b * c * a * slender / (1.0 + slender)
    axial = density * volume * float(np.interp(slender, SLENDERNESS, AXIAL))
    tilting = lateral * a * a / 12.0
    half = 0.5 * density
    drag = half * np.array([
        ALONG * b * c, ACROSS * a * c, ACROSS * a * b, ACROSS * a * (b ** 4 + c ** 4) / 32.0,
        (ACROSS * b * a ** 4 + ALONG * b * c ** 4) / 32.0,
        (ACROSS * c * a ** 4 + ALONG * c * b ** 4) / 32.0])
    added = np.array([axial, lateral, lateral, 0.234 * math.pi * density * (0.5 * s) ** 4 * a,
                      tilting, tilting])
    places = np.argsort(order)
    both = np.concatenate([places, places + 3])
    return Coefficients(volume, added[both], drag[both])


def _body(link: str, shapes: Sequence[Shape], density: float) -> FluidBody:
    """Return what the shapes of a link are in a fluid together."""
    parts = [coefficients(shape, density) for shape in shapes]
    volume = sum(part.volume for part in parts)
    centers = np.array([shape.pose[:3, 3] for shape in shapes])
    middle = np.array([part.volume for part in parts]) @ centers / volume
    R = shapes[int(np.argmax([part.volume for part in parts]))].pose[:3, :3]
    added, drag = np.zeros((6, 6)), np.zeros(6)
    for shape, part, center in zip(shapes, parts, centers):
        turn, (x, y, z) = R.T @ shape.pose[:3, :3], R.T @ (center - middle)
        # Velocity of F to that of the shape, in its axes: v + w x p, and w.
        X = np.zeros((6, 6))
        X[:3, :3] = X[3:, 3:] = turn.T
        X[:3, 3:] = turn.T @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        added += X.T @ np.diag(part.added) @ X
        drag += (np.abs(X) ** 3 * part.drag[:, None]).sum(axis=0)   # X^T (d |X e| X e), entry e
    return FluidBody(link, Pose(matrix3(R), (middle[0].item(), middle[1].item(),
                                             middle[2].item())), float(volume),
                     tuple(map(tuple, (0.5 * (added + added.T)).tolist())),
                     quadratic_drag=tuple(drag.tolist()))
