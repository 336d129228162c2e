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

"""Tool points of a task: desired, nominal and measured positions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mbd_ros.control.constraints.constraint_stack import followed_by, parts_of
from mbd_ros.control.constraints.servo_constraints import Constraint
from mbd_ros.control.constraints.surfaces import Drawn
from mbd_ros.control.constraints.tool_constraints import ToolPosition
from mbd_ros.control.references.paths import end_of
from mbd_ros.control.tracking.nominal_state import NominalState
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.model import Model
from mbd_ros.simulation.manifold import Vector


class ToolPoints(NamedTuple):
    """
    Where a tool is, in world axes.

    Attributes
    ----------
    link : str
        Link of the tool.
    desired, nominal, actual : Vector
        (3,) of the path, the nominal model and the measured robot [m]; along axes that the path
        leaves free the desired place is that of the nominal model.
    error : float
        Distance of the measured tool from the path's point, along the prescribed axes [m].
    force : Vector
        (3,): force at the nominal tool that does what the constraint force does [N].

    """

    link: str
    desired: Vector
    nominal: Vector
    actual: Vector
    error: float
    force: Vector


class FollowedTool(NamedTuple):
    """A tool that follows a path, and which of the nominal model's multipliers are its own."""

    constraint: ToolPosition
    rows: slice

    def points(self, nominal: NominalState, q: Vector) -> ToolPoints:
        """Return where it is for a nominal model and a measured configuration (nq,)."""
        tool, force = self.constraint, np.zeros(3)
        actual, there = tool.position(q), tool.position(nominal.q)
        desired = there.copy()
        desired[tool.chosen] = tool.path.at(nominal.time).position[tool.chosen]
        if len(nominal.multipliers):   # or joints are on their way to the path
            force[tool.chosen] = nominal.multipliers[self.rows]
        error = float(np.linalg.norm((actual - desired)[tool.chosen]))
        return ToolPoints(tool.link, desired, there, actual, error, force)


def followed_tools(constraint: Constraint, row: int, state: NominalState
                   ) -> tuple[FollowedTool, ...]:
    """
    Return the tools that a constraint leads along paths, in the order of its rows.

    One for each constraint on a position; ``row`` is the first, the others are counted at the
    given state.
    """
    found = []
    for part in parts_of(constraint):
        count = len(part.matrix(state.q, state.v, state.time))
        if isinstance(part, ToolPosition):
            found.append(FollowedTool(part, slice(row, row + count)))
        row += count
    return tuple(found)


def free_link(model: Model, link: str) -> str:
    """Return a link by its name, the last one if there is none of that name."""
    return link if link in model.links else list(model.links)[-1]


def free_tool(dyn: PreparedDynamics, link: str, nominal: NominalState, q: Vector) -> ToolPoints:
    """Return where a link is that follows no path; the last one if there is none of that name."""
    link = free_link(dyn.model, link)
    here, actual = dyn.pose(nominal.q, link)[:3, 3], dyn.pose(q, link)[:3, 3]
    return ToolPoints(link, here, here, actual, float(np.linalg.norm(actual - here)), np.zeros(3))


def end_of_paths(constraint: Constraint) -> float:
    """Return when all paths and turns of a constraint rest [s]; infinite if one never does."""
    return max(map(end_of, followed_by(constraint)), default=math.inf)


def surfaces_of(constraint: Constraint) -> tuple[Drawn, ...]:
    """Return what can be drawn of the surfaces that hold points of the robot."""
    return tuple(surface for part in parts_of(constraint)
                 for surface in getattr(part, 'drawn', ()))
