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

"""Efforts that a trajectory brings along, added to those of the tracking law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbd_ros.control.control_step.fused_step import Step
from mbd_ros.control.references.pacing import Clock
from mbd_ros.control.references.paths import Path
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.model import Model
from mbd_ros.model.names import simple_joints
from mbd_ros.simulation.manifold import Vector


class FeedForward:
    """
    Efforts over time, linear between points; the first and the last one hold before and after.

    Parameters
    ----------
    model : Model
        The robot.
    joints : sequence of str
        Joints with one coordinate.
    times : Vector
        (k,) on the path [s], increasing.
    efforts : Vector
        (k, joints) [N m or N].
    path : Path
        Of the joints, to which they belong: once another is followed they count no more.

    """

    def __init__(self, model: Model, joints: Sequence[str], times: Vector, efforts: Vector,
                 path: Path) -> None:
        self._places = [model.v_offsets[model.joint_index(name)] for name in joints]
        self._times, self._efforts, self._path = times, efforts, path
        self._clock = Clock.plain()
        self._most = model.effort_limits
        self._names = [(place, name) for name in simple_joints(model)
                       for place in (model.v_offsets[model.joint_index(name)],)]

    def counts(self, tracker: Tracker) -> bool:
        """Tell whether a tracker still follows the path."""
        running = tracker.running
        return running is not None and running[0].path is self._path

    def use(self, path: Path, clock: Clock) -> None:
        """Belong to the same path at another pace from now on."""
        self._path, self._clock = path, clock

    def at(self, time: float) -> Vector:
        """Return the efforts of all joints (nv,) at a time on the path [s]."""
        whole = np.zeros(len(self._most))
        time = float(self._clock.at(np.array(time))[0])
        whole[self._places] = [np.interp(time, self._times, row) for row in self._efforts.T]
        return whole

    def added(self, step: Step, time: float) -> Step:
        """Return a control step with the efforts of a time on the path [s], within the limits."""
        wanted = step.effort + self.at(time)
        effort = np.clip(wanted, -self._most, self._most)
        cut = tuple(name for place, name in self._names if effort[place] != wanted[place])
        return Step(effort, lambda: step.nominal, lambda: step.efforts._replace(
            effort=effort, saturated=tuple(dict.fromkeys((*step.efforts.saturated, *cut)))),
            fused=step.fused)
