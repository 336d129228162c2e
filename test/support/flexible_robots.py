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

"""Flexible robots as URDF text: those of the reference files, beams, and a closed loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import mbd_ros

DATA = Path(__file__).parents[1] / 'data'
HEAD = '<robot name="flexible" xmlns:mbd="urn:mbd_ros">'


def reference(name: str) -> dict[str, Any]:
    """Return a reference file."""
    result: dict[str, Any] = json.loads((DATA / f'flexible_{name}.json').read_text())
    return result


def words(values: object) -> str:
    """Return numbers as text that is read back as the same numbers."""
    return ' '.join(repr(float(x)) for x in np.ravel(values))


def inertial(mass: float, center: object, tensor: np.ndarray) -> str:
    """Return an ``<inertial>``; the tensor is about the mass centre."""
    entries = ' '.join(f'i{a}{b}="{float(tensor[i, j])!r}"' for a, b, i, j in (
        ('x', 'x', 0, 0), ('x', 'y', 0, 1), ('x', 'z', 0, 2), ('y', 'y', 1, 1), ('y', 'z', 1, 2),
        ('z', 'z', 2, 2)))
    return (f'<inertial><origin xyz="{words(center)}"/><mass value="{mass!r}"/>'
            f'<inertia {entries}/></inertial>')


def inertial_of_points(points: np.ndarray, masses: np.ndarray) -> str:
    """Return the ``<inertial>`` of mass points."""
    mass = float(masses.sum())
    center = masses @ points / mass
    arms = points - center
    tensor = np.einsum('k,kx,kx->', masses, arms, arms) * np.eye(3) - np.einsum(
        'k,kx,ky->xy', masses, arms, arms)
    return inertial(mass, center, tensor)


def modal_link(name: str, points: object, masses: object, shapes: object, stiffness: object,
               damping: object, joint: str = '', place: object = (0.0, 0.0, 0.0),
               shape: object = (), rotation: object = ()) -> str:
    """Return a link of mass points with shapes, and where a joint sits on it."""
    points, masses = np.array(points), np.array(masses)
    text = f'<link name="{name}">{inertial_of_points(points, masses)}'
    if np.size(stiffness):
        text += '<mbd:flexible>' + ''.join(
            f'<point xyz="{words(p)}" mass="{float(m)!r}" shape="{words(s)}"/>'
            for p, m, s in zip(points, masses, np.array(shapes)))
        if joint:
            text += (f'<interface joint="{joint}" xyz="{words(place)}" shape="{words(shape)}" '
                     f'rotation="{words(rotation)}"/>')
        text += (f'<stiffness values="{words(stiffness)}"/><damping values="{words(damping)}"/>'
                 '</mbd:flexible>')
    return text + '</link>'


def revolute(name: str, parent: str, child: str, place: object, axis: object) -> str:
    """Return a joint without limits."""
    return (f'<joint name="{name}" type="continuous"><origin xyz="{words(place)}"/>'
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{words(axis)}"/></joint>')


def four_joint_arm() -> str:
    """Return the arm of the reference file, its links as mass points."""
    model = reference('four_joint')['model']
    parts = [HEAD, '<link name="base"/>']
    previous = 'base'
    place: object = model['base_point']
    for k, (body, axis) in enumerate(zip(model['bodies'], model['joint_axes']), start=1):
        parts.append(modal_link(
            f'link{k}', body['points'], body['masses'], body['Phi'], body['K'], body['D'],
            f'joint{k + 1}' if k < 4 else '', body['pI'], body['PhiI'], body['PsiI']))
        parts.append(revolute(f'joint{k}', previous, f'link{k}', place, axis))
        previous, place = f'link{k}', body['pI']
    return ''.join(parts) + '</robot>'


def slender(length: float, density: float, radius: float = 0.0) -> str:
    """Return the ``<inertial>`` of a beam along x; its sections turn in the x-y plane."""
    mass = density * length
    along = mass * length ** 2 / 12.0
    turn = mass * radius ** 2
    return inertial(mass, (0.5 * length, 0.0, 0.0), np.diag([turn, along, along + turn]))


def point_mass(name: str, mass: float) -> str:
    """Return a link that is a point."""
    return f'<link name="{name}">{inertial(mass, (0.0, 0.0, 0.0), np.zeros((3, 3)))}</link>'


def fixed(name: str, parent: str, child: str, place: object) -> str:
    """Return a fixed joint."""
    return (f'<joint name="{name}" type="fixed"><origin xyz="{words(place)}"/>'
            f'<parent link="{parent}"/><child link="{child}"/></joint>')


def two_link_arm(modes: int = 2, extra: str = '') -> str:
    """Return the planar arm of the reference file, of beams; ``extra``: their attributes."""
    p = reference('two_link')['model']['P']
    radius = 0.005 / 12.0 ** 0.5
    inertia = p['rhoA'] * radius ** 2
    parts = [HEAD, '<link name="base"/>']
    for k, (length, name, mass) in enumerate(zip(
            p['L'], ('elbow', 'payload'), (p['m_elbow'], p['m_tip'])), start=1):
        parts.append(
            f'<link name="link{k}">{slender(length, p["rhoA"], radius)}<mbd:flexible>'
            f'<beam length="{length!r}" linear_density="{p["rhoA"]!r}" '
            f'bending_stiffness="{p["EI"]!r} 0" rotary_inertia="{inertia!r} 0" '
            f'modes="{modes} 0 0" {extra}/></mbd:flexible></link>' + point_mass(name, mass)
            + fixed(f'{name}_mount', f'link{k}', name, (length, 0.0, 0.0)))
    parts += [revolute('joint1', 'base', 'link1', (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
              revolute('joint2', 'link1', 'link2', (p['L'][0], 0.0, 0.0), (0.0, 0.0, 1.0))]
    return ''.join(parts) + '</robot>'


def beam(attributes: str, length: float = 1.0, density: float = 0.54, joint: str = 'fixed',
         links: str = '') -> str:
    """Return a beam along x on the ground, or on a joint about z; ``links``: what it carries."""
    return (f'{HEAD}<link name="base"/><link name="beam">{slender(length, density)}<mbd:flexible>'
            f'<beam length="{length!r}" linear_density="{density!r}" {attributes}/>'
            f'</mbd:flexible></link><joint name="root" type="{joint}"><parent link="base"/>'
            f'<child link="beam"/><axis xyz="0 0 1"/></joint>{links}</robot>')


LENGTHS = (0.3, 0.9, 0.7)   # crank, coupler and rocker; the ground is 1 m


def four_bar(stiffness: float = 40.0, kind: str = 'spherical', series: str = '',
             modes: str = '2 1 0', lengths: tuple[float, float, float] = LENGTHS) -> str:
    """Return a planar four-bar linkage whose coupler and rocker bend."""
    links = ['<link name="base"/>']
    for k, length in enumerate(lengths):
        bends = (f'<mbd:flexible><beam length="{length}" linear_density="0.3" bending_stiffness='
                 f'"{stiffness} {stiffness}" modes="{modes}"/></mbd:flexible>' if k else '')
        links.append(f'<link name="bar{k}">{slender(length, 0.5, 0.05)}{bends}</link>')
    ends = ((0.0, 0.0, 0.0), (lengths[0], 0.0, 0.0), (lengths[1], 0.0, 0.0))
    joints = [revolute(f'j{k}', f'bar{k - 1}' if k else 'base', f'bar{k}', end, (0.0, 0.0, 1.0))
              for k, end in enumerate(ends)]
    joints[0] = joints[0].replace('</joint>', series + '</joint>')
    tip = point_mass('end', 0.1) + fixed('tip', 'bar2', 'end', (lengths[2], 0.0, 0.0))
    cut = (f'<loop_joint name="cut" type="{kind}"><link1 link="end" xyz="0 0 0"/>'
           '<link2 link="base" xyz="1 0 0"/></loop_joint></robot>')
    return HEAD + ''.join([*links, *joints, tip, cut])


def four_bar_state(model: mbd_ros.Model, bent: float = 0.005
                   ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q and v that close the four-bar linkage, and efforts."""
    rng = np.random.default_rng(2)
    q, v = np.zeros(model.nq), rng.normal(size=model.nv)
    q[:3] = 0.9, -0.6, -1.8
    count = len(model.elastic_names)
    q[model.nq - count:], v[model.nv - count:] = bent * rng.normal(size=(2, count))
    return *mbd_ros.close_loops(model, q, v), rng.normal(size=model.nv)
