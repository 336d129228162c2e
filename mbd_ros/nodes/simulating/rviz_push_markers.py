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

"""Links of the simulated robot, pushed in RViz with the mouse; and a menu for the simulation."""

from __future__ import annotations

from collections.abc import Callable
import time
from types import SimpleNamespace
from typing import Any, NamedTuple

from ament_index_python.packages import get_package_share_directory
from mbd_msgs.msg import LinkWrench
import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerFeedback as Feedback

import mbd_ros
from mbd_ros.description.urdf.visuals import read_visuals, Shape
from mbd_ros.description.xml.packages import packages_of
from mbd_ros.messages.dynamics.link_wrenches import pull_on, write_push
from mbd_ros.messages.states.interactive import ORIGIN, read_grabbed, read_held
from mbd_ros.messages.states.push_markers import link_hand
from mbd_ros.model import Model
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.guard import GuardedNode
from mbd_ros.nodes.every_node.interactive import (
    InteractiveServer, LOADS, Menu, Poses, PULLS, set_parameters)
from mbd_ros.nodes.simulating.simulation_loop import SimulationLoop

Array = NDArray[np.float64]

PERIOD, RENEWED = 0.1, 0.05
"""Time between two updates, and between two pushes of a link that is held [s]."""
DURATION = 0.25
"""How long a push acts unless another comes [s]."""
FORGOTTEN = 2.0
"""A link is let go when RViz has said nothing for this time and is not there any more [s]: it says
nothing while the mouse stands still."""
LONGEST = 60.0
"""A link is let go after this time without a word even if somebody is there [s]."""
MOST = 30
"""Links that can be pushed; those after them cannot."""
SLOWEST, FASTEST = 1.0 / 64.0, 64.0
"""Simulated seconds per second that the menu reaches."""


class Grip(NamedTuple):
    """
    A link that is held.

    Attributes
    ----------
    point : Array
        The point that was grabbed, (3,) in the axes of the link [m].
    held : Array
        Where the mouse is, (3,) in the world [m].
    heard : float
        When RViz said so.

    """

    point: Array
    held: Array
    heard: float


