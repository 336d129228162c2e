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

// The names of rclcpp that exported plugins and examples/cpp use, for tests without ROS.
#ifndef RCLCPP_STANDIN_HPP_
#define RCLCPP_STANDIN_HPP_

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define RCLCPP_ERROR(logger, ...) (static_cast<void>(logger), std::fprintf(stderr, __VA_ARGS__))

namespace rclcpp
{

class Parameter
{
public:
  Parameter() = default;
  explicit Parameter(double value)
  : number_(value) {}
  explicit Parameter(std::vector<double> values)
  : values_(std::move(values)) {}
  double as_double() const {return number_;}
  std::vector<double> as_double_array() const {return values_;}

private:
  double number_ = 0.0;
  std::vector<double> values_;
};

namespace exceptions
{
struct InvalidParameterValueException : std::runtime_error
{
  using std::runtime_error::runtime_error;
};
struct ParameterUninitializedException : std::runtime_error
{
  using std::runtime_error::runtime_error;
};
}  // namespace exceptions

namespace node_interfaces
{
struct NodeParametersInterface
{
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  std::map<std::string, Parameter> parameters;
  bool has_parameter(const std::string & name) const {return parameters.count(name) > 0;}
  bool get_parameter(const std::string & name, Parameter & found) const
  {
    const auto place = parameters.find(name);
    if (place == parameters.end()) {return false;}
    found = place->second;
    return true;
  }
};
}  // namespace node_interfaces

struct Time {};
struct Duration {};
struct Logger {};

}  // namespace rclcpp

#endif  // RCLCPP_STANDIN_HPP_
