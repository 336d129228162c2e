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

"""Plausibility checks: what is allowed in a description but rarely intended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import dist, inf, prod, sqrt
from pathlib import Path

from lxml import etree
import numpy as np

from mbd_ros.description.records.finding import Finding, Severity, Source
from mbd_ros.description.records.mechanism import Inertia, Joint, Link, Mechanism
from mbd_ros.description.records.numbers import numbers_in
from mbd_ros.description.xml.packages import packages_of, SCHEME

FAR = 3.0
"""Mass centres are far away from here on, in lengths of the robot (but at least in metres)."""

LARGEST_REACH = 200.0
"""Longest way along the joints of a robot [m]: excavators and cranes stay below, and no robot
that fits into a hand stays below it in millimetres."""

LIGHTEST, HEAVIEST = 1e-2, 1e6
"""
Densities [kg/m^3] of a cube with the same mass and moments. Rods and frames of real robots have 1
or more and motors some 1e4. Millimetres in place of metres change it by 1e-9, grams in the moments
alone by 3e4.
"""

BESIDE = 1e-3
"""Distance of a shape from the origin of its link from which on it is elsewhere [m]."""

POINT = 1e-6
"""Radius of gyration [m] below which moments stand for a point, and have no density."""


def examine(mechanism: Mechanism) -> list[Finding]:
    """
    Return what is suspicious about a description that could be read.

    Parameters
    ----------
    mechanism : Mechanism
        As read; what the reader itself has remarked is not repeated.

    Returns
    -------
    list of Finding
        Each with the line, and what to do.

    """
    reach = _reach(mechanism)
    return [*_size(mechanism, reach), *_mass_centers(mechanism, reach), *_densities(mechanism),
            *_limits(mechanism), *_without_inertia(mechanism), *_without_origin(mechanism),
            *_meshes(mechanism)]


def _finding(severity: Severity, message: str, source: Source, remedy: str) -> Finding:
    return Finding(severity, message, source.file, source.line, remedy)


def _reach(mechanism: Mechanism) -> float:
    """Return the longest way from the root along the joints [m]."""
    way = {mechanism.root: 0.0}
    children: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    waiting = [mechanism.root]
    while waiting:
        link = waiting.pop()
        for joint in children.get(link, ()):
            way[joint.child] = way[link] + dist((0.0, 0.0, 0.0), joint.origin.translation)
            waiting.append(joint.child)
    return max(way.values())


def _size(mechanism: Mechanism, reach: float) -> Iterator[Finding]:
    if reach > LARGEST_REACH:
        farthest = max(mechanism.joints,
                       key=lambda joint: dist((0.0, 0.0, 0.0), joint.origin.translation))
        yield _finding(
            'warning', f"the joints reach {reach:.4g} m; joint '{farthest.name}' alone is "
            f'{dist((0.0, 0.0, 0.0), farthest.origin.translation):.4g} m from its parent',
            farthest.source, 'lengths are metres: divide by 1000 if these are millimetres')


def _mass_centers(mechanism: Mechanism, reach: float) -> Iterator[Finding]:
    far = FAR * max(reach, 1.0)
    for link, inertia in _with_mass(mechanism):
        distance = dist((0.0, 0.0, 0.0), inertia.center)
        if distance > far:
            yield _finding(
                'warning', f"link '{link.name}' has its mass centre {distance:.4g} m from its "
                f'origin; the joints reach {reach:.4g} m', inertia.source,
                'give <origin> of <inertial> in metres and in the frame of the link, not of the '
                'world')


def _densities(mechanism: Mechanism) -> Iterator[Finding]:
    for link, inertia in _with_mass(mechanism):
        largest = float(np.linalg.eigvalsh(np.array(inertia.tensor))[-1])
        radius = sqrt(max(largest, 0.0) / inertia.mass)
        if radius < POINT:
            continue
        side = radius * sqrt(6.0)    # of a cube: I = m side^2 / 6
        density = inertia.mass / side ** 3
        if LIGHTEST <= density <= HEAVIEST:
            continue
        yield _finding(
            'warning', f"link '{link.name}' has {inertia.mass:.4g} kg and moments of inertia up "
            f'to {largest:.4g} kg m^2, as a cube with sides of {side:.3g} m has: '
            f'{density:.2g} kg/m^3', inertia.source,
            'masses are kilograms and moments kg m^2 about the mass centre: ' + (
                'multiply the moments by 1e-6 if they are in kg mm^2' if density < LIGHTEST else
                'look whether both are in the same unit, and whether the moments are those of '
                'this link'))


def _with_mass(mechanism: Mechanism) -> Iterator[tuple[Link, Inertia]]:
    for link in mechanism.links:
        if link.inertia is not None and link.inertia.mass > 0.0:
            yield link, link.inertia


def _limits(mechanism: Mechanism) -> Iterator[Finding]:
    for joint in mechanism.joints:
        limits = joint.limits
        source = limits.source if limits.source.line is not None else joint.source
        if -inf < limits.lower == limits.upper < inf:
            yield _finding(
                'warning', f"joint '{joint.name}' cannot move: both limits are "
                f'{limits.lower:.6g}', source,
                "give it the type 'fixed', or different limits")
        elif limits.lower > 0.0 or limits.upper < 0.0:
            yield _finding(
                'info', f"joint '{joint.name}' must not be at 0: its limits are "
                f'{limits.lower:.6g} and {limits.upper:.6g}', source,
                'begin simulations at a position between the limits')
        if joint.mimic is not None and not any(
                (joint.mimic.multiplier, *joint.mimic.powers)):
            yield _finding(
                'warning', f"joint '{joint.name}' mimics '{joint.mimic.joint}' with multiplier 0",
                joint.mimic.source, "give it the type 'fixed', or a multiplier")


def _without_inertia(mechanism: Mechanism) -> Iterator[Finding]:
    if not any(link.inertia for link in mechanism.links):
        yield _finding(
            'error', f"no link of robot '{mechanism.name}' has a mass", Source(mechanism.file),
            'add <inertial> to the links that move; kinematics alone needs none')


def _without_origin(mechanism: Mechanism) -> Iterator[Finding]:
    """Yield masses on the axis of a joint that have no <origin>, while shapes are elsewhere."""
    turned = {joint.child: joint.name for joint in mechanism.joints
              if joint.kind in ('revolute', 'continuous')}
    root = _root(mechanism)
    given = {} if root is None else {link.get('name'): link for link in root.iterchildren('link')}
    for link, inertia in _with_mass(mechanism):
        element = given.get(link.name)
        if link.name not in turned or element is None:
            continue
        if element.find('inertial') is None or element.find('inertial/origin') is not None:
            continue
        if any(_is_elsewhere(shape) for kind in ('visual', 'collision')
               for shape in element.iterchildren(kind)):
            yield _finding(
                'info', f"link '{link.name}': <inertial> has no <origin>, so that its mass centre "
                f"is at the link's origin, on the axis of joint '{turned[link.name]}', and its "
                'shapes are elsewhere', inertia.source,
                'give <origin xyz="..."> of <inertial>: the mass centre in the frame of the link '
                '[m]')


def _is_elsewhere(shape: etree._Element) -> bool:
    """Return whether a shape may be anywhere but around the origin of its link."""
    origin = shape.find('origin')
    place = numbers_in('0 0 0' if origin is None else origin.get('xyz', '0 0 0'), 3)
    return shape.find('geometry/mesh') is not None or (
        not isinstance(place, str) and dist(place, (0.0, 0.0, 0.0)) > BESIDE)


def _root(mechanism: Mechanism) -> etree._Element | None:
    """Return the description as it was read."""
    try:
        return etree.fromstring(mechanism.text.encode())
    except etree.XMLSyntaxError:
        return None


def _meshes(mechanism: Mechanism) -> Iterator[Finding]:
    """Yield meshes that are not there, and scales that turn them inside out."""
    root = _root(mechanism)
    if root is None:
        return
    file = mechanism.file
    find = packages_of(mechanism)
    seen: set[str] = set()
    for mesh in root.iter('mesh'):
        name = mesh.get('filename', '')
        source = Source(file, None if str(file).endswith('(expanded)') else mesh.sourceline)
        scale = numbers_in(mesh.get('scale', '1 1 1'), 3)
        if not isinstance(scale, str) and prod(scale) < 0.0:
            yield _finding('warning', f"the mesh '{name[:200]}' has the scale "
                           f'{mesh.get("scale")}, which mirrors it: inside is outside', source,
                           'mirror it in its file, or turn it')
        if name in seen or mechanism.came_as_text:
            continue
        seen.add(name)
        missing = _missing(name, Path(str(file)), find)
        if missing:
            yield _finding('warning', f"the mesh '{name[:200]}' is not there: {missing}", source,
                           'install the package, or name its folder (--package NAME=FOLDER)'
                           if name.startswith(SCHEME) else 'put the file where it is named')


def _missing(name: str, file: Path, find: Callable[[str], str]) -> str:
    """Return why a mesh is not there, empty where it is."""
    try:
        if name.startswith(SCHEME):
            package, _, rest = name.removeprefix(SCHEME).partition('/')
            path = Path(find(package), rest)
        else:
            path = file.parent / name.removeprefix('file://')
        return '' if path.is_file() else f'there is no file {str(path)[:300]}'
    except (LookupError, OSError, ValueError) as error:
        return str(getattr(error, 'strerror', None) or error)
