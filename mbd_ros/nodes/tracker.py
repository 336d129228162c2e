"""The tracking of one robot: nominal model and law, step by step, without messages around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbd_ros.control import controller_for, NominalState, Path, Task, ToolPosition, TrackingEffort
from mbd_ros.messages.controller_states import ToolPoints
from mbd_ros.messages.joint_states import Measured
from mbd_ros.messages.times import SECOND
from mbd_ros.nodes.robot_source import Robot

Vector = NDArray[np.float64]

LONGEST_GAP = 0.1
"""A nominal model that is further behind begins anew at the measured state [s]."""


class Step(NamedTuple):
    """
    One control step.

    Attributes
    ----------
    nominal : NominalState
        The nominal model.
    efforts : TrackingEffort
        Efforts for the robot and their parts.

    """

    nominal: NominalState
    efforts: TrackingEffort


class Tracker:
    """
    Tracks the path of a task with one robot, from a first measured state on.

    Parameters
    ----------
    robot : Robot
        The robot.
    task : Task
        What to do.
    measured : Measured
        The first measured state.
    begin : int
        Its time [ns]; there the path begins.

    Raises
    ------
    MbdError
        If the task does not fit the robot.

    """

    def __init__(self, robot: Robot, task: Task, measured: Measured, begin: int) -> None:
        self.robot = robot
        self.task = task
        self.begin = begin
        self._nominal, self._law = controller_for(
            robot.dynamics, task, q=measured.q, v=measured.v, time=0.0)
        self._held: NominalState | None = None

    @property
    def path(self) -> Path:
        """The path that the tool follows."""
        constraint = self._nominal.motion.constraint
        assert isinstance(constraint, ToolPosition)
        return constraint.path

    @property
    def rows(self) -> int:
        """Number of constraint equations."""
        return len(self.task.axes)

    def path_time(self, nanoseconds: int) -> float:
        """Return the time along the path [s] at a time [ns]."""
        return (nanoseconds - self.begin) / SECOND

    def step(self, nanoseconds: int, measured: Measured) -> Step:
        """
        Advance the nominal model to the time of a measured state and return the efforts.

        Raises
        ------
        MbdError
            If the nominal model or the law cannot go on; ``hold`` can.

        """
        time = self.path_time(nanoseconds)
        if time - self._nominal.state.time > LONGEST_GAP:
            self._nominal.restart(measured.q, measured.v, time=time, start=self.task.start)
        nominal = self._nominal.advance_to(time)
        return Step(nominal, self._law.efforts(nominal, measured.q, measured.v))

    def hold(self, nanoseconds: int, measured: Measured) -> Step:
        """Return the efforts that keep the robot where it was when this was first called."""
        if self._held is None:
            rest = np.zeros(self.robot.model.nv)
            weight = self.robot.dynamics.bias_forces(measured.q, rest)
            self._held = NominalState(
                self.path_time(nanoseconds), measured.q, rest, rest, weight, weight, rest,
                violation_before=0.0, violation=0.0, moved=0.0, rank=0, conflicting=False)
        return Step(self._held, self._law.efforts(self._held, measured.q, measured.v))

    def tool_points(self, step: Step, measured: Measured) -> ToolPoints:
        """Return where the tool should be, is in the nominal model, and is, and its force."""
        pose, link, nominal = self.robot.dynamics.pose, self.task.link, step.nominal
        desired = self.path.at(nominal.time).position
        actual = pose(measured.q, link)[:3, 3]
        chosen = ['xyz'.index(axis) for axis in self.task.axes]
        force = np.zeros(3)
        if nominal.rank:
            force[chosen] = self._nominal.motion.solve(
                nominal.time, nominal.q, nominal.v).solution.multipliers
        return ToolPoints(desired, pose(nominal.q, link)[:3, 3], actual,
                          float(np.linalg.norm((actual - desired)[chosen])), force)


def task_from_parameters(values: Mapping[str, Any], posture: Vector | None) -> Task:
    """
    Return the task that the controller's parameters describe.

    Parameters
    ----------
    values : mapping of str to object
        The parameters by name, with those of the group ``path`` as a mapping.
    posture : Vector or None
        (nq,) in the order of the model; None without one.

    Returns
    -------
    Task
        The task.

    """
    given = {name: value for name, value in values['path'].items() if value}
    names = ('link', 'axes', 'start', 'step', 'metric', 'bandwidth', 'approach_speed',
             'posture_stiffness')
    return Task.from_data({
        **{name: values[name] for name in names}, 'path': given,
        'posture': () if posture is None else tuple(posture.tolist())})
