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
A second oracle of compositions: Newton's equations of every body for itself, joints as equations.

It takes the robots of ``random_compositions`` and shares nothing with ``dense_oracle``: bodies
have six velocities of their own (linear, angular, in their own axes) and elastic rates; forces act
at points whose accelerations are written out, Coriolis and centripetal terms and all; shapes are
found from the conditions at their ends; joints and loops are functions of poses alone, by
differences of extended precision along motions; one dense system gives all accelerations. Efforts
of joints, contacts, mimic joints and springs in joints are not here.

"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

Array = Any
LONG = np.longdouble
GRAVITY = np.array([0.0, 0.0, -9.81])
STEP = LONG(2e-3)
"""Of differences of sixth order: their error is of its sixth power, rounding of 1e-19 over it."""
FIRST = ((3, 1 / LONG(60)), (2, -9 / LONG(60)), (1, 45 / LONG(60)))
SECOND = ((3, 2 / LONG(180)), (2, -27 / LONG(180)), (1, 270 / LONG(180)))


def skew(w: Array) -> Array:
    """Return the matrix of the vector product (3, 3)."""
    return np.array([[0 * w[0], -w[2], w[1]], [w[2], 0 * w[0], -w[0]], [-w[1], w[0], 0 * w[0]]])


def turned(w: Array) -> Array:
    """Return the rotation by a vector (3, 3), by Rodrigues' formula."""
    angle2 = w @ w
    if angle2 < 1e-6:
        a, b = 1 - angle2 / 6 + angle2**2 / 120, 1 / LONG(2) - angle2 / 24 + angle2**2 / 720
    else:
        angle = np.sqrt(angle2)
        a, b = np.sin(angle) / angle, (1 - np.cos(angle)) / angle2
    W = skew(w)
    result: Array = np.eye(3, dtype=LONG) + a * W + b * (W @ W)
    return result


