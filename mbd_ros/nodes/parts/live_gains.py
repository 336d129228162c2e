"""Gains and posture of the controller, which change while the robot moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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


def change_posture(tracker: Tracker, before: Task, after: Task, measured: Measured, turns: Turns,
                   guard: Guard) -> None:
    """
    Draw joints to another posture of the parameters; a goal that has brought its own keeps it.

    Parameters
    ----------
    tracker : Tracker
        What follows.
    before, after : Task
        The parameters as they were, and as they are.
    measured, turns, guard
        As for ``change_gains``: springs that were not there act once they are compiled.

    """
    if tracker.task is before:
        tracker.task = after
    elif tracker.task.posture == before.posture:
        tracker.task = replace(tracker.task, posture=after.posture)
    if not tracker.draw():
        other = tracker.apart()
        done_aside(partial(other.prepare, other.dyn, measured.q, measured.v)).add_done_callback(
            lambda _: turns.take(guard.wrap('posture', partial(tracker.draw, compiled=True))))
