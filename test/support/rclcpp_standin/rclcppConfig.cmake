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

# What find_package(rclcpp) finds in test/nodes/test_cpp_client.py where there is no rclcpp.
# The CMake files of the wheels of rcl and of what is below it name libraries of the machine that
# made them, so libraries and headers are looked for.
find_library(rcl_library rcl REQUIRED)
find_library(rcutils_library rcutils REQUIRED)
get_filename_component(rcl_prefix "${rcl_library}/../.." ABSOLUTE)
file(GLOB rcl_headers LIST_DIRECTORIES true "${rcl_prefix}/include/*")
# The wheels of rcl need libraries for Python that leave Python's names to a process of Python.
find_package(Python3 REQUIRED COMPONENTS Development)

add_library(rclcpp::rclcpp INTERFACE IMPORTED)
target_include_directories(rclcpp::rclcpp INTERFACE
  "${CMAKE_CURRENT_LIST_DIR}/include" ${rcl_headers})
target_compile_features(rclcpp::rclcpp INTERFACE cxx_std_17)
target_link_libraries(rclcpp::rclcpp INTERFACE
  -Wl,--no-as-needed "${rcl_library}" "${rcutils_library}" Python3::Python)