class Shapes:
    """
    How the axis of a beam bends and twists, from the conditions at its ends.

    Clamped and free: ``A cosh z + B sinh z + C cos z + D sin z`` without value and slope at the
    root, without moment and shear at the tip, where it is 1.
    """

    def __init__(self, beam: dict[str, Any]) -> None:
        self.beam, self.n = beam, sum(beam['modes'])
        self.count = max(beam['modes'][:2])
        self._k: list[float] = []
        self._c: list[Array] = []
        for mode in range(self.count):
            middle = (mode + 0.5) * np.pi
            root = brentq(lambda z: np.cos(z) + 1.0 / np.cosh(z), middle - 0.5, middle + 0.5,
                          xtol=1e-15)
            ends = np.array([[np.cosh(root), np.sinh(root), -np.cos(root), -np.sin(root)],
                             [np.sinh(root), np.cosh(root), np.sin(root), -np.cos(root)],
                             [1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
            c = np.linalg.svd(ends)[2][-1]
            tip = c @ [np.cosh(root), np.sinh(root), np.cos(root), np.sin(root)]
            self._k.append(root / beam['length'])
            self._c.append(c / tip)
        nodes, weights = np.polynomial.legendre.leggauss(30)
        self._part, self._weight = 0.5 * (nodes + 1.0), 0.5 * weights
        self.x, self.w = beam['length'] * self._part, beam['length'] * self._weight
        self._at: dict[float, Any] = {}

    def bending(self, x: float, order: int) -> Array:
        """Return the derivatives of an order of all bending shapes at x (count,)."""
        found = np.zeros(self.count)
        for j, (k, (a, b, c, d)) in enumerate(zip(self._k, self._c)):
            z = k * x
            cos, sin = [(c, d), (d, -c), (-c, -d), (-d, c)][order % 4]
            grown = (a, b) if order % 2 == 0 else (b, a)
            found[j] = k**order * (grown[0] * np.cosh(z) + grown[1] * np.sinh(z)
                                   + cos * np.cos(z) + sin * np.sin(z))
        return found

    def at(self, x: float) -> Any:
        """Return displacements and rotations by the coordinates (3, n), and shortening (n, n)."""
        if x not in self._at:
            ny, nz, nt = self.beam['modes']
            move, turn, short = np.zeros((3, self.n)), np.zeros((3, self.n)), np.zeros(
                (self.n, self.n))
            f, slope = self.bending(x, 0), self.bending(x, 1)
            move[1, :ny], turn[2, :ny] = f[:ny], slope[:ny]
            move[2, ny:ny + nz], turn[1, ny:ny + nz] = f[:nz], -slope[:nz]
            for j in range(nt):
                turn[0, ny + nz + j] = (-1) ** j * np.sin(
                    (j + 0.5) * np.pi * x / self.beam['length'])
            for s, w in zip(x * self._part, x * self._weight):
                d = self.bending(s, 1)
                short[:ny, :ny] += w * np.outer(d[:ny], d[:ny])
                short[ny:ny + nz, ny:ny + nz] += w * np.outer(d[:nz], d[:nz])
            self._at[x] = move, turn, short
        return self._at[x]

    def point(self, x: float, lever: Array) -> tuple[Array, Array]:
        """Return derivatives of where a point is (3, n), and second ones along x (n, n)."""
        move, turn, short = self.at(x)
        return move - skew(lever) @ turn, -short

    def elastic(self, a: Array) -> tuple[Array, Array]:
        """Return forces of bending and twisting (n,), and the stiffness where nothing bends."""
        ny, nz, nt = self.beam['modes']
        force, K = np.zeros(self.n), np.zeros((self.n, self.n))
        for x, w in zip(self.x, self.w):
            slope, bent = self.bending(x, 1), self.bending(x, 2)
            s, c, twist = np.zeros((2, self.n)), np.zeros((2, self.n)), np.zeros(self.n)
            s[0, :ny], c[0, :ny] = slope[:ny], bent[:ny]
            s[1, ny:ny + nz], c[1, ny:ny + nz] = slope[:nz], bent[:nz]
            for j in range(nt):
                rate = (j + 0.5) * np.pi / self.beam['length']
                twist[ny + nz + j] = (-1) ** j * rate * np.cos(rate * x)
            K += w * (self.beam['EI'] * c.T @ c + self.beam['GJ'] * np.outer(twist, twist))
            # Of second order: half EI times the square of what slopes make of curvatures.
            force += w * self.beam['EI'] * ((s @ a) @ (c @ a)) * ((c @ a) @ s + (s @ a) @ c)
        return force + K @ a, K


class Bodies:
    """All bodies of a robot, each with velocities of its own."""

    def __init__(self, robot: dict[str, Any]) -> None:
        self.robot, self.links = robot, robot['links']
        self.shapes = {one['name']: Shapes(one['beam']) for one in self.links if one.get('beam')}
        self._own: dict[str, slice] = {}
        self.size = 0
        for one in self.links:
            shapes = self.shapes.get(one['name'])
            end = self.size + 6 + (shapes.n if shapes else 0)
            self._own[one['name']] = slice(self.size, end)
            self.size = end

    def own(self, name: str) -> slice:
        """Return where the velocities of a body are, its elastic rates after six."""
        return self._own[name]

    def accelerations(self, poses: dict[str, Array], a: dict[str, Array], u: Array,
                      fluid: dict[str, Any] | None = None) -> Array:
        """
        Return the rates of all velocities (size,).

        For ``poses`` (4, 4) and elastic coordinates ``a`` by link, and velocities ``u`` (size,).
        """
        self._poses, self._a, self._u = poses, a, u
        M, f = np.zeros((self.size, self.size)), np.zeros(self.size)
        for one in self.links:
            for mass, p in one['points']:
                self._weigh(M, f, mass, *self._point(one['name'], np.asarray(p)))
            if one['name'] in self.shapes:
                self._bend(M, f, one['name'], one['beam'])
        for one in self.robot['fluids'] if fluid is not None else ():
            self._immerse(M, f, one, fluid)
        for one in self.robot['springs']:
            self._pull(f, one)
        A, drift = self._rows()
        left, sizes, right = np.linalg.svd(A)
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        N = right[rank:].T
        p = -right[:rank].T @ ((left[:, :rank].T @ drift) / sizes[:rank])
        result: Array = p + N @ np.linalg.solve(N.T @ M @ N, N.T @ (f - M @ p))
        return result

    @staticmethod
    def _weigh(M: Array, f: Array, mass: float, J: Array, bias: Array) -> None:
        M += mass * J.T @ J
        f += mass * J.T @ (GRAVITY - bias)

    def _point(self, name: str, r: Array, bends: Any = None) -> tuple[Array, Array]:
        """Return J (3, size) of a point at r of a body, and its acceleration by velocities."""
        own, R = self._own[name], self._poses[name][:3, :3]
        v, w, rates = self._u[own][:3], self._u[own][3:6], self._u[own][6:]
        J = np.zeros((3, self.size))
        J[:, own][:, :3], J[:, own][:, 3:6] = R, -R @ skew(r)
        inside = np.cross(w, v) + np.cross(w, np.cross(w, r))
        if bends is not None:
            columns, along = bends
            J[:, own][:, 6:] = R @ columns
            inside = inside + 2.0 * np.cross(w, columns @ rates)
            inside[0] += rates @ along @ rates
        return J, R @ inside

    def _bend(self, M: Array, f: Array, name: str, beam: dict[str, Any]) -> None:
        """Add the mass of a beam, its stiffness and its damping."""
        shapes, a, own = self.shapes[name], self._a[name], self._own[name]
        modal = np.zeros((shapes.n, shapes.n))
        for axis, inertia in zip((1, 2), beam['rotary']):
            for sign in (-1.0, 1.0):
                lever = sign * np.sqrt(2.0 * inertia / beam['density']) * np.eye(3)[axis]
                for x, w in zip(shapes.x, shapes.w):
                    columns, along = shapes.point(x, lever)
                    r = np.array([x, 0.0, 0.0]) + lever + columns @ a
                    r[0] += 0.5 * a @ along @ a
                    bent = columns.copy()
                    bent[0] += along @ a
                    mass = 0.25 * beam['density'] * w
                    self._weigh(M, f, mass, *self._point(name, r, (bent, along)))
                    modal += mass * columns.T @ columns
        force, K = shapes.elastic(a)
        damping = beam['rayleigh'][0] * modal + beam['rayleigh'][1] * K
        f[own][6:] -= force + damping @ self._u[own][6:]

    def _immerse(self, M: Array, f: Array, one: dict[str, Any], fluid: dict[str, Any]) -> None:
        """Add the equations of Kirchhoff for a body in a uniform current."""
        own, Q = self._own[one['link']], one['R']
        X = np.block([[Q.T, -Q.T @ skew(one['point'])], [np.zeros((3, 3)), Q.T]])
        R = self._poses[one['link']][:3, :3] @ Q   # axes of the fluid's frame
        V, current = X @ self._u[own][:6], R.T @ fluid['current']
        w, relative = V[3:], V - np.append(current, np.zeros(3))
        changing = np.append(np.cross(w, current), np.zeros(3))   # of V - current, by turning
        momentum = one['A'] @ relative
        gyro = np.append(np.cross(w, momentum[:3]),
                         np.cross(w, momentum[3:]) + np.cross(relative[:3], momentum[:3]))
        drag = one['linear'] * relative + one['quadratic'] * relative * np.abs(relative)
        lift = np.append(R.T @ (-fluid['density'] * one['volume'] * GRAVITY), np.zeros(3))
        M[own, own][:6, :6] += X.T @ one['A'] @ X
        f[own][:6] += X.T @ (lift - one['A'] @ changing - gyro - drag)

    def _pull(self, f: Array, one: dict[str, Any]) -> None:
        """Add the force of a spring with its damper, by the rate of its length."""
        def length(u: Array, t: Array) -> Array:
            gap = self._frame(*one['end2'], None, u, t)[1] - self._frame(
                *one['end1'], None, u, t)[1]
            return np.sqrt(gap @ gap)

        rates = np.array([float(rate(lambda t, k=k: length(np.eye(self.size)[k], t)))
                          for k in range(self.size)])
        f -= rates * (one['stiffness'] * (float(length(self._u, LONG(0))) - one['length'])
                      + one['damping'] * rates @ self._u)

    def _frame(self, name: str, point: Array, R: Array | None, u: Array, t: Array
               ) -> tuple[Array, Array]:
        """Return rotation and origin of a frame on a link, after a time of velocities u."""
        point, turn = np.array(point, LONG), np.eye(3, dtype=LONG)
        turn = turn if R is None else np.asarray(R, LONG)
        if name == 'base':
            return turn, point
        V, T = np.asarray(u[self._own[name]], LONG) * t, np.asarray(self._poses[name], LONG)
        if name in self.shapes:
            shapes, a = self.shapes[name], np.asarray(self._a[name], LONG) + V[6:]
            x = float(min(max(point[0], 0), shapes.beam['length']))
            columns, along = shapes.point(x, np.asarray(point, float) - [x, 0.0, 0.0])
            point = point + columns @ a
            point[0] += a @ along @ a / 2
            turn = turned(shapes.at(x)[1] @ a) @ turn
        # The motion of constant velocities, whose rates are zero, to the second order in time.
        here = T[:3, :3] @ turned(V[3:6])
        origin = T[:3, 3] + T[:3, :3] @ (V[:3] + np.cross(V[3:6], V[:3]) / 2)
        return here @ turn, origin + here @ point

    def _rows(self) -> tuple[Array, Array]:
        """Return the rows (m, size) of joints and loops, and what velocities add (m,)."""
        ties = [(one['kind'], one['frame1'], one['frame2'], one['distance'])
                for one in self.robot['loops']]
        for one in self.links:
            z = one['axis']
            x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
            axes = np.array([x, np.cross(z, x), z * np.linalg.norm(x)]).T / np.linalg.norm(x)
            if one['kind'] != 'floating':
                ties.append((one['kind'], (one['parent'], one['origin'][:3, 3],
                                           one['origin'][:3, :3] @ axes),
                             (one['name'], np.zeros(3), axes), 0.0))
        rows, drift = [np.zeros((0, self.size))], [np.zeros(0)]
        for kind, first, second, distance in ties:
            def phi(u: Array, t: Array, kind: str = kind, first: Any = first,
                    second: Any = second, distance: float = distance) -> Array:
                return equations(kind, self._frame(*first, u, t), self._frame(*second, u, t),
                                 distance)

            rows.append(np.array([rate(lambda t, k=k: phi(np.eye(self.size)[k], t))
                                  for k in range(self.size)], float).T)
            now = phi(self._u, LONG(0))
            drift.append(np.asarray(sum(
                weight * (phi(self._u, k * STEP) - 2 * now + phi(self._u, -k * STEP))
                for k, weight in SECOND) / STEP**2, float))
        return np.concatenate(rows), np.concatenate(drift)


def rate(of: Any) -> Array:
    """Return the first derivative of a function of time at zero."""
    return sum(weight * (of(k * STEP) - of(-k * STEP)) for k, weight in FIRST) / STEP


def equations(kind: str, first: Any, second: Any, distance: float) -> Array:
    """Return what a joint makes zero between two frames, as rotation and origin."""
    (X, P), (Y, Q) = first, second
    d = Q - P
    if kind == 'distance':
        return np.array([d @ d - LONG(distance) ** 2])
    points = {'prismatic': [X[:, 0] @ d, X[:, 1] @ d], 'planar': [X[:, 2] @ d]}.get(kind, [*d])
    axes = {'spherical': [], 'universal': [(0, 1)], 'revolute': [(0, 2), (1, 2)],
            'planar': [(0, 2), (1, 2)]}.get(kind, [(0, 1), (1, 2), (2, 0)])
    return np.array([*points, *(X[:, i] @ Y[:, j] for i, j in axes)])
