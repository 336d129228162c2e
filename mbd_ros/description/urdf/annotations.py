"""``<mbd:fluid>`` and ``<mbd:flexible>``: hydrodynamic and elastic properties of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbd_ros.description.records.mechanism import (
    FlexibleBody, FluidBody, Inertia, Joint, Link, ModalPoint, Pose, Vector3)
from mbd_ros.description.records.numbers import read_numbers
from mbd_ros.description.records.poses import read_placement
from mbd_ros.description.records.report import nearest, Report
from mbd_ros.description.records.vocabulary import ADDED_MASS, FLEXIBLE, FLUID
from mbd_ros.description.urdf.beams import read_beam

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Of the largest eigenvalue, or of a matrix scaled to the diagonal 1: rounding is less."""


def read_fluids(robot: Any, report: Report) -> tuple[FluidBody, ...]:
    """
    Return what a fluid does to the links of a URDF.

    Raises
    ------
    DescriptionError
        If a coefficient is negative, or the added mass is no mass.

    """
    return tuple(_fluid(link.get('name'), link.find(FLUID), report)
                 for link in robot.iterfind('link') if link.find(FLUID) is not None)


def _fluid(link: str, element: Any, report: Report) -> FluidBody:
    what = f"link '{link}': <mbd:fluid>"
    part = element.find('fluid_added_mass')
    entries = {} if part is None else {
        name: read_numbers(part, name, 1, report)[0] for name in part.attrib if name in ADDED_MASS}
    volume = _value(element, 'volume', report)
    drags = {tag: _drag(element, tag, report) for tag in ('linear_drag', 'quadratic_drag')}
    wing = element.find('lift')
    y, z = (0.0, 0.0) if wing is None else read_numbers(wing, 'force', 2, report)
    for name, values in (('volume', (volume,)), *drags.items(), ('lift', (y, z))):
        if min(values) < 0.0:
            raise report.error(f'{what} has the {name} {min(values):.9g}; allowed: 0 or more',
                               report.source(element))
    body = FluidBody(link, _origin(element, report), volume, added_mass(entries), lift=(y, z),
                     source=report.source(element), **drags)
    check_added_mass(body, report)
    return body


def added_mass(entries: dict[str, float]) -> tuple[tuple[float, ...], ...]:
    """Return the symmetric matrix of entries ``xx``, ``xy``, ... ``rr``."""
    return tuple(tuple(entries.get('xyzpqr'[min(i, j)] + 'xyzpqr'[max(i, j)], 0.0)
                       for j in range(6)) for i in range(6))


def check_added_mass(body: FluidBody, report: Report) -> None:
    """Refuse an added mass that is not positive semidefinite: no fluid has one."""
    matrix = np.array(body.added_mass)
    if np.abs(matrix).max() > 1e20:
        raise report.error(f"link '{body.link}' has an added mass beyond 1e20", body.source)
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] < -ROUNDING * abs(moments[-1]):
        raise report.error(f"link '{body.link}' has an added mass with the eigenvalue "
                           f'{moments[0]:.6g}; allowed: 0 or more', body.source)


def read_flexibles(robot: Any, links: Sequence[Link], joints: Sequence[Joint],
                   report: Report) -> tuple[FlexibleBody, ...]:
    """
    Return the links of a URDF that bend.

    Raises
    ------
    DescriptionError
        If numbers are missing, have the wrong count or sign, or a joint does not exist.

    """
    inertias = {link.name: link.inertia for link in links}
    found = []
    for link in robot.iterfind('link'):
        element = link.find(FLEXIBLE)
        if element is None:
            continue
        name, source = link.get('name'), report.source(element)
        what = f"link '{name}': <mbd:flexible>"
        beam = element.find('beam')
        points = element.findall('point')
        if (beam is None) == (not points):
            raise report.error(f'{what} has not either a <beam> or <point>s', source)
        body = FlexibleBody(name, _origin(element, report), read_beam(beam, what, report),
                            source=source) if beam is not None else _modal(
            name, element, joints, what, report)
        check_weight(body, inertias[name], report)
        found.append(body)
    return tuple(found)


