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

"""The fluid and the ground that parameters describe, and what they do as topics."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from geometry_msgs.msg import Vector3Stamped, WrenchStamped
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from mbd_ros.dynamics.functions.contact_forces import contact_forces
from mbd_ros.dynamics.functions.equations_of_motion import pose
from mbd_ros.environment.contact import Ground
from mbd_ros.environment.fluid_law import Fluid
from mbd_ros.environment.surroundings import immersed
from mbd_ros.errors import InvalidValueError
from mbd_ros.messages.states.contacts_and_water import contact_wrenches, surroundings_markers
from mbd_ros.messages.states.ground import ground_marker, heights_from_file
from mbd_ros.model import Model
from mbd_ros.model.state import neutral
from mbd_ros.nodes.every_node import qos
from mbd_ros.nodes.every_node.named_topics import NamedTopics
from mbd_ros.nodes.every_node.parameters import declaration_of

Vector = NDArray[np.float64]

DRAWN_RATE = 20.0
"""Pictures of what is around a robot per simulated second [Hz]."""


def gravity_of(settings: Any, model: Model) -> list[float]:
    """Return the gravity of the parameters, else that of the robot's description [m/s^2]."""
    return list(settings.gravity or model.gravity)


def fluid_of(settings: Any) -> Fluid | None:
    """
    Return the fluid around links with ``<mbd:fluid>``.

    Parameters
    ----------
    settings : SimpleNamespace
        The parameters of the group ``fluid``.

    Returns
    -------
    Fluid or None
        None for a vacuum.

    """
    if settings.vacuum:
        return None
    return Fluid(settings.density, settings.current,
                 settings.surface if settings.has_surface else None)


def into_fluid(settings: Any) -> Callable[[Model], Model]:
    """Return what puts a robot into the fluid of the parameters."""
    return lambda model: immersed(model, fluid_of(settings))


def ground_of(settings: Any) -> Ground | None:
    """Return the ground that the parameters of the group ``ground`` describe, None without one."""
    if not settings.present:
        if settings.heights:
            raise InvalidValueError('ground.heights', settings.heights,
                                    'empty, unless ground.present is true')
        return None
    return _ground(settings.height, tuple(settings.normal), settings.heights)


@lru_cache(maxsize=1)
def _ground(height: float, normal: tuple[float, ...], file: str) -> Ground:
    """Return a ground; a file is read once."""
    return Ground(height, normal, **(heights_from_file(file) if file else {}))


class VectorTopic:
    """
    Takes a vector that is a parameter at first, and is bounded as it is, from a topic.

    Parameters
    ----------
    node : Node
        Who listens.
    topic : str
        Of ``geometry_msgs/Vector3Stamped``.
    parameter : (str, str)
        File and name of the parameter.
    take : callable
        Takes x, y, z; an ``MbdError`` refuses them.

    """

    def __init__(self, node: Node, topic: str, parameter: tuple[str, str],
                 take: Callable[[list[float]], None]) -> None:
        self._allowed, self._take = declaration_of(*parameter), take
        node.create_subscription(Vector3Stamped, topic, self._on_vector, qos.STREAM,
                                 qos_overriding_options=qos.OVERRIDABLE)

    def _on_vector(self, message: Vector3Stamped) -> None:
        values = [message.vector.x, message.vector.y, message.vector.z]
        self._allowed.check(values)
        self._take(values)


class SurroundingsPublisher:
    """
    Says what is around a robot, while somebody listens.

    ``~/surroundings`` shows forces of the ground, the current and the surface; ``~/contact/LINK``
    is what the ground does to a link. ``~/ground`` shows its shape, once.

    Parameters
    ----------
    node : Node
        The simulator.
    settings : SimpleNamespace
        Its parameters.

    """

    def __init__(self, node: Node, settings: Any) -> None:
        self._settings = settings
        _ground.cache_clear()   # a file may be another one since
        self._ground = ground_of(settings.ground)
        self._markers = node.create_publisher(MarkerArray, '~/surroundings', qos.RELIABLE)
        node.create_publisher(MarkerArray, '~/ground', qos.LATCHED).publish(
            ground_marker(settings.world_frame, self._ground))
        self._topics = NamedTopics(node, WrenchStamped, '~/contact')
        self._wrenches: dict[str, Any] = {}
        self._model: Model | None = None
        self._every = max(1, round(settings.publish_rate / DRAWN_RATE))
        self._count = -1

    def use(self, model: Model) -> None:
        """Serve a robot from now on; what it needs is made ready."""
        links = list(dict.fromkeys(
            point.link for point in model.contacts if self._ground is not None))
        self._wrenches = dict(zip(links, self._topics.publishers(links)))
        if self._ground is not None:
            contact_forces(model, neutral(model), np.zeros(model.nv), self._ground)
        self._model = model

    def publish(self, now: int, q: Vector, v: Vector) -> None:
        """Publish what is around a state of a time [ns]."""
        self._count += 1
        drawn = not self._count % self._every and self._markers.get_subscription_count()
        felt = any(one.get_subscription_count() for one in self._wrenches.values())
        model, found = self._model, None
        if model is None or not (drawn or felt):
            return
        if self._ground is not None:
            found = contact_forces(model, q, v, self._ground)
        if felt and found is not None:
            for link, message in contact_wrenches(now, model, q, found).items():
                self._wrenches[link].publish(message)
        if drawn:
            base = model.body_names[0] if model.nb else model.root
            self._markers.publish(surroundings_markers(
                now, self._settings.world_frame, pose(model, q, base)[:3, 3],
                fluid_of(self._settings.fluid) if model.fluids else None, found))
