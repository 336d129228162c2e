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

"""Random robots for ``dense_oracle``, as dictionaries, and their text as URDF."""

from __future__ import annotations

from typing import Any

import dense_oracle
from dense_oracle import Beam, Oracle, pose, rpy
from flexible_robots import fixed, inertial, words
import numpy as np

import mbd_ros

Robot = dict[str, Any]


def random_robot(rng: np.random.Generator, *, floating: bool | None = None) -> Robot:
    """Return a tree of two to four links, some of which bend, and what is attached to them."""
    floating = bool(rng.random() < 0.3) if floating is None else floating
    links: list[Robot] = []
    for k in range(1, int(rng.integers(3, 6))):
        first = floating and k == 1
        parent = 'base' if k == 1 else links[int(rng.integers(max(0, k - 3), k - 1))]['name']
        bends = bool(rng.random() < 0.5) and sum('beam' in one for one in links) < 2
        kind = 'floating' if first else str(rng.choice(
            ['revolute', 'revolute', 'prismatic', 'spherical', 'planar']))
        axis = np.array([0.0, 0.0, 1.0]) if kind == 'planar' else rng.normal(size=3)
        above = next((one for one in links if one['name'] == parent), {})
        one: Robot = {
            'name': f'l{k}', 'joint': 'floating_base' if first else f'j{k}', 'kind': kind,
            'parent': parent, 'axis': axis / np.linalg.norm(axis),
            'origin': np.eye(4) if first else pose(rpy(rng.normal(size=3)), _on(rng, above)),
            'points': _body(rng, bends)}
        if bends:
            one['beam'] = {
                'length': rng.uniform(0.5, 1.0), 'density': rng.uniform(0.3, 1.0),
                'EI': rng.uniform(10.0, 50.0), 'GJ': rng.uniform(10.0, 50.0),
                'modes': [(1, 1, 0), (2, 1, 0), (2, 0, 1), (1, 1, 1)][rng.integers(4)],
                'rotary': tuple(rng.uniform(1e-4, 1e-3, 2)),
                'rayleigh': tuple(rng.uniform(0.0, 0.01, 2))}
        if kind in ('revolute', 'prismatic') and rng.random() < 0.3:
            one['series'] = {'stiffness': rng.uniform(20.0, 200.0),
                             'damping': rng.uniform(0.0, 1.0),
                             'armature': rng.uniform(0.1, 1.0)}
        links.append(one)
    robot: Robot = {'links': links, 'floating': floating, 'loops': [], 'mimics': []}
    by_name = {one['name']: one for one in links}

    def some() -> Robot:
        return links[int(rng.integers(len(links)))]

    robot['springs'] = []
    for k in range(int(rng.integers(0, 3))):
        one = some()
        if floating and one is links[0]:
            continue
        end1 = (('base', rng.normal(size=3)) if one is links[0] or (
            not floating and rng.random() < 0.5) else (links[0]['name'], _on(rng, links[0])))
        robot['springs'].append({
            'name': f's{k}', 'end1': end1, 'end2': (one['name'], _on(rng, one)),
            'stiffness': rng.uniform(10.0, 100.0), 'damping': rng.uniform(0.0, 5.0),
            'length': rng.uniform(0.1, 0.5)})
    robot['thrusters'] = []
    for k in range(int(rng.integers(0, 3))):
        one, axis = some(), rng.normal(size=3)
        robot['thrusters'].append({'name': f't{k}', 'link': one['name'], 'point': _on(rng, one),
                                   'axis': axis / np.linalg.norm(axis)})
    robot['thrusters'].sort(key=lambda one: one['link'])   # as in the text
    robot['contacts'] = []
    for name in sorted({some()['name'] for _ in range(2)}) if rng.random() < 0.6 else ():
        one = by_name[name]
        shared = {'stiffness': rng.uniform(50.0, 500.0), 'damping': rng.uniform(0.0, 2.0),
                  'friction': rng.uniform(0.0, 1.0), 'slip': 0.1}
        robot['contacts'] += [{'link': name, 'point': _on(rng, one),
                               'radius': float(rng.uniform(0.0, 0.1)), **shared}
                              for _ in range(2)]
    robot['fluids'] = []
    for one in links:
        if 'beam' in one or rng.random() < 0.4:
            continue
        half = rng.normal(size=(6, 6))
        robot['fluids'].append({
            'link': one['name'], 'point': 0.1 * rng.normal(size=3), 'R': rpy(rng.normal(size=3)),
            'volume': rng.uniform(0.0, 1e-3), 'A': 0.1 * half @ half.T,
            'linear': rng.uniform(0.0, 2.0, 6), 'quadratic': rng.uniform(0.0, 3.0, 6)})
    return robot


