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

"""Modules docked, undocked and moved: pure functions from a graph to a new one."""

from __future__ import annotations

from dataclasses import replace

from mbd_ros.description.modules.records import Connection, Instance, ModuleGraph
from mbd_ros.description.modules.rules import check_ends, check_free
from mbd_ros.description.xml.yaml_fields import NAME, NAME_IN_WORDS
from mbd_ros.errors import DockingError, InvalidValueError, UnknownNameError


def attach(graph: ModuleGraph, module: str, kind: str, *, port: str, parent: str,
           parent_port: str, angle: float = 0.0) -> ModuleGraph:
    """
    Return the graph with a further module docked to one of its modules.

    Parameters
    ----------
    graph : ModuleGraph
        The robot; it stays as it is.
    module : str
        Name of the new module.
    kind : str
        Its type.
    port : str
        The port by which it is docked.
    parent, parent_port : str
        The module and the port that carry it.
    angle : float
        Of the new module's mark against the parent's [rad].

    Returns
    -------
    ModuleGraph
        A new one.

    Raises
    ------
    UnknownNameError, DockingError, InvalidValueError
        If a name does not exist or, for the new module, does; if the docking breaks a rule.

    """
    if not NAME.fullmatch(module):
        raise InvalidValueError('module', module, NAME_IN_WORDS)
    if module in graph.instances:
        raise DockingError('name taken', module, f"there is a module '{module}' already; move it, "
                           'or give the new one another name')
    if kind not in graph.types:
        raise UnknownNameError('type', kind, graph.types)
    grown = replace(graph, instances={**graph.instances, module: Instance(module, kind)})
    return _docked(grown, Connection(parent, parent_port, module, port, angle))


def detach(graph: ModuleGraph, module: str) -> ModuleGraph:
    """
    Return the graph without a module and all that it carries.

    Connections that closed a loop to one of these modules are undone, too.

    Parameters
    ----------
    graph : ModuleGraph
        The robot; it stays as it is.
    module : str
        The module to undock.

    Returns
    -------
    ModuleGraph
        A new one.

    Raises
    ------
    UnknownNameError, DockingError
        If there is no such module, or it is the base.

    """
    _refuse_base(graph, module, 'undocked')
    gone = set(carried_by(graph, module))
    return replace(
        graph,
        instances={name: one for name, one in graph.instances.items() if name not in gone},
        connections=tuple(one for one in graph.connections
                          if one.parent not in gone and one.child not in gone))


def move(graph: ModuleGraph, module: str, *, parent: str, parent_port: str, port: str = '',
         angle: float = 0.0) -> ModuleGraph:
    """
    Return the graph with a module, and all that it carries, undocked and docked elsewhere.

    Parameters
    ----------
    graph : ModuleGraph
        The robot; it stays as it is.
    module : str
        The module to move.
    parent, parent_port : str
        The module and the port that are to carry it.
    port : str, optional
        The port by which it is docked; that by which it is docked now if left out.
    angle : float
        Of the module's mark against the new parent's [rad].

    Returns
    -------
    ModuleGraph
        A new one.

    Raises
    ------
    UnknownNameError, DockingError
        If a name does not exist, if the module is the base, if it carries the new parent, or if
        the docking breaks another rule.

    """
    _refuse_base(graph, module, 'moved')
    if parent not in graph.instances:
        raise UnknownNameError('module', parent, graph.instances)
    old = next(one for one in graph.connections
               if one.child == module and not one.closes_loop)
    new = Connection(parent, parent_port, module, port or old.child_port, angle)
    check_ends(graph, new)
    if parent in carried_by(graph, module):
        raise DockingError('descendant', module, f"{new}: module '{module}' carries "
                           f"'{parent}'; allowed: modules that it does not carry")
    others = tuple(one for one in graph.connections if one is not old)
    return _docked(replace(graph, connections=others), new)


def carried_by(graph: ModuleGraph, module: str) -> list[str]:
    """Return a module and all that it carries, inboard modules first."""
    outboard: dict[str, list[str]] = {}
    for one in graph.connections:
        if not one.closes_loop:
            outboard.setdefault(one.parent, []).append(one.child)
    carried = [module]
    for name in carried:
        carried.extend(outboard.get(name, ()))
    return carried


def free_ports(graph: ModuleGraph) -> list[tuple[str, str]]:
    """Return module and port of each port at which nothing is docked, in their order."""
    taken = {end for one in graph.connections for end in one.ends}
    return [(name, port) for name, instance in graph.instances.items()
            for port in graph.types[instance.type].ports if (name, port) not in taken]


def _refuse_base(graph: ModuleGraph, module: str, done: str) -> None:
    if module not in graph.instances:
        raise UnknownNameError('module', module, graph.instances)
    if module == graph.base.module:
        raise DockingError('base', module, f"module '{module}' is the base of the robot and "
                           f'cannot be {done}')


def _docked(graph: ModuleGraph, connection: Connection) -> ModuleGraph:
    check_ends(graph, connection)
    connections = (*graph.connections, connection)
    check_free(connections)
    return replace(graph, connections=connections)
