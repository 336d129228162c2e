"""Gains of the controller that change while the robot moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.nodes.parts.aside import done_aside, Turns


def change_gains(tracker: Tracker, task: Task, measured: Measured, turns: Turns,
                 newest: Callable[[], Task | None]) -> None:
    """
    Take the gains of a task; a term that was not there yet acts once it is compiled.

    Parameters
    ----------
    tracker : Tracker
        What follows.
    task : Task
        The gains.
    measured : Measured
        A state of the robot, for the compiler.
    turns : Turns
        Where the term is taken into use.
    newest : callable
        Returns the task whose gains count by then, None if the tracker is no longer in use.

    Raises
    ------
    MbdError
        If one is not possible for the robot.

    """
    law = tracker.change_gains(task)
    if law is None:
        return

    def use() -> None:
        wanted = newest()
        if wanted is not None:
            tracker.use_law(law)
            tracker.change_gains(wanted)
    done_aside(partial(tracker.prepare_law, law, measured.q, measured.v)).add_done_callback(
        lambda _: turns.take(use))
