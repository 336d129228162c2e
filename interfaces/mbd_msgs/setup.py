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

"""Definitions of mbd_msgs as a pip package, for machines without ROS 2; CMake builds the rest."""

from glob import glob

from setuptools import setup

NAME = 'mbd_msgs'

setup(
    name=NAME,
    version='0.1.0',
    packages=[],
    py_modules=[],
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/' + NAME]),
        ('share/' + NAME, ['package.xml']),
        ('share/' + NAME + '/action', sorted(glob('action/*.action'))),
        ('share/' + NAME + '/msg', sorted(glob('msg/*.msg'))),
        ('share/' + NAME + '/srv', sorted(glob('srv/*.srv'))),
    ],
    zip_safe=False,
    maintainer='The mbd_ros developers',
    maintainer_email='mbd-ros@example.org',
    description='Messages and services of mbd_ros',
    license='Apache-2.0',
)