class RvizPushMarkers:
    """
    Offers ``~/hands``, interactive markers: what is dragged is pushed by ``~/push``.

    A spring goes from the grabbed point to the mouse. Each marker is in the frame of its link, so
    that it needs no updates, which would pile up in an RViz that draws few pictures. The menu of
    every link pauses, steps, resets and paces the simulation, and changes payload and gravity by
    the simulator's parameters.

    Parameters
    ----------
    node : GuardedNode
        The simulator.
    settings : SimpleNamespace
        Its parameters.
    loop : callable
        Returns the loop that runs, None without a robot.

    """

    def __init__(self, node: GuardedNode, settings: SimpleNamespace,
                 loop: Callable[[], SimulationLoop | None]) -> None:
        self._node, self._settings, self._loop = node, settings, loop
        self._model: Model | None = None
        self._shapes: dict[str, list[Shape]] = {}
        self._grips: dict[str, Grip] = {}
        self._menu = Menu(node.get_name(), self._actions())
        self._pushes = node.create_publisher(LinkWrench, '~/push', qos.RELIABLE)
        self._server = InteractiveServer(node, '~/hands', PERIOD, look=self._look,
                                         make=self._make, on_feedback=self._on_feedback)
        self._feedback = node.resolve_topic_name('~/hands/feedback')
        node.create_timer(RENEWED, self._hold, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _actions(self) -> dict[str, Callable[[str], None]]:
        """Return what the entries of the menu do, given the link."""
        def loop(act: Callable[[SimulationLoop], None]) -> Callable[[str], None]:
            def done(link: str) -> None:
                running = self._loop()
                if running is not None:
                    act(running)
            return done

        def put(values: Callable[[str], dict[str, Any]]) -> Callable[[str], None]:
            return lambda link: set_parameters(self._node, values(link))

        def pace(by: float) -> float:
            factor = self._settings.real_time_factor or 1.0
            return min(max(by * factor, SLOWEST), FASTEST)

        def pull(along: float) -> Callable[[str], None]:
            return put(lambda _: {'gravity': [0.0, 0.0, along]})

        def load(mass: float) -> Callable[[str], None]:
            return put(lambda link: {'payload.link': link, 'payload.mass': mass})
        return {
            'Pause': loop(lambda one: one.pause(True)),
            'Go on': loop(lambda one: one.pause(False)),
            'Step': loop(lambda one: one.move(self._settings.step_time)),
            'Reset': loop(lambda one: one.reset()),
            'Slower': put(lambda _: {'real_time_factor': pace(0.5)}),
            'Real time': put(lambda _: {'real_time_factor': 1.0}),
            'Faster': put(lambda _: {'real_time_factor': pace(2.0)}),
            **{f'Payload here/{mass:g} kg': load(mass) for mass in LOADS},
            **{f'Gravity/{name}': pull(along)
               for name, along in PULLS.items()}}

    def _use(self, model: Model) -> None:
        """Offer the links of another robot."""
        shapes, _ = read_visuals(model.mechanism, find_package=packages_of(
            model.mechanism, get_package_share_directory))
        found: dict[str, list[Shape]] = {}
        for shape in shapes:
            if model.links[shape.link].body >= 0:
                found.setdefault(shape.link, []).append(shape)
        self._shapes = dict(list(found.items())[:MOST])
        self._model, self._grips = model, {}
        self._server.renew()

    def _look(self) -> tuple[str, Poses]:
        """Return where the links are in their own frames."""
        loop = self._loop()
        if loop is None:
            return '', {}
        model, q = loop.configuration
        if model is not self._model:
            self._use(model)
            mbd_ros.link_poses(model, q)   # compiled before somebody grabs a link
        return '', dict.fromkeys(self._shapes, ORIGIN)

    def _pose(self, link: str) -> Array | None:
        """Return where a link is now, (4, 4) in the world; None if it is not there any more."""
        loop = self._loop()
        if loop is None or link not in self._shapes:
            return None
        model, q = loop.configuration
        return mbd_ros.link_poses(model, q).get(link)

    def _hold(self) -> None:
        """Push the links that are held, until nobody says so any more."""
        if not self._grips:
            return
        now = time.monotonic()
        for link, grip in list(self._grips.items()):
            silent = now - grip.heard
            over = silent > LONGEST or (
                silent > FORGOTTEN and not self._node.count_publishers(self._feedback))
            self._pull(link, grip.point, grip.held, 0.0 if over else DURATION)
            if over:
                del self._grips[link]

    def _make(self, frame: str, link: str, pose: Array) -> InteractiveMarker:
        return link_hand(frame, link, pose, self._shapes[link], self._menu.titles)

    def _on_feedback(self, message: Feedback) -> None:
        """Keep what is held, and do what is chosen."""
        link, event = message.marker_name, message.event_type
        if link not in self._shapes:
            return
        if event == Feedback.MENU_SELECT:
            self._menu.choose(message, link)
        elif event == Feedback.MOUSE_DOWN:
            self._take(link, read_grabbed(message, link), message)
        elif event == Feedback.MOUSE_UP and link in self._grips:
            grip = self._grips.pop(link)
            self._pull(link, grip.point, grip.held, 0.0)
        elif event == Feedback.POSE_UPDATE and link in self._grips:
            self._take(link, self._grips[link].point, message)
        elif event == Feedback.KEEP_ALIVE and link in self._grips:
            self._grips[link] = self._grips[link]._replace(heard=time.monotonic())

    def _take(self, link: str, point: Array, message: Feedback) -> None:
        """
        Hold a link by a point (3,) of it to where RViz has moved that point.

        RViz says by how much a marker is moved in the frame of the link, which moves meanwhile:
        where the mouse is in the world is known the moment that it says so.
        """
        pose = self._pose(link)
        if pose is not None:
            self._grips[link] = Grip(point, read_held(message, link, pose, point),
                                     time.monotonic())

    def _pull(self, link: str, point: Array, held: Array, duration: float) -> None:
        """Push a link by a spring from a point of it to a place; for no time: no more."""
        pose = self._pose(link)
        if pose is not None:
            self._pushes.publish(write_push(pull_on(
                link, pose, point, held, self._settings.push_stiffness, duration)))
