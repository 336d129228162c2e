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

"""Mechanisms of long chains, tied together by loop joints and springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from random_loops import random_rotation

from mbd_ros.description.records.mechanism import (
    Dynamics, Inertia, Joint, Limits, Link, LoopJoint, Mechanism, Pose, SpringDamper)
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import build_model, Model


@cache
def tied_chains(chains: Sequence[tuple[str, str, int]], loops: Sequence[tuple[str, str, str]],
                springs: Sequence[tuple[str, str]] = (), seed: int = 0,
                kinds: Sequence[str] = ('continuous',), plane: bool = False,
                armature: float = 0.0) -> Model:
    """
    Return chains of bodies of random placements and masses.

    Parameters
    ----------
    chains : sequence
        Name, link that it hangs on, number of bodies of each; links are ``name0`` and so on.
    loops : sequence
        Kind and the two links of each loop joint.
    springs : sequence
        The two links of each.
    seed : int
        Of the placements.
    kinds : sequence of str
        Types of joints, over and over along each chain.
    plane : bool
        Whether all axes are parallel and bodies symmetric to the plane.
    armature : float
        Inertia of all rotors [kg m^2].

    """
    rng = np.random.default_rng(seed)
    across = np.array([1.0, 1.0, 0.0]) if plane else np.ones(3)
    links, joints = [Link('ground')], []
    for name, parent, size in chains:
        for k in range(size):
            kind = kinds[k % len(kinds)]
            center = tuple(across * rng.uniform(-0.2, 0.2, 3))
            links.append(Link(f'{name}{k}', Inertia(
                float(rng.uniform(0.5, 2.0)), center,
                matrix3(np.diag(rng.uniform(0.05, 0.08, 3))))))
            axis = rng.normal(size=3)
            pose = Pose(matrix3(np.eye(3) if plane else random_rotation(rng)),
                        tuple(across * rng.uniform(-0.4, 0.4, 3)))
            joints.append(Joint(
                f'{name}{k}_joint', kind,  # type: ignore[arg-type]
                parent if k == 0 else f'{name}{k - 1}', f'{name}{k}', pose,
                (0.0, 0.0, 1.0) if plane else tuple(axis / np.linalg.norm(axis)), Limits(),
                replace(Dynamics(), armature=armature)))

    def place() -> tuple[Any, ...]:
        return tuple(across * rng.uniform(-0.3, 0.3, 3))

    tied = [LoopJoint(f'cut{k}', kind, first, second,  # type: ignore[arg-type]
                      Pose(translation=place()), Pose(translation=place()),
                      distance=0.5 if kind == 'distance' else None)
            for k, (kind, first, second) in enumerate(loops)]
    held = [SpringDamper(f's{k}', first, second, place(), place(), 10.0, 1.0, 0.2)
            for k, (first, second) in enumerate(springs)]
    return build_model(Mechanism('chains', 'ground', tuple(links), tuple(joints),
                                 loop_joints=tuple(tied), springs=tuple(held)))


@cache
def twin_rods(size: int) -> Model:
    """Return two chains of rods of 1 m and 1 kg from one point; a pin joins their ends."""
    inertia = Inertia(1.0, (0.5, 0.0, 0.0), matrix3(np.diag((1e-3, 1.0 / 12.0, 1.0 / 12.0))))
    links, joints = [Link('ground')], []
    for side in 'ab':
        for k in range(size):
            links.append(Link(f'{side}{k}', inertia))
            joints.append(Joint(
                f'{side}{k}_joint', 'continuous', f'{side}{k - 1}' if k else 'ground',
                f'{side}{k}', Pose(translation=(1.0 if k else 0.0, 0.0, 0.0)), (0.0, 0.0, 1.0)))
    end = Pose(translation=(1.0, 0.0, 0.0))
    return build_model(Mechanism('rods', 'ground', tuple(links), tuple(joints), loop_joints=(
        LoopJoint('pin', 'revolute', f'a{size - 1}', f'b{size - 1}', end, end),)))
