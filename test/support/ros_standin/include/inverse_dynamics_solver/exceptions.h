// Copyright 2026 The authors of mbd_ros
//
// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
// in compliance with the License. You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software distributed under the License
// is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
// or implied. See the License for the specific language governing permissions and limitations under
// the License.

// Exceptions of ROS's package inverse_dynamics_solver, as its documentation has them.
#ifndef INVERSE_DYNAMICS_SOLVER_EXCEPTIONS_STANDIN_H_
#define INVERSE_DYNAMICS_SOLVER_EXCEPTIONS_STANDIN_H_

#include "rclcpp/standin.hpp"

namespace inverse_dynamics_solver
{
using InvalidParameterValueException = rclcpp::exceptions::InvalidParameterValueException;
using ParameterUninitializedException = rclcpp::exceptions::ParameterUninitializedException;
struct UninitializedException : std::runtime_error
{
  UninitializedException()
  : std::runtime_error("not initialized") {}
};
}  // namespace inverse_dynamics_solver

#endif  // INVERSE_DYNAMICS_SOLVER_EXCEPTIONS_STANDIN_H_