def check_weight(body: FlexibleBody, inertia: Inertia | None, report: Report) -> None:
    """Refuse a flexible link that weighs more than the whole link."""
    mass = (sum(point.mass for point in body.points) if body.beam is None
            else body.beam.length * body.beam.linear_density
            * (1.0 + body.beam.taper + body.beam.taper ** 2) / 3.0)
    if inertia is None or mass > inertia.mass * (1.0 + 1e-6):
        raise report.error(
            f"link '{body.link}': <mbd:flexible> weighs {mass:.6g} kg, more than the <inertial> "
            'of its link; allowed: as much at most, since that is the whole link', body.source)


def _modal(name: str, element: Any, joints: Sequence[Joint], what: str,
           report: Report) -> FlexibleBody:
    count = len(element.find('point').get('shape').split()) // 3
    if not 1 <= count <= 100:
        raise report.error(f'{what}: the shape of its first <point> has {count} modes; allowed: 1 '
                           'to 100, three numbers each', report.source(element))
    places = []
    for part in (*element.iterfind('point'), *element.iterfind('interface')):
        joint = part.get('joint', '')
        carried = [known.name for known in joints if known.parent == name]
        if joint and joint not in carried:
            raise report.error(f"{what}: <interface> names the joint '{joint}', which does not "
                               f'sit on this link{nearest(joint, carried)}', report.source(part))
        x, y, z = read_numbers(part, 'xyz', 3, report)
        position: Vector3 = (x, y, z)
        mass = read_numbers(part, 'mass', 1, report)[0] if part.tag == 'point' else 0.0
        if mass < 0.0:
            raise report.error(f'{what}: <point> has the mass {mass:.9g}; allowed: 0 or more',
                               report.source(part))
        rotation = read_numbers(part, 'rotation', 3 * count, report) if joint else ()
        places.append(ModalPoint(position, read_numbers(part, 'shape', 3 * count, report), mass,
                                 rotation, joint))
    matrices = {}
    for tag in ('stiffness', 'damping'):
        part = element.find(tag)
        if part is None and tag == 'stiffness':
            raise report.error(f'{what} has no <stiffness>', report.source(element))
        matrices[tag] = (0.0,) * count ** 2 if part is None else read_numbers(
            part, 'values', count * count, report)
        matrix = np.array(matrices[tag]).reshape(count, count)
        if np.abs(matrix).max(initial=0.0) > 1e20 or not _positive(matrix):
            raise report.error(f'{what}: <{tag}> is not symmetric and positive; allowed: '
                               f'{count} x {count} numbers of such a matrix', report.source(part))
    return FlexibleBody(name, _origin(element, report), None, tuple(places),
                        source=report.source(element), **matrices)


def _positive(matrix: Array) -> bool:
    """
    Tell whether a modal matrix is symmetric and positive semidefinite to rounding.

    Finite-element codes round an entry ij to a fraction of sqrt(K_ii K_jj), which is far above
    the entry itself where shapes are orthogonal.
    """
    diagonal = np.diag(matrix)
    if (diagonal < 0.0).any():
        return False
    scale = np.sqrt(diagonal)
    scaled = matrix / np.where(outer := np.outer(scale, scale), outer, 1.0)
    return bool(np.abs(scaled - scaled.T).max() <= ROUNDING
                and np.abs(scaled).max() <= 1.0 + ROUNDING
                and np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0] >= -ROUNDING)


def _value(element: Any, tag: str, report: Report) -> float:
    part = element.find(tag)
    return 0.0 if part is None else read_numbers(part, 'value', 1, report)[0]


def _origin(element: Any, report: Report) -> Pose:
    part = element.find('origin')
    return Pose() if part is None else read_placement(part, report)


def _drag(element: Any, tag: str, report: Report) -> tuple[float, ...]:
    part = element.find(tag)
    if part is None:
        return (0.0,) * 6
    return tuple(value for name in ('force', 'moment') for value in (
        read_numbers(part, name, 3, report) if part.get(name) is not None else (0.0,) * 3))
