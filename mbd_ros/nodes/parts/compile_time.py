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

"""How long a node will compile a robot: how much code that is, by how fast the first of it was."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.execution.ir.machine_code import Compiled
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base


class Cost(NamedTuple):
    """
    Length of the texts of LLVM that a node compiles for a robot, in thousands of characters.

    Fitted to the robots of this package (``test/unit/nodes/test_compile_time.py`` has them): they
    follow from the robot alone, not from the machine, and are met within a factor of two.

    Attributes
    ----------
    base : float
        Of any robot.
    body : float
        More for each moving body.
    loops : float
        More where there are closed loops.
    loop_body : float
        More for each moving body of a robot with closed loops.
    elastic : float
        More for each elastic coordinate.
    floating : float
        Factor for a floating base.
    overhead : float
        Time of all the node does, in terms of that of LLVM.

    """

    base: float
    body: float
    loops: float = 0.0
    loop_body: float = 0.0
    elastic: float = 0.0
    floating: float = 1.0
    overhead: float = 1.6


COSTS = {
    'controller': Cost(base=330.0, body=190.0, loops=700.0, loop_body=-30.0, elastic=100.0,
                       floating=1.9, overhead=2.4),
    'simulator': Cost(base=0.0, body=14.0, loops=40.0, loop_body=32.0, elastic=220.0),
    'dynamics_server': Cost(base=0.0, body=31.0, elastic=100.0),
}
"""By the name of a node's executable."""
OTHERS = Cost(base=25.0, body=4.5, elastic=10.0)
USUAL, WEIGHT = 4e-6, 3e5
"""Time of LLVM for a character [s], and after how many what was measured counts as much as that:
while all nodes of a launch start at once, the first pieces take longer than those that follow."""
LARGEST = 200
"""Bodies up to which code is written for each of them."""


def expected_characters(node: str, model: Model) -> float:
    """
    Return the length of the texts that a node will compile for a robot.

    Parameters
    ----------
    node : str
        Name of its executable.
    model : Model
        The robot.

    """
    cost, bodies = COSTS.get(node, OTHERS), min(model.nb, LARGEST)
    thousands = cost.base + cost.body * bodies + cost.elastic * len(model.elastic_names)
    if model.loops:
        thousands += cost.loops + cost.loop_body * bodies
    return 1e3 * thousands * (cost.floating if floating_base(model) is not None else 1.0)


def expected_seconds(node: str, model: Model, done: Compiled) -> float:
    """
    Return how long a node will take to compile a robot in all, if nothing of it is in the cache.

    Parameters
    ----------
    node : str
        Name of its executable.
    model : Model
        The robot.
    done : Compiled
        What it has compiled so far: the measure of the machine, and of what keeps it busy.

    Returns
    -------
    float
        Time [s].

    """
    rate = (done.seconds + USUAL * WEIGHT) / (done.characters + WEIGHT)
    return (max(expected_characters(node, model), done.characters) * rate
            * COSTS.get(node, OTHERS).overhead)
