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


"""MJCF in MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from transforms3d.quaternions import quat2mat

from mbd_ros.cli.comparison.quantities import (
    Array, Evaluation, Peer, PeerError, Quantities)
from mbd_ros.description.records.mechanism import Joint, Mechanism
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import Model

ENGINE = 'MuJoCo'

TURN = 2e-6
"""Beyond the angle at which its compiler stops turning, the cosine of which is ``1 - 1e-12``."""
_MOVED, _TURNED = int(mujoco.mjtSameFrame.mjSAMEFRAME_BODY), (
    int(mujoco.mjtSameFrame.mjSAMEFRAME_BODY), int(mujoco.mjtSameFrame.mjSAMEFRAME_BODYROT))
SAME = 1e-12
"""Relative, and [m, kg]: sums in another order."""
_OFF = ('mjDSBL_CONSTRAINT', 'mjDSBL_CONTACT', 'mjDSBL_ACTUATION', 'mjDSBL_SENSOR')
"""What is not asked for, and may take long."""


class MujocoPeer(Peer):
    """
    A robot as MuJoCo reads it.

    Parameters
    ----------
    file : str
        Path of an MJCF.
    text : str, optional
        The MJCF itself, instead of what is in the file.
    model : str, optional
        Not for MJCF.

    """

    def __init__(self, file: str, text: str | None = None, model: str | None = None) -> None:
        try:
            self._peer: Any = (mujoco.MjModel.from_xml_path(file) if text is None
                               else mujoco.MjModel.from_xml_string(text))
        except ValueError as error:
            if text is not None or 'rror opening file' not in str(error):
                raise
            self._peer = without_missing_files(Path(file)).compile()

    def rounded(self, mechanism: Mechanism) -> tuple[Mechanism, str]:
        """
        Return the robot with the inertia tensors of MuJoCo where they are its rounded ones.

        Its compiler turns the axes of each geom and of ``fullinertia`` until they are within
        ``TURN`` of principal ones, and drops what is beside the diagonal then. Frames that are
        as near as that to the body's it takes to be the same.
        """
        peer, count, worst, links = self._peer, 0, 0.0, []
        numbers = {peer.body(k).name: k for k in range(1, peer.nbody) if peer.body(k).name}
        for link in mechanism.links:
            own, k = link.inertia, numbers.get(link.name)
            if own is not None and k is not None:
                same = peer.body_sameframe[k]
                axes = np.eye(3) if same in _TURNED else quat2mat(peer.body_iquat[k])
                center = np.zeros(3) if same == _MOVED else peer.body_ipos[k]
                tensor = axes @ np.diag(peer.body_inertia[k]) @ axes.T
                apart = max(np.abs(tensor - own.tensor).max() / max(np.abs(tensor).max(), 1e-100),
                            np.abs(center - own.center).max())
                if SAME < apart < TURN and np.allclose(
                        np.append(own.center, own.mass), np.append(
                            peer.body_ipos[k], peer.body_mass[k]), rtol=SAME, atol=SAME):
                    link = replace(link, inertia=replace(own, tensor=matrix3(tensor), center=(
                        float(center[0]), float(center[1]), float(center[2]))))
                    count, worst = count + 1, max(worst, float(apart))
            links.append(link)
        if not count:
            return mechanism, ''
        return replace(mechanism, links=tuple(links)), (
            f'with the principal axes of MuJoCo, good to {TURN:g}: {count} inertias are up to '
            f'{worst:.0e} apart')

    def evaluation(self, mechanism: Mechanism, model: Model) -> Evaluation:
        """Return what MuJoCo computes."""
        peer, data = self._peer, mujoco.MjData(self._peer)
        names = joint_names(mechanism, peer)
        for flag in _OFF:
            peer.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, flag))

        def evaluate(q: Array, v: Array, acceleration: Array) -> Quantities:
            data.qpos, turns, drift = to_mujoco(model, peer, names, q, v)
            data.qvel = 0.0
            mujoco.mj_forward(peer, data)
            mass = np.zeros((peer.nv, peer.nv))
            mujoco.mj_fullM(peer, data, mass)
            gravity = data.qfrc_bias - _passive(data)
            data.qvel = turns @ v
            mujoco.mj_forward(peer, data)
            efforts = mass @ (turns @ acceleration + drift) + data.qfrc_bias - _passive(data)
            return Quantities(turns.T @ mass @ turns, turns.T @ gravity, turns.T @ efforts)

        return evaluate


def _passive(data: Any) -> Array:
    """Return the passive forces that are in the equations whatever dissipation is asked for."""
    found: Array = data.qfrc_spring + data.qfrc_gravcomp + data.qfrc_fluid
    return found


def without_missing_files(file: Path) -> Any:
    """
    Return a robot without the meshes and pictures that are not there and weigh nothing.

    Parameters
    ----------
    file : Path
        An MJCF.

    Returns
    -------
    mujoco.MjSpec
        What MuJoCo is to compile.

    Raises
    ------
    PeerError
        If the mass of a body comes from a file that is missing.

    """
    spec: Any = mujoco.MjSpec.from_file(str(file))

    def missing(assets: Any, folder: str) -> list[Any]:
        return [one for one in assets if one.file and not (
            file.parent / folder / (Path(one.file).name if spec.strippath else one.file)).exists()]

    shapes = [*missing(spec.meshes, spec.meshdir), *missing(spec.hfields, spec.meshdir)]
    names = {one.name or Path(one.file).stem for one in shapes}
    for geom in list(spec.geoms):
        if {geom.meshname, geom.hfieldname} & names:
            if geom.meshname in names and geom.parent.name != 'world' and (
                    not geom.parent.explicitinertial):
                raise PeerError(f"there is no file of the mesh '{geom.meshname}', which weighs")
            spec.delete(geom)
    pictures = missing(spec.textures, spec.texturedir)
    for material in spec.materials if pictures else ():
        material.textures = [''] * len(material.textures)
    for one in (*shapes, *pictures, *missing(spec.skins, spec.meshdir)):
        spec.delete(one)
    return spec


def joint_names(mechanism: Mechanism, peer: Any) -> dict[str, int]:
    """
    Return MuJoCo's number of each of our joints: by name, or in its order, which is depth first.

    Raises
    ------
    PeerError
        If the joints are not the same.

    """
    below: dict[str, list[Joint]] = {}
    place = {link.name: k for k, link in enumerate(mechanism.links)}
    for joint in sorted(mechanism.joints, key=lambda joint: place[joint.child]):
        below.setdefault(joint.parent, []).append(joint)
    ours, ahead = [], below.get(mechanism.root, [])[::-1]
    while ahead:
        joint = ahead.pop()
        ahead += below.get(joint.child, [])[::-1]
        ours += [joint.name] if joint.kind != 'fixed' else []
    theirs = [peer.joint(k).name for k in range(peer.njnt)]
    if set(ours) == set(theirs):
        return {name: k for k, name in enumerate(theirs)}
    if len(ours) != len(theirs):
        raise PeerError(f'{len(ours)} joints move, in MuJoCo {len(theirs)}')
    for here, there in zip(ours, theirs):
        if there and here != there:
            raise PeerError(f"joint '{here}' is '{there}' in MuJoCo")
    return {name: k for k, name in enumerate(ours)}


def to_mujoco(model: Model, peer: Any, names: dict[str, int], q: Array,
              v: Array) -> tuple[Array, Array, Array]:
    """Return MuJoCo's qpos, the matrix T of its qvel = T v, and dT/dt v."""
    qpos, turns, drift = np.zeros(peer.nq), np.zeros((peer.nv, model.nv)), np.zeros(peer.nv)
    for name, kind, iq, iv in zip(model.joint_names, model.joint_types, model.q_offsets,
                                  model.v_offsets):
        jq, jv = peer.jnt_qposadr[names[name]], peer.jnt_dofadr[names[name]]
        part = q[iq:iq + kind.nq]
        block = np.eye(kind.nv)
        if kind.nq == 7:  # the free joint's linear velocity is in the axes of the world there
            block[:3, :3] = quat2mat(np.roll(part[3:], 1))
            drift[jv:jv + 3] = block[:3, :3] @ np.cross(v[iv + 3:iv + 6], v[iv:iv + 3])
        if kind.nq in (4, 7):  # quaternions: x y z w here, w x y z there
            part = np.concatenate((part[:-4], part[-1:], part[-4:-1]))
        qpos[jq:jq + kind.nq] = part
        turns[jv:jv + kind.nv, iv:iv + kind.nv] = block
    return qpos, turns, drift
