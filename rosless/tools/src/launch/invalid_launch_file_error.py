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
                      f"{extension.lstrip('.')}]: " + '; '.join(map(str, self._likely_errors))
        super().__init__(message)
