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

// The names of ros2_control that examples/cpp uses, with the signatures of its headers: those of
// Humble, or with get_optional and a result of set_value those of newer releases (NEWER).
#ifndef CONTROLLER_INTERFACE_STANDIN_HPP_
#define CONTROLLER_INTERFACE_STANDIN_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rclcpp/standin.hpp"

namespace rclcpp_lifecycle
{
struct State {};
struct LifecycleNode
{
  std::map<std::string, rclcpp::Parameter> parameters;
  rclcpp::Parameter get_parameter(const std::string & name) const {return parameters.at(name);}
  rclcpp::Logger get_logger() const {return {};}
};
}  // namespace rclcpp_lifecycle

namespace hardware_interface
{
struct Loaned
{
  std::string name;
  std::shared_ptr<double> place;
#ifdef NEWER
  template<class T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned = 10) const {return *place;}
  template<class T>
  [[nodiscard]] bool set_value(const T & value, unsigned = 10)
  {
    *place = value;
    return true;
  }
#else
  double get_value() const {return *place;}
  void set_value(double value) {*place = value;}
#endif
};
}  // namespace hardware_interface

namespace controller_interface
{

enum class CallbackReturn : std::uint8_t { SUCCESS = 97, FAILURE = 98, ERROR = 99 };
enum class return_type : std::uint8_t { OK = 0, ERROR = 1 };
enum class interface_configuration_type : std::uint8_t { ALL = 0, INDIVIDUAL = 1, NONE = 2 };
struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names = {};
};

class ControllerInterface
{
public:
  virtual ~ControllerInterface() = default;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_init() = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
  virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() const {return node_;}
  template<class T>
  T auto_declare(const std::string & name, const T & value)
  {
    node_->parameters.emplace(name, rclcpp::Parameter(value));
    return value;
  }
  std::vector<hardware_interface::Loaned> command_interfaces_, state_interfaces_;

private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ =
    std::make_shared<rclcpp_lifecycle::LifecycleNode>();
};

}  // namespace controller_interface

#endif  // CONTROLLER_INTERFACE_STANDIN_HPP_
