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

"""Refusing to stand in the way of a real ROS 2."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
import sys

MARK = '_rosless.py'


def refuse_windows(platform: str) -> None:
    """Raise ImportError on Windows, whose way out is told; ``platform`` is that of `sys`."""
    if platform == 'win32':
        raise ImportError('rosless needs a POSIX system: on Windows use it inside WSL2, which is '
                          'Linux ("wsl --install", then install it there)', name='rclpy')


def refuse_without_dds() -> None:
    """Raise ModuleNotFoundError if there is no DDS library, which not every system has."""
    if find_spec('cyclonedds') is None:
        raise ModuleNotFoundError(
            "there is no module 'cyclonedds', the DDS library that rosless is over: \"pip install "
            "'cyclonedds>=11.0.1,<12'\", or where PyPI has no wheel of it \"make cyclone\" in "
            "mbd_ros's repository, which builds it", name='cyclonedds')


def refuse_beside_ros(file: str) -> None:
    """
    Raise ImportError if a real `rclpy` can be imported as well.

    Parameters
    ----------
    file : str
        `__file__` of our `rclpy`.

    """
    own = Path(file).resolve().parent
    for entry in sys.path:
        candidate = Path(entry or '.', 'rclpy')
        if (
            (candidate / '__init__.py').is_file()
            and not (candidate / MARK).is_file()
            and candidate.resolve() != own
        ):
            raise ImportError(
                f'a ROS 2 installation is on the path ({candidate}); rosless does not load beside '
                'it. Use that rclpy: leave the virtual environment of rosless, or take its '
                f'directory ({own.parent}) from PYTHONPATH, or "pip uninstall rosless". To use '
                'rosless, start a shell in which no ROS 2 setup file was sourced', name='rclpy')
