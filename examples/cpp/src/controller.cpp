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

// The law as a controller of ros2_control: the wanted positions are a parameter.
#include <limits>
#include <string>
#include <vector>

#include <controller_interface/controller_interface.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "computed_torque/law.hpp"

namespace computed_torque
{

class Controller : public controller_interface::ControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override
  {
    auto_declare<double>("frequency", 20.0);
    auto_declare<std::vector<double>>("positions", {});
    return controller_interface::CallbackReturn::SUCCESS;
  }

  controller_interface::InterfaceConfiguration command_interface_configuration() const override
  {
    return {controller_interface::interface_configuration_type::INDIVIDUAL, names({"effort"})};
  }

  controller_interface::InterfaceConfiguration state_interface_configuration() const override
  {
    return {controller_interface::interface_configuration_type::INDIVIDUAL,
      names({"position", "velocity"})};
  }

  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    const double frequency = get_node()->get_parameter("frequency").as_double();
    positions_ = get_node()->get_parameter("positions").as_double_array();
    if (!(frequency > 0.0 && frequency < 1000.0)) {
      RCLCPP_ERROR(get_node()->get_logger(),
        "frequency is %g rad/s; allowed: more than 0, below 1000", frequency);
      return controller_interface::CallbackReturn::ERROR;
    }
    if (!positions_.empty() && positions_.size() != nv) {
      RCLCPP_ERROR(get_node()->get_logger(),
        "positions has %zu entries; allowed: none, or %zu", positions_.size(), nv);
      return controller_interface::CallbackReturn::ERROR;
    }
    law_ = Law(frequency);
    return controller_interface::CallbackReturn::SUCCESS;
  }

  // Without positions the arm is held where it is.
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State &) override
  {
    wanted_ = Motion();
    for (std::size_t k = 0; k < nv; ++k) {
      wanted_.q[k] = positions_.empty() ? value(state_interfaces_[2 * k]) : positions_[k];
    }
    return controller_interface::CallbackReturn::SUCCESS;
  }

  controller_interface::return_type update(
    const rclcpp::Time &, const rclcpp::Duration &) override
  {
    Vector q, v, tau;
    for (std::size_t k = 0; k < nv; ++k) {
      q[k] = value(state_interfaces_[2 * k]);
      v[k] = value(state_interfaces_[2 * k + 1]);
    }
    if (law_.track(wanted_, q, v, tau) != Code::ok) {
      return controller_interface::return_type::ERROR;  // the manager deactivates us
    }
    for (std::size_t k = 0; k < nv; ++k) {
      (void)command_interfaces_[k].set_value(tau[k]);  // ROS 2 Humble returns nothing
    }
    return controller_interface::return_type::OK;
  }

private:
  static std::vector<std::string> names(const std::vector<std::string> & interfaces)
  {
    std::vector<std::string> found;
    for (std::size_t k = 0; k < nv; ++k) {
      for (const auto & one : interfaces) {
        found.push_back(std::string(panda_joint_names[k]) + "/" + one);
      }
    }
    return found;
  }

  // Newer releases of ros2_control tell by an optional whether there was a value.
  template<class Interface>
  static auto value(const Interface & interface)
  -> decltype(interface.get_optional(), double())
  {
    // NaN has a code, and update() fails then.
    return interface.get_optional().value_or(std::numeric_limits<double>::quiet_NaN());
  }
  template<class Interface, class ... None>
  static double value(const Interface & interface, None ...)
  {
    return interface.get_value();
  }

  Law law_{20.0};
  Motion wanted_;
  std::vector<double> positions_;
};

}  // namespace computed_torque

PLUGINLIB_EXPORT_CLASS(computed_torque::Controller, controller_interface::ControllerInterface)
