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

"""Robots under water: those of ``underwater.json`` as URDF, and their states; z points down."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path
from typing import Any

import numpy as np

import mbd_ros
from mbd_ros.description.records.mechanism import FluidBody, Pose
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import build_model, Model
from mbd_ros.model.rigid_motion import of_matrix

DATA = Path(__file__).parents[1] / 'data'
REFERENCE = json.loads((DATA / 'underwater.json').read_text())
WALK = json.loads((DATA / 'quadruped_walk.json').read_text())
GRAVITY = (0.0, 0.0, 9.8)
"""As in the reference: along z, which points down [m/s^2]."""
AXES = {'x': '1 0 0', 'y': '0 1 0', 'z': '0 0 1'}


def numbers(*values: float) -> str:
    """Return numbers as an attribute, exact."""
    return ' '.join(repr(float(value)) for value in values)


def module(data: dict[str, Any], *, drag: bool = True, added_mass: bool = True,
           volume: bool = True) -> str:
    """Return a module as a link of a URDF, in a fluid if it has a volume."""
    i = data['I_com_diag']
    text = (f'<link name="{data["name"]}"><inertial><origin xyz="{numbers(*data["com"])}"/>'
            f'<mass value="{data["mass"]!r}"/><inertia ixx="{i[0]!r}" iyy="{i[1]!r}" '
            f'izz="{i[2]!r}" ixy="0" ixz="0" iyz="0"/></inertial>')
    if volume:
        text += (f'<mbd:fluid><origin xyz="{numbers(*data["cb"])}"/>'
                 f'<volume value="{data["volume"]!r}"/>')
        if added_mass:
            text += '<fluid_added_mass ' + ' '.join(
                f'{axis}{axis}="{value!r}"' for axis, value in zip(
                    'xyzpqr', data['added_mass_diag'])) + '/>'
        if drag:
            text += (f'<quadratic_drag force="{numbers(*data["drag_lin"])}" '
                     f'moment="{numbers(*data["drag_rot"])}"/>')
        text += '</mbd:fluid>'
    return text + '</link>'


def joint(data: dict[str, Any], modules: list[dict[str, Any]]) -> str:
    """Return the joint of a module, named as the module."""
    kind, parent = data['joint'], modules[data['parent']]['name']
    quaternion = numbers(*of_matrix(data['R']))
    axis = '' if kind == 'fixed' else f'<axis xyz="{AXES[kind]}"/>'
    return (f'<joint name="{data["name"]}" type="{"fixed" if kind == "fixed" else "continuous"}">'
            f'<origin xyz="{numbers(*data["p"])}" quat_xyzw="{quaternion}"/>'
            f'<parent link="{parent}"/><child link="{data["name"]}"/>{axis}</joint>')


def robot_of(modules: list[dict[str, Any]], **parts: bool) -> str:
    """Return modules as a URDF; ``parts`` as in ``module``."""
    return ('<robot name="swimmer" xmlns:mbd="urn:mbd_ros">'
            + ''.join(module(one, **parts) for one in modules)
            + ''.join(joint(one, modules) for one in modules if one['parent'] >= 0) + '</robot>')


def swimmer(name: str, **parts: bool) -> Model:
    """Return a robot of the reference, ``'nine'`` or ``'quadruped'``, with a floating base."""
    return mbd_ros.load(robot_of(REFERENCE['robots'][name]['modules'], **parts),
                        floating_base=True)


def walker(**parts: bool) -> Model:
    """Return the quadruped with feet that touch the ground, as in ``quadruped_walk.json``."""
    data = WALK['parameters']
    text = robot_of(REFERENCE['robots']['quadruped']['modules'], **parts)
    for foot in data['foot_modules']:
        head, tail = text.split(f'<link name="{foot}">')
        text = (f'{head}<link name="{foot}"><mbd:contact><point xyz="0.65 0 0"/>'
                f'<stiffness value="{data["contact_k"]}"/><damping value="{data["contact_c"]}"/>'
                f'<friction value="{data["mu"]}" slip_speed="{data["v_s"]}"/></mbd:contact>{tail}')
    return mbd_ros.load(text, floating_base=True)


def in_water(model: Model, seed: int) -> Model:
    """Return a robot each of whose links is in a fluid, with numbers that follow from a seed."""
    rng = np.random.default_rng(seed)
    fluids = []
    for link in model.mechanism.links:
        root = rng.normal(size=(6, 6)) * [1.0, 1.0, 1.0, 0.2, 0.2, 0.2]
        added = root @ root.T * 0.1
        place, turn = rng.uniform(-0.1, 0.1, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        fluids.append(FluidBody(
            link.name, Pose(matrix3(turn), tuple(place.tolist())), float(rng.uniform(0, 2e-3)),
            tuple(map(tuple, (0.5 * (added + added.T)).tolist())),
            tuple(rng.uniform(0.0, 1.0, 6).tolist()), tuple(rng.uniform(0.0, 2.0, 6).tolist())))
    coupled = any(loop.kind == 'mimic' for loop in model.loops)
    return build_model(replace(model.mechanism, fluids=tuple(fluids)), mimic=coupled,
                       floating_base='floating_base' in model.joint_names)


class Converted:
    """
    A state of the reference in the coordinates of a model.

    The reference has the base's velocity in inertial axes and the joints in the order of modules.

    Parameters
    ----------
    name : str
        Of the robot.
    model : Model
        The robot.
    state : mapping
        With ``p0``, ``R0``, ``q``, ``u`` and ``tau``.

    """

    def __init__(self, name: str, model: Model, state: dict[str, Any]) -> None:
        moving = [one['name'] for one in REFERENCE['robots'][name]['modules']
                  if one['joint'] in AXES]
        self.columns = [model.v_offsets[model.joint_index(joint)] for joint in moving]
        self.model, self.R = model, np.array(state['R0'])
        self.q = np.concatenate([state['p0'], of_matrix(state['R0']), np.zeros(model.nv - 6)])
        self.q[np.array(self.columns) + 1] = state['q']
        self.v = self.T @ np.array(state['u'])
        self.tau = self.T @ np.concatenate([np.zeros(6), state['tau']])

    @property
    def T(self) -> np.ndarray:
        """(nv, nv): the model's speeds are T times those of the reference; T is orthogonal."""
        matrix = np.zeros((self.model.nv, self.model.nv))
        matrix[:3, :3], matrix[3:6, 3:6] = self.R.T, np.eye(3)
        matrix[self.columns, np.arange(6, self.model.nv)] = 1.0
        return matrix

    def accelerations(self, udot: list[float]) -> np.ndarray:
        """Return accelerations of the reference as those of the model."""
        found = self.T @ np.array(udot)
        found[:3] -= np.cross(self.v[3:6], self.v[:3])
        return found
