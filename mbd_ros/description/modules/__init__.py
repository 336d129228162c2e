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

"""Robots made of modules: YAML documents, docking as pure functions, compiled to a Mechanism."""

from typing import TYPE_CHECKING

from mbd_ros.on_demand import on_demand

if TYPE_CHECKING:
    from mbd_ros.description.modules.assembly import assemble
    from mbd_ros.description.modules.operations import attach, carried_by, detach, move
    from mbd_ros.description.modules.reader import read_module_graph, read_module_graph_file
    from mbd_ros.description.modules.records import Connection, ModuleGraph
    from mbd_ros.description.modules.writer import write_module_graph
else:
    _HERE = __name__ + '.'
    __getattr__, __dir__ = on_demand(__name__, {
        _HERE + 'assembly': ('assemble',),
        _HERE + 'operations': ('attach', 'carried_by', 'detach', 'move'),
        _HERE + 'reader': ('read_module_graph', 'read_module_graph_file'),
        _HERE + 'records': ('Connection', 'ModuleGraph'),
        _HERE + 'writer': ('write_module_graph',)})

__all__ = ['Connection', 'ModuleGraph', 'assemble', 'attach', 'carried_by', 'detach', 'move',
           'read_module_graph', 'read_module_graph_file', 'write_module_graph']
