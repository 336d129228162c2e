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

"""``<beam>`` of ``<mbd:flexible>``: its stiffness as numbers, or of a section and a material."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from mbd_ros.description.records.inertia_check import HUGE
from mbd_ros.description.records.mechanism import Beam
from mbd_ros.description.records.numbers import numbers_in, read_numbers
from mbd_ros.description.records.report import Report

COUNTS = {
    'length': 1, 'linear_density': 1, 'bending_stiffness': 2, 'torsional_stiffness': 1,
    'torsional_inertia': 1, 'damping_ratio': 1, 'rayleigh': 2, 'rotary_inertia': 2,
    'shear_stiffness': 2, 'taper': 1, 'tip_mass': 1}
"""Attributes that are numbers, and how many."""
WORDS = {'boundary': ('free', 'craig_bampton'), 'stiffening': ('true', 'false', 'kinetic'),
         'theory': ('euler_bernoulli', 'timoshenko')}
"""Attributes that are one of some words."""
MOST_MODES = 20
MOST_OF_ALL = 240
"""Modes of the beams of a robot together; a link with 60 takes some seconds to prepare."""

Section = tuple[float, tuple[float, float], float, tuple[float, float]]
"""Area [m^2], second moments for bending along y and z, torsion constant [m^4], shear areas."""


def _circle(radius: float) -> Section:
    return _tube(radius, 0.0)


def _tube(outer: float, inner: float) -> Section:
    area, second = pi * (outer ** 2 - inner ** 2), 0.25 * pi * (outer ** 4 - inner ** 4)
    ratio = (inner / outer) ** 2
    sheared = area * 6.0 * (1.0 + ratio) ** 2 / (7.0 * (1.0 + ratio) ** 2 + 20.0 * ratio)
    return area, (second, second), 2.0 * second, (sheared, sheared)


def _rectangle(width: float, height: float) -> Section:
    """Return the section of a rectangle with sides along y and z (Roark, table 10.7)."""
    a, b = 0.5 * max(width, height), 0.5 * min(width, height)
    torsion = a * b ** 3 * (16.0 / 3.0 - 3.36 * b / a * (1.0 - b ** 4 / (12.0 * a ** 4)))
    area = width * height
    return (area, (height * width ** 3 / 12.0, width * height ** 3 / 12.0), torsion,
            (5.0 / 6.0 * area, 5.0 / 6.0 * area))


SECTIONS: dict[str, tuple[int, Callable[..., Section]]] = {
    'circle': (1, _circle), 'tube': (2, _tube), 'rectangle': (2, _rectangle)}


def read_beam(element: Any, what: str, report: Report) -> Beam:
    """
    Return a ``<beam>``.

    Raises
    ------
    DescriptionError
        If numbers are missing, or have the wrong count or sign.

    """
    source = report.source(element)

    def refuse(problem: str, allowed: str) -> None:
        raise report.error(f'{what}: {problem} of <beam>; allowed: {allowed}', source)

    values: dict[str, Any] = {}
    if element.get('section') is not None:
        values = _of_section(element, refuse, report)
    for name, count in COUNTS.items():
        if element.get(name) is not None:
            numbers = read_numbers(element, name, count, report)
            values[name] = numbers[0] if count == 1 else numbers
    counts = (read_numbers(element, 'modes', 3, report)
              if element.get('modes') is not None else (1.0, 1.0, 0.0))
    if any(count not in range(MOST_MODES + 1) for count in counts) or not any(counts):
        raise report.error(f'{what}: modes of <beam> are {" ".join(f"{c:g}" for c in counts)}; '
                           'allowed: three whole numbers up to 20, not all 0', source)
    for name, words in WORDS.items():
        if element.get(name, words[0]) not in words:
            refuse(f'{name}="{element.get(name)}"', ' or '.join(words))
    values['boundary'] = element.get('boundary', 'free')
    values['stiffening'] = element.get('stiffening', 'true')
    along_y, along_z, twist = (int(count) for count in counts)
    beam = Beam(**{'length': 0.0, 'linear_density': 0.0} | values,
                modes=(along_y, along_z, twist))
    y, z = beam.bending_stiffness
    needed = {'length': beam.length, 'linear_density': beam.linear_density, 'taper': beam.taper}
    if along_y or along_z:
        needed |= {'bending_stiffness': min([y] * (along_y > 0) + [z] * (along_z > 0))}
    if twist:
        needed |= {'torsional_stiffness': beam.torsional_stiffness,
                   'torsional_inertia': beam.torsional_inertia}
    for name, value in needed.items():
        if value <= 0.0:
            raise report.error(f'{what}: {name} of <beam> is {value:.9g}; allowed for its modes: '
                               'more than 0', source)
    for name in COUNTS:
        numbers = getattr(beam, name)
        least = min(numbers) if isinstance(numbers, tuple) else numbers
        if least < 0.0:
            raise report.error(f'{what}: {name} of <beam> is {least:.9g}; allowed: 0 or more',
                               source)
        largest = max(numbers) if isinstance(numbers, tuple) else numbers
        if largest > HUGE:
            raise report.error(f'{what}: {name} of <beam> is {largest:.9g}; allowed: up to '
                               f'{HUGE:g}', source)
    if element.get('theory') == 'timoshenko' and not all(
            shear for shear, modes in zip(beam.shear_stiffness, beam.modes) if modes):
        refuse('theory="timoshenko" without shear stiffness',
               'a section with a material, or shear_stiffness="k*G*A along y, along z"')
    for static, modes in zip((2, 2, 1), beam.modes):
        if beam.boundary == 'craig_bampton' and 0 < modes < static:
            refuse(f'modes="{element.get("modes")}" with boundary="craig_bampton"',
                   'none, or 2 or more of bending and 1 or more of torsion: its static shapes')
    return beam


def _of_section(element: Any, refuse: Callable[[str, str], None], report: Report
                ) -> dict[str, Any]:
    """Return density, stiffness and inertia of a section of one material."""
    text = element.get('section')
    kind, _, rest = text.strip().partition(' ')
    allowed = '"circle r", "tube outer inner" (radii) or "rectangle y z" (sides), up to 1e+20 [m]'
    count, section = SECTIONS.get(kind, (0, _circle))
    sizes = numbers_in(rest, count) if count else ()
    if not count or isinstance(sizes, str) or min(sizes) < 0.0 or not sizes[0] > 0.0 or (
            max(sizes) > HUGE) or (
            kind == 'tube' and sizes[1] >= sizes[0]) or (kind == 'rectangle' and not sizes[1]):
        refuse(f'section="{text}"', allowed)
    if element.get('material') is None:
        refuse('section without material', 'material="E G density" [Pa, Pa, kg/m^3]')
    young, shear, density = read_numbers(element, 'material', 3, report)
    if min(young, shear, density) <= 0.0:
        refuse(f'material="{element.get("material")}"', 'E, G and density, each more than 0')
    area, (along_y, along_z), torsion, sheared = section(*sizes)
    found = {'linear_density': density * area,
             'bending_stiffness': (young * along_y, young * along_z),
             'torsional_stiffness': shear * torsion,
             'torsional_inertia': density * (along_y + along_z),
             'rotary_inertia': (density * along_y, density * along_z)}
    if element.get('theory') == 'timoshenko':
        found['shear_stiffness'] = (shear * sheared[0], shear * sheared[1])
    return found
