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
# What find_package(inverse_dynamics_solver) finds in test/unit/export/test_cpp.py, which has no ROS.
if(NOT TARGET inverse_dynamics_solver::inverse_dynamics_solver)
  add_library(inverse_dynamics_solver::inverse_dynamics_solver INTERFACE IMPORTED)
  target_include_directories(inverse_dynamics_solver::inverse_dynamics_solver INTERFACE "${CMAKE_CURRENT_LIST_DIR}/include")
endif()
set(inverse_dynamics_solver_TARGETS inverse_dynamics_solver::inverse_dynamics_solver)
