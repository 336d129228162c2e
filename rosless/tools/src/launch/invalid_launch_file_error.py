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

"""The error of a launch file that cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterable


class InvalidLaunchFileError(Exception):
    """
    A launch file cannot be loaded.

    Parameters
    ----------
    extension : str
        Extension of the file, such as ``'.py'``.
    likely_errors : iterable of Exception
        What went wrong while it was loaded.

    """

    def __init__(self, extension: str = '', *, likely_errors: Iterable[Exception] = ()) -> None:
        self._extension = extension
        self._likely_errors = list(likely_errors)
        if not self._likely_errors:
            message = f"The launch file may have a syntax error, or its format '{extension}' " \
                      'is unknown'
        else:
            message = f'Caught exception when trying to load file of format [' \
                      f"{extension.lstrip('.')}]: " + '; '.join(map(_named, self._likely_errors))
        super().__init__(message)


def _named(error: Exception) -> str:
    """Return an error with its kind, unless it is one that only holds a message."""
    return str(error) if type(error) is Exception else f'{type(error).__name__}: {error}'
