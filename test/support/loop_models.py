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

"""Mechanisms with closed loops: from the reference files, and small ones by hand."""

from __future__ import annotations

from functools import cache
import json
from pathlib import Path
from typing import Any

import numpy as np

from mbd_ros.description.records.mechanism import (
    Inertia, Joint, Limits, Link, LoopJoint, Mechanism, Pose, SpringDamper)
from mbd_ros.description.records.poses import matrix3
from mbd_ros.model import build_model, Model

DATA = Path(__file__).resolve().parents[1] / 'data'
POINT_KINDS = {'planar_revolute': 'spherical', 'spherical': 'spherical'}


@cache
def reference(name: str) -> Any:
    """Return the content of a reference file."""
    return json.loads((DATA / f'{name}.json').read_text())


def cases() -> dict[str, Any]:
    """Return the reference states by name."""
    return {case['name']: case for case in reference('closed_loops_states')['cases']}


@cache
def case_model(name: str, planar: str = 'spherical') -> Model:
    """Return the model of a reference state."""
    return build_model(mechanism_of(cases()[name]['model'], planar))


def mechanism_of(data: dict[str, Any], planar: str = 'spherical') -> Mechanism:
    """
    Return the records of a reference model: body i is link b00i, moved by joint j00i.

    A planar revolute cut becomes a loop joint of the given kind: its further rows are redundant.
    """
    links, joints = [Link('ground')], []
    for i, body in enumerate(data['bodies']):
        parent = 'ground' if body['parent'] < 0 else f'b{body["parent"]:03}'
        links.append(Link(f'b{i:03}', Inertia(body['mass'], tuple(body['com']),
                                              matrix3(np.array(body['I_com'])))))
        place = body['joint']
        joints.append(Joint(
            f'j{i:03}', 'continuous' if place['type'] == 'revolute' else 'prismatic', parent,
            f'b{i:03}', Pose(matrix3(np.array(place['E'])), tuple(place['r'])),
            tuple(place['axis']), Limits()))
    cuts = [_cut(f'cut{k}', cut, planar) for k, cut in enumerate(data['cuts'])]
    springs = [SpringDamper(f's{k}', f'b{s["a"]:03}', f'b{s["b"]:03}', tuple(s['pa']),
                            tuple(s['pb']), s['k'], s['c'], s['l0'])
               for k, s in enumerate(data.get('springs', ()))]
    return Mechanism('reference', 'ground', tuple(links), tuple(joints),
                     loop_joints=tuple(cuts), springs=tuple(springs))


def _cut(name: str, cut: dict[str, Any], planar: str) -> LoopJoint:
    first, second = np.eye(3), np.eye(3)
    kind = cut['type']
    if kind == 'planar_revolute':
        kind = planar
    elif kind == 'revolute':
        first = frame(z=cut['axis_a'])
        second = np.column_stack([cut['x_b'], cut['y_b'], np.cross(cut['x_b'], cut['y_b'])])
    elif kind == 'universal':
        first, second = frame(x=cut['u_a']), frame(y=cut['u_b'])
    return LoopJoint(name, kind, f'b{cut["a"]:03}', f'b{cut["b"]:03}',
                     Pose(matrix3(first), tuple(cut['pa'])),
                     Pose(matrix3(second), tuple(cut['pb'])))


def frame(**axis: Any) -> np.ndarray:
    """Return a rotation with one axis along a vector, the others as they come."""
    (name, vector), = axis.items()
    place = 'xyz'.index(name)
    main = np.array(vector) / np.linalg.norm(vector)
    other = np.eye(3)[np.argmin(np.abs(main))]
    next_axis = np.cross(other, main)
    next_axis /= np.linalg.norm(next_axis)
    columns = [main, next_axis, np.cross(main, next_axis)]
    return np.column_stack([columns[(k - place) % 3] for k in range(3)])


def body_order(model: Model) -> list[int]:
    """Return the number in the reference of each body of the model."""
    return [int(name[1:]) for name in model.joint_names]


@cache
def many_legs(legs: int, length: int, seed: int, springs: int = 0, cut: str = 'spherical'
              ) -> Model:
    """
    Return a platform, free to move, on equal legs of random placements and masses.

    Loop joints hold the last bodies of the legs; springs are between the middles of neighbours.
    """
    rng = np.random.default_rng(seed)
    links, joints, cuts = [Link('ground'), _solid('platform', rng)], [], []
    joints.append(Joint('free', 'floating', 'ground', 'platform', Pose(), (1.0, 0.0, 0.0)))
    kinds = ('continuous', 'prismatic', 'continuous')
    for leg in range(legs):
        for k in range(length):
            name = f'leg{leg}_{k:03}'
            links.append(_solid(name, rng))
            axis = rng.normal(size=3)
            joints.append(Joint(
                f'{name}_joint', kinds[k % 3],  # type: ignore[arg-type]
                f'leg{leg}_{k - 1:03}' if k else 'ground', name,
                Pose(matrix3(frame(x=rng.normal(size=3))), tuple(rng.uniform(-0.4, 0.4, 3))),
                tuple(axis / np.linalg.norm(axis)), Limits()))
        cuts.append(LoopJoint(
            f'cut{leg}', cut, f'leg{leg}_{length - 1:03}', 'platform',  # type: ignore[arg-type]
            Pose(translation=tuple(rng.uniform(-0.3, 0.3, 3))),
            Pose(translation=tuple(rng.uniform(-0.3, 0.3, 3))),
            distance=0.5 if cut == 'distance' else None))
    middle = length // 2
    held = [SpringDamper(f's{k}', f'leg{k}_{middle:03}', f'leg{k + 1}_{middle:03}',
                         (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), 10.0, 1.0, 0.2)
            for k in range(springs)]
    return build_model(Mechanism('legs', 'ground', tuple(links), tuple(joints),
                                 loop_joints=tuple(cuts), springs=tuple(held)))


def _solid(name: str, rng: np.random.Generator) -> Link:
    return Link(name, Inertia(float(rng.uniform(0.5, 2.0)), tuple(rng.uniform(-0.2, 0.2, 3)),
                              matrix3(np.diag(rng.uniform(0.05, 0.08, 3)))))
