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

"""Motion in time: integrators, simulation of a whole run, stepping beside a clock."""

from mbd_ros.simulation.integrators import rk4_step
from mbd_ros.simulation.motion import FreeMotion, Motion
from mbd_ros.simulation.simulate import simulate
from mbd_ros.simulation.stepper import Stepper
from mbd_ros.simulation.trajectory import load_trajectory, Trajectory

__all__ = ['FreeMotion', 'Motion', 'Stepper', 'Trajectory', 'load_trajectory', 'rk4_step',
           'simulate']
