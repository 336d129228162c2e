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

"""How long a process will compile a robot: how much IR, and how fast the first of it was."""

from __future__ import annotations

from typing import NamedTuple

from mbd_ros.execution.ir.machine_code import Compiled
from mbd_ros.model import Model
from mbd_ros.model.state import floating_base

USUAL, WEIGHT = 4e-6, 3e5
"""Time of LLVM for a character [s], and after how many what was measured counts as much as that:
while all nodes of a launch start at once, the first pieces take longer than those that follow."""
LARGEST = 200
"""Bodies up to which code is written for each of them."""


class Cost(NamedTuple):
    """
    Length of the LLVM IR that a process compiles for a robot, in thousands of characters.

    It follows from the robot alone, not from the machine.

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
        Time of all the process does, in terms of that of LLVM.

    """

    base: float
    body: float
    loops: float = 0.0
    loop_body: float = 0.0
    elastic: float = 0.0
    floating: float = 1.0
    overhead: float = 1.6

    def characters(self, model: Model) -> float:
        """
        Return the length of the IR that will be compiled for a robot.

        Parameters
        ----------
        model : Model
            The robot.

        """
        bodies = min(model.nb, LARGEST)
        thousands = self.base + self.body * bodies + self.elastic * len(model.elastic_names)
        if model.loops:
            thousands += self.loops + self.loop_body * bodies
        return 1e3 * thousands * (self.floating if floating_base(model) is not None else 1.0)

    def seconds(self, model: Model, done: Compiled) -> float:
        """
        Return how long all of it will take, if nothing of it is in the cache.

        Parameters
        ----------
        model : Model
            The robot.
        done : Compiled
            What the process has compiled so far: the measure of the machine, and of what keeps it
            busy.

        Returns
        -------
        float
            Time [s].

        """
        rate = (done.seconds + USUAL * WEIGHT) / (done.characters + WEIGHT)
        return max(self.characters(model), done.characters) * rate * self.overhead
