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

"""Docking modules elsewhere and undocking them, through the module manager."""

from __future__ import annotations

from typing import Any

from mbd_msgs.srv import DetachModule, GetGraph, MoveModule

from mbd_ros.description.modules.operations import free_ports
from mbd_ros.description.modules.reader import read_module_graph
from mbd_ros.nodes.every_node.robot_source import Robot
from mbd_ros.nodes.page.numbers_in import number
from mbd_ros.nodes.viewing.view import Seen, Shared, View

MOST_CHOICES = 500
"""Modules and ports that can be chosen among."""

NOTHING = '-'
"""What is chosen while there is nothing to choose."""

HALF_TURN = 3.142
"""Largest angle about a port [rad]."""


class Docking(View):
    """Lists of modules and free ports, there while a module manager is; it is asked anew."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._asked = False
        self._modules: dict[str, str] = {}
        self._ports: dict[str, tuple[str, str]] = {}
        self._manager = self.calls.reader(GetGraph, 'module_manager/get_graph')
        self.calls.expect([(MoveModule, 'module_manager/move_module'),
                           (DetachModule, 'module_manager/detach_module')])
        gui = self.page.server.gui
        with self.page.panel.control:
            self._folder = gui.add_folder('Modules', visible=False)
        with self._folder:
            self._module: Any = gui.add_dropdown('module', (NOTHING,))
            self._port: Any = gui.add_dropdown('port', (NOTHING,))
            self._angle = gui.add_slider('angle [rad]', -HALF_TURN, HALF_TURN, 0.001, 0.0)
            buttons = gui.add_button_group('modules', ('Dock there', 'Undock'))
        self.on_button(buttons, {'Dock there': self._dock, 'Undock': self._undock})

    def use(self, robot: Robot) -> None:
        """Ask for the modules of another robot."""
        self._asked = False

    def redraw(self, seen: Seen | None) -> None:
        """Ask once for a robot, as soon as there is a manager."""
        if not self._asked:
            self._asked = self._manager(GetGraph.Request(), self._take)

    def _take(self, response: GetGraph.Response) -> None:
        """Offer modules that can be moved, and ports that are free."""
        if not response.success:
            return
        graph = read_module_graph(response.graph, '<module_manager>')
        label = self.page.panel.label
        movable = [name for name in graph.instances if name != graph.base.module]
        self._modules = {label(name): name for name in movable[:MOST_CHOICES]}
        self._ports = {label(f'{module}.{port}'): (module, port)
                       for module, port in free_ports(graph)[:MOST_CHOICES]}
        self._module.options = tuple(self._modules) or (NOTHING,)
        self._port.options = tuple(self._ports) or (NOTHING,)
        self._folder.visible = bool(graph.instances)

    def _dock(self) -> None:
        module, end = self._modules.get(self._module.value), self._ports.get(self._port.value)
        angle = number(self._angle.value, -HALF_TURN, HALF_TURN)
        if module is None or end is None or angle is None:
            self.calls.shown.add('dock', 'not sent: choose a module, a free port and an angle')
            return
        self.calls.service(MoveModule, 'module_manager/move_module', MoveModule.Request(
            module=module, parent=end[0], parent_port=end[1], angle=angle))

    def _undock(self) -> None:
        module = self._modules.get(self._module.value)
        if module is None:
            self.calls.shown.add('undock', 'not sent: choose a module')
            return
        self.calls.service(DetachModule, 'module_manager/detach_module',
                           DetachModule.Request(module=module))
