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

"""Robots with flexible links: floating frames of reference with shape integrals."""

from dataclasses import replace

from mbd_ros.dynamics.algorithms.flexible import recursion
from mbd_ros.dynamics.algorithms.flexible.long_trees import rolled, rolls
from mbd_ros.execution.program.array_program import ArrayProgram

PROGRAMS: dict[str, ArrayProgram] = {
    name: replace(program, rolls=rolls, rolled=rolled) if name in (
        'forward_dynamics', 'inverse_dynamics', 'bias_forces') else program
    for name, program in recursion.PROGRAMS.items()}

__all__ = ['PROGRAMS']
