"""Mass properties that no rigid body can have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.description.mechanism import Link
from mbd_ros.description.report import Report

ROUNDING = 1e-6
"""Relative; files give the moments with few digits, which alone must not be a finding."""


def check_inertias(links: Sequence[Link], report: Report) -> None:
    """
    Check mass and inertia tensor of all links.

    A negative mass or principal moment is refused: the equations of motion would have no solution
    or a wrong one. Moments that violate the triangle inequality, as those of many robots do, are
    a finding: the equations can be solved, but the numbers are not those of the real link.

    Parameters
    ----------
    links : sequence of Link
        As read.
    report : Report
        Takes the findings.

    Raises
    ------
    DescriptionError
        If ``report.checked``.

    """
    inertias = [(link, link.inertia) for link in links if link.inertia is not None]
    if not inertias:
        return
    moments = np.linalg.eigvalsh(np.array([inertia.tensor for _, inertia in inertias]))
    for (link, inertia), (small, middle, large) in zip(inertias, moments.tolist()):
        scale = max(abs(small), abs(large))
        shown = f'{small:.6g}, {middle:.6g} and {large:.6g} kg m^2'
        if inertia.mass < 0.0:
            report.refuse(f"link '{link.name}' has the mass {inertia.mass:.6g} kg; allowed: 0 or "
                          'more', inertia.source)
        if small < -ROUNDING * scale:
            report.refuse(f"link '{link.name}' has the principal moments of inertia {shown}; "
                          'allowed: 0 or more', inertia.source)
        elif large - (small + middle) > ROUNDING * scale:
            report.remark('warning', f"link '{link.name}' has the principal moments of inertia "
                          f'{shown}; of a rigid body none is larger than the sum of the others',
                          inertia.source)
        if inertia.mass == 0.0 and scale > 0.0:
            report.remark('warning', f"link '{link.name}' has a moment of inertia but no mass",
                          inertia.source)
