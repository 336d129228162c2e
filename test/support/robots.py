"""Random robots as URDF text, for property and peer tests."""

from __future__ import annotations

from hypothesis import strategies as st
import numpy as np

KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')


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
