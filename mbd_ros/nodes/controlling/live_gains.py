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

"""Gains and posture of the controller, which change while the robot moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mbd_ros.control import Task
from mbd_ros.control.tasks.task import spring_for
from mbd_ros.control.tasks.tracker import Tracker
from mbd_ros.errors import MbdError
from mbd_ros.messages.states.joint_states import Measured
from mbd_ros.nodes.controlling.background_work import DefaultGroupQueue, run_in_thread
from mbd_ros.nodes.every_node.guard import Guard

DRAWN = ('posture', 'posture_stiffness')
"""Fields of a task that say where joints are drawn to."""


def change_task(tracker: Tracker, before: Task, after: Task, measured: Measured,
                default_group: DefaultGroupQueue, guard: Guard,
                newest: Callable[[], Task | None]) -> None:
    """
    Take gains and posture of the parameters; what was not there yet acts once it is compiled.

    Parameters
    ----------
    tracker : Tracker
        What follows; a goal that has brought a posture, or stiffness, of its own keeps both.
    before, after : Task
        The parameters as they were, and as they are.
    measured : Measured
        A state of the robot, for the compiler.
    default_group : DefaultGroupQueue
        Where that is taken into use.
    guard : Guard
        Says what fails by then.
    newest : callable
        Returns the task whose gains count by then, None if the tracker is no longer in use.

    Raises
    ------
    MbdError
        If one is not possible for the robot.

    """
    spring_for(tracker.dyn, after)   # before anything changes
    _change_gains(tracker, after, measured, default_group, guard, newest)
    followed = tracker.task
    if followed is before:
        tracker.task = after
    elif all(getattr(followed, name) == getattr(before, name) for name in DRAWN):
        tracker.task = replace(followed, **{name: getattr(after, name) for name in DRAWN})
    try:
        _draw(tracker, measured, default_group, guard, newest)
    except MbdError:
        tracker.task = followed
        raise


def _change_gains(tracker: Tracker, task: Task, measured: Measured,
                  default_group: DefaultGroupQueue, guard: Guard,
                  newest: Callable[[], Task | None]) -> None:
    """Take the gains of a task, now or once a term that was not there is compiled."""
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
        _change_gains(tracker, wanted, measured, default_group, guard, newest)
    run_in_thread(partial(tracker.prepare_law, law, measured.q, measured.v)).add_done_callback(
        lambda _: None if newest() is None else default_group.take(guard.wrap('gains', use)))


def _draw(tracker: Tracker, measured: Measured, default_group: DefaultGroupQueue, guard: Guard,
          newest: Callable[[], Task | None], prepared: Tracker | None = None) -> None:
    """Draw joints to the posture of the task, now or once what that needs is compiled."""
    if newest() is None or tracker.set_posture_spring(prepared):
        return
    other = tracker.copy_for_planning()
    again = guard.wrap('posture', partial(
        _draw, tracker, measured, default_group, guard, newest, other))
    run_in_thread(partial(other.prepare, other.dyn, measured.q, measured.v)).add_done_callback(
        lambda _: None if newest() is None else default_group.take(again))
