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

"""What all views have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, TYPE_CHECKING

from builtin_interfaces.msg import Time
import numpy as np
from numpy.typing import NDArray

from mbd_ros.messages.fields.times import SECOND, to_nanoseconds
from mbd_ros.nodes.every_node.managed import ManagedNode
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.calls import Calls
from mbd_ros.nodes.viewing.executor_queue import ExecutorQueue

if TYPE_CHECKING:
    from mbd_ros.nodes.page.page import Page

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """
    The robot as it was seen last.

    Attributes
    ----------
    time : float
        Of the joint state, on the page's clock [s].
    q, v : array
        (nq,), (nv,).
    effort : array or None
        (nv,) [N m or N]; None where nobody says.
    poses : mapping of str to array
        (4, 4) of the links in the world.

    """

    time: float
    q: Array
    v: Array
    effort: Array | None
    poses: Mapping[str, Array]


class Timeline:
    """The clock of the plots: from the first stamp that was seen on."""

    def __init__(self) -> None:
        self._begin: int | None = None

    def seconds(self, stamp: Time) -> float:
        """Return a stamp on this clock [s]; one before the first begins it anew."""
        now = to_nanoseconds(stamp)
        if self._begin is None or now < self._begin:
            self._begin = now
        return (now - self._begin) / SECOND


class Shared(NamedTuple):
    """
    What all views use.

    Attributes
    ----------
    node : ManagedNode
        The viewer, whose subscriptions and clients a view makes.
    page : Page
        What it adds its drawings, plots and controls to.
    timeline : Timeline
        Clock of the plots.
    settings : SimpleNamespace
        Parameters of the viewer.
    queue : ExecutorQueue
        Through which controls act: viser calls back in threads of its own.
    calls : Calls
        What controls call.

    """

    node: ManagedNode
    page: Page
    timeline: Timeline
    settings: SimpleNamespace
    queue: ExecutorQueue
    calls: Calls


class View:
    """
    One thing that the viewer listens to, shows and lets one do; each method may be left out.

    All are called in the node's executor, one after the other.

    Parameters
    ----------
    shared : Shared
        What it uses.

    """

    def __init__(self, shared: Shared) -> None:
        self.node, self.page, self.timeline, self.settings = shared[:4]
        self.queue, self.calls = shared.queue, shared.calls
        self.robot: Robot | None = None

    def on_button(self, buttons: Any, actions: Mapping[str, Callable[[], None]]) -> None:
        """Let each button of a group do something."""
        def press(_: object) -> None:
            name = buttons.value
            if name in actions:
                self.queue.put(f'{id(buttons)} {name}', actions[name])
        buttons.on_click(press)

    def on_number(self, handle: Any, low: float, high: float,
                  action: Callable[[float], None]) -> None:
        """Do something with the number of an input when a browser changes it within bounds."""
        def change(event: Any) -> None:
            value = number(handle.value, low, high)
            if event.client is None:   # the viewer itself has set it
                return
            if value is None:
                self.queue.put(str(id(handle)), lambda: self.calls.shown.add(
                    handle.label, f'not sent: a number from {low:g} to {high:g} is'))
            else:
                self.queue.put(str(id(handle)), lambda: action(value))
        handle.on_update(change)

    def use(self, robot: Robot) -> None:
        """Show another robot from now on; it is ``self.robot`` already."""

    def shown(self, seen: Seen) -> Seen:
        """Return what the page shows in the place of the robot as it is: most often just that."""
        return seen

    def draw(self, seen: Seen) -> None:
        """Draw what is sent with every picture."""

    def redraw(self, seen: Seen | None) -> None:
        """Prepare what is sent a few times a second: plots, tables and readouts."""

    @property
    def status(self) -> str:
        """Return what stands behind the name of the robot; empty if nothing."""
        return ''

    @property
    def readouts(self) -> Mapping[str, str]:
        """Return the figures below it, by name: what every user looks at."""
        return {}

    @property
    def details(self) -> Mapping[str, str]:
        """Return further figures, by name, for those who look closer."""
        return {}