def _body(rng: np.random.Generator, bends: bool) -> list[tuple[float, np.ndarray]]:
    """Return six points of a rigid body; of what bends its stiff part, along x."""
    scale = 0.2 if bends else 1.0
    mass, center = scale * rng.uniform(0.5, 2.0), 0.2 * rng.normal(size=3)
    axes = 0.1 * rpy(rng.normal(size=3)) * rng.uniform(0.5, 1.5, 3)
    return [(mass / 6.0, center + sign * arm) for arm in axes.T for sign in (1.0, -1.0)]


def _on(rng: np.random.Generator, link: Robot) -> np.ndarray:
    """Return a place on a link, of a beam at the tip, along it, or beside it."""
    if 'beam' not in link:
        return 0.4 * rng.normal(size=3)
    x = link['beam']['length'] * (1.0 if rng.random() < 0.5 else rng.uniform(0.2, 1.1))
    return np.array([x, *(0.05 * rng.normal(size=2) * (rng.random() < 0.5))])


def with_loops(rng: np.random.Generator, robot: Robot, q: dict[str, Any]) -> Robot:
    """Return a robot with loops that are closed at q, and perhaps a mimic joint."""
    oracle = Oracle(robot)
    oracle.terms(q, np.zeros(oracle.nv))
    links, room = robot['links'], oracle.nv - 1
    loops: list[Robot] = []
    for k in range(int(rng.integers(0, 3))):
        one, other = (links[int(rng.integers(len(links)))] for _ in range(2))
        if robot['floating'] and other is one:
            continue
        if not robot['floating'] and (other is one or rng.random() < 0.4):
            other = {'name': 'base'}
        kind = 'distance' if 'beam' in other else str(rng.choice(
            ['spherical', 'distance', 'revolute', 'universal', 'prismatic', 'planar', 'fixed']))
        rows = {'spherical': 3, 'distance': 1, 'revolute': 5, 'universal': 4, 'prismatic': 5,
                'planar': 3, 'fixed': 6}[kind]
        if rows > room - 1:
            continue
        room -= rows
        R = rpy(rng.normal(size=3))
        frame1 = (one['name'], _on(rng, one), R)
        here = oracle.place(*frame1)[0, 0]
        there = oracle._places[other['name']][0, 0]
        if kind == 'distance':
            point = _on(rng, other)
            gap = here[:3, 3] - oracle.place(other['name'], point)[0, 0, :3, 3]
            frame2, distance = (other['name'], point, np.eye(3)), float(np.linalg.norm(gap))
        else:
            local = np.linalg.solve(there, here)
            frame2, distance = (other['name'], local[:3, 3], local[:3, :3]), 0.0
        loops.append({'name': f'loop{k}', 'kind': kind, 'frame1': frame1, 'frame2': frame2,
                      'distance': distance})
    simple = [one['joint'] for one in links
              if one['kind'] in ('revolute', 'prismatic') and 'series' not in one]
    mimics = []
    if len(simple) > 1 and room > 1 and rng.random() < 0.3:
        leader, follower = simple[:2]
        mimics.append({'leader': leader, 'follower': follower, 'multiplier': 0.7,
                       'offset': q[follower + '.q'] - 0.7 * q[leader + '.q']})
    return {**robot, 'loops': loops, 'mimics': mimics}


def state_of(rng: np.random.Generator, robot: Robot) -> dict[str, Any]:
    """Return a configuration: a transform for each joint, coordinates for each beam."""
    q: dict[str, Any] = {}
    for one in robot['links']:
        axis, x, turn = one['axis'], rng.normal(), rpy(rng.normal(size=3))
        q[one['joint'] + '.q'] = x
        if 'series' in one:
            q[one['joint'] + '/series_elastic'] = 0.1 * rng.normal(size=1)
            x += q[one['joint'] + '/series_elastic'][0]
        tilde = dense_oracle.tilde(axis)
        about = np.eye(3) + np.sin(x) * tilde + (1.0 - np.cos(x)) * tilde @ tilde
        q[one['joint']] = {
            'revolute': pose(about, np.zeros(3)), 'prismatic': pose(np.eye(3), x * axis),
            'spherical': pose(turn, np.zeros(3)), 'floating': pose(turn, rng.normal(size=3)),
            'planar': pose(about, np.append(rng.normal(size=2), 0.0))}[one['kind']]
        if 'beam' in one:
            q[one['name']] = 0.02 * rng.normal(size=sum(one['beam']['modes']))
    return q


