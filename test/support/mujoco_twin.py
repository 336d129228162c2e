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

"""A robot in MuJoCo and here: the same coordinates, mass matrix, gravity and inverse dynamics."""

from dataclasses import replace

import mujoco
import numpy as np

from mbd_ros.cli.comparison import mujoco_peer
from mbd_ros.cli.comparison.verdict import largest
from mbd_ros.description import read
from mbd_ros.model import build_model, Model


def to_mujoco(model: Model, peer: mujoco.MjModel, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's qpos, and the matrix T of its qvel = T v."""
    names = {name: peer.joint(name).id for name in model.joint_names}
    qpos, turns, _ = mujoco_peer.to_mujoco(model, peer, names, q, np.zeros(model.nv))
    return qpos, turns


def compare(text: str, tolerance: float, **options: object) -> Model:
    """Compare the spanning tree of a text or file at some states; return it."""
    peer = mujoco_peer.MujocoPeer(text, text if text.lstrip().startswith('<') else None)
    mechanism = read(text, **options)
    model = build_model(replace(mechanism, loop_joints=(), springs=()))
    worst = largest(model, peer.evaluation(mechanism, model))
    assert worst.figure <= tolerance, worst
    return model
