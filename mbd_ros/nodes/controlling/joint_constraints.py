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

"""Parameters ``constraints.*``: tolerances by the names that joint_trajectory_controller has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node

from mbd_ros.errors import UnknownNameError

GROUP = 'constraints.'
MOST = 1e3
"""Largest value of these parameters; with it a range is shown, and kept, by ROS itself."""
OF_ALL = {
    'stopped_velocity_tolerance': (0.01, 'Largest velocity of a joint that counts as stopped at '
                                   'the end of a trajectory [rad/s or m/s]; 0: any.'),
    'goal_time': (0.0, 'How long after its end a trajectory may reach its goal [s], instead of '
                  'goal_time; 0: as goal_time says.'),
}
"""Those of the controller: default and meaning."""
OF_EACH = {
    'trajectory': 'Largest error of this joint on the way, instead of path_tolerance [rad or m]; '
                  '0: as that says.',
    'goal': 'Largest error of this joint at the end, instead of goal_tolerance [rad or m]; 0: as '
            'that says.',
}
"""Those of each joint."""


class JointConstraints:
    """
    Declares the parameters of the controller, and those of joints once these are known.

    Parameters
    ----------
    node : Node
        The controller.

    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._joints: tuple[str, ...] = ()
        for name, (default, meaning) in OF_ALL.items():
            self._declare(name, default, meaning)

    def use(self, joints: Iterable[str]) -> None:
        """Have parameters for the joints of a robot; say which others were set."""
        if tuple(joints) == self._joints:
            return
        self._joints = tuple(joints)
        known = [*OF_ALL, *(f'{joint}.{name}' for joint in self._joints for name in OF_EACH)]
        for joint in self._joints:
            for name, meaning in OF_EACH.items():
                self._declare(f'{joint}.{name}', 0.0, meaning)
        for given in getattr(self._node, '_parameter_overrides', {}):
            if given.startswith(GROUP) and given[len(GROUP):] not in known:
                self._node.get_logger().warning('ignored: ' + str(UnknownNameError(
                    'parameter', given, [GROUP + name for name in known])))

    @property
    def stopped(self) -> float:
        """Largest velocity that counts as stopped [rad/s or m/s]; 0: any."""
        return self._value('stopped_velocity_tolerance')

    @property
    def goal_time(self) -> float:
        """How long after the end a goal may be reached [s]; 0: not said here."""
        return self._value('goal_time')

    def own(self) -> Mapping[str, tuple[float, float]]:
        """Return tolerances of joints on the way and at the end; 0: not said here."""
        return {joint: (self._value(f'{joint}.trajectory'), self._value(f'{joint}.goal'))
                for joint in self._joints}

    def _declare(self, name: str, default: float, meaning: str) -> None:
        if not self._node.has_parameter(GROUP + name):
            self._node.declare_parameter(GROUP + name, default, ParameterDescriptor(
                name=GROUP + name, description=meaning, floating_point_range=[
                    FloatingPointRange(from_value=0.0, to_value=MOST)]))

    def _value(self, name: str) -> float:
        value = float(self._node.get_parameter(GROUP + name).value or 0.0)
        return value if 0.0 <= value <= MOST else 0.0   # nan is not
