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
An independent oracle of compositions: mass points, truncated series in time, dense algebra.

A robot is a dictionary (``random_compositions`` makes such). All its masses are points: six for a
rigid body, four for each section of a beam. Poses are series ``c0 + c1 t + c2 t^2`` along constant
velocities, one for each unit velocity and one for the state, so that Jacobians and accelerations
left by rates are read off. Nothing here comes from the package: shapes of beams are the analytic
modes, integrals are sums over Gauss sections, water is Kirchhoff's, loops are rows of series.

"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

G = np.array([0.0, 0.0, -9.81])
QUADRATURE = 24
"""Sections of a beam: exact to rounding for the first three modes."""
ROOTS = (1.875104068711961, 4.694091132974175, 7.854757438237613)


def tilde(w: np.ndarray) -> np.ndarray:
    """Return cross product matrices (..., 3, 3)."""
    out = np.zeros((*w.shape, 3))
    out[..., 2, 1], out[..., 1, 2] = w[..., 0], -w[..., 0]
    out[..., 0, 2], out[..., 2, 0] = w[..., 1], -w[..., 1]
    out[..., 1, 0], out[..., 0, 1] = w[..., 2], -w[..., 2]
    return out


def times(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the product of two series (3, ..., n, m)."""
    return np.stack([A[0] @ B[0], A[1] @ B[0] + A[0] @ B[1],
                     A[2] @ B[0] + A[1] @ B[1] + A[0] @ B[2]])


def exponential(X: np.ndarray) -> np.ndarray:
    """Return the matrix exponential of a series."""
    term = np.zeros_like(X)
    term[0] += np.eye(X.shape[-1])
    total = term.copy()
    for k in range(1, 25):
        term = times(term, X) / k
        total = total + term
    return total


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return a homogeneous transform (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def constant(T: np.ndarray) -> np.ndarray:
    """Return a transform as a series for any number of velocities."""
    return np.stack([T, 0.0 * T, 0.0 * T])[:, None]


def rpy(angles: Any) -> np.ndarray:
    """Return a rotation by roll, pitch and yaw about fixed axes."""
    (a, b, c), R = angles, np.eye(3)
    for angle, axis in ((a, 0), (b, 1), (c, 2)):
        turn = tilde(np.eye(3)[axis])
        R = (np.eye(3) + np.sin(angle) * turn + (1.0 - np.cos(angle)) * turn @ turn) @ R
    return R


class Beam:
    """A uniform Euler-Bernoulli beam: how places on it move with its coordinates."""

    def __init__(self, beam: dict[str, Any]) -> None:
        self.L, self.rho, self.EI = beam['length'], beam['density'], beam['EI']
        self.modes, self.rotary = beam['modes'], beam['rotary']
        ny, nz, nt = self.modes
        self.n = ny + nz + nt
        nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE)
        self.x, self.w = 0.5 * self.L * (nodes + 1.0), 0.5 * self.L * weights
        self._inner, self._inner_w = 0.5 * (nodes + 1.0), 0.5 * weights
        _, slope, bent = self._bending(self.x)
        self.K = np.zeros((self.n, self.n))
        for first, count in ((0, ny), (ny, nz)):
            part = slice(first, first + count)
            self.K[part, part] = np.einsum('k,ki,kj->ij', self.EI * self.w, bent[:, :count],
                                           bent[:, :count])
        rates = np.stack([(2 * k + 1) * np.pi / (2 * self.L) * (-1) ** k * np.cos(
            (2 * k + 1) * np.pi * self.x / (2 * self.L)) for k in range(nt)], 1
            ) if nt else np.zeros((QUADRATURE, 0))
        self.K[ny + nz:, ny + nz:] = np.einsum(
            'k,ki,kj->ij', beam['GJ'] * self.w, rates, rates)
        self._slope, self._bent = slope, bent
        self._known: dict[float, tuple[np.ndarray, ...]] = {}
        radii = np.sqrt(2.0 * np.array(self.rotary) / self.rho)
        self.points, self.masses = [], []
        for axis, radius in zip((1, 2), radii):
            for sign in (1.0, -1.0):
                for x, w in zip(self.x, self.w):
                    lever = np.zeros(3)
                    lever[axis] = sign * radius
                    self.points.append((x, lever))
                    self.masses.append(0.25 * self.rho * w)
        modal = np.zeros((self.n, self.n))
        for (x, lever), mass in zip(self.points, self.masses):
            linear, turn, _ = self.place(x)
            columns = linear + np.cross(turn, lever[:, None], axis=0)
            modal += mass * columns.T @ columns
        self.D = beam['rayleigh'][0] * modal + beam['rayleigh'][1] * self.K

    def _bending(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return clamped-free modes of tip value 1, slopes and curvatures (k, modes)."""
        found = []
        for b in ROOTS[:max(self.modes[:2])]:
            k = b / self.L
            s = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
            tip = np.cosh(b) - np.cos(b) - s * (np.sinh(b) - np.sin(b))
            z = k * x
            found.append(np.array([
                np.cosh(z) - np.cos(z) - s * (np.sinh(z) - np.sin(z)),
                k * (np.sinh(z) + np.sin(z) - s * (np.cosh(z) - np.cos(z))),
                k * k * (np.cosh(z) + np.cos(z) - s * (np.sinh(z) + np.sin(z)))]) / tip)
        return tuple(np.stack([one[k] for one in found], -1) if found
                     else np.zeros((*np.shape(x), 0)) for k in range(3))

    def place(self, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return displacement and rotation (3, n) per coordinate, and H (n, n) of shortening."""
        if x not in self._known:
            self._known[x] = self._place(x)
        return self._known[x]

    def _place(self, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ny, nz, nt = self.modes
        value, slope, _ = (one[0] for one in self._bending(np.array([x])))
        linear, turn, H = np.zeros((3, self.n)), np.zeros((3, self.n)), np.zeros((self.n,) * 2)
        linear[1, :ny], linear[2, ny:ny + nz] = value[:ny], value[:nz]
        turn[2, :ny], turn[1, ny:ny + nz] = slope[:ny], -slope[:nz]
        for k in range(nt):
            turn[0, ny + nz + k] = (-1) ** k * np.sin((2 * k + 1) * np.pi * x / (2 * self.L))
        _, inner, _ = self._bending(x * self._inner)
        whole = np.einsum('k,ki,kj->ij', x * self._inner_w, inner, inner)
        H[:ny, :ny], H[ny:ny + nz, ny:ny + nz] = whole[:ny, :ny], whole[:nz, :nz]
        return linear, turn, H

    def seat(self, point: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return the series (3, B, 4, 4) of a frame at a point, for series a (3, B, n)."""
        x = min(max(point[0], 0.0), self.L)
        turn = self.place(x)[1]
        result = np.zeros((3, a.shape[1], 4, 4))
        result[:, :, :3, :3] = exponential(tilde(a @ turn.T))
        result[:, :, :3, 3] = self.moved(x, point - np.array([x, 0.0, 0.0]), a)
        result[0, :, 3, 3] = 1.0
        return result

    def moved(self, x: float, lever: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return where a point is (3, B, 3): linear in a, but for the shortening."""
        linear, turn, H = self.place(x)
        result = a @ (linear + np.cross(turn, lever[:, None], axis=0)).T
        square = times(a[:, :, None, :], (a @ H)[..., None])[..., 0, 0]
        result[..., 0] -= 0.5 * square
        result[0] += np.array([x, 0.0, 0.0]) + lever
        return result

    def strain(self, a: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the strain energy and the forces of bending (n,), second order included."""
        ny, nz, _ = self.modes
        energy, force = 0.5 * a @ self.K @ a, self.K @ a
        along, slopes = np.zeros(len(self.x)), np.zeros((len(self.x), self.n))
        for first, count in ((0, ny), (ny, nz)):
            own, s, c = a[first:first + count], self._slope[:, :count], self._bent[:, :count]
            along += (s @ own) * (c @ own)
            slopes[:, first:first + count] = s * (c @ own)[:, None] + c * (s @ own)[:, None]
        return (energy + 0.5 * self.EI * self.w @ along ** 2,
                force + slopes.T @ (self.EI * self.w * along))


class Terms(NamedTuple):
    """Mass matrix, bias, rows ``A``, their bias, violation, thruster map, energies."""

    M: np.ndarray
    h: np.ndarray
    A: np.ndarray
    drift: np.ndarray
    phi: np.ndarray
    B: np.ndarray
    kinetic: float
    potential: float
    poses: dict[str, np.ndarray]


AXES = {'revolute': lambda axis: np.array([[0, 0, 0, *axis]]).T,
        'prismatic': lambda axis: np.array([[*axis, 0, 0, 0]]).T,
        'spherical': lambda axis: np.vstack([np.zeros((3, 3)), np.eye(3)]),
        'planar': lambda axis: np.eye(6)[:, [0, 1, 5]],
        'floating': lambda axis: np.eye(6)}


class Oracle:
    """
    A robot as a dictionary of links, loops and so on; see ``random_compositions``.

    ``entries`` says where joints, flexible links and springs in joints are in a velocity.
    """

    def __init__(self, robot: dict[str, Any]) -> None:
        self.robot = robot
        self.beams = {one['name']: Beam(one['beam']) for one in robot['links'] if one.get('beam')}
        self.entries: dict[str, slice] = {}
        first = 0
        for one in robot['links']:
            size = AXES[one['kind']](one['axis']).shape[1]
            self.entries[one['joint']] = slice(first, first + size)
            first += size
        rigid = first
        for name, beam in self.beams.items():
            self.entries[name] = slice(first, first + beam.n)
            first += beam.n
        for one in robot['links']:
            if one.get('series'):   # between the motor, which is the joint, and the link
                self.entries[one['joint'] + '/series_elastic'] = slice(first, first + 1)
                first += 1
        self.nv, self.elastic = first, list(range(rigid, first))

    def twists(self, one: dict[str, Any], v: np.ndarray) -> np.ndarray:
        """Return (B, 6), the twists of a link against its parent, for velocities (B, nv)."""
        rates = v[:, self.entries[one['joint']]]
        if one.get('series'):
            rates = rates + v[:, self.entries[one['joint'] + '/series_elastic']]
        return rates @ AXES[one['kind']](one['axis']).T

    def terms(self, q: dict[str, Any], v: np.ndarray, *, fluid: dict[str, Any] | None = None,
              ground: float | None = None) -> Terms:
        """Return all terms at a state: q by joint (a transform) and by flexible link (a)."""
        units = np.vstack([np.eye(self.nv), v])
        places, bent = {'base': constant(np.eye(4))}, {}
        for one in self.robot['links']:
            twist = self.twists(one, units)
            X = np.zeros((len(units), 4, 4))
            X[:, :3, :3], X[:, :3, 3] = tilde(twist[:, 3:]), twist[:, :3]
            step = np.stack([0.0 * X + np.eye(4), X, 0.5 * X @ X])
            at = self._on(places, bent, one['parent'], one['origin'])
            places[one['name']] = times(times(at, constant(q[one['joint']])), step)
            if one['name'] in self.beams:
                rates = units[:, self.entries[one['name']]]
                bent[one['name']] = np.stack([0.0 * rates + q[one['name']], rates, 0.0 * rates])
        self._places, self._bent = places, bent
        M, h, kinetic, potential = self._masses(v)
        more = self._water(v, fluid) if fluid is not None else None
        if more is not None:
            M, h = M + more[0], h + more[1]
        for one in self.robot['links']:
            if one.get('series'):
                motor, spring = self.entries[one['joint']].start, one['series']
                bent_by = self.entries[one['joint'] + '/series_elastic'].start
                M[motor, motor] += spring['armature']
                kinetic += 0.5 * spring['armature'] * v[motor] ** 2
                off = q[one['joint'] + '/series_elastic'][0]
                h[bent_by] += spring['stiffness'] * off + spring['damping'] * v[bent_by]
                potential += 0.5 * spring['stiffness'] * off ** 2
        for spring in self.robot['springs']:
            gap = self.place(*spring['end2'])[..., :3, 3] - self.place(*spring['end1'])[..., :3, 3]
            length = np.linalg.norm(gap[0, 0])
            along = gap[0, 0] / length
            columns = gap[1, :-1] @ along
            h = h + columns * (spring['stiffness'] * (length - spring['length'])
                               + spring['damping'] * columns @ v)
            potential += 0.5 * spring['stiffness'] * (length - spring['length']) ** 2
        if ground is not None:
            h = h - self._contacts(v, ground)
        B = np.zeros((self.nv, len(self.robot['thrusters'])))
        for k, one in enumerate(self.robot['thrusters']):
            T = self.place(one['link'], one['point'])
            B[:, k] = T[1, :-1, :3, 3] @ T[0, 0, :3, :3] @ one['axis']
        rows = [self._loop(one) for one in self.robot['loops']]
        rows += [self._mimic(one, q) for one in self.robot['mimics']]
        phi = np.concatenate(rows, axis=-1) if rows else np.zeros((3, self.nv + 1, 0))
        return Terms(M, h, phi[1, :-1].T, 2.0 * phi[2, -1], phi[0, 0], B, kinetic, potential,
                     {name: T[0, 0] for name, T in places.items()})

    def _on(self, places: dict[str, np.ndarray], bent: dict[str, np.ndarray], link: str,
            origin: np.ndarray) -> np.ndarray:
        T = places[link]
        if link not in self.beams:
            return times(T, constant(origin))
        turn = origin.copy()
        turn[:3, 3] = 0.0
        return times(times(T, self.beams[link].seat(origin[:3, 3], bent[link])), constant(turn))

    def place(self, link: str, point: Any, R: np.ndarray | None = None) -> np.ndarray:
        """Return the series of a frame on a link, where the link bends it to."""
        T = self._on(self._places, self._bent, link, pose(np.eye(3) if R is None else R, point))
        return np.broadcast_to(T, (3, self.nv + 1, 4, 4))

    def _masses(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        M, h = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        kinetic = potential = 0.0

        def point(mass: float, series: np.ndarray) -> None:
            nonlocal kinetic, potential
            J = series[1, :-1].T
            M[:] += mass * J.T @ J
            h[:] += mass * J.T @ (2.0 * series[2, -1] - G)
            kinetic += 0.5 * mass * series[1, -1] @ series[1, -1]
            potential -= mass * G @ series[0, 0]

        for one in self.robot['links']:
            T = self._places[one['name']]
            for mass, p in one['points']:
                point(mass, (T @ np.append(p, 1.0))[..., :3])
            if one['name'] not in self.beams:
                continue
            beam, a = self.beams[one['name']], self._bent[one['name']]
            for mass, (x, lever) in zip(beam.masses, beam.points):
                local = beam.moved(x, lever, a)
                at = np.concatenate([local, 0.0 * local[..., :1]], axis=-1)
                at[0, :, 3] = 1.0
                point(mass, times(T, at[..., None])[..., :3, 0])
            where = self.entries[one['name']]
            strain, force = beam.strain(a[0, -1])
            potential += strain
            h[where] += force + beam.D @ v[where]
        return M, h, kinetic, potential

    def _water(self, v: np.ndarray, fluid: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        M, h = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        for one in self.robot['fluids']:
            T = self.place(one['link'], one['point'], one['R'])
            R, p = T[..., :3, :3], T[..., :3, 3]
            turn = np.swapaxes(R[0, 0], 0, 1)
            J = np.vstack([turn @ p[1, :-1].T, np.array([
                [x[2, 1], x[0, 2], x[1, 0]] for x in turn @ R[1, :-1]]).T])
            u = np.asarray(fluid['current'], float)
            W = turn @ R[1, -1]
            V = J @ v - np.append(turn @ u, np.zeros(3))
            spin = R[1, -1].T @ R[1, -1] + 2.0 * turn @ R[2, -1]
            drift = np.concatenate([R[1, -1].T @ (p[1, -1] - u) + 2.0 * turn @ p[2, -1],
                                    [spin[2, 1], spin[0, 2], spin[1, 0]]])
            P = one['A'] @ V
            w = np.array([W[2, 1], W[0, 2], W[1, 0]])
            turned = np.concatenate([np.cross(w, P[:3]), np.cross(w, P[3:]) + np.cross(
                V[:3], P[:3])])
            drag = one['linear'] * V + one['quadratic'] * V * np.abs(V)
            lift = np.append(turn @ (-fluid['density'] * one['volume'] * G), np.zeros(3))
            M += J.T @ one['A'] @ J
            h += J.T @ (one['A'] @ drift + turned + drag - lift)
        return M, h

    def _contacts(self, v: np.ndarray, height: float) -> np.ndarray:
        force = np.zeros(self.nv)
        for one in self.robot['contacts']:
            T = self.place(one['link'], one['point'])
            turn = np.array([[x[2, 1], x[0, 2], x[1, 0]] for x in
                             T[1, :-1, :3, :3] @ T[0, 0, :3, :3].T])
            J = (T[1, :-1, :3, 3] + np.cross(turn, [0.0, 0.0, -one['radius']])).T
            depth = height - (T[0, 0, 2, 3] - one['radius'])
            rate = J @ v
            if depth <= 0.0:
                continue
            normal = max(0.0, one['stiffness'] * depth - one['damping'] * rate[2])
            slip = np.array([rate[0], rate[1], 0.0])
            speed = np.linalg.norm(slip)
            push = np.array([0.0, 0.0, normal])
            if speed:
                push -= one['friction'] * normal * np.tanh(speed / one['slip']) * slip / speed
            force += J.T @ push
        return force

    def _loop(self, one: dict[str, Any]) -> np.ndarray:
        first, second = self.place(*one['frame1']), self.place(*one['frame2'])
        gap = second[..., :3, 3] - first[..., :3, 3]
        if one['kind'] == 'distance':
            square = times(gap[..., None, :], gap[..., None])[..., 0]
            square[0] -= one['distance'] ** 2
            return square
        if one['kind'] == 'spherical':
            return gap
        back = np.swapaxes(first[..., :3, :3], -1, -2)
        turn = times(back, second[..., :3, :3])
        inside = times(back, gap[..., None])[..., 0]   # along the axes of the first frame
        along = {'revolute': gap, 'universal': gap, 'fixed': gap, 'prismatic': inside[..., :2],
                 'planar': inside[..., 2:]}[one['kind']]
        z_agree, all_agree = [(0, 2), (1, 2)], [(1, 0), (2, 1), (0, 2)]
        about = {'revolute': z_agree, 'planar': z_agree, 'universal': [(0, 1)],
                 'fixed': all_agree, 'prismatic': all_agree}[one['kind']]
        return np.concatenate([along, *(turn[..., i, j:j + 1] for i, j in about)], axis=-1)

    def _mimic(self, one: dict[str, Any], q: dict[str, Any]) -> np.ndarray:
        row = np.zeros((3, self.nv + 1, 1))
        row[0, :, 0] = q[one['follower'] + '.q'] - one['multiplier'] * q[
            one['leader'] + '.q'] - one['offset']
        row[1, self.entries[one['follower']].start, 0] = 1.0
        row[1, self.entries[one['leader']].start, 0] = -one['multiplier']
        return row


def constrained(terms: Terms, force: np.ndarray) -> np.ndarray:
    """Return the accelerations under forces (nv,), the rows kept."""
    A, s, Vt = terms.A, *np.linalg.svd(terms.A, full_matrices=True)[1:]
    rank = int((s > 1e-9 * s.max(initial=0.0)).sum())
    N = Vt[rank:].T
    p = -np.linalg.pinv(A, rcond=1e-9) @ terms.drift if len(A) else np.zeros(len(force))
    z = np.linalg.solve(N.T @ terms.M @ N, N.T @ (force - terms.h - terms.M @ p))
    return p + N @ z
