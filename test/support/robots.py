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

"""Random robots as URDF text, for property and peer tests."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
import numpy as np

from mbd_ros.description.read import read
from mbd_ros.model import build_model, Model

KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')
ALL_KINDS = (*KINDS, 'floating', 'spherical', 'planar')


def urdf(parents: list[int], kinds: list[str], seed: int) -> str:
    """
    Return a tree: link i + 1 hangs on link ``parents[i]`` (``<= i``) by a joint of ``kinds[i]``.

    Placements, axes, masses and full inertia tensors follow from the seed.
    """
    rng = np.random.default_rng(seed)
    parts = ['<robot name="random">', _link(0, rng)]
    for i, (parent, kind) in enumerate(zip(parents, kinds), start=1):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        if rng.random() < 0.3:  # axes along a coordinate direction take another way in the reader
            axis = rng.permutation([rng.choice([-1.0, 1.0]), 0.0, 0.0])
        limit = '' if kind in ('continuous', 'fixed') else (
            '<limit lower="-3" upper="3" effort="10" velocity="10"/>')
        parts += [_link(i, rng), f'<joint name="joint{i:03d}" type="{kind}">{_origin(rng)}'
                  f'<parent link="link{parent:03d}"/><child link="link{i:03d}"/>'
                  f'<axis xyz="{_numbers(axis)}"/>{limit}</joint>']
    return ''.join(parts) + '</robot>'


def chain(count: int, seed: int) -> str:
    """Return a serial chain of revolute joints."""
    return urdf(list(range(count)), ['revolute'] * count, seed)


@st.composite
def trees(draw: st.DrawFn, max_joints: int = 8) -> str:
    """Draw the URDF text of a branched tree with at least one moving joint."""
    count = draw(st.integers(1, max_joints))
    parents = [draw(st.integers(0, i)) for i in range(count)]
    kinds = [draw(st.sampled_from(KINDS)) for _ in range(count)]
    kinds[draw(st.integers(0, count - 1))] = 'revolute'
    return urdf(parents, kinds, draw(st.integers(0, 2**16)))


def model_of(parents: list[int], kinds: list[str], seed: int) -> Model:
    """Return a tree as ``urdf`` describes it, of joints of all kinds, also those URDF lacks."""
    simple = [kind if kind in KINDS else 'revolute' for kind in kinds]
    mechanism = read(urdf(parents, simple, seed))
    joints = tuple(replace(joint, kind=kinds[int(joint.name.removeprefix('joint')) - 1])
                   for joint in mechanism.joints)
    return build_model(replace(mechanism, joints=joints))


@st.composite
def all_trees(draw: st.DrawFn, max_joints: int = 8) -> Model:
    """Draw a branched tree with joints of all kinds, at least one of them moving."""
    count = draw(st.integers(1, max_joints))
    parents = [draw(st.integers(0, i)) for i in range(count)]
    kinds = [draw(st.sampled_from(ALL_KINDS)) for _ in range(count)]
    kinds[draw(st.integers(0, count - 1))] = draw(st.sampled_from(('spherical', 'planar')))
    return model_of(parents, kinds, draw(st.integers(0, 2**16)))


def random_state(model, seed: int):  # type: ignore[no-untyped-def]
    """Return random q (unit quaternions), v and a third vector (nv,)."""
    from mbd_ros.model.state import random_configuration
    rng = np.random.default_rng(seed)
    return (random_configuration(model, rng), rng.normal(size=model.nv),
            rng.normal(size=model.nv))


def _link(i: int, rng: np.random.Generator) -> str:
    root = rng.normal(size=(3, 3))
    second_moment = root @ root.T + 0.1 * np.eye(3)  # any such matrix belongs to a real body
    inertia = np.trace(second_moment) * np.eye(3) - second_moment
    entries = ' '.join(f'i{a}{b}="{float(inertia[i, j])!r}"' for a, b, i, j in (
        'xx00', 'xy01', 'xz02', 'yy11', 'yz12', 'zz22') for i, j in [(int(i), int(j))])
    return (f'<link name="link{i:03d}"><inertial>{_origin(rng)}'
            f'<mass value="{float(rng.uniform(0.5, 2.0))!r}"/><inertia {entries}/>'
            '</inertial></link>')


def _origin(rng: np.random.Generator) -> str:
    return f'<origin xyz="{_numbers(rng.normal(size=3))}" rpy="{_numbers(rng.normal(size=3))}"/>'


def _numbers(values: np.ndarray) -> str:
    return ' '.join(repr(float(value)) for value in values)
