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

"""Mass points, or integrals, of ``<mbd:flexible>``, with the shapes and matrices of its modes."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import FlexibleBody, ModalPoint, Vector3
from mbd_ros.description.records.modal import MOST_COLUMNS, ShapeIntegrals
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.report import nearest, Report

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

ROUNDING = 1e-9
"""Of a matrix scaled to the diagonal 1: rounding is less."""
MOST_MODES = 100
LARGEST = 1e20
"""Magnitude of an entry: its square is far below the largest number."""


def read_modal(name: str, element: Any, carried: Sequence[str], what: str,
               report: Report) -> FlexibleBody:
    """
    Return a link that bends by shapes.

    Parameters
    ----------
    name : str
        The link.
    element : lxml element
        Its ``<mbd:flexible>``.
    carried : sequence of str
        The joints that sit on it, and what else is attached to it.
    what : str
        Both, as messages begin.
    report : Report
        Words the errors.

    Raises
    ------
    DescriptionError
        If numbers are missing, have the wrong count or sign, matrices are none that a mass or an
        elastic link has, or a joint does not exist.

    """
    found = element.find('integrals')
    count = _count(element, what, report)
    integrals = None if found is None else _integrals(found, count, what, report)
    columns = count + (0 if integrals is None else len(integrals.pairs) // 2)
    places = []
    for part in (*element.iterfind('point'), *element.iterfind('interface')):
        joint = part.get('joint', '')
        if joint and joint not in carried:
            raise report.error(f"{what}: <interface> names the joint '{joint}', which does not "
                               f'sit on this link{nearest(joint, carried)}', report.source(part))
        x, y, z = read_numbers(part, 'xyz', 3, report)
        position: Vector3 = (x, y, z)
        mass = read_numbers(part, 'mass', 1, report)[0] if part.tag == 'point' else 0.0
        if mass < 0.0 or (mass and integrals is not None):
            raise report.error(f'{what}: <point> has the mass {mass:.9g}; allowed: '
                               f'{"0 or more" if integrals is None else "0 beside <integrals>"}',
                               report.source(part))
        rotation = read_numbers(part, 'rotation', 3 * count, report) if joint else ()
        shape = read_numbers(part, 'shape', 3 * columns, report)
        if (largest := max(map(abs, (*position, mass, *shape, *rotation)))) > LARGEST:
            raise report.error(f'{what}: <{part.tag}> has the number {largest:.3g}; allowed: up '
                               f'to {LARGEST:g}', report.source(part))
        places.append(ModalPoint(position, shape, mass, rotation, joint))
    if not any(any(place.position) for place in places):
        raise report.error(f'{what} has neither a <point> nor an <interface> away from its '
                           'origin; allowed: at least one, which shows how far it bends',
                           report.source(element))
    stiffness, damping = (_matrix(element, tag, count, what, report)
                          for tag in ('stiffness', 'damping'))
    return FlexibleBody(name, points=tuple(places), stiffness=stiffness, damping=damping,
                        integrals=integrals)


def _count(element: Any, what: str, report: Report) -> int:
    """Return the number of modes, by the first point or, beside integrals, the stiffness."""
    if element.find('integrals') is None:
        part, words = 'the shape of its first <point>', 'three numbers each'
        count = len(element.find('point').get('shape').split()) // 3
    elif element.find('stiffness') is None:
        raise report.error(f'{what} has no <stiffness>', report.source(element))
    else:
        part, words = 'its <stiffness>', 'by as many'
        count = isqrt(len(element.find('stiffness').get('values').split()))
    if not 1 <= count <= MOST_MODES:
        raise report.error(f'{what}: {part} has {count} modes; allowed: 1 to {MOST_MODES}, '
                           f'{words}', report.source(element))
    return count


def _matrix(element: Any, tag: str, count: int, what: str, report: Report) -> Numbers:
    part = element.find(tag)
    if part is None and tag == 'stiffness':
        raise report.error(f'{what} has no <stiffness>', report.source(element))
    if part is None:
        return (0.0,) * count ** 2
    values = read_numbers(part, 'values', count * count, report)
    if not is_positive(np.array(values).reshape(count, count)):
        raise report.error(f'{what}: <{tag}> is not symmetric and positive; allowed: '
                           f'{count} x {count} numbers of such a matrix', report.source(part))
    return values


def is_positive(matrix: Array) -> bool:
    """
    Tell whether a modal matrix is bounded, symmetric and positive semidefinite to rounding.

    Finite-element codes round an entry ij to a fraction of sqrt(K_ii K_jj), which is far above
    the entry itself where shapes are orthogonal.
    """
    diagonal = np.diag(matrix)
    if np.abs(matrix).max(initial=0.0) > LARGEST or (diagonal < 0.0).any():
        return False
    scale = np.sqrt(diagonal)
    scaled = matrix / np.where(outer := np.outer(scale, scale), outer, 1.0)
    return bool(np.abs(scaled - scaled.T).max(initial=0.0) <= ROUNDING
                and np.abs(scaled).max(initial=0.0) <= 1.0 + ROUNDING
                and np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0] >= -ROUNDING)


def _integrals(element: Any, count: int, what: str, report: Report) -> ShapeIntegrals:
    def fail(problem: str) -> NoReturn:
        raise report.error(f'{what}: {problem}', report.source(element))

    pairs = _pairs(element, count, fail)
    columns = count + len(pairs) // 2

    def square(name: str, block: int) -> tuple[Numbers, int]:
        """Return blocks of n or n + p columns, and how many columns these are."""
        words = len(element.get(name).split())
        size = columns if words == block * columns ** 2 else count
        return read_numbers(element, name, block * size * size, report), size

    second = Numbers()
    if element.get('second_stiffness') is not None:
        size = len(pairs) // 2
        second = read_numbers(element, 'second_stiffness', size * size, report)
        if second and not is_positive(np.array(second).reshape(size, size)):
            fail('second_stiffness of <integrals> is not symmetric and positive')
    mass, size = square('mass', 1)
    matrix = np.array(mass).reshape(size, size)
    if not is_positive(matrix) or not np.diag(matrix)[:count].all():
        fail('mass of <integrals> is not symmetric and positive; allowed: the matrix of modes '
             'that are linearly independent')
    squares, size = square('second_couplings', 9)
    blocks = np.array(squares).reshape(size, size, 3, 3)
    scale = np.sqrt(np.diag(matrix))
    scale = np.pad(scale, (0, columns - len(scale)))[:size]
    off = np.abs(blocks - blocks.transpose(1, 0, 3, 2)).max(axis=(2, 3))
    if (off > ROUNDING * np.outer(scale, scale)).any():
        j, k = np.argwhere(off > ROUNDING * np.outer(scale, scale))[0]
        fail(f'second_couplings of <integrals>, block {j}, {k} is not the transpose of block '
             f'{k}, {j}; allowed: sum m phi_j~^T phi_k~')
    found = ShapeIntegrals(mass, read_numbers(element, 'first_moments', 3 * columns, report),
                           read_numbers(element, 'couplings', 9 * columns, report), squares,
                           pairs, second)
    for name in ('first_moments', 'couplings', 'second_couplings'):
        largest = np.abs(getattr(found, name)).max()
        if largest > LARGEST:
            fail(f'{name} of <integrals> has the entry {largest:.3g}; allowed: up to {LARGEST:g}')
    return found


def _pairs(element: Any, count: int, fail: Any) -> tuple[int, ...]:
    """Return which coordinates are multiplied: first ones, then second ones."""
    words = (element.get('pairs') or '').split()
    numbers = tuple(int(word) if word.isdecimal() and len(word) < 4 else -1 for word in words)
    size = len(numbers) // 2
    found = set(zip(numbers[:size], numbers[size:]))
    if len(numbers) != 2 * len(found) or not all(0 <= j <= k < count for j, k in found):
        fail(f'pairs of <integrals>; allowed: two rows of numbers 0 to {count - 1}, none of the '
             'second row below that of the first, no pair twice')
    if count + size > MOST_COLUMNS:
        fail(f'<integrals> of {count} modes and {size} products; allowed: {MOST_COLUMNS} together')
    return numbers
