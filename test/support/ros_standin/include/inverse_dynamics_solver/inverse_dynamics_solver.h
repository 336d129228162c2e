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

// The interface of ROS's package inverse_dynamics_solver, as its documentation has it.
#ifndef INVERSE_DYNAMICS_SOLVER_STANDIN_H_
#define INVERSE_DYNAMICS_SOLVER_STANDIN_H_

#include <Eigen/Core>
#include <memory>
#include <string>
#include <tuple>

#include "rclcpp/standin.hpp"

namespace inverse_dynamics_solver
{

class InverseDynamicsSolver
{
public:
  virtual ~InverseDynamicsSolver() = default;
  virtual void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
    const std::string & param_namespace = "", const std::string & robot_description = "") = 0;
  virtual std::tuple<Eigen::MatrixXd, Eigen::VectorXd, Eigen::VectorXd> getDynamicParameters(
    const Eigen::VectorXd & q, const Eigen::VectorXd & v) const
  {
    return {getInertiaMatrix(q), getCoriolisVector(q, v), getGravityVector(q)};
  }
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const = 0;
  virtual Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const = 0;
};

}  // namespace inverse_dynamics_solver

#endif  // INVERSE_DYNAMICS_SOLVER_STANDIN_H_
