"""Gains of the controller that change while the robot moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mbd_ros.control import Task
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.nodes.parts.aside import done_aside, Turns
from mbd_ros.nodes.parts.guard import Guard


def change_gains(tracker: Tracker, task: Task, measured: Measured, turns: Turns, guard: Guard,
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
    guard : Guard
        Says what fails by then.
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
        if wanted is None:
            return
        # Payload, or gains, may have changed meanwhile: then it is compiled again, aside.
        if tracker.can_use(law, wanted):
            tracker.use_law(law)
        change_gains(tracker, wanted, measured, turns, guard, newest)
    done_aside(partial(tracker.prepare_law, law, measured.q, measured.v)).add_done_callback(
        lambda _: None if newest() is None else turns.take(guard.wrap('gains', use)))
