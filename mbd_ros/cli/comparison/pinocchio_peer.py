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


"""URDF in Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
import tempfile
from typing import Any

import numpy as np
import pinocchio as pin

from mbd_ros.cli.comparison.quantities import (
    Array, Evaluation, matched, Peer, PeerError, Quantities)
from mbd_ros.description.records.mechanism import Mechanism
from mbd_ros.dynamics.algorithms.stacked_kinematics import drift_of
from mbd_ros.model import Model

ENGINE = 'Pinocchio'
_MOST = 500
"""Characters of what it says that are kept."""


class PinocchioPeer(Peer):
    """
    A robot as Pinocchio reads it.

    Parameters
    ----------
    file : str
        Path of a URDF.
    text : str, optional
        The URDF itself, instead of what is in the file.
    model : str, optional
        Not for URDF.

    """

    def __init__(self, file: str, text: str | None = None, model: str | None = None) -> None:
        said: list[str] = []
        try:
            with _heard(said):
                self._peer: Any = (pin.buildModelFromUrdf(file) if text is None
                                   else pin.buildModelFromXML(text))
        except Exception as error:
            raise PeerError(f'{error} {" ".join(said)[:_MOST]}') from None
        if any('nertia' in line for line in said):   # it reads the link without, and goes on
            raise PeerError(' '.join(said)[:_MOST])

    def evaluation(self, mechanism: Mechanism, model: Model) -> Evaluation:
        """
        Return what Pinocchio computes.

        Rotor inertias and gravity are ours: Pinocchio reads none, and has no ``w x v`` in what
        they resist.

        """
        peer = self._peer
        matched(list(model.joint_names), list(peer.names)[1:], ENGINE)
        data = peer.createData()
        joints = [peer.joints[peer.getJointId(name)] for name in model.joint_names]
        for name, joint, kind in zip(model.joint_names, joints, model.joint_types):
            if joint.nv != kind.nv:   # of another type in a file beside the URDF
                raise PeerError(f"joint '{name}' has {kind.nv} rates, in Pinocchio {joint.nv}")
        order = np.array([joint.idx_v + k for joint in joints for k in range(joint.nv)], int)
        armature = np.zeros(peer.nv)
        armature[order] = model.armature
        peer.armature = armature
        peer.gravity.linear = np.array(model.gravity)

        def evaluate(q: Array, v: Array, acceleration: Array) -> Quantities:
            there = configuration(peer, joints, model, q)
            rates, accelerations = np.zeros((2, peer.nv))
            rates[order], accelerations[order] = v, acceleration
            upper = np.triu(pin.crba(peer, data, there))
            mass = upper + np.triu(upper, 1).T
            gravity = pin.computeGeneralizedGravity(peer, data, there).copy()
            efforts = pin.rnea(peer, data, there, rates, accelerations)[order]
            return Quantities(mass[np.ix_(order, order)], gravity[order],
                              efforts + model.armature * drift_of(model, v[None])[0])

        return evaluate


@contextmanager
def _heard(said: list[str]) -> Iterator[None]:
    """Keep the errors that urdfdom prints."""
    before = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)
            file.seek(0)
            said += [line.strip() for line in file.read().decode(errors='replace').splitlines()
                     if line.startswith('Error:')]


def configuration(peer: Any, joints: list[Any], model: Model, q: Array) -> Array:
    """Return Pinocchio's configuration: a joint that turns without end is (cos, sin) there."""
    there = np.zeros(peer.nq)
    for joint, kind, first in zip(joints, model.joint_types, model.q_offsets):
        value = q[first:first + kind.nq]
        if joint.nq == kind.nq + 1:
            value = np.concatenate((value[:-1], [np.cos(value[-1]), np.sin(value[-1])]))
        there[joint.idx_q:joint.idx_q + joint.nq] = value
    return there