def urdf(robot: Robot) -> str:
    """Return the robot as text."""
    links: dict[str, str] = {} if robot['floating'] else {'base': ''}
    joints = []
    for one in robot['links']:
        points = list(one['points'])
        if 'beam' in one:
            beam = Beam(one['beam'])
            points += [(mass, lever + np.array([x, 0.0, 0.0]))
                       for mass, (x, lever) in zip(beam.masses, beam.points)]
        masses, places = np.array([m for m, _ in points]), np.array([p for _, p in points])
        center = masses @ places / masses.sum()
        arms = places - center
        second = np.einsum('k,ki,kj->ij', masses, arms, arms)
        text = inertial(float(masses.sum()), center, np.trace(second) * np.eye(3) - second)
        if 'beam' in one:
            b = one['beam']
            text += (f'<mbd:flexible><beam length="{b["length"]!r}" linear_density='
                     f'"{b["density"]!r}" bending_stiffness="{b["EI"]!r} {b["EI"]!r}" '
                     f'torsional_stiffness="{b["GJ"]!r}" '
                     f'torsional_inertia="{float(sum(b["rotary"]))!r}" '
                     f'rotary_inertia="{words(b["rotary"])}" rayleigh="{words(b["rayleigh"])}" '
                     f'modes="{" ".join(map(str, b["modes"]))}"/></mbd:flexible>')
        links[one['name']] = text
        if one['kind'] != 'floating':
            kind = {'revolute': 'continuous', 'prismatic': 'prismatic'}.get(
                one['kind'], one['kind'])
            text = (f'<joint name="{one["joint"]}" type="{kind}">'
                    f'{_origin("origin", one["origin"])}<parent link="{one["parent"]}"/>'
                    f'<child link="{one["name"]}"/>'
                    f'<axis xyz="{words(one["axis"])}"/>')
            if kind == 'prismatic':
                text += '<limit lower="-1e9" upper="1e9" velocity="1e9" effort="1e9"/>'
            if 'series' in one:
                spring = one['series']
                text += (f'<mbd:armature value="{spring["armature"]!r}"/><mbd:series_elastic '
                         f'stiffness="{spring["stiffness"]!r}" damping="{spring["damping"]!r}"/>')
            for mimic in robot['mimics']:
                if mimic['follower'] == one['joint']:
                    text += (f'<mimic joint="{mimic["leader"]}" multiplier="'
                             f'{mimic["multiplier"]!r}" offset="{float(mimic["offset"])!r}"/>')
            joints.append(text + '</joint>')
    for one in robot['fluids']:
        names = 'xyzpqr'
        links[one['link']] += (
            f'<mbd:fluid>{_origin("origin", pose(one["R"], one["point"]))}'
            f'<volume value="{one["volume"]!r}"/><fluid_added_mass ' + ' '.join(
                f'{names[i]}{names[j]}="{float(one["A"][i, j])!r}"'
                for i in range(6) for j in range(i, 6)) + '/>' + ''.join(
                f'<{tag}_drag force="{words(one[tag][:3])}" moment="{words(one[tag][3:])}"/>'
                for tag in ('linear', 'quadratic')) + '</mbd:fluid>')
    for one in robot['contacts']:
        links[one['link']] += (
            f'<mbd:contact><point xyz="{words(one["point"])}" radius="{one["radius"]!r}"/>'
            f'<stiffness value="{one["stiffness"]!r}"/><damping value="{one["damping"]!r}"/>'
            f'<friction value="{one["friction"]!r}" slip_speed="{one["slip"]!r}"/></mbd:contact>')
    for one in robot['thrusters']:
        links[one['link']] += (
            f'<mbd:thruster name="{one["name"]}"><origin xyz="{words(one["point"])}"/>'
            f'<axis xyz="{words(one["axis"])}"/></mbd:thruster>')
    text = ''.join(f'<link name="{name}">{inside}</link>' for name, inside in links.items())
    text += ''.join(joints)
    for one in robot['springs']:
        ends = ''
        for tag in ('1', '2'):
            link, point = one[f'end{tag}']
            ends += f'<link{tag} link="{link}" xyz="{words(point)}"/>'
        text += (f'<mbd:spring_damper name="{one["name"]}" stiffness="{one["stiffness"]!r}" '
                 f'damping="{one["damping"]!r}" length="{one["length"]!r}">{ends}'
                 '</mbd:spring_damper>')
    for one in robot['loops']:
        more = f' distance="{one["distance"]!r}"' if one['kind'] == 'distance' else ''
        text += f'<loop_joint name="{one["name"]}" type="{one["kind"]}"{more}>'
        for tag in ('1', '2'):
            link, point, R = one[f'frame{tag}']
            text += _origin(f'link{tag}', pose(R, point), f'link="{link}" ')
        text += '</loop_joint>'
    return f'<robot name="composed" xmlns:mbd="urn:mbd_ros">{text}</robot>'


