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

"""Where a node gets its robot, and how it is replaced: as a whole, with a generation number."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import contextlib
import dataclasses
import threading
import time
from typing import NamedTuple

from rclpy.callback_groups import CallbackGroup
from std_msgs.msg import String

import mbd_ros
from mbd_ros.description.records.budget import unhurriedly
from mbd_ros.dynamics import PreparedDynamics
from mbd_ros.errors import cut, MbdError, MOST_NAMES, NoModelError
from mbd_ros.execution.ir.compile_time import Cost
from mbd_ros.execution.ir.machine_code import compilations, Compiled
from mbd_ros.messages.diagnostics.diagnostics import READY_IN
from mbd_ros.messages.fields.message_size import Limits
from mbd_ros.model import load_text, Model
from mbd_ros.model.sameness import is_same, WORDING
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.free_memory import give_back
from mbd_ros.nodes.every_node.guard import REFUSALS
from mbd_ros.nodes.every_node.health import ERROR, Health, OK, WARNING
from mbd_ros.nodes.every_node.managed import ManagedNode

NOTHING = 'nothing has come on the topic robot_description'
"""Why there is no robot at first."""
MOST_FINDINGS = 10
"""Remarks of the reader that are logged one by one."""
SLOW = 1.0
"""Time after which a node says that it still compiles a robot, and between two looks [s]."""
ANY_TEXT = Limits(octets=(64 << 20) + 64, small=0, waiting=1)
"""Of the topic: as long as a file may be, and read beside the callbacks however short it is."""
LATE = 2.0
"""How late a copy of a description that was replaced may come on the topic [s]."""
COMPILE_COSTS = {
    'controller': Cost(base=330.0, body=190.0, loops=700.0, loop_body=-30.0, elastic=100.0,
                       floating=1.9, overhead=2.4),
    'simulator': Cost(base=0.0, body=14.0, loops=40.0, loop_body=32.0, elastic=220.0),
    'dynamics_server': Cost(base=0.0, body=31.0, elastic=100.0),
}
OTHER_COST = Cost(base=25.0, body=4.5, elastic=10.0)
"""
How much a node compiles for a robot, by the name of its executable, and any other node.

