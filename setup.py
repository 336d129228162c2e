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

"""Package mbd_ros: built by colcon as ament_python, and by pip on machines without ROS 2."""

from glob import glob
import os
import sys

from setuptools import find_packages, setup

NAME = 'mbd_ros'
NODES = ('composed', 'controller', 'dynamics_server', 'gait', 'module_manager', 'simulator',
         'viewer')


def data_files():
    """
    List the files that belong under ``share``, folder by folder.

    Returns
    -------
    list of (str, list of str)
        Folder under the install prefix, and the files to put there.

    """
    share = os.path.join('share', NAME)
    listed = [
        ('share/ament_index/resource_index/packages', [os.path.join('resource', NAME)]),
        (share, ['package.xml']),
    ]
    for room in ('launch', 'urdf', 'config'):
        for folder, _, _ in os.walk(room, followlinks=True):
            if os.path.basename(folder) == '__pycache__':
                continue
            files = sorted(f for f in glob(os.path.join(folder, '*')) if os.path.isfile(f))
            if files:
                listed.append((os.path.join(share, folder), files))
    return listed


def console_scripts(commands):
    """
    List the executables.

    Parameters
    ----------
    commands : list of str
        Of setuptools. Those of colcon put executables into ``lib/mbd_ros`` (setup.cfg), under the
        names that ``ros2 run`` takes; a wheel has them on the PATH, where they begin with
        ``mbd_``.

    Returns
    -------
    list of str
        Entry points.

    """
    prefix = '' if {'install', 'develop'} & set(commands) else 'mbd_'
    return ['mbd_ros = mbd_ros.cli.command:main',
            *(f'{prefix}{node} = mbd_ros.nodes.executables:{node}' for node in NODES)]


setup(
    name=NAME,
    version='0.1.0',
    packages=find_packages(include=[NAME, NAME + '.*']),
    package_data={NAME: ['py.typed', 'export/*.js']},
    data_files=data_files(),
    python_requires='>=3.10',
    install_requires=[
        'setuptools',
        'llvmlite>=0.45',   # native code from the traced formulations; 0.44 has typed pointers
        'lxml>=4.9',        # XML with line numbers, for messages that point at the file
        'numpy>=1.24,<3',   # arrays; 1.24 is Debian 12's and Ubuntu 24.04 has 1.26
        'pyyaml>=6',        # parameter files
        'scipy>=1.10',      # factorizations of constraint systems, reference integrators
        'transforms3d>=0.4',  # Euler angles and quaternions of files and of the page
        'trimesh>=4',       # corners of mesh files, for masses from meshes; yourdfpy has it, too
        'yourdfpy>=0.0.56',  # reads URDF; urdfpy is unmaintained and cannot be imported
    ],
    extras_require={
        'viewer': ['viser>=1.1'],   # the robot in a browser
        'bag': ['rosbags>=0.11'],   # runs and recordings as bags of ROS 2
        'torch': ['torch>=2.1'],   # robots in its graphs; PyPI's wheel for Linux brings CUDA
        'jax': ['jax>=0.5'],   # its ffi, for robots in its functions
        'casadi': ['casadi>=3.6.5'],   # robots in its expressions; 3.6.5: Jacobians of external
        'plot': ['matplotlib>=3.6'],   # plots of runs, figures of examples/
        'ray': ['ray>=2.9'],   # sweeps on Ray (docs/executors.md)
        'docs': ['matplotlib>=3.6', 'myst-parser>=2', 'sphinx>=7',   # make docs
                 'ipykernel>=6', 'nbclient>=0.8'],   # make notebook
        'xacro': ['xacro>=2.1'],    # where no ROS 2 provides it
        'test': ['pytest>=7', 'pytest-xdist>=3.3', 'hypothesis>=6', 'distributed', 'mpi4py>=4.1',
                 'mpich', 'tqdm', 'rosbags>=0.11', 'matplotlib>=3.6',
                 'casadi>=3.6.5', 'jax>=0.5',
                 'cmeel-eigen>=3.4',   # Eigen's headers, for exported C++
                 'pillow',   # looks at a picture of the page
                 'ray>=2.9; python_version < "3.15"'],   # the newest Python it has wheels for
        'peers': ['pin>=3', 'mujoco>=3',   # what the numbers are tested against
                  'pin-pink>=3.1', 'quadprog>=0.1.13',   # differential inverse kinematics
                  'toppra>=0.6.10'],   # and the fastest timing of paths
        'drake': ['drake>=1.30'],   # mbd_ros check --compare of SDFormat files
        'robots': ['example-robot-data>=4'],   # 415 MB that the readers are tested with
        'bench': ['pin>=3', 'mujoco>=3', 'example-robot-data>=4', 'tqdm', 'distributed',
                  'pin-pink>=3.1', 'quadprog>=0.1.13',
                  'pytracik>=0.0.3; python_version < "3.14"',   # inverse kinematics
                  'cmeel-eigen>=3.4', 'casadi>=3.6.5',   # Pinocchio and CasADi natively compiled
                  'ray>=2.9',  # 415 MB of robots
                  'exudyn>=1.13; python_version < "3.14"'],   # flexible links, timed beside ours
        # PyTorch and JAX beside ours, benchmarks of `learning`; the first brings CUDA from PyPI
        'learning': ['torch>=2.1', 'jax>=0.5', 'adam-robotics>=0.5', 'pytorch-kinematics>=0.7',
                     'frax>=0.1; python_version >= "3.11"'],
        'mutants': ['cosmic-ray>=8', 'pytest-cov'],   # changed programs, for make mutants
        'lint': [   # pinned: a new release of a linter must not fail an old commit
            'ruff==0.17.*', 'mypy==2.4.*', 'flake8==7.5.*', 'flake8-docstrings==1.7.*',
            'flake8-import-order==0.19.*', 'flake8-quotes==3.4.*', 'types-PyYAML',
        ],
    },
    zip_safe=False,
    maintainer='The mbd_ros developers',
    maintainer_email='mbd-ros@example.org',
    description='Multibody dynamics as ROS 2 nodes',
    license='Apache-2.0',
    classifiers=[   # those that docs/distributions.md has a row for
        'Operating System :: POSIX :: Linux',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 15)),
        'Topic :: Scientific/Engineering',
    ],
    entry_points={
        'console_scripts': console_scripts(sys.argv),
    },
)