def _origin(tag: str, T: np.ndarray, more: str = '') -> str:
    R = T[:3, :3]
    angles = (np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(np.clip(R[2, 0], -1.0, 1.0)),
              np.arctan2(R[1, 0], R[0, 0]))
    return f'<{tag} {more}xyz="{words(T[:3, 3])}" rpy="{words(angles)}"/>'


def entries(model: mbd_ros.Model, oracle: Oracle) -> np.ndarray:
    """Return for each entry of the oracle's velocity its place in v of the model."""
    order = np.zeros(oracle.nv, int)
    for name, part in oracle.entries.items():
        if name in model.joint_names:
            first = model.v_offsets[model.joint_names.index(name)]
        else:
            first = model.nv - len(model.elastic_names) + next(
                k for k, one in enumerate(model.elastic_names)
                if one == name or one.startswith(name + '/'))
        order[part] = first + np.arange(part.stop - part.start)
    return order


def configuration(model: mbd_ros.Model, robot: Robot, q: dict[str, Any]) -> np.ndarray:
    """Return q of the model."""
    result = np.zeros(model.nq)
    for one in robot['links']:
        first = model.q_offsets[model.joint_names.index(one['joint'])]
        if one['kind'] in ('revolute', 'prismatic'):
            result[first] = q[one['joint'] + '.q']
        elif one['kind'] == 'planar':
            T = q[one['joint']]
            result[first:first + 4] = *T[:2, 3], T[0, 0], T[1, 0]
        else:
            T = q[one['joint']]
            R, w = T[:3, :3], 0.5 * np.sqrt(max(1.0 + np.trace(T[:3, :3]), 0.0))
            vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
            if one['kind'] == 'floating':
                result[first:first + 3] = T[:3, 3]
                first += 3
            result[first:first + 4] = *vector, w
        if 'beam' in one:
            begin = model.nq - len(model.elastic_names) + next(
                k for k, name in enumerate(model.elastic_names)
                if name.startswith(one['name'] + '/'))
            result[begin:begin + len(q[one['name']])] = q[one['name']]
        if 'series' in one:
            name = one['joint'] + '/series_elastic'
            begin = model.nq - len(model.elastic_names) + model.elastic_names.index(name)
            result[begin] = q[name][0]
    return result


def oracle_state(model: mbd_ros.Model, robot: Robot, place: np.ndarray) -> dict[str, Any]:
    """Return a configuration of the oracle for q of the model: what ``configuration`` inverts."""
    q: dict[str, Any] = {}
    zeros, names = model.nq - len(model.elastic_names), list(model.elastic_names)
    for one in robot['links']:
        first = model.q_offsets[model.joint_names.index(one['joint'])]
        x = float(place[first])
        q[one['joint'] + '.q'] = x
        if 'series' in one:
            name = one['joint'] + '/series_elastic'
            q[name] = place[zeros + names.index(name)][None]
            x += float(q[name][0])
        turn, shift = np.eye(3), np.zeros(3)
        if one['kind'] == 'revolute':
            tilde = dense_oracle.tilde(one['axis'])
            turn = np.eye(3) + np.sin(x) * tilde + (1.0 - np.cos(x)) * tilde @ tilde
        elif one['kind'] == 'prismatic':
            shift = x * one['axis']
        elif one['kind'] == 'planar':
            cos, sin = place[first + 2:first + 4]
            turn[:2, :2], shift = [[cos, -sin], [sin, cos]], np.append(place[first:first + 2], 0.0)
        else:
            if one['kind'] == 'floating':
                shift, first = place[first:first + 3], first + 3
            vector, w = place[first:first + 3], place[first + 3]
            tilde = dense_oracle.tilde(vector)
            turn = np.eye(3) + 2.0 * w * tilde + 2.0 * tilde @ tilde
        q[one['joint']] = pose(turn, shift)
        if 'beam' in one:
            begin = zeros + next(k for k, name in enumerate(names)
                                 if name.startswith(one['name'] + '/'))
            q[one['name']] = place[begin:begin + sum(one['beam']['modes'])]
    return q


__all__ = ['configuration', 'entries', 'fixed', 'oracle_state', 'random_robot', 'state_of', 'urdf',
           'with_loops']
