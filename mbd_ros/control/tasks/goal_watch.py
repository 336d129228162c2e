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

"""Path and goal tolerances, and whether the robot follows at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
import math

import numpy as np

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.pacing import Clock
from mbd_ros.control.tasks.followed_tools import ToolPoints
from mbd_ros.control.tracking.component_errors import ComponentTolerance, joint_error
from mbd_ros.model import Model
from mbd_ros.model.names import position_units
from mbd_ros.simulation.manifold import joint_of_each_velocity, Vector


LONGEST_GAP = 1.0
"""After a longer time without a measured state the robot may be anywhere [s]."""

PROGRESS = 0.1
"""
An error falls if it is smaller than it was at any time since it became too large, by this part of
what is allowed.
"""


class Outcome(Enum):
    """What a watch has found."""

    GOES_ON = 'goes on'
    REACHED = 'reached'
    OFF_THE_PATH = 'off the path'
    MISSED_THE_END = 'missed the end'


@dataclass(frozen=True)
class JointTolerances:
    """
    Largest errors of joints; infinite: any.

    Parameters
    ----------
    path_position, path_velocity, goal_position, goal_velocity : Vector
        (nv,) each, on the way and at its end [rad or m; rad/s or m/s].
    goal_time : float
        How long after the end of the path the goal may still be reached [s].
    components : tuple of ComponentTolerance, optional
        The same of joints with several coordinates, whose entries above are infinite.

    """

    path_position: Vector
    path_velocity: Vector
    goal_position: Vector
    goal_velocity: Vector
    goal_time: float
    components: tuple[ComponentTolerance, ...] = ()

    def of_the_way(self) -> JointTolerances | None:
        """Return those on the way alone, or None if no joint has one."""
        if not np.isfinite(self.path_position).any():
            return None
        anything = np.full_like(self.goal_position, np.inf)
        return replace(self, goal_position=anything, goal_velocity=anything, components=())


class JointWatch:
    """
    Watches a joint trajectory.

    Parameters
    ----------
    model : Model
        The robot.
    tolerances : JointTolerances
        What is allowed.
    end : float
        Time on the path at which it ends [s].

    """

    def __init__(self, model: Model, tolerances: JointTolerances, end: float) -> None:
        self._model = model
        self._names, self._units = joint_of_each_velocity(model), position_units(model)
        self._allowed = tolerances
        self.end = end

    def look(self, step: Step, q: Vector, v: Vector) -> tuple[Outcome, str]:
        """
        Return what a step shows, with an explanation.

        Parameters
        ----------
        step : Step
            A control step.
        q, v : Vector
            The measured state it was made for (nq,), (nv,).

        """
        time, allowed = step.nominal.time, self._allowed
        at_end = time >= self.end
        position, velocity = (
            (allowed.goal_position, allowed.goal_velocity) if at_end
            else (allowed.path_position, allowed.path_velocity))
        why = (self._excess('position', step.efforts.error, position)
               or self._excess('velocity', step.efforts.error_rate, velocity)
               or self._off(step, q, v, at_end=at_end))
        if not at_end:
            return (Outcome.OFF_THE_PATH, f'{why} at {time:.3f} s') if why else (
                Outcome.GOES_ON, '')
        if not why:
            return Outcome.REACHED, ''
        if time - self.end > allowed.goal_time:
            return Outcome.MISSED_THE_END, f'{why} {time - self.end:.3f} s after the end'
        return Outcome.GOES_ON, ''

    def _off(self, step: Step, q: Vector, v: Vector, *, at_end: bool) -> str:
        """Say which component of a joint is beyond its tolerance; empty if none is."""
        for one in self._allowed.components:
            sizes = joint_error(self._model, one.joint, (step.nominal.q, step.nominal.v),
                                (q, v)).size(one.component)
            limits = one[5:] if at_end else one[3:5]
            for what, size, limit in zip(('', ' rate'), sizes, limits):
                if size > limit:
                    return (f"{one.component.name.lower()}{what} of joint '{one.name}' is off by "
                            f'{size:.4g}, allowed is {limit:.4g},')
        return ''

    def _excess(self, what: str, error: Vector, allowed: Vector) -> str:
        """Say which joint has an error beyond its tolerance; empty if none has."""
        beyond = np.abs(error) > allowed
        if not beyond.any():
            return ''
        joint = int(np.argmax(beyond))
        unit = self._units[joint] and self._units[joint] + ('/s' if what == 'velocity' else '')
        return (f"{what} of joint '{self._names[joint]}' is off by {abs(error[joint]):.4g}{unit}, "
                f'allowed is {allowed[joint]:.4g}{unit},')


class PathWatch:
    """
    Watches tools on paths, or any constraints.

    Parameters
    ----------
    path_tolerance, goal_tolerance : float
        Largest distance of a tool from its path, on the way and at its end [m]; infinite: any.
    goal_time : float
        How long after the end the goal may still be reached [s].
    end : float
        Time on the path at which it ends [s]; infinite: never.
    approach : float
        How long the approach takes [s]; during it nothing is asked.

    """

    def __init__(self, path_tolerance: float, goal_tolerance: float, goal_time: float, end: float,
                 approach: float) -> None:
        self._path = path_tolerance
        self._goal = goal_tolerance
        self._goal_time = goal_time
        self.approach = approach
        self.end = end
        self.clock = Clock.plain()   # of the path, while it is run through at another pace

    def progress(self, time: float) -> float:
        """Return how much of the whole is done, 0 to 1; 0 for a path without end."""
        if math.isinf(self.end):
            return 0.0
        time = self._on_path(time)
        whole = self.approach + self.end
        return 1.0 if whole <= 0.0 else min(max((time + self.approach) / whole, 0.0), 1.0)

    def look(self, time: float, tools: Sequence[ToolPoints]) -> tuple[Outcome, str]:
        """Return what a step shows, with an explanation."""
        if time < 0.0:
            return Outcome.GOES_ON, ''
        time = self._on_path(time)
        tool = farthest(tools)
        off = f"the tool '{tool.link}' is {tool.error:.4g} m off the path, allowed is"
        if time < self.end:
            if tool.error > self._path:
                return Outcome.OFF_THE_PATH, f'{off} {self._path:.4g}, at {time:.3f} s'
            return Outcome.GOES_ON, ''
        if tool.error <= self._goal:
            return Outcome.REACHED, ''
        if time - self.end > self._goal_time:
            return Outcome.MISSED_THE_END, (
                f'{off} {self._goal:.4g}, {time - self.end:.3f} s after its end')
        return Outcome.GOES_ON, ''

    def _on_path(self, time: float) -> float:
        """Return where on the path it is at a time of the reference [s]."""
        return time if time < 0.0 else float(self.clock.at(np.array(time))[0])


class FollowingWatch:
    """
    Watches whether the robot follows the nominal model at all.

    A robot that is drawn onto its path has errors that fall, and follows. It does not follow if
    errors stay large and the largest one has not fallen for a while.

    Parameters
    ----------
    model : Model
        The robot.

    """

    def __init__(self, model: Model) -> None:
        self._names = joint_of_each_velocity(model)
        self._since = self._best = math.inf
        self._last = math.nan
        self._said = ''

    def look(self, time: float, error: Vector, tolerance: float, patience: float) -> str:
        """
        Return why the robot does not follow; empty if it does.

        Parameters
        ----------
        time : float
            Time of the measured state [s].
        error : Vector
            (nv,) of the nominal model less the robot [rad or m].
        tolerance : float
            Largest error of a joint; 0: any. A robot that did not follow does so again below half
            of it.
        patience : float
            How long an error may be larger without falling [s].

        """
        sizes = np.abs(error)
        largest = float(sizes.max(initial=0.0))
        if not 0.0 <= time - self._last <= patience + LONGEST_GAP:
            self._begin_anew()
        self._last = time
        if tolerance <= 0.0 or largest <= (0.5 * tolerance if self._said else tolerance):
            self._begin_anew()
            return ''
        if largest < self._best - PROGRESS * tolerance:
            self._since, self._best = time, largest
        if not self._said and time - self._since > patience:
            self._said = (
                f"the robot does not follow: joint '{self._names[int(sizes.argmax())]}' is "
                f'{largest:.4g} rad or m off the nominal model, allowed is {tolerance:.4g}')
        return self._said

    def _begin_anew(self) -> None:
        self._since = self._best = math.inf
        self._said = ''


def farthest(tools: Sequence[ToolPoints]) -> ToolPoints:
    """Return the tool that is farthest from its path."""
    return max(tools, key=lambda tool: tool.error)


def chosen(value: float, default: float) -> float:
    """Return a tolerance as messages give it: 0 means the default, a negative one means any."""
    return default if value == 0.0 else math.inf if value < 0.0 else value
