"""Bodies with which the equations of motion have no meaning."""

from __future__ import annotations

import numpy as np

from mbd_ros.errors import DescriptionError
from mbd_ros.model.model import Model

ROUNDING = 1e-6
"""Relative; files give the moments with few digits."""

SMALL = 1e-6
"""Radius of gyration [m] below which moments stand for a point."""


def check_bodies(model: Model) -> None:
    """
    Raise an error if a body, with all links fixed to it, has a negative moment of inertia.

    Parameters
    ----------
    model : Model
        The robot.

    Raises
    ------
    DescriptionError
        With the moments, the name of the link that the joint moves, and its file and line.

    """
    moments = np.linalg.eigvalsh(model.inertias)
    scale = np.maximum(np.abs(moments).max(axis=1), np.abs(model.masses) * SMALL ** 2)
    for i in np.flatnonzero(moments[:, 0] < -ROUNDING * scale).tolist():
        name = model.body_names[i]
        source = next(link.source for link in model.mechanism.links if link.name == name)
        fixed = sum(frame.body == i for frame in model.links.values()) - 1
        shown = ', '.join(f'{moment:.6g}' for moment in moments[i])
        raise DescriptionError(
            f"link '{name}'{f' with the {fixed} fixed to it' if fixed else ''} has the principal "
            f'moments of inertia {shown} kg m^2; allowed: 0 or more', file=source.file,
            line=source.line)
