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

"""A plugin for the ROS package ``inverse_dynamics_solver``, in packages of exported libraries."""

from __future__ import annotations

from mbd_ros.export.c_text import Library
from mbd_ros.export.identifiers import commented

NEEDED = ('inverse_dynamics', 'bias_forces', 'mass_matrix')
"""Functions that the plugin calls."""


def has_plugin(library: Library) -> bool:
    """Return whether the plugin can be written: functions of joints with one coordinate each."""
    names = {function.name for _, function in library.functions}
    return (names >= set(NEEDED) and library.model.nq == library.model.nv
            and library.real == 'double')


def plugin_source(library: Library) -> str:
    """Return the C++ text of the plugin."""
    name, model = library.name, library.model
    space = f'{name}_inverse_dynamics_solver'
    rows = ', '.join(f'{one!r}' for one in model.damping.tolist())
    dry = ', '.join(f'{one!r}' for one in model.friction.tolist())
    growing = [', '.join(f'{one!r}' for one in coefficients.tolist())
               for coefficients in (model.quadratic_damping, model.cubic_damping)]
    joints = '\n'.join(f'//   {k}: {commented(one)}' for k, one in enumerate(model.joint_names))
    gravity = ', '.join(f'{one!r}' for one in library.gravity)
    world = ', world_.data()' if library.parameters else ''
    if library.parameters:
        kept = f"""    std::copy_n({name}_world, world_.size(), world_.begin());
    std::copy(gravity.begin(), gravity.end(), world_.begin());"""
        member = f'\n  std::array<double, {name}_dynamics::world_size> world_;'
    else:
        kept = f"""    constexpr std::array<double, 3> own = {{{gravity}}};
    if (!std::equal(gravity.begin(), gravity.end(), own.begin())) {{
      throw inverse_dynamics_solver::InvalidParameterValueException(
        "parameter 'gravity': the library was exported for another one; "
        "mbd_ros export --parameters world lets it be chosen");
    }}"""
        member = ''
    return f"""// Written by mbd_ros {library.version}: {commented(model.name)} behind the
// interface of the package inverse_dynamics_solver. Vectors are in this order:
{joints}
// The robot is that of the export: robot_description is not read. Of the parameters 'gravity' is.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <inverse_dynamics_solver/exceptions.h>
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>
#include <pluginlib/class_list_macros.hpp>

#include "{library.library}.hpp"

namespace {space}
{{

using {name}_dynamics::Code;
using {name}_dynamics::nv;

class Solver : public inverse_dynamics_solver::InverseDynamicsSolver
{{
public:
  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface,
    const std::string & param_namespace, const std::string &) override
  {{
    const std::string name = param_namespace.empty() ? "gravity" : param_namespace + ".gravity";
    std::vector<double> gravity = {{{gravity}}};
    if (parameters_interface && parameters_interface->has_parameter(name)) {{
      rclcpp::Parameter parameter;
      parameters_interface->get_parameter(name, parameter);
      gravity = parameter.as_double_array();
      if (gravity.size() != 3) {{
        throw inverse_dynamics_solver::InvalidParameterValueException(
          "parameter 'gravity' has " + std::to_string(gravity.size()) + " entries, not 3");
      }}
    }}
{kept}
    initialized_ = true;
  }}

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & joint_positions) const override
  {{
    check();
    Eigen::Matrix<double, nv, nv, Eigen::RowMajor> inertia;
    {name}_dynamics::Robot robot;
    verify(robot.mass_matrix(joint_positions, inertia{world}));
    return inertia;
  }}

  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & joint_positions,
    const Eigen::VectorXd & joint_velocities) const override
  {{
    return bias(joint_positions, joint_velocities) - getGravityVector(joint_positions);
  }}

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & joint_positions) const override
  {{
    return bias(joint_positions, Eigen::VectorXd::Zero(nv));
  }}

  // Viscous and dry friction of the description.
  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & joint_velocities) const override
  {{
    check();
    if (joint_velocities.size() != static_cast<Eigen::Index>(nv)) {{verify(Code::size);}}
    constexpr std::array<double, nv> viscous = {{{rows}}};
    constexpr std::array<double, nv> dry = {{{dry}}};
    constexpr std::array<double, nv> quadratic = {{{growing[0]}}};   // of damping that grows
    constexpr std::array<double, nv> cubic = {{{growing[1]}}};
    Eigen::VectorXd friction(nv);
    for (std::size_t k = 0; k < nv; ++k) {{
      const double v = joint_velocities[static_cast<Eigen::Index>(k)];
      friction[static_cast<Eigen::Index>(k)] =
        (viscous[k] + quadratic[k] * std::abs(v) + cubic[k] * v * v) * v +
        dry[k] * ((v > 0.0) - (v < 0.0));
    }}
    return friction;
  }}

  Eigen::VectorXd getTorques(
    const Eigen::VectorXd & joint_positions, const Eigen::VectorXd & joint_velocities,
    const Eigen::VectorXd & joint_accelerations) const override
  {{
    check();
    Eigen::VectorXd torques(nv);
    {name}_dynamics::Robot robot;
    verify(robot.inverse_dynamics(
        joint_positions, joint_velocities, joint_accelerations, torques{world}));
    return torques;
  }}

private:
  Eigen::VectorXd bias(const Eigen::VectorXd & q, const Eigen::VectorXd & v) const
  {{
    check();
    Eigen::VectorXd forces(nv);
    {name}_dynamics::Robot robot;
    verify(robot.bias_forces(q, v, forces{world}));
    return forces;
  }}

  void check() const
  {{
    if (!initialized_) {{throw inverse_dynamics_solver::UninitializedException();}}
  }}

  static void verify(Code code)
  {{
    if (code != Code::ok) {{
      throw std::invalid_argument(std::string("{name}: ") + {name}_dynamics::meaning(code));
    }}
  }}

  bool initialized_ = false;{member}
}};

}}  // namespace {space}

PLUGINLIB_EXPORT_CLASS(
  {space}::Solver, inverse_dynamics_solver::InverseDynamicsSolver)
"""


def plugin_description(library: Library) -> str:
    """Return what pluginlib reads."""
    space = f'{library.name}_inverse_dynamics_solver'
    return f"""<library path="{space}">
  <class base_class_type="inverse_dynamics_solver::InverseDynamicsSolver"
         type="{space}::Solver"
         name="{space}/Solver">
    <description>Dynamics of {commented(library.model.name)}, by mbd_ros</description>
  </class>
</library>
"""


def plugin_cmake(library: Library) -> str:
    """Return the part of CMakeLists.txt that builds it where its base class is found."""
    space = f'{library.name}_inverse_dynamics_solver'
    return f"""
find_package(inverse_dynamics_solver QUIET)
find_package(pluginlib QUIET)
if(inverse_dynamics_solver_FOUND AND pluginlib_FOUND)
  enable_language(CXX)
  find_package(rclcpp REQUIRED)
  find_package(Eigen3 REQUIRED)
  add_library({space} SHARED src/{space}.cpp)
  target_compile_features({space} PRIVATE cxx_std_17)
  target_include_directories({space} PRIVATE include ${{inverse_dynamics_solver_INCLUDE_DIRS}})
  target_link_libraries({space} PRIVATE
    ${{CMAKE_CURRENT_SOURCE_DIR}}/lib/lib{library.library}.a m
    ${{inverse_dynamics_solver_TARGETS}} pluginlib::pluginlib rclcpp::rclcpp Eigen3::Eigen)
  install(TARGETS {space} DESTINATION lib)
  pluginlib_export_plugin_description_file(inverse_dynamics_solver {space}.xml)
endif()
"""
