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

"""Read launch files written in Python."""

from __future__ import annotations

import os
import traceback
import types

from launch.invalid_launch_file_error import InvalidLaunchFileError
from launch.launch_description import LaunchDescription

FUNCTION = 'generate_launch_description'


class InvalidPythonLaunchFileError(InvalidLaunchFileError):
    """
    A launch file written in Python cannot be used.

    Parameters
    ----------
    message : str
        What is wrong, and where.

    """

    def __init__(self, message: str) -> None:
        super().__init__('.py', likely_errors=[Exception(message)])


def load_python_launch_file_as_module(python_launch_file_path: str) -> types.ModuleType:
    """
    Run a launch file and return its names as a module, which is not noted in ``sys.modules``.

    Raises
    ------
    OSError
        If the file cannot be read.

    """
    path = os.path.abspath(python_launch_file_path)
    module = types.ModuleType('python_launch_file')
    module.__file__ = path
    with open(path, encoding='utf-8') as file:
        source = file.read()
    exec(compile(source, path, 'exec'), module.__dict__)
    return module


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """
    Run a launch file and return what its ``generate_launch_description()`` returns.

    Parameters
    ----------
    python_launch_file_path : str
        Path of the file.

    Raises
    ------
    InvalidPythonLaunchFileError
        If the file cannot be run, or does not have that function.
    OSError
        If it cannot be read.

    """
    path = os.path.abspath(python_launch_file_path)
    try:
        module = load_python_launch_file_as_module(path)
        function = getattr(module, FUNCTION, None)
        if function is None:
            raise InvalidPythonLaunchFileError(
                f"launch file at '{path}' does not contain the required function '{FUNCTION}()'")
        description = function()
    except InvalidPythonLaunchFileError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename == path:
            raise
        raise InvalidPythonLaunchFileError(_located(error, path)) from error
    if not isinstance(description, LaunchDescription):
        raise InvalidPythonLaunchFileError(
            f"'{FUNCTION}()' of the launch file at '{path}' returned "
            f"'{type(description).__name__}', expected a LaunchDescription")
    return description


def _located(error: Exception, path: str) -> str:
    text = f'{type(error).__name__}: {error}'
    if isinstance(error, SyntaxError):
        return f'{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}'
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == path]
    return f'{path}:{lines[-1]}: {text}' if lines else f'{path}: {text}'
