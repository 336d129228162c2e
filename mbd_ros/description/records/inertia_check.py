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

"""Mass properties that no rigid body can have."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from mbd_ros.description.records.mechanism import Link
from mbd_ros.description.records.report import Report

ROUNDING = 1e-6
"""Relative; files give the moments with few digits, which alone must not be a finding."""

REMEDY = ('take the moments from the CAD program, in kg m^2 about the mass centre and in the axes '
          'of <origin>, or from a solid box of the size of the link')

QUOTED = 'nothing: mbd:as_published="true" says that they are quoted as they were measured'

SMALL = 1e-6
"""Radius of gyration [m] below which moments are not looked at: they stand for a point."""

HUGE = 1e20
"""Beyond it [kg, m, kg m^2] products of what a description gives need not fit into float64."""


def check_inertias(links: Sequence[Link], report: Report, *,
                   as_published: Container[str] = ()) -> None:
    """
    Check mass and inertia tensor of all links.

    A negative mass is refused. Principal moments that are negative or violate the triangle
    inequality, as those of some link of many robots do, are findings: fixed to others such a link
    may still be part of a body with which the equations of motion can be solved.

    Parameters
    ----------
    links : sequence of Link
        As read.
    report : Report
        Takes the findings.
    as_published : container of str, optional
        Links whose moments the file quotes on purpose: what no body has is an ``info`` there.

    Raises
    ------
    DescriptionError
        If ``report.checked``, or if they are beyond all bounds.

    """
    inertias = [(link, link.inertia) for link in links if link.inertia is not None]
    if not inertias:
        return
    for link, inertia in inertias:
        if not (np.abs((inertia.mass, *inertia.center, *sum(inertia.tensor, ()))) < HUGE).all():
            raise report.error(f"link '{link.name}' has a mass, mass centre or inertia beyond "
                               f'{HUGE:g}, which no robot has', inertia.source)
    moments = np.linalg.eigvalsh(np.array([inertia.tensor for _, inertia in inertias]))
    for (link, inertia), (small, middle, large) in zip(inertias, moments.tolist()):
        rounding = ROUNDING * max(abs(small), abs(large), abs(inertia.mass) * SMALL ** 2)
        shown = f'{small:.6g}, {middle:.6g} and {large:.6g} kg m^2'
        if inertia.mass < 0.0:
            report.refuse(f"link '{link.name}' has the mass {inertia.mass:.6g} kg; allowed: 0 or "
                          'more', inertia.source)
        if small < -rounding:
            report.remark('warning', f"link '{link.name}' has the principal moments of inertia "
                          f'{shown}; of a rigid body none is negative', inertia.source, REMEDY)
        elif large - (small + middle) > rounding:
            quoted = link.name in as_published
            report.remark('info' if quoted else 'warning',
                          f"link '{link.name}' has the principal moments of inertia "
                          f'{shown}; of a rigid body none is larger than the sum of the others',
                          inertia.source, QUOTED if quoted else REMEDY)
        if inertia.mass == 0.0 and large > 0.0:
            report.remark('warning', f"link '{link.name}' has a moment of inertia but no mass",
                          inertia.source)
