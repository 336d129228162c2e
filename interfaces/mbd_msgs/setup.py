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