Fitted to the robots of this package (``test/unit/nodes/test_compile_time.py`` has them), which are
met within a factor of two.
"""


class Robot(NamedTuple):
    """
    A robot ready for use.

    Attributes
    ----------
    model : Model
        Its numbers; ``model.generation`` is the number that the description gives, or counts the
        descriptions a node has taken.
    dynamics : PreparedDynamics
        Its prepared dynamics.

    """

    model: Model
    dynamics: PreparedDynamics


class Described(NamedTuple):
    """A description that came on the topic, and what was found in it unless it is known."""

    data: str
    found: Model | MbdError | None


class RobotSource:
    """
    The robot of a node: from its parameter ``robot_description``, else from the topic.

    A new description takes the place of the old one only when it is read, compiled and accepted;
    until then, and if it is refused, the old robot stays. Who holds a ``Robot`` can go on with it.
    Another text of the same robot on the topic is no new one.

    Parameters
    ----------
    node : ManagedNode
        The node.
    description : str
        The parameter: path or text; empty: the topic ``robot_description``, on which, as in
        services, text is taken only and no file is opened.
    on_robot : callable
        Told of a robot before it is taken; an ``MbdError`` refuses it.
    floating_base, flexible : bool, optional
        See ``mbd_ros.load``.
    gravity : sequence of float, optional
        (3,) of the prepared dynamics [m/s^2]; that of the description if none or empty.
    group : CallbackGroup, optional
        Of the subscription.
    adapt : callable, optional
        Returns the model to use for the one that was read; an ``MbdError`` refuses it.
    explain : bool, optional
        Whether the remarks of the reader are logged one by one; else their number.

    """

    def __init__(
        self, node: ManagedNode, description: str, on_robot: Callable[[Robot], None], *,
        floating_base: bool = False, flexible: bool = False, gravity: list[float] | None = None,
        group: CallbackGroup | None = None, explain: bool = False,
        adapt: Callable[[Model], Model] = lambda model: model,
    ) -> None:
        self._node = node
        self._on_robot = on_robot
        self._floating_base, self._flexible = floating_base, flexible
        self._gravity = gravity or None
        self._explain = explain
        self._adapt = adapt
        self._text = ''
        self._replaced: deque[tuple[int, float]] = deque(maxlen=8)   # hashes of texts
        self._taken = 0
        self._robot: Robot | None = None
        self._described: Model | None = None
        self._problem = NOTHING
        self._subscription = None
        if description:
            self._on_description(description, mbd_ros.load)
        else:
            self._subscription = node.create_subscription(
                String, 'robot_description',
                lambda message: self._on_description(
                    message.data, found=getattr(message, 'found', None)),
                qos.LATCHED, callback_group=group, qos_overriding_options=qos.OVERRIDABLE,
                limits=ANY_TEXT, prepare=self._read_aside,
                while_inactive=True)   # it comes once, and the robot is ready in time

    @property
    def robot(self) -> Robot | None:
        """Return the robot in use."""
        return self._robot

    @property
    def generation(self) -> int:
        """Return the number of the robot in use, 0 without one."""
        return 0 if self._robot is None else self._robot.model.generation

    @property
    def problem(self) -> str:
        """Why there is no robot, or why the last description was refused; else empty."""
        return self._problem

    def without_robot(self, values: dict[str, object]) -> Health:
        """Return the health of a node without robot: an error once a description was refused."""
        level = WARNING if self._problem == NOTHING else ERROR
        return Health(level, f'no robot: {self._problem}', values)

    def require(self) -> Robot:
        """
        Return the robot in use.

        Raises
        ------
        NoModelError
            If there is none.

        """
        robot = self._robot
        if robot is None:
            raise NoModelError(self._problem)
        return robot

    def take(self, description: str, on_robot: Callable[[Robot], None] | None = None) -> Robot:
        """
        Read a description that did not come on the topic and, if it is accepted, use it.

        Copies on the topic of what it replaces, which may still be on their way, are passed over.

        Parameters
        ----------
        description : str
            XML text.
        on_robot : callable, optional
            Told of the robot in place of the one given at first.

        Returns
        -------
        Robot
            It is in use now.

        Raises
        ------
        MbdError
            If it is refused; the old robot stays.

        """
        replaced = self._text
        robot = self._take(description, on_robot or self._on_robot)
        self._replaced.append((hash(replaced), time.monotonic()))
        return robot

    def adapt_anew(self) -> None:
        """Use the robot in use as it is adapted now; where that is refused the old one stays."""
        if self._described is not None:
            model = self._adapt(self._described)
            robot = Robot(model, mbd_ros.compile(model, gravity=self._gravity))
            self._on_robot(robot)
            self._robot = robot

    def _take(self, description: str, on_robot: Callable[[Robot], None],
              reader: Callable[..., Model] = load_text) -> Robot:
        """Read a description and, if it is accepted, use it from now on."""
        return self._use(self._read(description, reader), description, on_robot)

    def _read(self, description: str, reader: Callable[..., Model]) -> Model:
        return reader(description, floating_base=self._floating_base, flexible=self._flexible)

    def _is_in_use(self, loaded: Model) -> bool:
        """Tell whether a robot is the one in use, said in other words, with the same number."""
        used = self._described
        return (used is not None and self._robot is not None
                and used.mechanism.generation == loaded.mechanism.generation
                and is_same(_unworded(used), _unworded(loaded), besides=WORDING))

    def _use(self, loaded: Model, description: str, on_robot: Callable[[Robot], None]) -> Robot:
        number = loaded.mechanism.generation or self._taken + 1
        described = dataclasses.replace(loaded, generation=number)
        model = self._adapt(described)
        robot = Robot(model, mbd_ros.compile(model, gravity=self._gravity))
        ready = threading.Event()
        threading.Thread(target=self._tell_that_it_is_compiled, daemon=True,
                         args=(model, ready, compilations())).start()
        try:
            on_robot(robot)
        finally:
            ready.set()
        self._described = described
        self._text = description
        self._taken += 1
        self._robot = robot
        self._problem = ''
        self._say(model)
        if number > 1:
            give_back()
        return robot

    def _tell_that_it_is_compiled(self, model: Model, ready: threading.Event, before: Compiled
                                  ) -> None:
        """
        Say that code is compiled, if that takes long, and about how long; the page shows it.

        That a busy machine takes long without compiling anything is no news.
        """
        begin, said = time.monotonic(), False
        cost = COMPILE_COSTS.get(getattr(self._node, 'NAME', ''), OTHER_COST)
        while not ready.wait(SLOW) and self._node.context.ok():
            done, took = compilations().since(before), time.monotonic() - begin
            if not done.characters:
                continue   # nothing at all, or the first piece is not ready
            left = max(1, round(cost.seconds(model, done) - took))
            self._node.say_how_it_is(Health(OK, 'compiling', {READY_IN: left}))
            if not said:
                said = True
                self._node.get_logger().info(
                    f"robot '{cut(model.name)}': compiling, about {left} s, once on this machine; "
                    'mbd_ros cache warm does so ahead of a launch')

    def _is_known(self, description: str) -> bool:
        """Tell whether a description is in use, was refused, or was replaced just now."""
        now = time.monotonic()
        return description == self._text or any(
            hash(description) == text and now - when < LATE for text, when in self._replaced)

    def _read_aside(self, message: String) -> Described:
        """Read a description of the topic in a thread of its own, while callbacks go on."""
        if self._is_known(message.data):
            return Described(message.data, None)
        try:   # the first one in a hurry: nothing is at work yet
            with contextlib.nullcontext() if self._robot is None else unhurriedly():
                return Described(message.data, self._read(message.data, load_text))
        except MbdError as error:
            return Described(message.data, error)

    def _on_description(self, description: str, reader: Callable[..., Model] = load_text, *,
                        found: Model | MbdError | None = None) -> None:
        """Take a description, or say why it is refused."""
        if self._is_known(description):
            return
        try:
            if isinstance(found, MbdError):
                raise found
            loaded = found or self._read(description, reader)
            if self._is_in_use(loaded):   # a comment more, or another publisher of the same file
                self._text, self._problem = description, ''
            else:
                self._use(loaded, description, self._on_robot)
        except MbdError as error:
            self._text = description   # the same one is not read again
            self._problem = str(error)
            kept = '' if self._robot is None else f"; '{cut(self._robot.model.name)}' stays in use"
            self._node.get_logger().error(
                f'robot description refused: {error}{kept}', throttle_duration_sec=REFUSALS)

    def _say(self, model: Model) -> None:
        logger = self._node.get_logger()
        remarks = [finding for finding in model.findings if finding.severity != 'info']
        for finding in remarks[:MOST_FINDINGS] if self._explain else ():
            logger.warning(str(finding))
        names = ', '.join(map(cut, model.joint_names[:MOST_NAMES]))
        more = model.nb - MOST_NAMES
        logger.info(f"robot '{cut(model.name)}', generation {model.generation}: joints {names}"
                    + (f', ... ({more} more)' if more > 0 else '')
                    + (f'; remarks on the description: {len(remarks)}' if remarks else ''))


def _unworded(model: Model) -> Model:
    """Return a model without its number, and what its description says word for word."""
    return dataclasses.replace(model, generation=0, mechanism=dataclasses.replace(
        model.mechanism, file=None, text=''))
