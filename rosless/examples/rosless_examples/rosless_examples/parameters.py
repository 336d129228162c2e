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

"""Parameters."""

from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.msg import SetParametersResult
import rclpy
from rclpy.executors import ExternalShutdownException
import rclpy.node


class MinimalParam(rclpy.node.Node):
    """Greets whom its parameter names, and then sets it back."""

    def __init__(self):
        super().__init__('minimal_param_node')
        my_parameter_descriptor = ParameterDescriptor(description='This parameter is mine!')
        self.declare_parameter('my_parameter', 'world', my_parameter_descriptor)
        self.declare_parameter('period', 0.5)
        self.add_on_set_parameters_callback(self.check)
        self.timer = self.create_timer(
            self.get_parameter('period').get_parameter_value().double_value, self.timer_callback)

    def check(self, parameters):
        """Refuse an empty name."""
        for parameter in parameters:
            if parameter.name == 'my_parameter' and not parameter.value:
                return SetParametersResult(successful=False, reason='nobody to greet')
        return SetParametersResult(successful=True)

    def timer_callback(self):
        """Greet."""
        my_param = self.get_parameter('my_parameter').get_parameter_value().string_value
        self.get_logger().info(f'Hello {my_param}!')
        my_new_param = rclpy.parameter.Parameter(
            'my_parameter', rclpy.Parameter.Type.STRING, 'world')
        self.set_parameters([my_new_param])


def main():
    """Run the node."""
    rclpy.init()
    node = MinimalParam()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
