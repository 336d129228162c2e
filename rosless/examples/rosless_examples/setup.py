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

"""A package as `ros2 pkg create --build-type ament_python` makes it."""

from glob import glob

from setuptools import setup

package_name = 'rosless_examples'

setup(
    name=package_name,
    version='0.1.0',
    packages=[package_name],
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + package_name]),
        ('share/' + package_name, ['package.xml']),
        ('share/' + package_name + '/config', glob('config/*')),
        ('share/' + package_name + '/launch', glob('launch/*')),
    ],
    install_requires=['setuptools'],
    zip_safe=True,
    maintainer='The mbd_ros developers',
    description='Programs from the tutorials of ROS 2',
    license='Apache-2.0',
    entry_points={
        'console_scripts': [
            'add_two_ints_client = rosless_examples.add_two_ints_client:main',
            'add_two_ints_server = rosless_examples.add_two_ints_server:main',
            'callback_groups = rosless_examples.callback_groups:main',
            'fibonacci_canceller = rosless_examples.fibonacci_canceller:main',
            'fibonacci_client = rosless_examples.fibonacci_client:main',
            'fibonacci_server = rosless_examples.fibonacci_server:main',
            'frame_broadcaster = rosless_examples.frame_broadcaster:main',
            'frame_listener = rosless_examples.frame_listener:main',
            'lifecycle_talker = rosless_examples.lifecycle_talker:main',
            'listener = rosless_examples.listener:main',
            'parameters = rosless_examples.parameters:main',
            'static_frame = rosless_examples.static_frame:main',
            'talker = rosless_examples.talker:main',
        ],
    },
)
