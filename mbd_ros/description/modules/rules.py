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

"""Docking rules: every condition of a connection, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math

from mbd_ros.description.modules.records import Connection, Gender, ModuleGraph, Port
from mbd_ros.errors import DockingError, InvalidValueError, UnknownNameError

SAME_ANGLE = 1e-6
"""Angles closer than this are the same [rad]; documents give them with few digits."""

MEANT = "a ring that is meant is closed by a connection with 'closes_loop: true'"

FITS: Mapping[Gender, tuple[Gender, ...]] = {
    'male': ('female', 'any'), 'female': ('male', 'any'), 'any': ('male', 'female', 'any')}

LARGEST_ANGLE = 1e6
"""[rad]: sines of larger ones lose the digits that place a module."""


def check_ends(graph: ModuleGraph, connection: Connection) -> None:
    """
    Raise an error if a connection names what is not there, or two ports that do not fit.

    Parameters
    ----------
    graph : ModuleGraph
        Has the types and instances; its connections are not looked at.
    connection : Connection
        The connection.

    Raises
    ------
    UnknownNameError
        If there is no such module or port; with the nearest that is.
    DockingError
        If a module is docked to itself, or gender, make, joints or angle of the ports do not fit.
    InvalidValueError
        If the angle is no number, or beyond ``LARGEST_ANGLE``.

    """
    if not abs(connection.angle) <= LARGEST_ANGLE:
        raise InvalidValueError(f'angle of {connection}', connection.angle,
                                f'from {-LARGEST_ANGLE:g} to {LARGEST_ANGLE:g} [rad]')
    for module, port in connection.ends:
        if module not in graph.instances:
            raise UnknownNameError('module', module, graph.instances)
        ports = graph.types[graph.instances[module].type].ports
        if port not in ports:
            raise UnknownNameError(f"port of module '{module}'", port, ports)
    if connection.parent == connection.child:
        raise DockingError('self-dock', connection.child, f'{connection}: a module cannot be '
                           'docked to itself', connection.source)
    inner = graph.port(connection.parent, connection.parent_port)
    outer = graph.port(connection.child, connection.child_port)
    problem = _misfit(inner, outer, connection.angle)
    if problem:
        raise DockingError('incompatible ports', connection.child, f'{connection}: {problem}',
                           connection.source)


def _misfit(inner: Port, outer: Port, angle: float) -> str:
    """Return why two ports do not fit at an angle, empty if they do."""
    if outer.gender not in FITS[inner.gender]:
        return (f'the ports are {inner.gender} and {outer.gender}; allowed with {inner.gender}: '
                f'{", ".join(FITS[inner.gender])}')
    if inner.connector != outer.connector:
        return (f"the ports are of the makes '{inner.connector}' and '{outer.connector}'; "
                'allowed: of the same make')
    if inner.joint.kind != 'fixed' and outer.joint.kind != 'fixed':
        return 'both ports have a joint; allowed: one at most'
    for port in (inner, outer):
        if port.angles is not None and not any(_same(angle, one) for one in port.angles):
            return (f"the angle is {angle:.9g} rad; allowed by port '{port.name}': "
                    f'{", ".join(f"{one:.9g}" for one in port.angles)}')
    return ''


def _same(one: float, other: float) -> bool:
    return abs(math.remainder(one - other, 2.0 * math.pi)) < SAME_ANGLE


def check_free(connections: Iterable[Connection]) -> None:
    """Raise an error if a port is docked twice."""
    taken: dict[tuple[str, str], Connection] = {}
    for connection in connections:
        for end in connection.ends:
            first = taken.setdefault(end, connection)
            if first is not connection:
                raise DockingError(
                    'occupied port', end[0], f"{connection}: port '{end[1]}' of module '{end[0]}' "
                    f'is occupied by the connection {first}', connection.source)


def carriers(graph: ModuleGraph) -> dict[str, Connection]:
    """
    Return the connection by which each module is carried, checked.

    Parameters
    ----------
    graph : ModuleGraph
        Whose connections name modules that there are.

    Returns
    -------
    dict of str to Connection
        For every module but the base, inboard modules first.

    Raises
    ------
    DockingError
        If a module has two parents, or the base has one, or modules carry each other in a cycle,
        or are connected to nothing.

    """
    carrier: dict[str, Connection] = {}
    outboard: dict[str, list[Connection]] = {}
    for connection in graph.connections:
        if connection.closes_loop:
            continue
        child = connection.child
        if child == graph.base.module:
            raise DockingError(
                'base', child, f"{connection}: module '{child}' is the base, which no module "
                f'carries; {MEANT}', connection.source)
        first = carrier.setdefault(child, connection)
        if first is not connection:
            raise DockingError(
                'two parents', child, f"{connection}: module '{child}' has two parents, the first "
                f'by the connection {first}; {MEANT}', connection.source)
        outboard.setdefault(connection.parent, []).append(connection)
    order: dict[str, Connection] = {}
    modules = [graph.base.module]
    for module in modules:
        for connection in outboard.get(module, ()):
            order[connection.child] = connection
            modules.append(connection.child)
    if len(modules) < len(graph.instances):
        _refuse_unreached(graph, carrier, set(modules))
    return order


def _refuse_unreached(graph: ModuleGraph, carrier: Mapping[str, Connection],
                      reached: set[str]) -> None:
    module = next(name for name in graph.instances if name not in reached)
    place: dict[str, int] = {}
    while module in carrier and module not in place:
        place[module] = len(place)
        module = carrier[module].parent
    if module in place:
        ring = [module, *list(place)[place[module] + 1:][::-1]]
        shown = ', '.join(f"'{name}'" for name in ring[:5]) + (', ...' if len(ring) > 5 else '')
        raise DockingError('cycle', ring[0], f'{carrier[ring[0]]}: the modules {shown} carry each '
                           f'other in a cycle; {MEANT}', carrier[ring[0]].source)
    raise DockingError(
        'unreachable', module, f"module '{module}' is docked to nothing that the base "
        f"'{graph.base.module}' carries", graph.instances[module].source)


def check_graph(graph: ModuleGraph) -> dict[str, Connection]:
    """
    Check all connections of a graph.

    Parameters
    ----------
    graph : ModuleGraph
        The robot.

    Returns
    -------
    dict of str to Connection
        As ``carriers``.

    Raises
    ------
    UnknownNameError, DockingError
        The first rule that is broken.

    """
    if graph.base.module not in graph.instances:
        raise UnknownNameError('module', graph.base.module, graph.instances)
    for connection in graph.connections:
        check_ends(graph, connection)
    check_free(graph.connections)
    return carriers(graph)
