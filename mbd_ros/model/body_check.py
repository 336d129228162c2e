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

"""Bodies with impossible mass properties: negative principal moments of inertia."""

from __future__ import annotations

import numpy as np

from mbd_ros.errors import DescriptionError
from mbd_ros.model.model import Model

ROUNDING = 1e-6
"""Relative; files give the moments with few digits."""

SMALL = 1e-6
"""Radius of gyration [m] below which moments stand for a point."""


def body_errors(model: Model) -> list[DescriptionError]:
    """
    Return an error for each body that, with all links fixed to it, has a negative moment.

    Parameters
    ----------
    model : Model
        The robot.

    Returns
    -------
    list of DescriptionError
        With the moments, the name of the link that the joint moves, and its file and line.

    """
    moments = np.linalg.eigvalsh(model.inertias)
    scale = np.maximum(np.abs(moments).max(axis=1), np.abs(model.masses) * SMALL ** 2)
    errors = []
    for i in np.flatnonzero(moments[:, 0] < -ROUNDING * scale).tolist():
        name = model.body_names[i]
        source = next(link.source for link in model.mechanism.links if link.name == name)
        fixed = sum(frame.body == i for frame in model.links.values()) - 1
        shown = ', '.join(f'{moment:.6g}' for moment in moments[i])
        errors.append(DescriptionError(
            f"link '{name}'{f' with the {fixed} fixed to it' if fixed else ''} has the principal "
            f'moments of inertia {shown} kg m^2; allowed: 0 or more', file=source.file,
            line=source.line))
    return errors
