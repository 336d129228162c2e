"""A task carried out step by step, as a controller in real time does it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbd_ros.control.nominal_model import NominalState
from mbd_ros.control.references import Path
from mbd_ros.control.servo_constraints import AXES, ToolPosition
from mbd_ros.control.task import controller_for, Task
from mbd_ros.control.tracking import TrackingEffort
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.simulation.manifold import Vector

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


class ToolPoints(NamedTuple):
    """
    Where the tool is, in world axes.

    Attributes
    ----------
    desired, nominal, actual : Vector
        (3,) of the path, the nominal model and the measured robot [m].
    error : float
        Distance of the measured tool from the path's point, along the prescribed axes [m].
    force : Vector
        (3,): force at the nominal tool that does what the constraint force does [N].

    """

    desired: Vector
    nominal: Vector
    actual: Vector
    error: float
    force: Vector


class Tracker:
    """
    Carries out a task with one robot, from a first measured state on.

    Parameters
    ----------
    dyn : PreparedDynamics
        Prepared dynamics, ``mbd_ros.compile(model)``.
    task : Task
        What to do.
    q, v : Vector
        The first measured state (nq,), (nv,); there the time of the path is zero.

    Raises
    ------
    MbdError
        If the task does not fit the robot.

    """

    def __init__(self, dyn: PreparedDynamics, task: Task, q: Vector, v: Vector) -> None:
        self.dyn = dyn
        self.task = task
        self._nominal, self._law = controller_for(dyn, task, q=q, v=v, time=0.0)
        self._chosen = [AXES.index(axis) for axis in task.axes]
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
        return len(self._chosen)

    def step(self, time: float, q: Vector, v: Vector) -> Step:
        """
        Advance the nominal model to the time of a measured state and return the efforts.

        Parameters
        ----------
        time : float
            Time along the path [s].
        q, v : Vector
            Measured state (nq,), (nv,) at that time.

        Returns
        -------
        Step
            Nominal model and efforts.

        Raises
        ------
        MbdError
            If the nominal model or the law cannot go on; ``hold`` can.

        """
        if time - self._nominal.state.time > LONGEST_GAP:
            self._nominal.restart(q, v, time=time, start=self.task.start)
        nominal = self._nominal.advance_to(time)
        return Step(nominal, self._law.efforts(nominal, q, v))

    def hold(self, time: float, q: Vector, v: Vector) -> Step:
        """
        Return the efforts that keep the robot where it was when this was first called.

        Parameters
        ----------
        time, q, v
            As for ``step``.

        Returns
        -------
        Step
            A nominal model at rest, without constraint, and efforts.

        Raises
        ------
        ShapeError, NotFiniteError
            If q or v are not a state of the robot.

        """
        if self._held is None:
            rest = np.zeros(self.dyn.model.nv)
            weight = self.dyn.bias_forces(q, rest)
            self._held = NominalState(
                time, q, rest, rest, weight, weight, rest, violation_before=0.0, violation=0.0,
                moved=0.0, rank=0, conflicting=False)
        return Step(self._held, self._law.efforts(self._held, q, v))

    def tool_points(self, step: Step, q: Vector) -> ToolPoints:
        """
        Return where the tool should be, is in the nominal model and is, and its force.

        Parameters
        ----------
        step : Step
            A step.
        q : Vector
            The measured configuration (nq,) it was made for.

        Returns
        -------
        ToolPoints
            Points, error and force.

        """
        nominal, link = step.nominal, self.task.link
        desired = self.path.at(nominal.time).position
        actual = self.dyn.pose(q, link)[:3, 3]
        force = np.zeros(3)
        if nominal.rank:
            force[self._chosen] = self._nominal.motion.solve(
                nominal.time, nominal.q, nominal.v).solution.multipliers
        return ToolPoints(desired, self.dyn.pose(nominal.q, link)[:3, 3], actual,
                          float(np.linalg.norm((actual - desired)[self._chosen])), force)
